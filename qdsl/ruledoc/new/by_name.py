"""Rules of operators that take integers each in its own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qdsl.ops import Operator
from qdsl.ruledoc.new.sketch import Sketch


def relu(operator: Operator) -> Sketch:
    """Zero in the value's own format."""
    return Sketch(f"{operator.name}(x)", ("y like x",), ("y = maximum(x, x.zero)",), reads_integers=True)


def clip(operator: Operator) -> Sketch:
    """Both bounds in the value's own format."""
    marks, realize = ("y like x",), ("y = clip(x, level(low, x), level(high, x))",)
    return Sketch("clip(x, low, high)", marks, realize, reads_integers=True)


def leaky(operator: Operator) -> Sketch:
    """Below zero one factor."""
    realize = ("y = where(x > x.zero, x, affine(x, y.alpha, 0))",)
    return Sketch(f"{operator.name}(x)", ("y like x",), realize, reads_integers=True)


def pad(operator: Operator) -> Sketch:
    """The border is the zero point."""
    return Sketch(
        "nn.pad(x)",
        ("x as act", "y like x"),
        ("y = nn.pad(x, **y, pad_value=x.zero)",),
        'wanted(y) and (y.pad_value == 0 or y.pad_mode != "constant")',
        is_wanted=True,
    )


def batch_norm(operator: Operator) -> Sketch:
    """One multiply and one add per channel."""
    return Sketch(
        "nn.batch_norm(x, gamma, beta, mean, var)",
        ("x as any", "gamma, beta, mean, var as float", "y as wide"),
        ("gain = gamma / sqrt(var + y.epsilon)", "y = affine(x, gain[C], (beta - mean * gain)[C])"),
        "constant(gamma, beta, mean, var) and not y.training and wanted(y)",
        "y, _, _",
        reads_integers=True,
        is_wanted=True,
    )


def split(operator: Operator) -> Sketch:
    """One name for all results, each on the scale of the operand."""
    return Sketch(
        "split(x)",
        ("x as act", "parts... like x"),
        ("parts... = split(x, **parts)",),
        "wanted(parts...)",
        "parts...",
        is_wanted=True,
    )


def triangle(operator: Operator) -> Sketch:
    """The zeros that it fills in are zeros of integers without a zero point."""
    return Sketch(
        f"{operator.name}(x)",
        ("x as act", "y as wide = x.scale"),
        (f"y = {operator.name}(astype(centered(x), int32), **y)",),
        "wanted(y)",
        is_wanted=True,
    )


def position(operator: Operator) -> Sketch:
    """Where the largest code is, the largest value is: read as it stands; positions carry no mark."""
    return Sketch(f"{operator.name}(x)", ("x as any",), (f"y = {operator.name}(x, **y)",), reads_integers=True)


BY_NAME: Mapping[str, Callable[[Operator], Sketch]] = {
    "nn.relu": relu,
    "clip": clip,
    "nn.leakyrelu": leaky,
    "nn.pad": pad,
    "nn.batch_norm": batch_norm,
    "split": split,
    "argmax": position,
    "argmin": position,
    "tril": triangle,
    "triu": triangle,
}
