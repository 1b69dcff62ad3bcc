"""A counterexample, and how it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.realize.values import Numbers
from qdsl.ruletest.coverage import place
from qdsl.ruletest.show import graph_text
from qdsl.verify.operands import Operand
from qdsl.verify.promise import Broken
from qdsl.verify.scene import Scene

Array = NDArray[Any]

SHOWN = 16
"""Numbers of an operand that are written out; of more, the ones that are not at the zero point."""

WORDS = {
    "value": "value off",
    "channel": "wrong channel",
    "border": "wrong at the border",
    "saturation": "saturates wrongly",
    "overflow": "overflows",
    "clause": "cannot be realized",
    "fold": "changes the result",
}
"""A promise, broken, in words."""


@dataclass(frozen=True)
class Failure:
    """One broken promise of a rule or a fold, with the smallest graph and operands that were found to show it."""

    item: tree.Rule | tree.Fold
    promise: str
    scene: Scene
    message: str = ""
    """For a clause that cannot be realized: why."""
    broken: Broken | None = None
    format: Numbers | None = None
    """The format of the result; None for float."""
    operands: tuple[Operand, ...] = ()
    inputs: Mapping[str, Array] = field(default_factory=dict)
    style: int = 0
    """Which kind of numbers it was found under."""

    @property
    def span(self) -> Span:
        """Where the clause that broke the promise stands."""
        item = self.item
        clause = item.rewrite if isinstance(item, tree.Fold) else item.realize
        return clause[-1].value.span if clause else item.name_span

    @property
    def title(self) -> str:
        """One line: the promise, and by how much."""
        word = WORDS[self.promise]
        if self.broken is None:
            return f"{word}: {self.message}" if self.message else word
        steps = self.broken.steps
        many = "infinitely many steps" if not np.isfinite(steps) else f"{steps:.4g} step" + "s" * (steps != 1)
        return f"{word}, by {many}" if self.promise != "value" else f"{word} by {many}"

    @property
    def op(self) -> str:
        return f" for {self.scene.op}" if self.scene.op else ""

    def text(self) -> str:
        """The counterexample: the graph, the operands, what was expected and what came out."""
        lines = [f"{self.span}: {self.item.name}{self.op}: {self.title}", graph_text(self.scene.module)]
        for operand in self.operands:
            lines.append(f"  %{operand.name} is {operand.describe()}: {self._operand(operand)}")
        lines += [f"  {line}" for line in self._constants()]
        if self.broken is not None:
            at = f"[{', '.join(map(str, self.broken.index))}]"
            lines.append(
                f"  result{at}: expected {self._both(self.broken.expected)}, got {self._both(self.broken.got)}"
            )
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        broken = self.broken
        return {
            "rule": self.item.name,
            "op": self.scene.op,
            **place(self.span),
            "promise": self.promise,
            "message": self.title,
            "steps": None if broken is None or not np.isfinite(broken.steps) else broken.steps,
            "index": None if broken is None else list(broken.index),
            "expected": None if broken is None else _plain(broken.expected),
            "got": None if broken is None else _plain(broken.got),
            "graph": graph_text(self.scene.module),
            "operands": [
                {"name": o.name, "format": o.describe(), "shape": list(o.shape), "values": self._operand(o)}
                for o in self.operands
            ],
        }

    def _operand(self, operand: Operand) -> str:
        array = np.asarray(self.inputs[operand.name])
        if not operand.is_coded:
            return _array_text(array, 0)
        codes = operand.codes(array)
        return f"codes {_array_text(codes, operand.zero)}"

    def _constants(self) -> list[str]:
        """Constants of the rule with few numbers."""
        from qdsl.match.graph import array_of, is_constant

        match = None if self.scene.firing is None else self.scene.firing.match
        found = []
        for name in match.boundary if match is not None else ():
            for value in match.values(name) if match is not None else ():
                if is_constant(value):
                    array = np.asarray(array_of(value))
                    if array.size <= SHOWN:
                        found.append(f"{name} = {_array_text(array, 0)}")
        return found

    def _both(self, value: float) -> str:
        if self.format is None or self.broken is None:
            return f"{value:.9g}"
        scale = self.format.scale
        axis = self.format.axis
        step = float(scale) if scale.ndim == 0 else float(scale[self.broken.index[axis or 0]])
        return f"code {value / step + self.format.zero:.6g} ({value:.6g})"


def _array_text(array: Array, zero: int) -> str:
    """A small array in full; of a large one the elements that differ from `zero`, with their places."""
    if array.size <= SHOWN:
        return _nested(array.tolist())
    places = np.argwhere(array != zero)
    if len(places) == 0:
        return f"all {zero}"
    told = ", ".join(f"[{', '.join(map(str, p))}] is {array[tuple(p)]:g}" for p in places[:SHOWN])
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    rest = f", all others {zero}" if len(places) < array.size else ""
    return f"{told}{more}{rest}"


def _nested(value: Any) -> str:
    """Nested lists of numbers, six digits each."""
    return f"[{', '.join(map(_nested, value))}]" if isinstance(value, list) else f"{value:g}"


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None
