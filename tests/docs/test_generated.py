"""Pages that are generated are as the generator makes them, and the site has every page. MkDocs is not needed."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import get_args

import pytest

from qdsl.config.options import CalibrateMode

from .snippets import snippets

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ON_THE_SITE = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("*.md")}


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["operators", "relay"])
def test_the_page_is_what_its_script_writes(name: str) -> None:
    made = script(DOCS / "scripts" / f"{name}.py").page()
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == made, "run `make docs`"


def test_what_was_measured_has_every_mode_and_network() -> None:
    measured = script(DOCS / "scripts" / "calibration.py")
    page = (DOCS / "calibration.md").read_text(encoding="utf-8")
    (table,) = [m.group() for m in measured.TABLE.finditer(page)]
    rows = re.findall(r"^\| ([^|]+) \|((?: \d+\.\d \|)+)$", table, re.MULTILINE)
    assert [name for name, _ in rows] == list(measured.WAYS), "run docs/scripts/calibration.py"
    assert all(len(numbers.split("|")) == len(measured.NETWORKS) + 1 for _, numbers in rows)
    modes = {mode for way in measured.WAYS.values() if isinstance(mode := way.get("calibrate_mode", "minmax"), str)}
    assert modes | {"kl_divergence"} == set(get_args(CalibrateMode)), "kl_divergence is another name for entropy"


def test_every_mode_is_explained() -> None:
    page = (DOCS / "calibration.md").read_text(encoding="utf-8")
    assert all(f"`{mode}`" in page for mode in get_args(CalibrateMode))


def test_what_the_chip_costs_is_what_the_script_measures() -> None:
    steps = script(ROOT / "examples" / "accelerator" / "losses.py").STEPS
    (printed,) = [s.text for s in snippets(DOCS / "accelerator.md") if "right" in s.text]
    rows = [re.fullmatch(r"(.+?) +(\d+\.\d) dB +(\d+) of 600 right", line) for line in printed.strip().splitlines()]
    assert [row and row[1] for row in rows] == list(steps)
    assert [float(row[2]) for row in rows if row] == sorted((float(r[2]) for r in rows if r), reverse=True)
    # The last row is the chip itself, whose SQNR the page's own run prints.
    (whole,) = [s.text for s in snippets(DOCS / "accelerator.md") if "/fc/Gemm  " in s.text]
    last = rows[-1]
    assert last is not None
    assert abs(float(whole.strip().splitlines()[-1].split()[-1]) - float(last[2])) < 0.2


def test_the_site_has_every_page_once() -> None:
    listed = re.findall(r"^ *- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(ON_THE_SITE)


def test_every_page_can_be_reached_from_the_index() -> None:
    linked = set(re.findall(r"\]\((\w+\.md)\)", (DOCS / "index.md").read_text(encoding="utf-8")))
    assert linked | {"index.md"} == ON_THE_SITE


def test_links_to_headings_lead_to_one() -> None:
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for target, anchor in re.findall(r"\]\(([^)#:]*\.md)?#([^)]+)\)", text):
            where = page.parent / target if target else page
            headings = re.findall(r"^#+ (.+)$", where.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings}
            assert anchor in slugs, f"{page.name} links to #{anchor}"


def test_in_the_site_a_link_out_of_docs_is_its_text() -> None:
    hook = script(DOCS / "scripts" / "site.py").on_page_markdown
    page = SimpleNamespace(file=SimpleNamespace(abs_src_path=str(DOCS / "index.md")))
    config = SimpleNamespace(docs_dir=str(DOCS))
    text = "[rules](../rules) [language](language.md#tests) [gone](../nowhere) [far](https://example.org)"
    done = hook(text, page=page, config=config, files=None)
    assert done == "rules [language](language.md#tests) [gone](../nowhere) [far](https://example.org)"
