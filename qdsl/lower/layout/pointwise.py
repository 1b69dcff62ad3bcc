"""Elementwise operators in channels-last order: they follow their operands."""

from __future__ import annotations

from tvm import relax

from qdsl.lower.layout.calls import constant, rank_of, rebuilt, shape_of
from qdsl.lower.layout.values import Values

_UNARY = (
    "abs acos acosh asin asinh astype atan atanh bitwise_not ceil clip cos cosh erf exp floor isfinite isinf isnan log "
    "logical_not negative nn.gelu nn.gelu_tanh nn.leakyrelu nn.relu nn.selu nn.silu nn.softplus round rsqrt sigmoid "
    "sign sin sinh sqrt square tan tanh"
)
_BROADCASTING = (
    "add atan2 bitwise_and bitwise_or bitwise_xor divide equal ewise_fma floor_divide floor_mod greater greater_equal "
    "left_shift less less_equal log_add_exp logical_and logical_or logical_xor maximum minimum mod multiply not_equal "
    "power right_shift subtract where"
)
_DIALECT = "qdsl.affine"

NAMES = tuple(f"{_UNARY} {_BROADCASTING} {_DIALECT}".split())


def pointwise(variable: relax.Var, call: relax.Call, values: Values) -> bool:
    """Applies when a tensor operand as large as the result is channels last already."""
    rank = rank_of(call)
    if rank < 3 or not any(values.is_last(argument) for argument in call.args):
        return False
    if any(_is_tensor(argument) and rank_of(argument) > rank for argument in call.args):
        return False
    arguments = []
    for argument in call.args:
        if not _is_tensor(argument):
            arguments.append(argument)
        elif rank_of(argument) == rank and constant(argument) is None:
            arguments.append(values.last(argument))
        else:
            arguments.append(values.broadcast_last(argument, rank))
    values.bind_last(variable, rebuilt(call, arguments))
    return True


def _is_tensor(argument: relax.Expr) -> bool:
    return isinstance(argument.ty, relax.TensorType) and shape_of(argument) is not None
