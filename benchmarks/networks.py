"""Well-known convolutional networks with random weights, as ONNX: their speed does not depend on what they have learnt.

    resnet50     bottlenecks with residual adds, 224 x 224, 4.1 G multiply-adds
    mobilenet_v1 depthwise separable convolutions, 0.57 G
    mobilenet_v2 inverted residuals with ReLU6, 0.30 G

Weights are He-normal and batch norms near identity, so that activations keep their size through the depth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    """An ONNX graph under way; every method adds a node and gives the name of its result."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, array: np.ndarray) -> str:
        """An initializer."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op: str, inputs: Sequence[str], **attributes: object) -> str:
        """Any operator of one result."""
        name = f"{op.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def convolution(self, x: str, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> str:
        """A convolution that keeps the image's size over its stride, and a batch norm."""
        fan = inputs // groups * kernel * kernel
        weights = self.random.normal(0, np.sqrt(2 / fan), (outputs, inputs // groups, kernel, kernel))
        y = self.node(
            "Conv",
            [x, self.constant(weights.astype(np.float32))],
            kernel_shape=[kernel, kernel],
            strides=[stride, stride],
            pads=[kernel // 2] * 4,
            group=groups,
        )
        parameters = [
            self.random.uniform(0.8, 1.2, outputs),
            self.random.normal(0, 0.1, outputs),
            self.random.normal(0, 0.1, outputs),
            self.random.uniform(0.8, 1.2, outputs),
        ]
        return self.node("BatchNormalization", [y, *(self.constant(p.astype(np.float32)) for p in parameters)])

    def relu6(self, x: str) -> str:
        """A clip between 0 and 6."""
        return self.node("Clip", [x, *(self.constant(np.float32(bound)) for bound in (0, 6))])

    def classifier(self, x: str, inputs: int, classes: int = 1000) -> str:
        """Global average pool, flatten and a dense layer."""
        pooled = self.node("Flatten", [self.node("GlobalAveragePool", [x])])
        weights = self.random.normal(0, np.sqrt(1 / inputs), (inputs, classes)).astype(np.float32)
        return self.node("Gemm", [pooled, self.constant(weights), self.constant(np.zeros(classes, np.float32))])

    def model(self, output: str, shape: Sequence[int]) -> onnx.ModelProto:
        """The whole model, with one input `input` of `shape`."""
        x = helper.make_tensor_value_info("input", TensorProto.FLOAT, shape)
        y = helper.make_tensor_value_info(output, TensorProto.FLOAT, [shape[0], 1000])
        graph = helper.make_graph(self.nodes, "network", [x], [y], self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        onnx.checker.check_model(made)
        return made


def resnet50(size: int = 224) -> onnx.ModelProto:
    """ResNet-50, version 1.5: the stride is in the 3x3 convolution."""
    b = Builder()
    x = b.node("Relu", [b.convolution("input", 3, 64, 7, 2)])
    x = b.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    inputs = 64
    for stage, (width, depth) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(depth):
            stride = 2 if stage and not block else 1
            shortcut = x if block else b.convolution(x, inputs, 4 * width, 1, stride)
            y = b.node("Relu", [b.convolution(x, inputs, width, 1)])
            y = b.node("Relu", [b.convolution(y, width, width, 3, stride)])
            y = b.convolution(y, width, 4 * width, 1)
            x = b.node("Relu", [b.node("Add", [y, shortcut])])
            inputs = 4 * width
    return b.model(b.classifier(x, inputs), [1, 3, size, size])


def mobilenet_v1(size: int = 224) -> onnx.ModelProto:
    """MobileNet version 1, width 1."""
    b = Builder()
    x = b.node("Relu", [b.convolution("input", 3, 32, 3, 2)])
    inputs = 32
    strides = [1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1]
    widths = [64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024]
    for width, stride in zip(widths, strides, strict=True):
        x = b.node("Relu", [b.convolution(x, inputs, inputs, 3, stride, inputs)])
        x = b.node("Relu", [b.convolution(x, inputs, width, 1)])
        inputs = width
    return b.model(b.classifier(x, inputs), [1, 3, size, size])


def mobilenet_v2(size: int = 224) -> onnx.ModelProto:
    """MobileNet version 2, width 1."""
    b = Builder()
    x = b.relu6(b.convolution("input", 3, 32, 3, 2))
    inputs = 32
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expand, width, depth, first in stages:
        for block in range(depth):
            stride, wide = (1 if block else first), inputs * expand
            y = b.relu6(b.convolution(x, inputs, wide, 1)) if expand > 1 else x
            y = b.relu6(b.convolution(y, wide, wide, 3, stride, wide))
            y = b.convolution(y, wide, width, 1)
            x = b.node("Add", [x, y]) if stride == 1 and inputs == width else y
            inputs = width
    x = b.relu6(b.convolution(x, inputs, 1280, 1))
    return b.model(b.classifier(x, 1280), [1, 3, size, size])


NETWORKS: dict[str, Callable[[], onnx.ModelProto]] = {
    "resnet50": resnet50,
    "mobilenet_v1": mobilenet_v1,
    "mobilenet_v2": mobilenet_v2,
}
