"""Configuration: every option of quantization, validated on entry and documented in one place."""

from qdsl.config.describe import OptionRow, describe, describe_one
from qdsl.config.options import QConfig
from qdsl.config.toml import from_toml, with_settings

__all__ = ["OptionRow", "QConfig", "describe", "describe_one", "from_toml", "with_settings"]
