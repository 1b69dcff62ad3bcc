"""Modules with operators of the dialect: printed, checked, saved, lowered, fused, refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tvm
from tvm import ir, relax
from tvm.ir import IRModule

from qdsl import dialect, numerics

ACT = {"dtype": "uint8", "low": 0, "high": 255}
WEIGHT = {"dtype": "int8", "low": -127, "high": 127}
INT32 = {"dtype": "int32", "low": -(2**31), "high": 2**31 - 1}

X = np.random.default_rng(3).standard_normal((1, 4, 3, 3)).astype(np.float32)
Run = Callable[..., list[np.ndarray]]
MakeModule = Callable[..., IRModule]


def span(name: str) -> ir.Span:
    return ir.Span(ir.SourceName(name), 1, 1, 1, 1)


def annotated_module(scale: object = None, zero: int | None = None) -> IRModule:
    """conv-like chain of marks: simulated_quantize, then annotated with captures of every kind."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType(X.shape, "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            read = builder.emit(
                dialect.simulated_quantize(x, scale, zero, **ACT, scheme="act", readers=["x"], span=span("conv1"))
            )
            captures = [read, x, relax.ShapeExpr([1, 2]), relax.prim_value(3), relax.const(np.ones(4, "float32"))]
            same = dialect.annotated(read, captures, rule="relu", place=["relu.qrule", "12"], stock=True)
            out = builder.emit_output(builder.emit(same))
        builder.emit_func_output(out)
    return builder.get()


def kernels(module: IRModule) -> list[str]:
    """The names of the PrimFuncs of a module."""
    return sorted(gv.name_hint for gv, f in module.functions.items() if isinstance(f, tvm.tirx.PrimFunc))


def test_marks_print_with_their_labels() -> None:
    script = annotated_module(0.1, 3).script()
    assert 'R.qdsl.simulated_quantize(x, R.const(0.10000000149011612, "float32"), ' in script
    assert 'dtype="uint8", high=255, low=0, readers=["x"], scheme="act", zero=3)' in script
    assert 'place=["relu.qrule", "12"], rule="relu", stock=True)' in script


def test_marks_survive_json() -> None:
    module = annotated_module(0.1, 3)
    assert relax.analysis.well_formed(module) is not False
    loaded = ir.load_json(ir.save_json(module))
    ir.assert_structural_equal(module, loaded, map_free_vars=True)
    simulated, marked, *_ = [binding.value for binding in loaded["main"].body.blocks[0].bindings]
    assert simulated.span.source_name.name == "conv1"
    assert dialect.attributes(simulated) == {"scheme": "act", "readers": ["x"], **ACT, "zero": 3}
    assert dialect.attributes(marked) == {"rule": "relu", "place": ["relu.qrule", "12"], "stock": True}
    assert len(dialect.captures_of(marked)) == 5
    assert isinstance(dialect.captures_of(marked)[2], relax.ShapeExpr)
    assert dialect.scale_of(simulated).value.numpy() == np.float32(0.1)
    assert dialect.scale_of(marked) is None


def test_marks_without_scales_lower_to_nothing() -> None:
    lowered = relax.transform.LegalizeOps()(annotated_module())
    assert kernels(lowered) == []
    assert "qdsl" not in lowered.script()


def test_a_loaded_module_runs() -> None:
    module = ir.load_json(ir.save_json(annotated_module(0.1, 3)))
    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    expected = numerics.simulated_quantize(X, 0.1, 3, **ACT)
    np.testing.assert_array_equal(machine["main"](tvm.runtime.tensor(X)).numpy(), expected)


def test_annotated_rounds_codes_up_to_16_bits(run: Run) -> None:
    scale = np.array([0.1, 0.2, 0.3, 0.4])
    forms = [WEIGHT, {"dtype": "int16", "low": -32768, "high": 32767}, INT32]
    results = run([X], lambda x: [dialect.annotated(x, [x], scale, axis=1, **form) for form in forms])
    for result, form in zip(results, forms, strict=True):
        np.testing.assert_array_equal(result, numerics.simulated_quantize(X, scale, axis=1, **form))
    np.testing.assert_array_equal(results[2], X)
    assert not np.array_equal(results[0], X)


def test_annotated_with_a_scale_and_no_codes_is_the_identity(run: Run) -> None:
    (result,) = run([X], lambda x: [dialect.annotated(x, [], 0.5, rule="convolution")])
    np.testing.assert_array_equal(result, X)


@pytest.mark.parametrize("mode", ["float", "fixed"])
def test_a_requantize_that_changes_nothing_lowers_to_nothing(module: MakeModule, mode: str) -> None:
    codes = np.arange(-8, 8, dtype="int8")
    full = {"dtype": "int8", "low": -128, "high": 127}
    same = module([codes], lambda x: [dialect.requantize(x, 1.0, 5, 5, mode=mode, **full)])
    assert kernels(relax.transform.LegalizeOps()(same)) == []
    for other in [{**full, "low": -127}, {**full, "dtype": "uint8", "low": 0}, {**full, "dtype": "int4", "low": -8}]:
        other["high"] = min(other["high"], 7 if other["dtype"] == "int4" else 127)
        moved = module([codes], lambda x, other=other: [dialect.requantize(x, 1.0, 5, 5, mode=mode, **other)])
        assert kernels(relax.transform.LegalizeOps()(moved)) == ["requantize"]
    shifted = module([codes], lambda x: [dialect.requantize(x, 1.0, 5, 4, mode=mode, **full)])
    assert kernels(relax.transform.LegalizeOps()(shifted)) == ["requantize"]


def test_equal_shapes_share_a_kernel(module: MakeModule) -> None:
    """Scales and nonzero zero points are operands of a kernel, not literals in it."""
    made = module(
        [X, X.astype("int8")],
        lambda x, q: [
            *(dialect.quantize(x, scale, zero, **ACT) for scale, zero in [(0.1, 3), (0.2, 77), (1e-3, 128)]),
            *(dialect.requantize(q, ratio, 4, zero, **ACT) for ratio, zero in [(0.1, 3), (0.2, 77)]),
            *(dialect.dequantize(q, scale, zero) for scale, zero in [(0.1, 3), (0.2, 77)]),
        ],
    )
    assert kernels(relax.transform.LegalizeOps()(made)) == ["dequantize", "quantize", "requantize"]


def test_each_operator_is_one_block_that_fuses(module: MakeModule) -> None:
    weight = relax.const(np.ones((4, 4, 3, 3), "int8"))
    table = np.arange(256).astype("uint8")

    def build(q: relax.Var) -> list[relax.Expr]:
        conv = relax.op.nn.conv2d(q, weight, padding=1, out_dtype="int32")
        scaled = dialect.affine(conv, np.full((4, 1, 1), 0.1), 0.5, 0, 0, **INT32)
        narrow = dialect.requantize(scaled, np.full(4, 0.1), 0, 3, axis=1, **ACT)
        return [dialect.dequantize(dialect.lookup(narrow, table), 0.1, 3)]

    lowered = relax.transform.LegalizeOps()(module([X.astype("uint8")], build))
    for name in ["affine", "requantize", "lookup", "dequantize"]:
        lines = [line.strip() for line in lowered[name].script().splitlines()]
        assert sum(line.startswith("with T.sblock(") for line in lines) == 1, name
    passes = [relax.transform.AnnotateTIROpPattern(), relax.transform.FuseOps(), relax.transform.FuseTIR()]
    fused = ir.transform.Sequential([*passes, relax.transform.DeadCodeElimination()])(lowered)
    assert kernels(fused) == ["fused_conv2d_affine_requantize", "fused_lookup_dequantize"]


def test_symbolic_shapes_run() -> None:
    builder, rows = relax.BlockBuilder(), tvm.tirx.Var("n", "int64")
    x = relax.Var("x", relax.TensorType((rows, 4), "float32"))
    scale = np.array([0.1, 0.2, 0.3, 0.4])
    with builder.function("main", [x]):
        with builder.dataflow():
            codes = builder.emit(dialect.quantize(x, scale, 0, axis=-1, **WEIGHT))
            codes = builder.emit(dialect.affine(codes, np.ones(4), [[1.0]], 0, 0, **WEIGHT))
            out = builder.emit_output(dialect.dequantize(codes, scale, 0, axis=1))
        builder.emit_func_output(out)
    machine = relax.VirtualMachine(tvm.compile(builder.get(), target="llvm"), tvm.cpu())
    for count in (1, 9):
        values = X.reshape(-1, 4)[:count].copy()
        codes = numerics.affine(numerics.quantize(values, scale, 0, axis=1, **WEIGHT), 1, 1, 0, 0, **WEIGHT)
        result = machine["main"](tvm.runtime.tensor(values)).numpy()
        np.testing.assert_array_equal(result, numerics.dequantize(codes, scale, 0, axis=1))


@pytest.mark.parametrize(
    ("ty", "expected"),
    [
        (relax.TensorType(dtype="int8", ndim=3), relax.TensorType(dtype="float32", ndim=3)),
        (relax.TensorType(dtype="int8"), relax.TensorType(dtype="float32")),
        (relax.TensorType((), "int8"), relax.TensorType((), "float32")),
    ],
)
def test_types_of_partly_known_shapes(ty: relax.Type, expected: relax.Type) -> None:
    ir.assert_structural_equal(
        relax.BlockBuilder().normalize(dialect.dequantize(relax.Var("x", ty), 0.1, 0)).ty, expected
    )


def variable(shape: tuple[int, ...] = (1, 4, 3, 3), dtype: str = "int8") -> relax.Var:
    return relax.Var("x", relax.TensorType(shape, dtype))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: dialect.quantize(variable(), 0.1, 0, **ACT), "quantize reads float32 as operand 1"),
        (lambda: dialect.dequantize(variable(dtype="float32"), 0.1, 0), "dequantize reads int8 or uint8"),
        (lambda: dialect.dequantize(variable(), [0.1] * 3, 0, axis=1), "3 scales along axis 1 .* which has 4"),
        (lambda: dialect.dequantize(variable(), [0.1] * 4, 0, axis=4), "axis 4, and its operand has only 4 dims"),
        (lambda: dialect.lookup(variable(dtype="int32"), np.zeros(256, "int8")), "lookup reads int8 or uint8"),
        (lambda: dialect.affine(variable(), np.ones(2), 0.0, 0, 0, **ACT), "broadcast against"),
        (lambda: dialect.affine(variable((3,)), np.ones((1, 3)), 0.0, 0, 0, **ACT), "broadcast against"),
        (lambda: dialect.annotated(relax.Tuple([variable()]), []), "annotated reads a tensor as operand 1"),
        (
            lambda: dialect.simulated_quantize(variable(dtype="float32"), [0.1] * 2, axis=1, **ACT),
            "2 scales along axis 1",
        ),
    ],
)
def test_type_errors_say_what_was_given(build: Callable[[], relax.Expr], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        relax.BlockBuilder().normalize(build())


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda x: dialect.quantize(x, 0.0, 0, **ACT), "positive and finite in float32, not 0"),
        (lambda x: dialect.quantize(x, [0.1, np.nan], 0, axis=0, **ACT), "not nan"),
        (lambda x: dialect.quantize(x, 1e39, 0, **ACT), "not 1e\\+39"),
        (lambda x: dialect.quantize(x, [0.1, 0.2], 0, **ACT), "needs the axis"),
        (lambda x: dialect.quantize(x, [[0.1]], 0, axis=0, **ACT), "shape \\(\\) or \\(channels,\\)"),
        (lambda x: dialect.quantize(x, 0.1, 0, dtype="uint8", low=-1, high=255), "-1 to 255 are not a range of uint8"),
        (lambda x: dialect.quantize(x, 0.1, 0, dtype="int4", low=-9, high=7), "int4, which holds -8 to 7"),
        (lambda x: dialect.quantize(x, 0.1, 0, dtype="float16", low=0, high=7), "float16 is not an integer format"),
        (lambda x: dialect.quantize(x, 0.1, 0.5, **ACT), "a zero point is a whole number"),
        (lambda x: dialect.requantize(x, 1.0, 2**31, 0, **ACT), "a zero point is a whole number"),
        (lambda x: dialect.requantize(x, -1.0, 0, 0, **ACT), "positive and finite"),
        (lambda x: dialect.requantize(x, 1.0, 0, 0, mode="fix", **ACT), "float or fixed"),
        (lambda x: dialect.requantize(x, 1.0, 0, 0, mode="fixed", rounding="UP", **ACT), "UPWARD or TONEAREST"),
        (lambda x: dialect.affine(x, np.inf, 0.0, 0, 0, **ACT), "gain of an affine is finite"),
        (lambda x: dialect.lookup(x, np.zeros(255, "int8")), "shape \\(256,\\)"),
        (lambda x: dialect.lookup(x, np.zeros(256)), "float64"),
    ],
)
def test_constructors_refuse_numbers_that_cannot_be(build: Callable[[relax.Var], relax.Expr], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(variable())


def test_labels_are_plain_data() -> None:
    with pytest.raises(TypeError, match="a number, a string or a list"):
        dialect.annotated(variable(dtype="float32"), [], rule=object())


def test_is_call() -> None:
    call = dialect.dequantize(variable(), 0.1, 0)
    assert dialect.is_call(call)
    assert dialect.is_call(call, "quantize", "dequantize")
    assert not dialect.is_call(call, "quantize")
    assert not dialect.is_call(relax.op.nn.relu(variable(dtype="float32")))
    assert not dialect.is_call(variable())
