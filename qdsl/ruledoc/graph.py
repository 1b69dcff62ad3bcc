"""The match of a rule as a graph in Mermaid, which code hosts draw: operands above, results below.

Rounded boxes are values from outside and results, with their marks; cylinders are constants; boxes are operators;
circles are numbers.
"""

from __future__ import annotations

from qdsl.check.matched import Matched, named
from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.ruledoc.marks import mark_text

SHAPES = {"value": '(["{}"])', "constant": '[("{}")]', "operator": '["{}"]', "number": '(("{}"))'}
ESCAPES = str.maketrans({'"': "#quot;", "<": "#lt;", ">": "#gt;"})


def mermaid(matched: Matched) -> str:
    """The text of the graph."""
    drawing = _Drawing(matched)
    for binding in matched.bindings:
        drawing.binding(binding)
    return "\n".join(["graph TD", *drawing.lines])


class _Drawing:
    """One graph: nodes are numbered as they come, and each value is drawn once."""

    def __init__(self, matched: Matched) -> None:
        self.matched = matched
        self.lines: list[str] = []
        self.nodes: dict[str, str] = {}
        """The node of each name."""
        self.count = 0
        self.marks = _marks(matched.item)
        self.constants = _constants(matched.item)

    def binding(self, binding: tree.Binding) -> None:
        """An operator with what it reads; at the root, with its results."""
        targets = named(binding.targets)
        if binding not in self.matched.roots:
            names = ", ".join(unparse(target) for target in binding.targets)
            node = self.value(binding.value, f"{names} = ")
            self.nodes.update({target.id: node for target in targets})
            return
        node = self.value(binding.value)
        for target in targets:
            self.lines.append(f"    {node} --> {self.add('value', self.marked(target.id, unparse(target)))}")

    def value(self, expr: tree.Node, prefix: str = "") -> str:
        """Draws an expression unless it is there already; returns its node."""
        if isinstance(expr, tree.Name | tree.Spread):
            if expr.id not in self.nodes:
                kind = "constant" if expr.id in self.constants else "value"
                self.nodes[expr.id] = self.add(kind, self.marked(expr.id, unparse(expr)))
            return self.nodes[expr.id]
        if not isinstance(expr, tree.Call):
            return self.add("number", unparse(expr))
        node = self.add("operator", prefix + called(expr))
        for argument in expr.positional:
            inner = argument.elements if isinstance(argument, tree.List) and _has_names(argument) else (argument,)
            for one in inner:
                self.lines.append(f"    {self.value(one)} --> {node}")
        return node

    def add(self, kind: str, label: str) -> str:
        """A new node."""
        node = f"n{self.count}"
        self.count += 1
        self.lines.append(f"    {node}{SHAPES[kind].format(label.translate(ESCAPES))}")
        return node

    def marked(self, name: str, text: str) -> str:
        """A value with its mark."""
        return f"{text} {self.marks[name]}" if name in self.marks else text


def called(call: tree.Call) -> str:
    """An operator with the attributes that the match asks for."""
    asked = [unparse(keyword) for keyword in call.keywords]
    either = ["in either order"] if call.commutative else []
    return ", ".join([call.func, *asked, *either])


def _has_names(operands: tree.List) -> bool:
    return any(isinstance(element, tree.Name | tree.Spread) for element in operands.elements)


def _marks(item: tree.Item) -> dict[str, str]:
    marks = item.annotate if isinstance(item, tree.Rule) else ()
    return {target.id: mark_text(mark) for mark in marks for target in mark.targets}


def _constants(item: tree.Item) -> frozenset[str]:
    """The names that the guard wants to be constants."""
    terms = tree.conjuncts(getattr(item, "when", None))
    calls = [term for term in terms if isinstance(term, tree.Call) and term.func == "constant"]
    return frozenset(a.id for call in calls for a in call.args if isinstance(a, tree.Name | tree.Spread))
