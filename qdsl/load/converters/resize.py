"""Resize and Upsample of images, with sizes known and only spatial axes changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from tvm import relax
from tvm.relax.frontend.onnx import onnx_frontend as frontend

from qdsl.load.converters.base import Attributes, Converter, known_shape
from qdsl.load.operands import array_of, constant


def upsample(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """Upsample, and Resize of set 10, scale on the asymmetric grid; nearest takes the floor."""
    scales = inputs[1] if inputs[1] is not None else constant(list(attributes["scales"]), "float32")
    told = {
        "mode": attributes.get("mode", b"nearest"),
        "coordinate_transformation_mode": b"asymmetric",
        "nearest_mode": b"floor",
        "tvm_custom": attributes["tvm_custom"],
    }
    return resize(builder, frontend.onnx_input([inputs[0], None, scales]), told, 11)


def resize(builder: relax.BlockBuilder, inputs: Any, attributes: Attributes, opset: int) -> Any:
    """TVM's conversion, given the size of every axis.

    ONNX gives scales or sizes, for all axes or for `axes`, and a policy for sizes that would change the aspect ratio.
    With scales it maps coordinates by the scale given, with sizes by the ratio of sizes, and TVM knows the ratio only:
    a scale that gives no whole size is refused where the two differ visibly.
    """
    if opset < 11:
        return upsample(builder, inputs, attributes, opset)
    x, roi = inputs[0], inputs[1]
    shape = known_shape(x)
    axes = [axis % len(shape) for axis in attributes.get("axes", range(len(shape)))]
    scales, sizes = (None if given is None else array_of(given) for given in (inputs[2], inputs[3]))
    wanted = list(shape)
    if scales is not None and scales.size:
        for axis, scale in zip(axes, scales.astype(np.float64), strict=True):
            # The product is taken in float32 as runtimes take it: 10 * 1.3 is 13 there, and 12.99... in float64.
            wanted[axis] = int(np.floor(np.float32(shape[axis]) * np.float32(scale)))
        _refuse_other_grid(shape, wanted, axes, scales)
    elif sizes is not None and sizes.size:
        for axis, size in zip(axes, _keeping_aspect(shape, axes, sizes, attributes), strict=True):
            wanted[axis] = int(size)
    else:
        raise ValueError("its sizes depend on the model's inputs.")
    aligned = attributes.get("coordinate_transformation_mode", b"half_pixel") == b"align_corners"
    if aligned and any(size == 1 < shape[axis] for axis, size in enumerate(wanted)):
        raise ValueError("it aligns the corners of a result of one element, which Relax divides by zero for.")
    if wanted[:2] != list(shape[:2]):
        raise ValueError("it changes the size of the batch or channel axis.")
    if tuple(wanted) == shape and attributes.get("coordinate_transformation_mode") != b"tf_crop_and_resize":
        return x
    told = {key: value for key, value in attributes.items() if key not in ("axes", "keep_aspect_ratio_policy")}
    region = _whole_region(roi, axes, len(shape))
    given = frontend.onnx_input([x, region, None, constant(wanted, "int64")])
    return frontend.Resize._impl_v18(builder, given, told, [{}, {}])


def _keeping_aspect(shape: tuple[int, ...], axes: list[int], sizes: np.ndarray, attributes: Attributes) -> np.ndarray:
    policy = attributes.get("keep_aspect_ratio_policy", b"stretch").decode()
    if policy == "stretch":
        return sizes
    ratios = [size / shape[axis] for axis, size in zip(axes, sizes, strict=True)]
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    return np.asarray([int(np.floor(scale * shape[axis] + 0.5)) for axis in axes])


def _refuse_other_grid(shape: tuple[int, ...], wanted: list[int], axes: list[int], scales: np.ndarray) -> None:
    """Coordinates computed from the ratio of sizes may be off by what the rounding of a size changes in it."""
    for axis, scale in zip(axes, scales, strict=True):
        shift = abs(shape[axis] / scale - shape[axis] / (wanted[axis] / shape[axis]))
        if shift > 1e-3:
            raise ValueError(
                f"a scale of {scale:g} makes no whole number of {shape[axis]} elements; export it with sizes."
            )


def _whole_region(roi: Any, axes: list[int], rank: int) -> Any:
    """The region of interest for all axes, where it is given for some; None where it is left out or empty."""
    array = None if roi is None else array_of(roi)
    if roi is None or (array is not None and array.size == 0):
        return None
    if array is None or len(axes) == rank:
        return roi
    full = np.concatenate([np.zeros(rank), np.ones(rank)])
    for position, axis in enumerate(axes):
        full[axis], full[rank + axis] = array[position], array[len(axes) + position]
    return constant(full, str(array.dtype))


CONVERTERS: dict[str, Converter] = {"Upsample": upsample, "Resize": resize}
