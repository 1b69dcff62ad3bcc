"""Match clauses as text: cut out of a graph at random, with names for what is left out; and compiling them."""

from __future__ import annotations

from hypothesis import strategies as st
from tvm import relax

from qdsl.lang import tree
from qdsl.lang.program import load_text
from qdsl.match.book import Book, make_book
from qdsl.match.graph import Graph, number_of, operator_name
from qdsl.match.pattern import Compiled

COMMUTATIVE = ("add", "multiply")


def rule_text(match: str, when: str = "", name: str = "found") -> str:
    """A rule whose match clause is given; its marks do not matter to matching."""
    guard = f"\n    when {when}" if when else ""
    return f"scheme act = uint8 asymmetric per_tensor\nrule {name}\n    match {match}{guard}\n    annotate _x as act"


def book_of(match: str, when: str = "") -> tuple[Book, Compiled]:
    """One rule as a book, and its only pattern."""
    program = load_text(rule_text(match, when))
    assert not program.diagnostics, [d.message for d in program.diagnostics]
    book = make_book(program.rules)
    ((compiled,),) = book.by_root.values()
    return book, compiled


def items_of(*texts: str) -> list[tree.Rule | tree.Fold]:
    program = load_text("\n".join(texts))
    assert not program.diagnostics, [d.message for d in program.diagnostics]
    return [*program.folds, *program.rules]


class Cutter:
    """Writes the expression below a value as a pattern, cutting it off at random."""

    def __init__(self, draw: st.DrawFn, graph: Graph) -> None:
        self.draw = draw
        self.graph = graph
        self.lines: list[str] = []
        self.names: dict[relax.Var, str] = {}
        self.count = self.made = 0

    def clause(self, root: relax.Var) -> str:
        """A match clause that ought to match at `root`, or nearly."""
        call = self.graph.value_of[root]
        if operator_name(call) in ("nn.batch_norm", "split"):
            self.lines.append(self.results(call, 0) + self.operator(call, 3))
        else:
            self.lines.append("y = " + self.operator(call, 3))
        return "\n          ".join(self.lines)

    def results(self, call: relax.Call, wanted: int, name: str = "y") -> str:
        count = len(call.ty.fields)
        return ", ".join(name if i == wanted else "_" for i in range(count)) + " = "

    def value(self, expr: relax.Expr, depth: int) -> str:
        number = number_of(expr)
        if number is not None and self.draw(st.booleans()):
            return f"{number:g}" if self.draw(st.integers(0, 9)) else "5"
        if not isinstance(expr, relax.Var):
            return self.fresh()
        if expr in self.names and self.draw(st.integers(0, 4)):
            return self.names[expr]
        value = self.graph.value_of.get(expr)
        if depth == 0 or value is None or not self.draw(st.integers(0, 3)):
            return self.named(expr)
        if isinstance(value, relax.TupleGetItem):
            call = self.graph.value_of[value.tuple_value]
            name = self.bound()
            self.lines.append(self.results(call, value.index, name) + self.operator(call, depth - 1))
            self.names[expr] = name
            return name
        text = self.operator(value, depth - 1)
        if self.draw(st.booleans()):
            return text
        name = self.names[expr] = self.bound()
        self.lines.append(f"{name} = {text}")
        return name

    def operator(self, call: relax.Call, depth: int) -> str:
        op = operator_name(call)
        assert op is not None
        if op == "concat":
            if self.draw(st.booleans()):
                return "concat([parts...])"
            return f"concat([{', '.join(self.value(f, depth) for f in call.args[0].fields)}])"
        if op in COMMUTATIVE:
            order = [self.value(a, depth) for a in call.args]
            if self.draw(st.booleans()):
                order.reverse()
            opening, closing = ("{", "}") if self.draw(st.integers(0, 4)) else ("(", ")")
            return f"{op}{opening}{order[0]}, {order[1]}{closing}"
        tensors = [a for a in call.args if isinstance(a.ty, relax.TensorType)]
        numbers = [a for a in call.args if number_of(a) is not None and a not in tensors]
        left = self.draw(st.booleans())
        operands = [self.value(a, depth) for a in tensors] + ([] if left else [self.value(a, 0) for a in numbers])
        return f"{op}({', '.join(operands)})"

    def named(self, expr: relax.Var) -> str:
        if expr not in self.names or not self.draw(st.integers(0, 5)):
            self.names[expr] = self.fresh()
        return self.names[expr]

    def fresh(self) -> str:
        """A new name, or now and then one that stands for something else already."""
        if self.count and not self.draw(st.integers(0, 11)):
            return f"v{self.draw(st.integers(1, self.count))}"
        self.count += 1
        return f"v{self.count}"

    def bound(self) -> str:
        self.made += 1
        return f"c{self.made}"
