"""Writes docs/relay.md: what became of each option of relay.quantize, from the options' own descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qdsl.config import QConfig, describe
from qdsl.config.describe import OptionRow
from qdsl.config.messages import RENAMED, RETIRED

PAGE = Path(__file__).parents[1] / "relay.md"
PREFACE = """\
# Coming from relay.quantize

TVM lost `relay.quantize` when Relay went. Its options keep their names here, each has an effect that a test shows, and
a key that does not exist is an error with the nearest name: Relay dropped it without a word. This page is written by
`make docs`.

```python
import qdsl

print(qdsl.QConfig.relay().calibrate_mode)
```

<!-- prints -->
```text
global_scale
```

`qdsl.QConfig.relay()` gives Relay's own defaults. The defaults of qdsl are chosen for accuracy on real models instead:
scales per channel, zero points, ranges from the samples, and no operator skipped.

## Options that Relay had

| option | default here | default there | what became of it |
|---|---|---|---|
"""
NEW = """
## Options that are new

| option | default | meaning |
|---|---|---|
"""
GONE = """
## Names that are gone

| name | instead |
|---|---|
"""
CALLS = """
## Calls

| there | here |
|---|---|
| `relay.quantize.quantize(mod, params, dataset)` | `qdsl.quantize(model, calibration)` |
| `with relay.quantize.qconfig(...)` | `config=qdsl.QConfig(...)`; there is no global state |
| `relay.quantize.prerequisite_optimize` | not needed: import folds constants, and fold rules move batch norms |
| `register_annotate_function` and the like | a rule in a .qrule file: [accelerator.md](accelerator.md) |
| `relay.quantize.annotate()`, `calibrate()`, `realize()` | `qdsl.transform.Annotate`, `Calibrate`, `Realize` |
"""


def page() -> str:
    """docs/relay.md as it should be."""
    return "".join(_lines())


def _lines() -> Iterator[str]:
    rows = describe()
    yield PREFACE
    for row in rows:
        if not row.relay.startswith("new"):
            yield f"| `{row.name}` | `{row.default}` | {_default_there(row)} | {row.relay} |\n"
    yield NEW
    for row in rows:
        if row.relay.startswith("new"):
            yield f"| `{row.name}` | `{row.default}` | {row.meaning} |\n"
    yield GONE
    for name, successor in RENAMED.items():
        yield f"| `{name}` | `{successor}` |\n"
    for name, why in RETIRED.items():
        yield f"| `{name}` | {why} |\n"
    yield CALLS


def _default_there(row: OptionRow) -> str:
    there, here = getattr(QConfig.relay(), row.name), getattr(QConfig(), row.name)
    if there == here:
        return "the same"
    shown = str(there).lower() if isinstance(there, bool) else list(there) if isinstance(there, tuple) else there
    return f"`{shown}`"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
