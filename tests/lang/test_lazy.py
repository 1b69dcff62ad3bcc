"""What importing costs: nothing of TVM, and Lark only for those who parse."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
{}
print(sorted(name for name in ("tvm", "lark", "rich", "onnx") if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("statement", "loaded"),
    [
        ("import qdsl.lang", []),
        ("import qdsl.lang.parse, qdsl.lang.program, qdsl.lang.render, qdsl.lang.unparse, qdsl.lang.stock", []),
        ("from qdsl.lang.parse import parse_text; parse_text('', 'a')", ["lark"]),
    ],
)
def test_import_loads_only_what_is_needed(statement: str, loaded: list[str]) -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM.format(statement)], capture_output=True, text=True, timeout=60)
    assert (run.stdout.strip(), run.stderr) == (str(loaded), "")
