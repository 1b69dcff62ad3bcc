"""From a Relax module to code that runs: schedules, layouts, targets and the executable. Knows nothing of rules."""

from qdsl.lower.compile import compile, load_executable
from qdsl.lower.evaluator import Evaluator
from qdsl.lower.executable import Benchmark, Executable
from qdsl.lower.signature import Signature, TensorSpec
from qdsl.lower.target import Target, resolve_target

__all__ = [
    "Benchmark",
    "Evaluator",
    "Executable",
    "Signature",
    "Target",
    "TensorSpec",
    "compile",
    "load_executable",
    "resolve_target",
]
