"""Axes counted one way: from the front, but the last axis alone is -1 for softmax and reductions."""

from __future__ import annotations

from collections.abc import Callable

from tvm import relax

from qdsl.load.canonical.sweep import Form, Sweep

_SOFTMAX: dict[str, Callable[..., relax.Expr]] = {
    "nn.softmax": relax.op.nn.softmax,
    "nn.log_softmax": relax.op.nn.log_softmax,
}
_REDUCTIONS: dict[str, Callable[..., relax.Expr]] = {
    name: getattr(relax.op, name) for name in ("mean", "sum", "max", "min", "prod", "variance", "std")
}


def _softmax(make: Callable[..., relax.Expr]) -> Form:
    def form(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
        wanted = _last_as_minus_one([int(call.attrs.axis)], int(call.args[0].ty.ndim))[0]
        return None if wanted == int(call.attrs.axis) else make(call.args[0], axis=wanted)

    return form


def _reduction(make: Callable[..., relax.Expr]) -> Form:
    def form(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
        rank = int(call.args[0].ty.ndim)
        given = list(range(rank)) if call.attrs.axis is None else [int(axis) for axis in call.attrs.axis]
        wanted = _last_as_minus_one(given, rank)
        if call.attrs.axis is not None and wanted == given:
            return None
        return make(call.args[0], axis=wanted, keepdims=bool(call.attrs.keepdims)) if wanted else None

    return form


def _last_as_minus_one(axes: list[int], rank: int) -> list[int]:
    counted = sorted(axis % rank for axis in axes)
    return [-1] if counted == [rank - 1] else counted


def concat_from_front(call: relax.Call, sweep: Sweep) -> relax.Expr | None:
    axis = 0 if call.attrs.axis is None else int(call.attrs.axis)
    return None if axis >= 0 else relax.op.concat(call.args[0], axis=axis % int(call.ty.ndim))


FORMS: dict[str, tuple[Form, ...]] = {
    **{name: (_softmax(make),) for name, make in _SOFTMAX.items()},
    **{name: (_reduction(make),) for name, make in _REDUCTIONS.items()},
    "concat": (concat_from_front,),
}
