"""Each form keeps the value, against onnx's reference, and comes out as the operators that rules speak of."""

from __future__ import annotations

import numpy as np
import pytest
from tvm import relax

from qdsl.load import load_model

from . import cases, cases_moves, cases_pads
from .cases import Case
from .models import bindings, feeds_for, operators, reference, run

CASES = [*cases.CASES, *cases_moves.CASES, *cases_pads.CASES]
TOLERANCE = 64 * float(np.finfo(np.float32).eps)
"""Relative to the largest value: sums of up to 36 products, and reciprocals instead of divisions, in float32."""


def _named(group: list[Case]) -> list[object]:
    return [pytest.param(case, id=case.name) for case in group]


@pytest.mark.parametrize("case", _named(CASES))
def test_value_is_kept(case: Case) -> None:
    loaded = load_model(case.proto)
    relax.analysis.well_formed(loaded.module)
    feeds = feeds_for(loaded)
    expected = reference(case.proto, feeds) if case.value is None else [case.value(feeds["x"])]
    result = run(loaded, feeds)
    assert len(result) == len(expected) == len(loaded.outputs)
    for got, wanted in zip(result, expected, strict=True):
        assert got.shape == wanted.shape
        assert got.dtype == wanted.dtype
        # Infinities (a quotient by 1e-40) have to be the same ones.
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(got[~finite], wanted[~finite])
        largest = np.max(np.abs(wanted[finite]), initial=0.0)
        np.testing.assert_allclose(got[finite], wanted[finite], rtol=0, atol=TOLERANCE * largest)


@pytest.mark.parametrize("case", _named(CASES))
def test_form(case: Case) -> None:
    assert operators(load_model(case.proto)) == case.operators


@pytest.mark.parametrize("case", _named(CASES))
def test_constants_come_second(case: Case) -> None:
    for binding in bindings(load_model(case.proto)):
        call = binding.value
        if isinstance(call, relax.Call) and call.op.name in ("relax.add", "relax.multiply", "relax.maximum"):
            assert isinstance(call.args[0], relax.Var)
