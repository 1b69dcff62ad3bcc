"""Which results of a function may share memory with an input, a constant or another result.

Such results are views in the compiled code and are copied before a caller gets them.
"""

from __future__ import annotations

from tvm import ir, relax

_VIEWS = frozenset(
    f"relax.{name}"
    for name in ("reshape", "flatten", "squeeze", "expand_dims", "astype", "permute_dims", "broadcast_to")
)
"""Operators whose result may be their operand's memory (some only in special cases)."""


def shared_results(main: relax.Function) -> tuple[bool, ...]:
    """For each result of `main`, whether its memory is not its own."""
    values = {binding.var: binding.value for block in main.body.blocks for binding in block.bindings}
    body = main.body.body
    value = _bound(body, values)
    items = list(value.fields) if isinstance(value, relax.Tuple) else [body]
    if not isinstance(value, relax.Tuple) and isinstance(main.ret_ty, relax.TupleType):
        return (True,) * len(main.ret_ty.fields)
    shared, seen = [], set()
    for item in items:
        root = _root(item, values)
        own = isinstance(root, relax.Var) and root in values and root not in seen
        seen.add(root)
        shared.append(not own)
    return tuple(shared)


def _root(value: relax.Expr, values: dict[relax.Var, relax.Expr]) -> relax.Expr:
    """The variable or constant whose memory `value` may be."""
    while True:
        bound = values.get(value) if isinstance(value, relax.Var) else None
        if isinstance(bound, relax.Var | ir.GenericConst):
            value = bound
        elif isinstance(bound, relax.Call) and isinstance(bound.op, ir.Op) and bound.op.name in _VIEWS:
            value = bound.args[0]
        else:
            return value


def _bound(value: relax.Expr, values: dict[relax.Var, relax.Expr]) -> relax.Expr:
    while isinstance(value, relax.Var) and value in values:
        value = values[value]
    return value
