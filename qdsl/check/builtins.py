"""The words of the language that are no operators: guards, builders and fields, with what they take.

The passes that evaluate guards and realize clauses implement exactly these; the documentation and the
language server list them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """One argument of a guard or builder."""

    name: str
    kind: str
    """
    value     a capture of the match           values    one or more of them, spreads included
    axis      an axis letter                   along     an axis letter or a capture
    number    a number, or a constant          dtype     a dtype literal
    expr      any value of the clause          function  an operator of one operand, or a def of one parameter
    result    a result of the match, which need not be computed yet
    """
    optional: bool = False


@dataclass(frozen=True)
class Builtin:
    """A guard or builder."""

    name: str
    parameters: tuple[Parameter, ...]
    doc: str
    clauses: tuple[str, ...] = ("realize",)
    """Where it may stand: when | realize | scale."""
    answers: str = "value"
    """truth | number | numbers | dtype | value."""
    attributes: bool = False
    """Whether it takes keywords and `**y`."""

    @property
    def signature(self) -> str:
        """`size(x, AXIS)`, as messages show it."""
        shown = []
        for p in self.parameters:
            text = {"axis": "AXIS", "along": "AXIS or x", "values": f"{p.name}, ..."}.get(p.kind, p.name)
            shown.append(f"[{text}]" if p.optional else text)
        return f"{self.name}({', '.join(shown)}{', **y' if self.attributes else ''})"

    @property
    def fewest(self) -> int:
        return sum(not p.optional for p in self.parameters)

    @property
    def most(self) -> int | None:
        """None: any number."""
        return None if any(p.kind == "values" for p in self.parameters) else len(self.parameters)

    def kind_of(self, index: int) -> str:
        """The kind of an argument by its position."""
        return self.parameters[min(index, len(self.parameters) - 1)].kind


def _truth(name: str, doc: str) -> Builtin:
    return Builtin(name, (Parameter("x", "values"),), doc, ("when",), "truth")


def _ask(name: str, answers: str, doc: str, *parameters: tuple[str, str]) -> Builtin:
    return Builtin(name, tuple(Parameter(*p) for p in parameters), doc, ("when",), answers)


def _build(name: str, doc: str, *parameters: tuple[str, str], attributes: bool = False) -> Builtin:
    return Builtin(name, tuple(Parameter(*p) for p in parameters), doc, attributes=attributes)


_GUARDS = (
    _truth("constant", "a constant of the model, or a number"),
    _truth("used_once", "one operand position reads it, model outputs included"),
    _truth("quantized", "it carries an integer format when the rule is tried"),
    _truth("wanted", "some reader will read it in an integer format; of a spread, one part is enough"),
    _truth("private", "every reader is inside the match"),
    _truth("channelwise", "every integer reader takes a scale per channel"),
    _truth("scalar", "one element"),
    Builtin("dtype", (Parameter("x", "value"), Parameter("dtype", "dtype", True)), "its dtype", ("when",), "dtype"),
    _ask("rank", "number", "its number of axes", ("x", "value")),
    _ask("shape", "numbers", "its sizes", ("x", "value")),
    _ask("size", "number", "its size along an axis", ("x", "value"), ("axis", "axis")),
    _ask("axis", "number", "the number of the axis with a letter", ("x", "value"), ("axis", "axis")),
    _ask("spans", "truth", "one element, or varying along that axis only", ("b", "value"), ("along", "along")),
)

_BUILDERS = (
    _build("centered", "x without its zero point, widened only where that is not 0", ("x", "expr")),
    _build("requantize", "onto the result's scale and zero point, rounded and saturated", ("e", "expr")),
    _build("rescale", "int32 on scale s, zero point removed", ("x", "expr"), ("s", "number")),
    _build("affine", "x * gain + offset on the result's scale", ("x", "expr"), ("gain", "expr"), ("offset", "expr")),
    _build("lookup", "f at x's real value, on the result's scale", ("f", "function"), ("x", "expr")),
    _build("level", "the number v in x's format, saturated", ("v", "number"), ("x", "value")),
    _build("average", "the mean over a pool's windows, divided by the true count", ("x", "expr"), attributes=True),
    Builtin(
        "count",
        (Parameter("x", "value"), Parameter("y", "result")),
        "elements of x per element of y",
        ("realize", "scale"),
        "number",
    ),
)

GUARDS: dict[str, Builtin] = {g.name: g for g in _GUARDS}
"""What a `when` clause may ask."""

BUILDERS: dict[str, Builtin] = {b.name: b for b in _BUILDERS}
"""What a `realize` clause may call beside operators and defs."""

FORMAT_FIELDS = {"scale": "its scale", "zero": "its zero point"}
"""Fields that every marked value has."""

SHAPE_FIELDS = {"shape": "its sizes", "dtype": "its dtype"}
"""Fields of every value in a guard."""


def allowed(clause: str) -> dict[str, Builtin]:
    """The guards and builders that may stand in a clause: match | when | scale | realize | rewrite | given | def."""
    if clause == "def":
        return GUARDS | BUILDERS
    return {name: b for name, b in (GUARDS | BUILDERS).items() if clause in b.clauses}
