"""The checker: everything that can be said of rule files without a model."""

from qdsl.check.check import check

__all__ = ["check"]
