"""A report with every kind of row in it."""

import numpy as np
import pytest

from qdsl.report import Output, Report, Row


@pytest.fixture
def report() -> Report:
    return Report(
        model="sample",
        rows=(
            Row("conv1", "nn.conv2d", "quantized", rule="convolution", scheme="acc", bits=32,
                scale=np.array([0.5, 2.0]), zero_point=0, sqnr_db=41.26, sqnr_alone_db=44.0, time_us=12.5),
            Row("bn1", "nn.batch_norm", "folded", rule="batch_norm_into_conv"),
            Row("<b>lstm[0]</b>", "LSTM", "float", reason="no rule for LSTM & its like"),
            Row("fc", "matmul", "skipped", reason="option skip_dense_layer"),
            Row("relu1", "nn.relu", "quantized", rule="relu", scheme="act", bits=8, scale=np.float32(0.25),
                zero_point=np.int64(128), sqnr_db=float("inf")),
        ),
        outputs=(Output("logits", 38.25, 0.99991, 0.125), Output("same", float("inf"), 1.0, 0.0)),
        conversions={"quantize_ops": 1, "requantize_ops": 2, "dequantize_ops": 1},
        timings_s={"load": 0.5, "calibrate": 2.0, "realize": 0.25},
        latency_ms={"float": 3.0, "quantized": 1.5},
        size_bytes={"float": 4_000_000, "quantized": 1_000_000},
        peak_rss_mb=321.5,
        provenance={"command": "qdsl quantize", "seed": 0, "sha256": {"model": "ab", "result": None}},
        warnings=("one concat field keeps 4 bits",),
    )  # fmt: skip
