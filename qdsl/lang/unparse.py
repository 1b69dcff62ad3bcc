"""The tree as text again, each node on one line: parse(unparse(node)) == node.

Items and the parts of tests are here; `unparse` itself begins in unparse_expressions.
"""

from __future__ import annotations

from collections.abc import Iterable

from qdsl.lang import tree
from qdsl.lang.unparse_expressions import number_text, unparse

__all__ = ["unparse"]


def _clause(keyword: str, nodes: Iterable[tree.Node] | None) -> list[str]:
    """A clause's words; none for a clause that is absent."""
    return [] if nodes is None else [keyword, *(unparse(node) for node in nodes)]


def _when(expr: tree.Expr | None) -> list[str]:
    return _clause("when", None if expr is None else [expr])


def _head(node: tree.Fold | tree.Rule, keyword: str) -> list[str]:
    return [keyword, node.name, *([] if node.each is None else [unparse(node.each)])]


def _doc(node: tree.Fold | tree.Rule) -> list[str]:
    return [] if node.doc is None else [f'"{node.doc}"']


@unparse.register(tree.File)
def _(node: tree.File) -> str:
    return "\n".join(unparse(item) for item in node.items)


@unparse.register(tree.Use)
def _(node: tree.Use) -> str:
    return f'use "{node.path}"'


@unparse.register(tree.Scheme)
def _(node: tree.Scheme) -> str:
    bits = [] if node.bits is None else [f"{node.bits} bits"]
    return " ".join(["scheme", node.name, "=", node.dtype, *node.flag_names, *bits])


@unparse.register(tree.Def)
def _(node: tree.Def) -> str:
    return f"def {node.name}({', '.join(unparse(p) for p in node.parameters)}) = {unparse(node.body)}"


@unparse.register(tree.Each)
def _(node: tree.Each) -> str:
    return f"for {node.variable} in {', '.join(node.operator_names)}"


@unparse.register(tree.Fold)
def _(node: tree.Fold) -> str:
    clauses = [_clause("match", node.match), _when(node.when), _clause("rewrite", node.rewrite)]
    return " ".join([*_head(node, "fold"), *_doc(node), *(word for clause in clauses for word in clause)])


@unparse.register(tree.Rule)
def _(node: tree.Rule) -> str:
    overrides = ["overrides", ", ".join(unparse(n) for n in node.overrides)] if node.overrides else []
    clauses = [
        _clause("match", node.match),
        _when(node.when),
        _clause("annotate", node.annotate),
        _clause("realize", node.realize),
    ]
    return " ".join([*_head(node, "rule"), *overrides, *_doc(node), *(word for clause in clauses for word in clause)])


@unparse.register(tree.Skip)
def _(node: tree.Skip) -> str:
    what = f'at "{node.at}"' if node.pattern is None else unparse(node.pattern)
    return " ".join(["skip", what, *_when(node.when), f'because "{node.because}"'])


@unparse.register(tree.Input)
def _(node: tree.Input) -> str:
    const = "const " if node.const else ""
    return f"{node.name}: {const}{node.dtype}[{', '.join(map(str, node.dims))}]"


@unparse.register(tree.Fires)
def _(node: tree.Fires) -> str:
    return "fires"


@unparse.register(tree.Skips)
def _(node: tree.Skips) -> str:
    return f'skips "{node.term}"'


@unparse.register(tree.ExpectMark)
def _(node: tree.ExpectMark) -> str:
    return f"mark {node.name} as {unparse(node.spec)}"


@unparse.register(tree.ErrorBound)
def _(node: tree.ErrorBound) -> str:
    steps = int(node.steps) if node.steps.is_integer() and node.steps < 2**53 else node.steps
    return f"error {node.op} {number_text(steps)} step"


@unparse.register(tree.Test)
def _(node: tree.Test) -> str:
    given, expect = _clause("given", node.given), _clause("expect", node.expect)
    return " ".join(["test", node.rule, f'"{node.title}"', *given, *expect])
