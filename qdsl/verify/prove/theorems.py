"""What is proved of the dialect's kernels, on their own expressions, and of the fixed-point form of a ratio.

zero point   x - zero is exact, for every code and |zero| <= 2^30
multiply     (x * m + half) >> s is x * m / 2^s rounded, halves up or away from zero, and nothing overflows
shift        the same where every ratio is a power of two
tiny ratio   a ratio below 2^-32 gives 0, as it should
clamp        the result is in the format, and what was in it is unchanged
ratio        m / 2^s is within a relative 2^-31 of the ratio
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tvm import te, tirx

from qdsl.dialect import kernels
from qdsl.dialect.fixed_kernel import multiplied, shifted
from qdsl.numerics.fixed_point import FRACTION_BITS, MAX_SHIFT
from qdsl.numerics.rounding import MAX_ZERO
from qdsl.verify.prove.solver import counterexample, z3_module
from qdsl.verify.prove.translate import Translation

GREATEST = 2**31 + MAX_ZERO
"""Of a code without its zero point."""
PRODUCT = GREATEST * (2**FRACTION_BITS - 1)
"""Of such a code times a multiplier."""
FORMATS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "uint16": (0, 65535),
           "int32": (-(2**31), 2**31 - 1)}  # fmt: skip

Goal = tuple[list[Any], list[Any]]
"""(assumptions, claims)"""


@dataclass(frozen=True)
class Proof:
    """A theorem and whether z3 found it true."""

    name: str
    statement: str
    cases: int
    seconds: float
    counterexample: str | None = None

    @property
    def holds(self) -> bool:
        return self.counterexample is None

    @property
    def line(self) -> str:
        said = (
            f"proved in {self.cases} cases, {self.seconds:.1f} s" if self.holds else f"NOT TRUE: {self.counterexample}"
        )
        return f"{self.name}: {self.statement}: {said}"

    def as_dict(self) -> dict[str, Any]:
        known = {"name": self.name, "statement": self.statement, "holds": self.holds, "cases": self.cases}
        return {**known, "seconds": self.seconds, "counterexample": self.counterexample}


def prove_all() -> list[Proof]:
    """Every theorem. Raises ConfigError where z3 is not installed."""
    z3_module()
    return [prove(name, statement, goals) for name, (statement, goals) in THEOREMS.items()]


def prove(name: str, statement: str, goals: Callable[[], Iterator[Goal]]) -> Proof:
    """One theorem: all of its cases, up to the first that does not hold."""
    start = time.perf_counter()
    cases, found = 0, None
    for assumptions, claims in goals():
        cases += 1
        found = counterexample(assumptions, claims)
        if found is not None:
            break
    return Proof(name, statement, cases, time.perf_counter() - start, found)


# ---- the theorems


def zero_point() -> Iterator[Goal]:
    z3 = z3_module()
    for dtype, (low, high) in FORMATS.items():
        x, zero = z3.Int("x"), z3.Int("zero")
        tensor, point = te.placeholder((4,), dtype, name="x"), te.placeholder((), "int32", name="zero")
        translation = Translation({"x": x, "zero": zero})
        result = translation.integer(kernels.centered(tensor, (tirx.IntImm("int32", 0),), point))
        known = [x >= low, x <= high, zero >= -MAX_ZERO, zero <= MAX_ZERO]
        yield [*known, *translation.assumptions], [*translation.claims, result == x - zero]


def multiply() -> Iterator[Goal]:
    for rounding in ("UPWARD", "TONEAREST"):
        for round_for_shift in (True, False):
            for shift in range(MAX_SHIFT + 1):
                yield multiply_goal(rounding, round_for_shift, shift)


def multiply_goal(rounding: str, round_for_shift: bool, shift: int) -> Goal:
    """The kernel of one rounding and shift, for every code and multiplier."""
    z3 = z3_module()
    attrs = {"rounding": rounding, "round_for_shift": round_for_shift, "axis": None}
    operands = [te.placeholder((), "int32", name=name) for name in ("m", "s")]
    x, m = z3.Int("x"), z3.Int("m")
    translation = Translation({"x": x, "m": m, "s": shift}, {"product": PRODUCT})
    result = translation.integer(multiplied(tirx.Var("x", "int64"), (), operands, attrs))
    product = translation.unknown("product", [-PRODUCT, PRODUCT])
    bits = translation.unknown("_and", [0, 2**62])
    up, down = rounded_up(result, product, shift), result_floor(result, product, shift)
    away = z3.If(product >= 0, up, rounded_up(-result, -product, shift))
    by_multiply = up if rounding == "UPWARD" else away
    expected = z3.If(bits == 0, up if round_for_shift else down, by_multiply)
    known = [x >= -GREATEST, x <= GREATEST, m >= 1, m < 2**FRACTION_BITS]
    return [*known, *translation.assumptions], [*translation.claims, expected]


def rounded_up(result: Any, product: Any, shift: int) -> Any:
    """result = floor(product / 2^shift + 1/2)"""
    z3 = z3_module()
    return z3.And(2 * result * 2**shift <= 2 * product + 2**shift, 2 * product + 2**shift < 2 * (result + 1) * 2**shift)


def result_floor(result: Any, product: Any, shift: int) -> Any:
    """result = floor(product / 2^shift)"""
    z3 = z3_module()
    return z3.And(result * 2**shift <= product, product < (result + 1) * 2**shift)


def shift_only() -> Iterator[Goal]:
    z3 = z3_module()
    for round_for_shift in (True, False):
        for exponent in range(-MAX_SHIFT, FRACTION_BITS):
            x = z3.Int("x")
            operands = [te.placeholder((), "int32", name=name) for name in ("left", "right")]
            left, right = max(exponent, 0), max(-exponent, 0)
            translation = Translation({"x": x, "left": left, "right": right})
            attrs = {"round_for_shift": round_for_shift, "axis": None}
            result = translation.integer(shifted(tirx.Var("x", "int64"), (), operands, attrs))
            exact = x * 2**left
            expected = rounded_up(result, exact, right) if round_for_shift else result_floor(result, exact, right)
            yield [x >= -GREATEST, x <= GREATEST, *translation.assumptions], [*translation.claims, expected]


def tiny_ratio() -> Iterator[Goal]:
    """At the greatest shift the multiplier has given up a bit at least, so it is below 2^30."""
    z3 = z3_module()
    product, result = z3.Int("product"), z3.Int("result")
    most = 2**31 * (2 ** (FRACTION_BITS - 1) - 1)
    known = [product >= -most, product <= most, rounded_up(result, product, MAX_SHIFT)]
    yield known, [result == 0]


def clamp() -> Iterator[Goal]:
    z3 = z3_module()
    for dtype, (low, high) in FORMATS.items():
        x, zero = z3.Int("x"), z3.Int("zero")
        point = te.placeholder((), "int64", name="zero")
        translation = Translation({"x": x, "zero": zero})
        result = translation.integer(kernels.saturated(tirx.Var("x", "int64"), point, dtype, low, high))
        known = [x >= -(2**62), x <= 2**62, zero >= -MAX_ZERO, zero <= MAX_ZERO]
        total = x + zero
        expected = z3.If(total < low, result == low, z3.If(total > high, result == high, result == total))
        yield [*known, *translation.assumptions], [*translation.claims, result >= low, result <= high, expected]


def ratio() -> Iterator[Goal]:
    """With mantissa in [1/2, 1) and m the whole number nearest to it times 2^31: |m - mantissa * 2^31| is at most
    mantissa * 2^31 * 2^-31."""
    z3 = z3_module()
    mantissa, m = z3.Real("mantissa"), z3.Int("m")
    scaled = mantissa * 2**FRACTION_BITS
    off = z3.If(m >= scaled, m - scaled, scaled - m)
    yield [mantissa >= z3.Q(1, 2), mantissa < 1, off <= z3.Q(1, 2)], [off * 2**FRACTION_BITS <= scaled]


THEOREMS: dict[str, tuple[str, Callable[[], Iterator[Goal]]]] = {
    "zero point": ("x - zero is exact for every code and |zero| <= 2^30", zero_point),
    "multiply": ("(x * m + half) >> s is x * m / 2^s rounded, without overflow", multiply),
    "shift": ("x times a power of two is rounded, without overflow", shift_only),
    "tiny ratio": ("an int32 times a ratio below 2^-32 is 0", tiny_ratio),
    "clamp": ("results are in the format, and unchanged where they were", clamp),
    "ratio": ("the multiplier is within a relative 2^-31 of the ratio", ratio),
}
"""By name: what is claimed, and its cases."""
