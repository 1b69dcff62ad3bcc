"""The quantizers: each takes a prepared model and samples, and gives something that runs one sample."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from benchmarks.accuracy.cut import Sample

Run = Callable[[Sample], Mapping[str, NDArray[np.generic]]]
Quantizer = Callable[[onnx.ModelProto, Sequence[Sample], bool], Run]


def float_model(model: onnx.ModelProto) -> Run:
    """The float model in ONNX Runtime: the reference."""
    return _session(model.SerializeToString())


def qdsl_int8(model: onnx.ModelProto, calibration: Sequence[Sample], transformer: bool) -> Run:
    """qdsl with its stock rules and defaults: the compiled integer module."""
    import qdsl

    return qdsl.quantize(model, calibration).run


def onnxruntime_int8(activations: str, **extra: bool) -> Quantizer:
    """quantize_static: QDQ, per-channel weights in full 8 bits, min-max ranges, on the preprocessed model."""

    def quantize(model: onnx.ModelProto, calibration: Sequence[Sample], transformer: bool) -> Run:
        from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
        from onnxruntime.quantization.registry import QDQRegistry

        class Reader(CalibrationDataReader):  # type: ignore[misc]
            def __init__(self) -> None:
                self.rest = iter([dict(s) for s in calibration])

            def get_next(self) -> dict[str, NDArray[np.generic]] | None:
                return next(self.rest, None)

        left_out = {"Concat"} if extra.get("leave_concat") else set()
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "model.onnx"), Path(folder, "int8.onnx")
            onnx.save(_preprocessed(model, folder), source)
            quantize_static(
                str(source),
                str(target),
                Reader(),
                quant_format=QuantFormat.QDQ,
                per_channel=True,
                reduce_range=False,
                activation_type=QuantType[activations],
                weight_type=QuantType.QInt8,
                op_types_to_quantize=sorted(set(QDQRegistry) - left_out) if left_out else None,
                extra_options={"QDQDisableWeightAdjustForInt32Bias": extra.get("leave_biases", False)},
            )
            return _session(target.read_bytes())

    return quantize


def nncf_int8(preset: str, minmax: bool) -> Quantizer:
    """nncf.quantize on the OpenVINO model, run by OpenVINO with its float parts in float32.

    Args:
        minmax: ranges cover all samples, and the first layer's weights get all 8 bits. NNCF's own defaults average the
            ends over the samples, and leave one bit out for processors without VNNI.
    """

    def quantize(model: onnx.ModelProto, calibration: Sequence[Sample], transformer: bool) -> Run:
        import nncf
        import openvino
        from nncf.quantization.advanced_parameters import AdvancedQuantizationParameters, OverflowFix
        from nncf.quantization.range_estimator import RangeEstimatorParametersSet

        better = AdvancedQuantizationParameters(
            overflow_fix=OverflowFix.DISABLE, activations_range_estimator_params=RangeEstimatorParametersSet.MINMAX
        )
        quantized = nncf.quantize(
            openvino.Core().read_model(model.SerializeToString()),
            nncf.Dataset(list(calibration)),
            preset=nncf.QuantizationPreset(preset),
            model_type=nncf.ModelType.TRANSFORMER if transformer else None,
            subset_size=len(calibration),
            advanced_parameters=better if minmax else None,
        )
        compiled = openvino.compile_model(quantized, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        names = [o.name for o in model.graph.output]
        return lambda sample: dict(zip(names, compiled(dict(sample)).values(), strict=True))

    return quantize


TOOLS: Mapping[str, Sequence[tuple[str, Quantizer]]] = {
    "qdsl": (("default", qdsl_int8),),
    "ONNX Runtime": (
        ("U8S8", onnxruntime_int8("QUInt8")),
        ("S8S8", onnxruntime_int8("QInt8")),
        ("U8S8, biases left", onnxruntime_int8("QUInt8", leave_biases=True)),
        ("U8S8, Concat left", onnxruntime_int8("QUInt8", leave_concat=True)),
    ),
    "NNCF": (
        ("default", nncf_int8("performance", False)),
        ("performance, min-max", nncf_int8("performance", True)),
        ("mixed, min-max", nncf_int8("mixed", True)),
    ),
}
"""Every tool with the settings that are tried; the one with the best median counts, and one may fail."""


def _session(model: bytes) -> Run:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    return lambda sample: dict(zip(names, session.run(None, dict(sample)), strict=True))


def _preprocessed(model: onnx.ModelProto, folder: str) -> onnx.ModelProto:
    """What ONNX Runtime's guide asks for first: a newer opset (per-channel needs 13), norms folded, shapes inferred."""
    from onnxruntime.quantization import quant_pre_process

    version = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
    newer = onnx.version_converter.convert_version(model, 13) if version < 13 else model
    source, target = Path(folder, "newer.onnx"), Path(folder, "prepared.onnx")
    onnx.save(newer, source)
    quant_pre_process(str(source), str(target), skip_symbolic_shape=True)
    return onnx.load(target)


def outputs(run: Run, samples: Iterable[Sample]) -> list[dict[str, NDArray[np.float64]]]:
    """The outputs of every sample."""
    return [{name: np.asarray(a, np.float64) for name, a in run(s).items()} for s in samples]
