"""The tier of proofs: what is true is proved, and what is not is refuted with numbers."""

from __future__ import annotations

import pytest
from tvm import tirx

from qdsl.errors import ConfigError
from qdsl.verify.prove import solver


def test_without_z3_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(ConfigError, match=r"needs z3, which is not installed: pip install 'qdsl\[verify\]'"):
        solver.z3_module()


@pytest.fixture
def z3():  # type: ignore[no-untyped-def]
    return pytest.importorskip("z3", reason="z3 is an extra")


def test_everything_holds(z3) -> None:  # type: ignore[no-untyped-def]
    from qdsl.verify.prove import prove_all

    proofs = prove_all()
    assert [p.line for p in proofs if not p.holds] == []
    assert {p.name: p.cases for p in proofs}["multiply"] == 4 * 63


def test_a_sum_that_may_overflow_is_refuted(z3) -> None:  # type: ignore[no-untyped-def]
    from qdsl.verify.prove.translate import Translation

    x = z3.Int("x")
    translation = Translation({"x": x})
    translation.integer(tirx.Var("x", "int32") + tirx.IntImm("int32", 1))
    assert solver.counterexample([x >= 0, x < 2**31], translation.claims) == "x = 2147483647"
    assert solver.counterexample([x >= 0, x < 2**31 - 1], translation.claims) is None


def test_a_rounding_without_its_half_is_refuted(z3) -> None:  # type: ignore[no-untyped-def]
    from qdsl.verify.prove.theorems import rounded_up
    from qdsl.verify.prove.translate import Translation

    x = z3.Int("x")
    translation = Translation({"x": x})
    floor = translation.integer(tirx.Var("x", "int64") >> tirx.IntImm("int64", 4))
    bounds = [x >= -1000, x <= 1000]
    assert solver.counterexample([*bounds, *translation.assumptions], [rounded_up(floor, x, 4)]) is not None
    right = Translation({"x": x})
    half = (tirx.Var("x", "int64") + tirx.IntImm("int64", 8)) >> tirx.IntImm("int64", 4)
    rounded = right.integer(half)
    claims = [*right.claims, rounded_up(rounded, x, 4)]
    assert solver.counterexample([*bounds, *right.assumptions], claims) is None
