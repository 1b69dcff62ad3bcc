"""What TVM's registry does not say by itself, each entry with its reason; used by the generator and its test only."""

from __future__ import annotations

from typing import Any

from tvm import relax

EXCLUDED = {
    "qdsl.": "operators of our own, made by the passes and not written in rules",
    "builtin.": "memory planning, after lowering",
    "memory.": "memory planning, after lowering",
    "vm.": "the virtual machine's instructions",
    "ccl.": "collectives between devices",
    "dist.": "sharding between devices",
    "grad.": "training",
    "inspect.": "reads a tensor's descriptor at run time",
    "assert_op": "a side effect",
    "print": "a side effect",
    "call_builtin_with_ctx": "calls a function, which no rule can see into",
    "call_dps_packed": "calls a function, which no rule can see into",
    "call_inplace_packed": "calls a function, which no rule can see into",
    "call_pure_packed": "calls a function, which no rule can see into",
    "call_py_func": "calls a function, which no rule can see into",
    "call_tir": "calls a function, which no rule can see into",
    "call_tir_inplace": "calls a function, which no rule can see into",
    "call_tir_with_grad": "calls a function, which no rule can see into",
    "invoke_closure": "calls a function, which no rule can see into",
    "invoke_pure_closure": "calls a function, which no rule can see into",
    "make_closure": "calls a function, which no rule can see into",
    "null_value": "a placeholder",
    "hint_on_device": "placement on devices",
    "to_vdevice": "placement on devices",
    "wrap_param": "a parameter's wrapper, gone after binding constants",
}
"""Registered names (or prefixes, ending in a dot) that are no operators on tensors."""

OPERAND_KINDS = {
    "Tensor": "tensor",
    "ffi::Optional<Tensor>": "tensor",
    "Tuple of Tensors": "tensors",
    "List of Tensors": "tensors",
    "Expr": "tensor",
    "Shape": "shape",
    "ShapeExpr": "shape",
    "PrimExpr": "number",
    "Prim(int64)": "number",
    "IntImm": "number",
    "Tuple": "numbers",
    # The registry says Tensor where the wrapper takes something else.
    "einsum.operands": "tensors",
    "index_put.indices": "tensors",
    "strided_slice.strides": "numbers",
    "unique.sorted": "number",
    "unique.return_index": "number",
    "unique.return_inverse": "number",
    "unique.return_counts": "number",
    "unique.axis": "number",
    "shape_to_tensor.input": "shape",
}
"""Kinds of operands by the registry's type name, or by operator and operand where the registry is wrong."""

REQUIRED = frozenset({"nn.attention_bias.bias"})
"""Operands that the wrapper lets out because it is shared with another operator."""

RESULTS = {
    "split": -1,
    "meshgrid": -1,
    "unique": -1,
    # TVM's inference of these fails (or crashes the process) on operands of unknown shape.
    "dequantize": 1,
    "eye_like": 1,
    "nn.attention": 1,
    "nn.attention_bias": 1,
    "nn.attention_var_len": 1,
    "quantize": 1,
    "shape_to_tensor": 1,
    "take": 1,
    "vision.all_class_non_max_suppression": 2,
}
"""Numbers of results that a sample call does not tell: -1 where they depend on the arguments."""

_TENSORS = {
    "bias": (4, "float32"),
    "beta": (1, "float32"),
    "boxes": (3, "float32"),
    "condition": (-1, "bool"),
    "fill_value": (0, "float32"),
    "gamma": (1, "float32"),
    "indices": (-1, "int64"),
    "key": (4, "float32"),
    "keys": (4, "float32"),
    "max_output_boxes_per_class": (0, "int64"),
    "max_seqlen_k": (0, "int32"),
    "max_seqlen_q": (0, "int32"),
    "moving_mean": (1, "float32"),
    "moving_var": (1, "float32"),
    "queries": (4, "float32"),
    "query": (4, "float32"),
    "sample_indices": (2, "int64"),
    "scores": (3, "float32"),
    "seq_lengths": (1, "int64"),
    "seqstart_k": (1, "int32"),
    "seqstart_q": (1, "int32"),
    "targets": (-1, "int64"),
    "uniform_sample": (2, "float32"),
    "valid_count": (1, "int32"),
    "value": (4, "float32"),
    "values": (4, "float32"),
    "zero_point": (-1, "int8"),
    "multinomial_from_uniform.prob": (2, "float32"),
    "nn.pad.data": (2, "float32"),
    "nn.pixel_shuffle.data": (4, "float32"),
    "nn.rms_norm.weight": (1, "float32"),
    "outer.x1": (1, "float32"),
    "outer.x2": (1, "float32"),
    "stack.tensors": (2, "float32"),
    "tensor_to_shape.expr": (1, "int64"),
    "vision.non_max_suppression.data": (3, "float32"),
    "vision.non_max_suppression.indices": (2, "int32"),
}
"""(rank, dtype) that TVM's inference asks of an operand, by name or by operator and name; -1 is an unknown rank."""

_VALUES: dict[str, Any] = {
    "axis": 0,
    "axes": [0],
    "begin": [0],
    "channel_axis": 1,
    "depth": 4,
    "dtype": "float32",
    "end": [1],
    "image.resize3d.size": [4, 4, 4],
    "indices_or_sections": 2,
    "layout_transform.index_map": lambda i: [i],
    "max": 1.0,
    "min": 0.0,
    "num_groups": 1,
    "one_hot.off_value": relax.prim_value(0),
    "one_hot.on_value": relax.prim_value(1),
    "pad_width": [0, 0, 1, 1],
    "pooled_size": [2, 2],
    "repeats": 2,
    "shape": [2, 2],
    "size": [4, 4],
    "slice_scatter.end": 1,
    "spatial_scale": 1.0,
    "start": 0,
    "step": 1,
    "subscripts": "ij->ji",
    "upscale_factor": 2,
}
"""Values for the wrappers' parameters that have no default and are no tensors."""


def sample_argument(operator: str, parameter: str, kind: str | None) -> Any:
    """A value for a parameter of an operator's Python wrapper; `kind` is the registry's, None for an attribute."""
    qualified = f"{operator}.{parameter}"
    if kind in ("Tuple of Tensors", "List of Tensors") or OPERAND_KINDS.get(qualified) == "tensors":
        return [_tensor(qualified, parameter)] * 2
    if kind in ("Tensor", "Expr", "ffi::Optional<Tensor>"):
        return _tensor(qualified, parameter)
    for key in (qualified, parameter):
        if key in _VALUES:
            return _VALUES[key]
    return 1


def _tensor(qualified: str, parameter: str) -> relax.Var:
    rank, dtype = _TENSORS.get(qualified) or _TENSORS.get(parameter) or (-1, "float32")
    return relax.Var("sample", relax.TensorType(dtype=dtype, ndim=rank))
