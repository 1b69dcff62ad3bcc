"""Axis letters of operands and results."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from qdsl import ops


@pytest.mark.parametrize(
    ("name", "operand", "attrs", "rank", "layout"),
    [
        ("nn.conv2d", 0, {}, 4, "NCHW"),
        ("nn.conv2d", 1, {}, 4, "OIHW"),
        ("nn.conv2d", "result", {}, 4, "NCHW"),
        ("nn.conv2d", "result", {"data_layout": "NHWC"}, 4, "NHWC"),
        ("nn.conv2d", "result", {"data_layout": "NHWC", "out_layout": "NCHW"}, 4, "NCHW"),
        ("nn.conv2d", 1, {"kernel_layout": "HWIO"}, 4, "HWIO"),
        ("nn.conv2d", 1, {"kernel_layout": "OHWI"}, 4, "OHWI"),
        ("nn.conv2d", 0, {"data_layout": "NCHW4c"}, 5, "NCHW4c"),
        ("nn.conv2d", 2, {}, 4, None),
        ("nn.conv2d_transpose", 1, {}, 4, "IOHW"),
        ("nn.conv1d", 0, {}, 3, "NCW"),
        ("nn.conv1d", 1, {}, 3, "OIW"),
        ("nn.conv1d_transpose", 1, {}, 3, "IOW"),
        ("nn.conv3d", 1, {}, 5, "OIDHW"),
        ("nn.conv3d_transpose", 1, {}, 5, "IODHW"),
        ("nn.max_pool2d", 0, {}, 4, "NCHW"),
        ("nn.avg_pool2d", "result", {"layout": "NHWC"}, 4, "NHWC"),
        ("nn.avg_pool2d", "result", {"layout": "NHWC", "out_layout": "NCHW"}, 4, "NCHW"),
        ("image.resize2d", "result", {"layout": "NHWC"}, 4, "NHWC"),
        ("matmul", 0, {}, 2, "MK"),
        ("matmul", 1, {}, 2, "KN"),
        ("matmul", "result", {}, 2, "MN"),
        ("matmul", 0, {}, 4, "..MK"),
        ("matmul", 1, {}, 3, ".KN"),
        ("matmul", 1, {}, 1, "K"),
        ("matmul", "result", {}, 1, None),
        ("matmul", 1, {}, None, "*KN"),
        ("nn.batch_norm", 0, {"axis": 1}, 4, ".C.."),
        ("nn.batch_norm", "result", {"axis": -1}, 4, "...C"),
        ("nn.batch_norm", 1, {"axis": 1}, 1, "C"),
        ("nn.batch_norm", 0, {"axis": 1}, None, ".C*"),
        ("nn.batch_norm", 0, {"axis": -2}, None, "*C."),
        ("nn.batch_norm", 0, {"axis": 4}, 4, None),
        ("nn.prelu", 0, {}, 4, ".C.."),
        ("nn.prelu", 1, {}, 1, "C"),
        ("nn.relu", 0, {}, 4, None),
        ("add", "result", {}, 4, None),
        ("no.such", 0, {}, 4, None),
    ],
)
def test_layout(
    name: str, operand: int | str, attrs: Mapping[str, object], rank: int | None, layout: str | None
) -> None:
    assert ops.operand_layout(name, operand, attrs, rank) == layout


@pytest.mark.parametrize(
    ("layout", "letter", "axis"),
    [
        ("NCHW", "C", 1),
        ("OHWI", "I", 3),
        ("..MK", "K", 3),
        ("*MK", "M", -2),
        (".C*", "C", 1),
        ("*C.", "C", -2),
        ("NCHW", "O", None),
        ("NCHW4c", "C", None),
        ("NCHW4c", "H", 2),
        (None, "C", None),
    ],
)
def test_axis(layout: str | None, letter: str, axis: int | None) -> None:
    assert ops.axis_of(layout, letter) == axis


def test_axes_keep_their_blocks() -> None:
    assert ops.axes_of("OIHW16o4i") == ("O", "I", "H", "W", "16o", "4i")
    assert ops.letters_of("*MK") == ("M", "K")
    assert ops.letters_of(None) == ()
