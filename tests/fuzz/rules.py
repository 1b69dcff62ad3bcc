"""Coverage-guided fuzzing of parser, checker, formatter and renderer: `make fuzz` runs it for a bounded time.

Whatever the bytes, there are findings and never an exception, a hang or a blow-up. Inputs that broke this are kept in
tests/fuzz/found/ and run by test_found.py.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

SLOWEST_S = 5.0
"""Longer than this on a few kilobytes is a hang."""


def try_text(data: bytes) -> None:
    """One input through everything that reads rule text. Raises whatever goes wrong."""
    from qdsl.check import check
    from qdsl.lang.program import load_text
    from qdsl.lang.render import render
    from qdsl.lang.unparse import unparse

    start = time.monotonic()
    program = load_text(data.decode("utf-8", errors="replace"), "fuzz.qrule")
    for style in ("pretty", "concise", "json"):
        render(check(program), style)
    for item in program.items:
        unparse(item)
    took = time.monotonic() - start
    if took > SLOWEST_S:
        raise TimeoutError(f"{len(data)} bytes took {took:.1f} s")


def main() -> None:
    import atheris

    with atheris.instrument_imports(include=["qdsl"]):
        import qdsl.check
        import qdsl.lang.parse  # noqa: F401
    atheris.Setup(sys.argv, try_text)
    atheris.Fuzz()


def seeds(root: Path) -> list[Path]:
    """Rule files to start from."""
    return sorted([*root.glob("rules/*.qrule"), *root.glob("tests/bad/*.qrule")])


if __name__ == "__main__":
    main()
