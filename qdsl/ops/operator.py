"""What an operator is: operands, attributes, results; plain data without TVM."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

TENSOR_KINDS = ("tensor", "tensors")

ATTRIBUTE_IN_PLACE = {"astype": "dtype", "permute_dims": "axes"}
"""Operators whose one attribute may be written without its name."""


@dataclass(frozen=True)
class Operand:
    """One positional argument of an operator."""

    name: str
    kind: str
    """tensor | tensors (a list of them) | shape | number | numbers."""
    optional: bool = False
    doc: str = ""

    @property
    def is_tensor(self) -> bool:
        """Whether the operand is computed data; the others are fields of the result and may be left out of a match."""
        return self.kind in TENSOR_KINDS


@dataclass(frozen=True)
class Attribute:
    """One named argument of an operator."""

    name: str
    type: str
    """int | float | bool | str | dtype | ints | floats | `int or ints` | `float or floats` | object."""
    default: object = None
    """What stands for it where it is left out; lists are tuples."""
    required: bool = False
    """Whether a call that is built must name it."""
    doc: str = ""


@dataclass(frozen=True)
class Operator:
    """An operator of Relax, named without the `relax.` prefix."""

    name: str
    operands: tuple[Operand, ...]
    attributes: tuple[Attribute, ...]
    results: int | None
    """How many tensors it returns; None where that depends on its arguments (split)."""
    doc: str = ""

    @property
    def tensor_operands(self) -> tuple[Operand, ...]:
        return tuple(o for o in self.operands if o.is_tensor)

    @property
    def other_operands(self) -> tuple[Operand, ...]:
        """Shapes, axes, sizes and bounds."""
        return tuple(o for o in self.operands if not o.is_tensor)

    @property
    def required_tensors(self) -> int:
        """How many tensor operands every call has."""
        return sum(1 for o in self.tensor_operands if not o.optional)

    @cached_property
    def fields(self) -> dict[str, str]:
        """Name -> type of everything that `y.name`, `name=` and `**y` may speak of: attributes, then other operands."""
        named = {a.name: a.type for a in self.attributes}
        return named | {o.name: operand_type(o) for o in self.other_operands}

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of that name."""
        return next((a for a in self.attributes if a.name == name), None)

    def places(self, count: int) -> tuple[str, ...] | None:
        """The names of the operands that `count` positional arguments stand for; None where no call has so many.

        Operands that are no tensors may all be left out; where some are given, the arguments stand in the
        operator's own order. `astype(x, int32)` and `permute_dims(x, axes)` take their one attribute in place.
        """
        tensors = self.tensor_operands
        if self.required_tensors <= count <= len(tensors):
            return tuple(o.name for o in tensors[:count])
        in_order = [o.name for o in self.operands]
        if self.name in ATTRIBUTE_IN_PLACE:
            in_order.append(ATTRIBUTE_IN_PLACE[self.name])
        if self.required_tensors <= count <= len(in_order):
            return tuple(in_order[:count])
        return None

    @property
    def signature(self) -> str:
        """`nn.conv2d(data, weight)`, as messages show it: operands only, optional ones with a question mark."""
        shown = (
            f"[{o.name}...]" if o.kind == "tensors" else o.name + ("?" if o.optional else "") for o in self.operands
        )
        return f"{self.name}({', '.join(shown)})"


def operand_type(operand: Operand) -> str:
    """The attribute type that an operand which is no tensor has when it is written as a field or keyword."""
    return {"shape": "ints", "number": "float", "numbers": "ints"}.get(operand.kind, "object")
