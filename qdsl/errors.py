"""The errors that qdsl raises: each says what was wrong, where, and what to do."""

from __future__ import annotations


class QdslError(Exception):
    """Base of every error that a user of qdsl can meet; its text is a whole message."""


class RuleError(QdslError):
    """Rule files that cannot be read or do not pass the checker."""


class ModelError(QdslError):
    """A model that cannot be read, imported or quantized."""


class DataError(QdslError):
    """Calibration or input data of the wrong name, shape, dtype or value."""


class ConfigError(QdslError):
    """An unknown option or a value outside what the option accepts."""


class BuildError(QdslError):
    """A module that cannot be compiled for the target, or an environment that cannot compile."""
