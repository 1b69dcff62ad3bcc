"""What the checker types without a finding is true of numbers.

An expression of type (scale s, zero point z) with codes q stands for the real number s * (q - z). Random clauses are
computed twice, on integers and on the real numbers that their operands stand for, and where the checker has nothing to
say the two must agree: on the real number, and on the range of the codes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qdsl.check.types.check import type_rule
from qdsl.check.types.ranges import fits
from qdsl.check.types.values import Quantity
from qdsl.lang.program import load_text

RULE = """
scheme act  = uint8 asymmetric per_tensor
scheme sym  = int8  symmetric  per_tensor
scheme acc  = int32 symmetric  per_channel
scheme wide = int32 symmetric  per_tensor 24 bits
rule r
    match    y = concat([x, w, a, b, d])
    annotate x as act
             w as sym
             share a, b as act
             d as acc = x.scale * w.scale
             y as float
    realize  t = {}
"""

NAMES = ("x", "w", "a", "b", "d")
SCALES = {"x.scale": 0.37, "w.scale": 0.011, "a.scale": 1.7}
ZEROS = {"x": 113, "w": 0, "a": 31, "b": 31, "d": 0}
UNIT = {"x": 0.37, "w": 0.011, "a": 1.7, "b": 1.7, "d": 0.37 * 0.011}
ZERO_SYMBOLS = {"x.zero": 113, "a.zero": 31}
SHAPE = (3, 3)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Both:
    """An expression computed on codes and on real numbers."""

    text: str
    codes: Array
    real: Array


def leaf(name: str) -> Both:
    generator = np.random.default_rng(NAMES.index(name))
    low, high = {"w": (-128, 128), "d": (-1000, 1000)}.get(name, (0, 256))
    codes = generator.integers(low, high, SHAPE).astype(np.float64)
    return Both(name, codes, UNIT[name] * (codes - ZEROS[name]))


def zero(name: str) -> Both:
    return Both(f"{name}.zero", np.full(SHAPE, float(ZEROS[name])), np.zeros(SHAPE))


def number(value: int) -> Both:
    return Both(str(value), np.full(SHAPE, float(value)), np.full(SHAPE, float(value)))


def centered(name: str) -> Both:
    inner = leaf(name)
    return Both(f"centered({name})", inner.codes - ZEROS[name], inner.real)


def apply(form: str, *parts: Both) -> Both:
    """A form such as `maximum({}, {})` of expressions."""
    text = form.format(*(p.text for p in parts))
    return Both(text, FORMS[form](*(p.codes for p in parts)), FORMS[form](*(p.real for p in parts)))


FORMS = {
    "astype({}, int32)": lambda e: e,
    "({} + {})": np.add,
    "({} - {})": np.subtract,
    "({} * {})": np.multiply,
    "-({})": np.negative,
    "abs({})": np.abs,
    "maximum({}, {})": np.maximum,
    "minimum({}, {})": np.minimum,
    "where({} > {}, {}, {})": lambda a, b, c, d: np.where(a > b, c, d),
    "matmul({}, {}, out_dtype=int32)": np.matmul,
    "sum({}, axis=[0], keepdims=true)": lambda e: np.broadcast_to(e.sum(0, keepdims=True), SHAPE),
    "permute_dims({}, axes=[1, 0])": np.transpose,
    "clip({}, {}, {})": lambda e, low, high: np.minimum(np.maximum(e, low), high),
}

LEAVES = st.one_of(
    st.sampled_from(NAMES).map(leaf),
    st.sampled_from(NAMES).map(centered),
    st.sampled_from(NAMES).map(lambda n: apply("astype({}, int32)", centered(n))),
    st.sampled_from(NAMES).map(zero),
    st.sampled_from((0, 1, 2, 3)).map(number),
)


def extended(inner: st.SearchStrategy[Both]) -> st.SearchStrategy[Both]:
    return st.sampled_from(sorted(FORMS)).flatmap(
        lambda form: st.tuples(*[inner] * form.count("{}")).map(lambda parts: apply(form, *parts))
    )


@settings(max_examples=400, deadline=None)
@given(st.recursive(LEAVES, extended, max_leaves=5))
def test_a_typed_expression_means_what_its_type_says(expression: Both) -> None:
    program = load_text(RULE.format(expression.text))
    assert program.diagnostics == []
    scope = type_rule(program.rules[0], None, program)
    value = scope.locals["t"]
    if scope.findings.items or not isinstance(value, Quantity):
        event("refused" if scope.findings.items else "no integers")
        return
    event("typed")
    assert value.axis is None
    scale = float(value.scale.evaluate(SCALES))
    zero_point = ZERO_SYMBOLS[value.zero] if isinstance(value.zero, str) else value.zero
    # Both sides are exact up to the rounding of a few float64 operations on terms no larger than these.
    bound = 1e-9 * (1 + np.abs(expression.real).max() + scale * np.abs(expression.codes).max())
    assert np.allclose(scale * (expression.codes - zero_point), expression.real, rtol=0, atol=bound)
    if value.codes is not None:
        assert value.codes[0] <= expression.codes.min()
        assert expression.codes.max() <= value.codes[1]
        assert fits(value.codes, value.dtype) or value.dtype == "int32"
