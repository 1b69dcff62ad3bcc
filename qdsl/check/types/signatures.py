"""How operators treat quantized operands: one typing rule for each, as data. The rules themselves are in `operators`.

contract   a sum of products: scales multiply, zero points must be gone, the result is as wide as out_dtype says
product    elementwise: scales multiply, zero points must be gone
sum        scales must be one, zero points must be gone
select     every code of the result is a code of an operand: all operands in one format, which the result has
compare    operands in one format; booleans
reduce     adds codes: zero points must be gone, 32 bits; the scale stays
average    adds and divides: no integer form but the builder `average`
negate     zero point must be gone, the scale stays
quotient   integer division truncates: floats only
real       a function of real numbers: floats only
relu, pad  select against a number that the operator brings along
cast       astype
index      positions of codes, not codes
einsum     a product of two that is summed; as wide as its operands
real_of    TVM's dequantize: floats of codes
codes_of   TVM's quantize: codes whose scale no mark knows
fresh      new values, of the dtype named
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Signature:
    """An operator's typing rule."""

    kind: str
    data: tuple[int, ...] = (0,)
    """The operands that the rule types; the others are indices, conditions and shapes."""
    axes: tuple[Mapping[str, str], ...] = ()
    """Of a contraction, for each operand: the letters that survive, and what they are in the result."""


CONVOLUTION_AXES: tuple[Mapping[str, str], ...] = ({"N": "N"}, {"O": "C"})
MATMUL_AXES: tuple[Mapping[str, str], ...] = ({"M": "M"}, {"N": "N"})

_PAIR = (0, 1)

_BY_KIND: dict[str, tuple[tuple[str, tuple[int, ...]], ...]] = {
    "product": (("multiply", _PAIR), ("outer", _PAIR)),
    "sum": (("add", _PAIR), ("subtract", _PAIR)),
    "select": (
        ("maximum", _PAIR),
        ("minimum", _PAIR),
        ("where", (1, 2)),
        ("clip", (0, 1, 2)),
        ("slice_scatter", _PAIR),
        ("scatter_elements", (0, 2)),
        ("scatter_nd", (0, 2)),
        ("index_put", (0, 2)),
    ),
    "compare": (
        ("equal", _PAIR),
        ("not_equal", _PAIR),
        ("greater", _PAIR),
        ("greater_equal", _PAIR),
        ("less", _PAIR),
        ("less_equal", _PAIR),
    ),
    "quotient": (
        ("divide", _PAIR),
        ("floor_divide", _PAIR),
        ("floor_mod", _PAIR),
        ("mod", _PAIR),
        ("power", _PAIR),
        ("log_add_exp", _PAIR),
        ("atan2", _PAIR),
    ),
}

_MOVES = """
    reshape permute_dims squeeze expand_dims strided_slice dynamic_strided_slice flatten nn.batch_flatten broadcast_to
    tile repeat flip concat stack split take gather_elements gather_nd index_tensor reverse_sequence layout_transform
    tril triu sort max min median nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.pixel_shuffle
    image.resize2d image.resize3d image.grid_sample round floor ceil trunc topk vision.roi_pool meshgrid
"""
_REALS = """
    exp log sqrt rsqrt erf sigmoid sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh nn.gelu nn.gelu_tanh
    nn.silu nn.selu nn.softplus nn.softmax nn.log_softmax nn.leakyrelu nn.prelu nn.batch_norm nn.layer_norm
    nn.group_norm
    nn.instance_norm nn.rms_norm nn.dropout nn.attention nn.attention_bias nn.attention_var_len std
    variance prod cumprod square vision.roi_align
"""
_OTHERS = {
    "reduce": "sum cumsum mean collapse_sum_to collapse_sum_like",
    "average": """nn.avg_pool1d nn.avg_pool2d nn.avg_pool3d
                  nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d""",
    "negate": "negative abs",
    "relu": "nn.relu",
    "pad": "nn.pad",
    "cast": "astype",
    "index": "argmax argmin argsort nonzero shape_of size",
    "einsum": "einsum",
    "real_of": "dequantize",
    "codes_of": "quantize",
    "fresh": "zeros ones full zeros_like ones_like full_like arange eye eye_like one_hot",
    "select": _MOVES,
    "real": _REALS,
}

SIGNATURES: dict[str, Signature] = {
    **{name: Signature(kind) for kind, names in _OTHERS.items() for name in names.split()},
    **{name: Signature(kind, data) for kind, names in _BY_KIND.items() for name, data in names},
    **{
        f"nn.conv{rank}d{suffix}": Signature("contract", _PAIR, CONVOLUTION_AXES)
        for rank in (1, 2, 3)
        for suffix in ("", "_transpose")
    },
    "matmul": Signature("contract", _PAIR, MATMUL_AXES),
}

INTEGER_OPERANDS = {
    "take": (1,),
    "gather_elements": (1,),
    "gather_nd": (1,),
    "index_tensor": (1,),
    "index_put": (1,),
    "scatter_elements": (1,),
    "scatter_nd": (1,),
    "reverse_sequence": (1,),
    "one_hot": (0,),
    "where": (0,),
    "dynamic_strided_slice": (1, 2, 3),
    "tensor_to_shape": (0,),
    "logical_and": _PAIR,
    "logical_or": _PAIR,
    "logical_xor": _PAIR,
    "logical_not": (0,),
    "bitwise_and": _PAIR,
    "bitwise_or": _PAIR,
    "bitwise_xor": _PAIR,
    "bitwise_not": (0,),
    "left_shift": _PAIR,
    "right_shift": _PAIR,
}
"""Operands that are never float32, such as token ids and conditions: they carry no marks and need none."""

INTEGER_RESULTS = frozenset({"argmax", "argmin", "argsort", "nonzero", "shape_of", "size"}) | frozenset(
    {"equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "isnan", "isinf", "isfinite"}
)
"""Operators whose result is never float32."""

INTEGER_RESULT_AT = {"topk": (1,)}
"""Of operators with several results, those that are never float32."""

RESULT_NAMES = {
    "nn.batch_norm": ("tensor", "mean", "variance"),
    "nn.dropout": ("tensor", "mask"),
    "topk": ("values", "indices"),
}
"""What the results of operators with more than one are, for messages."""
