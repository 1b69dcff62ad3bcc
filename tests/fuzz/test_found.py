"""Inputs that once broke the front end, and a few that are built to."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def _target() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_rules", HERE / "rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RULES = _target()
RULE = "rule r match y = {} annotate x as act realize y = x"
BUILT = {
    "deep parentheses": RULE.format("(" * 5000 + "x" + ")" * 5000),
    "deep calls": RULE.format("nn.relu(" * 3000 + "x" + ")" * 3000),
    "long sum": "def f(x) = " + " + ".join(["x"] * 20000),
    "many items": "\n".join(f"scheme s{i} = int8" for i in range(3000)),
    "keywords only": "rule fold match when annotate realize use scheme def test skip " * 300,
    "odd characters": "rule \u202e\ufeff\u0000 match \U0001f600 = \u00e9(x)\x7f",
    "lone surrogate bytes": "rule r match y = nn.relu(\udcff)".encode("utf-8", "surrogatepass").decode("latin-1"),
    "unclosed string": 'test r "' + "a" * 50000,
    "self-reference": "def f(x) = f(x)\nrule r match y = nn.relu(y) annotate y like y realize y = y",
    "one long line of commas": "rule r for o in " + ",".join(["nn.relu"] * 5000),
}


@pytest.mark.parametrize("name", BUILT)
def test_built_to_break(name: str) -> None:
    RULES.try_text(BUILT[name].encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("path", sorted((HERE / "found").glob("[!.]*")), ids=lambda p: p.name)
def test_found_by_fuzzing(path: Path) -> None:
    RULES.try_text(path.read_bytes())


def test_seeds_pass() -> None:
    for path in RULES.seeds(HERE.parents[1]):
        RULES.try_text(path.read_bytes())
