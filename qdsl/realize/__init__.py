"""Evaluating the expressions of `rewrite` and `realize` clauses: numbers on the host, tensors as emitted operators."""
