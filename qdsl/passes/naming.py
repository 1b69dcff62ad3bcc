"""Names for scales: after the value, or the operator and the operand where it is a constant."""

from __future__ import annotations

from dataclasses import dataclass, field

import tvm_ffi
from tvm import relax

from qdsl.match.found import Match


@dataclass
class Names:
    """Gives each variable and each constant one name; a constant with two readers keeps its first."""

    _constants: dict[int, str] = field(default_factory=dict)
    _kept: list[relax.Expr] = field(default_factory=list)

    def of(self, value: relax.Expr) -> str:
        return str(value.name) if isinstance(value, relax.Var) else "constant"

    def constant(self, value: relax.Expr, match: Match, capture: str) -> str:
        """A constant's name; the constant is kept alive so that its identity stays its own."""
        key = identity(value)
        if key not in self._constants:
            self._constants[key] = f"{match.root.name}.{capture}"
            self._kept.append(value)
        return self._constants[key]


def identity(value: tvm_ffi.Object) -> int:
    """The identity of an object behind its Python wrappers."""
    return int(value.__chandle__())
