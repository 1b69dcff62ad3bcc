"""qdsl: post-training quantization for TVM Relax, stated in rules that people can read, check, test and extend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qdsl.errors import BuildError, ConfigError, DataError, ModelError, QdslError, RuleError
from qdsl.version import __version__

if TYPE_CHECKING:
    from qdsl import transform as transform
    from qdsl.calibrate.calibration import Calibration
    from qdsl.config import QConfig
    from qdsl.report import Report
    from qdsl.ruleset import RuleSet, load_rules
    from qdsl.session.quantize import quantize
    from qdsl.session.result import Result

_HOMES = {
    "Calibration": "qdsl.calibrate.calibration",
    "QConfig": "qdsl.config",
    "Report": "qdsl.report",
    "Result": "qdsl.session.result",
    "RuleSet": "qdsl.ruleset",
    "load_rules": "qdsl.ruleset",
    "quantize": "qdsl.session.quantize",
}
"""Where public names live. They are imported when first asked for, so that what needs no TVM does not wait for it."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "transform":  # not a name of the package's own: importing it imports TVM
        return import_module("qdsl.transform")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'qdsl' has no attribute {name!r}")


__all__ = [
    "BuildError", "Calibration", "ConfigError", "DataError", "ModelError", "QConfig", "QdslError", "Report", "Result",
    "RuleError", "RuleSet", "__version__", "load_rules", "quantize", "transform",
]  # fmt: skip
