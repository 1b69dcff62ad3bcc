"""exp, sigmoid, tanh, erf and small powers as polynomials, so that they vectorise: libm is called a lane at a time.

exp(x)      2^n * p(r), n = round(x / ln 2), r = x - n * ln 2 in two parts, |r| <= ln 2 / 2, p of degree 6 (Cephes);
            within 2 units of the last place; 0 below -87, infinite above 88.72, NaN for NaN
sigmoid(x)  1 / (1 + exp(-x))
tanh(x)     an odd polynomial of degree 13 over an even one of degree 6, |x| clamped where float32 is 1 (Eigen)
erf(x)      likewise, 13 over 8, |x| <= 4 (Eigen)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import tvm
import tvm_ffi
from tvm import tirx
from tvm.ir import Call, Expr

_EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
_LOG2_E, _LN2_HIGH, _LN2_LOW = 1.44269504088896341, 0.693359375, -2.12194440e-4
_EXP_LEAST, _EXP_GREATEST = -87.33654, 88.72283
_TANH_ODD = (
    -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08, 1.48572235717979e-05,
    6.37261928875436e-04, 4.89352455891786e-03,
)  # fmt: skip
_TANH_EVEN = (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
_TANH_CLAMP = 7.90531110763549805
_ERF_ODD = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04,
    -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
_ERF_EVEN = (
    -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02,
)  # fmt: skip
_ERF_CLAMP = 4.0


def with_elementary(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """`function` with its float32 calls of the functions above, of any number of lanes, written out."""
    return tvm_ffi.structural_map(function, [(Call, _written_out), (tirx.Cast, _converted)])


def _converted(cast: tirx.Cast) -> Expr:
    """A rounded float32 cast to int32, as one instruction."""
    inner = cast.value
    rounds = isinstance(inner, Call) and str(getattr(inner.op, "name", "")) == "tirx.nearbyint"
    if not rounds or _kind(cast) != "int32" or _kind(inner) != "float32":
        return cast
    number = tvm.target.codegen.llvm_lookup_intrinsic_id("llvm.lrint")
    return tirx.call_llvm_pure_intrin(str(cast.ty.dtype), tirx.const(number, "uint32"), inner.args[0])


def _written_out(call: Call) -> Expr:
    form = _FORMS.get(str(getattr(call.op, "name", "")))
    if form is None or _kind(call) != "float32":
        return call
    return form(*call.args)


def exp(x: Expr) -> Expr:
    """e^x."""

    def of(v: Expr) -> Expr:
        return _let(_clamped(v, _EXP_LEAST, _EXP_GREATEST), lambda w: _let(_rounded(w), lambda n: _raised(v, w, n)))

    return _let(x, of)


def _rounded(w: Expr) -> Expr:
    return tirx.nearbyint(w * _like(w, _LOG2_E))


def _raised(v: Expr, w: Expr, n: Expr) -> Expr:
    rest = w - n * _like(n, _LN2_HIGH) - n * _like(n, _LN2_LOW)
    # 2^(n-1), doubled: n reaches 128, which is no exponent of float32.
    power = tirx.reinterpret(str(n.ty.dtype), _shifted(n))
    result = _let(rest, lambda r: (_polynomial(_EXP, r) * (r * r) + r + _like(r, 1.0)) * _like(r, 2.0) * power)
    return tirx.Select(v <= _like(v, _EXP_GREATEST), result, v + _like(v, float("inf")))


def _shifted(n: Expr) -> Expr:
    integers = str(n.ty.dtype).replace("float", "int")
    bias, place = (_spread(tirx.const(number, "int32"), _lanes(n)) for number in (126, 23))
    return tirx.shift_left(n.astype(integers) + bias, place)


def sigmoid(x: Expr) -> Expr:
    """1 / (1 + e^-x)."""
    return _like(x, 1.0) / (_like(x, 1.0) + exp(_like(x, 0.0) - x))


def tanh(x: Expr) -> Expr:
    """Hyperbolic tangent."""
    return _odd_over_even(x, _TANH_CLAMP, _TANH_ODD, _TANH_EVEN)


def erf(x: Expr) -> Expr:
    """The error function."""
    return _odd_over_even(x, _ERF_CLAMP, _ERF_ODD, _ERF_EVEN)


def power(base: Expr, exponent: Expr) -> Expr:
    """base^exponent: products and roots for the exponents 2, 3 and 0.5, else the call itself."""
    scalar = exponent.value if isinstance(exponent, tirx.Broadcast) else exponent
    value = float(scalar.value) if isinstance(scalar, tirx.FloatImm) else None
    if value == 2.0:
        return _let(base, lambda b: b * b)
    if value == 3.0:
        return _let(base, lambda b: b * b * b)
    if value == 0.5:
        return tirx.sqrt(base)
    return tirx.power(base, exponent)


def _odd_over_even(x: Expr, clamp: float, odd: Sequence[float], even: Sequence[float]) -> Expr:
    def of(v: Expr) -> Expr:
        return _let(v * v, lambda s: v * _polynomial(odd, s) / _polynomial(even, s))

    return _let(_clamped(x, -clamp, clamp), of)


def _polynomial(coefficients: Sequence[float], x: Expr) -> Expr:
    """Horner's scheme, the highest coefficient first."""
    total = _like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * x + _like(x, coefficient)
    return total


def _clamped(x: Expr, least: float, greatest: float) -> Expr:
    """x within bounds; NaN stays NaN, for a comparison with it chooses the second operand."""
    return tirx.max(_like(x, least), tirx.min(_like(x, greatest), x))


def _let(value: Expr, body: Callable[[Expr], Expr]) -> Expr:
    variable = tirx.Var("t", value.ty)
    return tirx.Let(variable, value, body(variable))


def _like(x: Expr, number: float) -> Expr:
    """A float32 constant of as many lanes as x has."""
    return _spread(tirx.const(number, "float32"), _lanes(x))


def _spread(scalar: Expr, lanes: int) -> Expr:
    return scalar if lanes == 1 else tirx.Broadcast(scalar, lanes)


def _kind(x: Expr) -> str:
    return str(x.ty.dtype).split("x")[0]


def _lanes(x: Expr) -> int:
    return int(x.ty.dtype.lanes)


_FORMS: dict[str, Callable[..., Expr]] = {
    "tirx.exp": exp,
    "tirx.sigmoid": sigmoid,
    "tirx.tanh": tanh,
    "tirx.erf": erf,
    "tirx.pow": power,
}
