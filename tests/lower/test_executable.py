"""compile, run, export, load and the evaluator, on small float modules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tvm import relax
from tvm.ir import IRModule

from qdsl import lower
from qdsl.errors import BuildError, ConfigError, DataError


def two_outputs() -> IRModule:
    """x (2, 3), y (2, 3) -> sum, x itself, x flattened."""
    builder = relax.BlockBuilder()
    x, y = (relax.Var(name, relax.TensorType((2, 3), "float32")) for name in "xy")
    with builder.function("main", [x, y]):
        with builder.dataflow():
            total = builder.emit(relax.op.add(x, y), "total")
            outputs = [
                builder.emit_output(relax.op.multiply(total, total), "square"),
                builder.emit_output(x, "same"),
                builder.emit_output(relax.op.reshape(x, (6,)), "flat"),
            ]
        builder.emit_func_output(relax.Tuple(outputs))
    return builder.get()


@pytest.fixture(scope="module")
def executable() -> lower.Executable:
    return lower.compile(two_outputs(), threads=1)


@pytest.fixture
def inputs() -> dict[str, np.ndarray]:
    return {
        "x": np.arange(6, dtype="float32").reshape(2, 3),
        "y": np.ones((2, 3), "float32"),
    }


def test_results_have_names_and_values(executable: lower.Executable, inputs: dict[str, np.ndarray]) -> None:
    results = executable.run(inputs)
    assert list(results) == ["square", "same", "flat"]
    np.testing.assert_array_equal(results["square"], (inputs["x"] + 1) ** 2)
    np.testing.assert_array_equal(results["flat"], np.arange(6))


def test_results_are_the_callers_own(executable: lower.Executable, inputs: dict[str, np.ndarray]) -> None:
    first = executable.run(inputs)
    kept = {name: array.copy() for name, array in first.items()}
    for array in executable.run({name: array + 7 for name, array in inputs.items()}).values():
        array += 1
    for name, array in first.items():
        np.testing.assert_array_equal(array, kept[name])
    first["same"][:] = 9
    np.testing.assert_array_equal(first["flat"], kept["flat"])
    np.testing.assert_array_equal(inputs["x"].ravel(), np.arange(6))


def test_large_results_stay_alive_and_writable() -> None:
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((64, 1024), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            out = builder.emit_output(relax.op.negative(x), "out")
        builder.emit_func_output(out)
    negate = lower.compile(builder.get())
    data = np.random.default_rng(0).random((64, 1024), dtype="float32")
    first = negate.run({"x": data})["out"]
    for _ in range(3):
        negate.run({"x": data + 1})
    np.testing.assert_array_equal(first, -data)
    first += 1
    np.testing.assert_array_equal(first, 1 - data)


@pytest.mark.parametrize("order", ["C", "F"])
def test_any_memory_order_and_alignment(executable: lower.Executable, order: str) -> None:
    padded = np.zeros((5, 9), "float32", order=order)
    view = padded[1:3, 1:4]
    view[:] = [[1, 2, 3], [4, 5, 6]]
    square = executable.run({"x": view, "y": np.zeros((2, 3), "float32")})["square"]
    np.testing.assert_array_equal(square, view * view)


def test_read_only_input(executable: lower.Executable, inputs: dict[str, np.ndarray]) -> None:
    inputs["x"].flags.writeable = False
    np.testing.assert_array_equal(executable.run(inputs)["same"], inputs["x"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": None}, r"input 'y' is missing \(expected y: float32 \(2, 3\)\); given: 'x'\."),
        ({"z": np.zeros(1)}, r"no such input: 'z'; the model's inputs are x, y\."),
        ({"x": np.zeros((2, 3))}, r"input 'x' is float64, expected float32\."),
        ({"x": np.zeros((3, 2), "float32")}, r"input 'x' has shape \(3, 2\), expected \(2, 3\)\."),
    ],
)
def test_wrong_inputs_are_named(
    executable: lower.Executable, inputs: dict[str, np.ndarray], change: dict[str, np.ndarray | None], message: str
) -> None:
    changed = {name: array for name, array in {**inputs, **change}.items() if array is not None}
    with pytest.raises(DataError, match=message):
        executable.run(changed)


def test_inputs_that_are_no_dict(executable: lower.Executable) -> None:
    with pytest.raises(DataError, match=r"dict of arrays by name \(x, y\), not as list"):
        executable.run([np.zeros((2, 3))])  # type: ignore[arg-type]


def test_chosen_names() -> None:
    named = lower.compile(two_outputs(), input_names=["in:0", "in:1"], output_names=["a", "b/c", "d"])
    results = named.run({"in:0": np.ones((2, 3), "float32"), "in:1": np.ones((2, 3), "float32")})
    assert list(results) == ["a", "b/c", "d"]
    with pytest.raises(BuildError, match="1 output names for the 3 outputs"):
        lower.compile(two_outputs(), output_names=["only"])


def test_export_and_load(
    executable: lower.Executable, inputs: dict[str, np.ndarray], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    loaded = lower.load_executable(executable.export(tmp_path / "model.so"), threads=1)
    assert loaded.signature == executable.signature
    assert loaded.target_name == executable.target_name
    for name, array in loaded.run(inputs).items():
        np.testing.assert_array_equal(array, executable.run(inputs)[name])
    assert [path.name for path in tmp_path.iterdir()] == ["model.so"]
    assert capfd.readouterr().err == ""


def test_export_without_a_linker(executable: lower.Executable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(BuildError, match=r"no linker was found.*Install a C compiler"):
        executable.export(tmp_path / "model.so")
    assert list(tmp_path.iterdir()) == []


def test_load_what_is_no_library(tmp_path: Path) -> None:
    path = tmp_path / "model.so"
    with pytest.raises(BuildError, match="is not a file"):
        lower.load_executable(path)
    path.write_bytes(b"no library")
    with pytest.raises(BuildError, match="not a library that qdsl wrote"):
        lower.load_executable(path)


def test_evaluator_gives_inner_values(inputs: dict[str, np.ndarray]) -> None:
    evaluator = lower.Evaluator(two_outputs(), ["total", "x", "square"])
    results = evaluator.run(inputs)
    assert list(results) == ["total", "x", "square"]
    np.testing.assert_array_equal(results["total"], inputs["x"] + 1)
    np.testing.assert_array_equal(results["x"], inputs["x"])
    results["x"][:] = 0
    np.testing.assert_array_equal(inputs["x"].ravel(), np.arange(6))


def test_evaluator_refuses_unknown_values() -> None:
    with pytest.raises(BuildError, match="no value is named 'sum' in 'main'"):
        lower.Evaluator(two_outputs(), ["sum"])
    with pytest.raises(BuildError, match="no values were asked for"):
        lower.Evaluator(two_outputs(), [])


@pytest.mark.parametrize("threads", [0, -1, "two", 10_000])
def test_bad_thread_numbers(threads: object) -> None:
    with pytest.raises(ConfigError, match="threads="):
        lower.compile(two_outputs(), threads=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["cuda", "abacus", '{"kind": "cuda"}', 7])
def test_bad_targets(target: object) -> None:
    with pytest.raises(ConfigError, match="target"):
        lower.compile(two_outputs(), target=target)


def test_module_without_main() -> None:
    with pytest.raises(BuildError, match="no Relax function named 'main'"):
        lower.compile(IRModule({}))


def test_benchmark_counts(executable: lower.Executable) -> None:
    times = executable.benchmark(7, warmup=1)
    assert times.repeats == 7
    assert 0 < times.minimum_us <= times.median_us
