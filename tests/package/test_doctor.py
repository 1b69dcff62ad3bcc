"""The doctor's judgement, on made-up environments with one thing wrong in each."""

from dataclasses import replace

import pytest

from qdsl.doctor import PURPOSE, diagnose, satisfies
from qdsl.environment import Environment, Requirement, declared_requirements, parse_requirement, versions

PINS = {"apache-tvm": "0.27.0.post1", "apache-tvm-ffi": "0.1.14.post1", "lark": "1.3.1"}
HEALTHY = Environment(
    python=(3, 11),
    requirements=(
        Requirement("apache-tvm", (("==", "0.27.0.post1"),)),
        Requirement("apache-tvm-ffi", (("==", "0.1.14.post1"),)),
        Requirement("lark", ((">=", "1.1.9"), ("<", "2"))),
        Requirement("onnxruntime", ((">=", "1.17"),), extra="bench"),
    ),
    installed={**PINS, "onnxruntime": "1.20.0"},
    tvm_error=None,
    tvm_has_llvm=True,
    linker="/usr/bin/cc",
    cpu_flags=frozenset({"avx2", "avx512_vnni"}),
    cores=2,
    tvm_num_threads=None,
    missing_resources=(),
    unwritable=(),
    free_bytes=10 << 30,
)


def test_nothing_is_wrong_with_a_healthy_environment() -> None:
    assert {finding.status for finding in diagnose(HEALTHY)} == {"ok"}


@pytest.mark.parametrize(
    ("change", "subject", "said", "mend"),
    [
        ({"python": (3, 9)}, "python", "3.9 is too old", "PYTHON=python3.12"),
        (
            {"installed": {**PINS, "apache-tvm-ffi": "0.1.15.post2"}},
            "apache-tvm-ffi",
            "0.1.15.post2 is installed and apache-tvm-ffi==0.1.14.post1 is needed: other versions crash",
            "pip install 'apache-tvm-ffi==0.1.14.post1'",
        ),
        ({"installed": {**PINS, "lark": "2.0"}}, "lark", "lark>=1.1.9,<2 is needed", "pip install 'lark>=1.1.9,<2'"),
        ({"installed": {}}, "apache-tvm", "is not installed", "pip install 'apache-tvm==0.27.0.post1'"),
        ({"requirements": ()}, "qdsl", "is not installed", "pip install -e ."),
        ({"tvm_error": "OSError: libtvm.so"}, "tvm", "cannot be imported (OSError: libtvm.so)", "pip install"),
        ({"tvm_has_llvm": False}, "tvm", "without LLVM", "pip install"),
        ({"linker": None}, "linker", "no C compiler or linker", "apt install gcc"),
        ({"missing_resources": ("the grammar",)}, "package", "the grammar cannot be found", "pip install"),
        ({"unwritable": ("/work",)}, "disk", "/work cannot be written to", "chmod u+w /work"),
        ({"free_bytes": 1 << 20}, "disk", "only 1 MiB free", "TMPDIR"),
        ({"tvm_num_threads": "two"}, "threads", "TVM_NUM_THREADS=two is not a number", "unset TVM_NUM_THREADS"),
        ({"tvm_num_threads": "0"}, "threads", "TVM_NUM_THREADS=0 is not a number", "unset TVM_NUM_THREADS"),
    ],
)
def test_one_thing_wrong(change: dict, subject: str, said: str, mend: str) -> None:
    wrong = [finding for finding in diagnose(replace(HEALTHY, **change)) if finding.status == "wrong"]
    assert subject in {finding.subject for finding in wrong}
    finding = next(finding for finding in wrong if finding.subject == subject)
    assert said in finding.said
    assert mend in finding.mend


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cpu_flags": frozenset({"avx2"})}, "no 8-bit dot product"),
        ({"cpu_flags": frozenset()}, "none of the features"),
        ({"tvm_num_threads": "8"}, "TVM_NUM_THREADS=8 on 2 cores"),
        ({"installed": PINS}, "onnxruntime not installed"),
    ],
)
def test_notes_are_not_wrong(change: dict, said: str) -> None:
    findings = diagnose(replace(HEALTHY, **change))
    assert not [finding for finding in findings if finding.status == "wrong"]
    assert [finding for finding in findings if finding.status == "note" and said in finding.said]


@pytest.mark.parametrize(
    ("version", "line", "fits"),
    [
        ("0.1.14.post1", "apache-tvm-ffi==0.1.14.post1", True),
        ("0.1.14.post0", "apache-tvm-ffi==0.1.14.post1", False),
        ("0.1.15", "apache-tvm-ffi==0.1.14.post1", False),
        ("2.0", "lark<2,>=1.1.9", False),
        ("1.1.10", "lark<2,>=1.1.9", True),
        ("1.1.8", "lark<2,>=1.1.9", False),
        ("2.4.6+local", "numpy<3,>=1.26", True),
        ("3.0rc1", "numpy<3,>=1.26", False),
    ],
)
def test_versions_are_compared_as_numbers(version: str, line: str, fits: bool) -> None:
    assert satisfies(version, parse_requirement(line)) is fits


def test_the_real_package_declares_both_pins() -> None:
    core = {r.name: str(r) for r in declared_requirements() if r.extra is None}
    assert core["apache-tvm"] == "apache-tvm==0.27.0.post1"
    assert core["apache-tvm-ffi"] == "apache-tvm-ffi==0.1.14.post1"
    assert {"lark", "onnx", "numpy", "typer", "rich", "pydantic"} <= set(core)
    assert set(PURPOSE) <= {r.extra for r in declared_requirements()}
    assert {"qdsl", "python", "apache-tvm"} <= set(versions())
