"""Importing z3, or a plain sentence that it is not there."""

from __future__ import annotations

from typing import Any

from qdsl.errors import ConfigError


def z3_module() -> Any:
    """The z3 package. Raises ConfigError where it is not installed."""
    try:
        import z3
    except ImportError as error:
        raise ConfigError("--prove needs z3, which is not installed: pip install 'qdsl[verify]'") from error
    return z3


def counterexample(assumptions: list[Any], claims: list[Any]) -> str | None:
    """None where the claims follow from the assumptions, else numbers for which they do not (or that z3 gave up)."""
    z3 = z3_module()
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.add(*assumptions, z3.Not(z3.And(*claims)))
    answer = solver.check()
    if answer == z3.unsat:
        return None
    if answer == z3.unknown:
        return f"z3 gave no answer: {solver.reasonunknown()}"
    model = solver.model()
    shown = sorted(model.decls(), key=lambda d: str(d.name()))
    return ", ".join(f"{d.name()} = {model[d]}" for d in shown if not str(d.name()).startswith("_"))
