"""The command line as tests/cli runs it."""

from ..cli.conftest import qdsl

__all__ = ["qdsl"]
