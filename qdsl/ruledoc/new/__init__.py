"""A rule to begin with, made of an operator's signature, and a test of it."""

from qdsl.ruledoc.new.write import NewRule, new_rule

__all__ = ["NewRule", "new_rule"]
