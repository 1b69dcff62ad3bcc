"""Proofs, for all inputs at once, of the integer arithmetic that rules are made of. Needs z3 (the extra `verify`)."""

from qdsl.verify.prove.theorems import Proof, prove_all

__all__ = ["Proof", "prove_all"]
