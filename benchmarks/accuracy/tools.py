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


def float_model(model: onnx.ModelProto) -> Run:
    """The float model in ONNX Runtime: the reference."""
    return _session(model.SerializeToString())


def qdsl_int8(model: onnx.ModelProto, calibration: Sequence[Sample], transformer: bool) -> Run:
    """qdsl with its stock rules and defaults: the compiled integer module."""
    import qdsl

    return qdsl.quantize(model, calibration).run


def onnxruntime_int8(weights: str, activations: str) -> Callable[[onnx.ModelProto, Sequence[Sample], bool], Run]:
    """quantize_static: QDQ, per-channel weights in full 8 bits, min-max ranges, on the preprocessed model."""

    def quantize(model: onnx.ModelProto, calibration: Sequence[Sample], transformer: bool) -> Run:
        from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

        class Reader(CalibrationDataReader):  # type: ignore[misc]
            def __init__(self) -> None:
                self.rest = iter([dict(s) for s in calibration])

            def get_next(self) -> dict[str, NDArray[np.generic]] | None:
                return next(self.rest, None)

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
                weight_type=QuantType[weights],
            )
            return _session(target.read_bytes())

    return quantize


def nncf_int8(preset: str, accurate_bias: bool) -> Callable[[onnx.ModelProto, Sequence[Sample], bool], Run]:
    """nncf.quantize on the OpenVINO model, run by OpenVINO with its float parts in float32."""

    def quantize(model: onnx.ModelProto, calibration: Sequence[Sample], transformer: bool) -> Run:
        import nncf
        import openvino

        source = openvino.Core().read_model(model.SerializeToString())
        quantized = nncf.quantize(
            source,
            nncf.Dataset(list(calibration)),
            preset=nncf.QuantizationPreset(preset),
            model_type=nncf.ModelType.TRANSFORMER if transformer else None,
            fast_bias_correction=not accurate_bias,
            subset_size=len(calibration),
        )
        compiled = openvino.compile_model(quantized, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        names = [o.name for o in model.graph.output]
        return lambda sample: dict(zip(names, compiled(dict(sample)).values(), strict=True))

    return quantize


Quantizer = Callable[[onnx.ModelProto, Sequence[Sample], bool], Run]

TOOLS: Mapping[str, Sequence[tuple[str, Quantizer]]] = {
    "qdsl": (("default", qdsl_int8),),
    "ONNX Runtime": (("U8S8", onnxruntime_int8("QInt8", "QUInt8")), ("S8S8", onnxruntime_int8("QInt8", "QInt8"))),
    "NNCF": (("performance", nncf_int8("performance", False)), ("mixed", nncf_int8("mixed", False))),
}
"""Every tool with the settings that are tried; the one with the best median counts."""


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
