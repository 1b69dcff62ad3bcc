"""The shape of an item: one connected match (Q0204), every result defined (Q0401, Q0402), interior values (Q0313), and
rules that claim operators without beginning integers (Q0411)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qdsl.check.facts import Fact, implied
from qdsl.check.finding import error, listed, note, warning
from qdsl.check.matched import Matched, named
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.unparse import unparse
from qdsl.ops import SUGAR


def check_match(matched: Matched) -> Iterator[Diagnostic]:
    """A match is made of operator calls, and everything in it leads to one root."""
    for binding in matched.bindings:
        yield from _pattern(binding.value, binding)
    if len(matched.roots) < 2:
        return
    *others, last = matched.roots
    names = [_names(b) for b in matched.roots]
    text = f"the match has {len(names)} roots: {', '.join(names)} do not lead to one another"
    secondary = [(b.span, f"{_names(b)} is not used by the others") for b in others]
    help = "a match is one connected graph: use every binding but one in another"
    yield error("Q0204", text, last.span, "nor is this", others=secondary, help=help)


def _names(binding: tree.Binding) -> str:
    return "/".join(t.id for t in named(binding.targets)) or "_"


def _pattern(expr: tree.Node, binding: tree.Binding) -> Iterator[Diagnostic]:
    """Whether an expression can be matched: calls, names, literals and lists of them."""
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, tree.Binary):
            written = _sugar(node)
            text = f"a match is made of operator calls, and {node.op} is none"
            yield error("Q0204", text, node.span, help=f"write {written}")
        elif isinstance(node, tree.Field | tree.Along | tree.Compare | tree.Logic):
            text = "a match is made of operator calls, names and literals"
            yield error("Q0204", text, node.span, help="ask for it in the `when` clause")
        elif isinstance(node, tree.Unary) and not isinstance(node.operand, tree.Number):
            text = f"a match is made of operator calls, and {node.op} is none"
            yield error(
                "Q0204", text, node.span, help="write negative(x)" if node.op == "-" else "ask for it in `when`"
            )
        elif isinstance(node, tree.Call):
            pending.extend(node.positional)
        elif isinstance(node, tree.List):
            pending.extend(node.elements)
    if not isinstance(expr, tree.Call | tree.Binary | tree.Field | tree.Along | tree.Compare | tree.Logic | tree.Unary):
        text = "a binding of a match names the results of an operator, and this is none"
        yield error("Q0204", text, binding.span, help=f"write {_names(binding)} = op(...), or leave the binding out")


def _sugar(node: tree.Binary) -> str:
    left, right = unparse(node.left), unparse(node.right)
    brackets = "{}" if node.op in "+*" else "()"
    return f"{SUGAR[node.op]}{brackets[0]}{left}, {right}{brackets[1]}"


def check_defines(item: tree.Rule | tree.Fold, matched: Matched) -> Iterator[Diagnostic]:
    """Q0401, Q0402: the clause that computes gives every result of the match a value."""
    clause = item.realize if isinstance(item, tree.Rule) else item.rewrite
    if clause is None:
        text = f"the rule {item.name} has no realize clause: it marks values and computes nothing itself"
        yield note("Q0402", text, item.name_span, help="this is for results of a known range, marked fixed(...)")
        return
    defined = {t.id: t for b in clause for t in named(b.targets)}
    missing = [r for r in matched.results if r not in defined]
    if not missing:
        return
    kind = "realize" if isinstance(item, tree.Rule) else "rewrite"
    at = matched.captures[missing[0]].span
    local = [t for name, t in defined.items() if name not in matched.captures]
    instead = local and len(missing) == len(matched.results)
    others = [(local[-1].span, "this is defined instead") if instead else (clause[0].span, f"the {kind} clause")]
    text = f"the {kind} clause does not define {listed(missing)}"
    yield error("Q0401", text, at, "a result of the match", others=others, help=f"bind {missing[0]} in it")


def check_interior(item: tree.Rule | tree.Fold, matched: Matched, defs: Mapping[str, tree.Def]) -> Iterator[Diagnostic]:
    """Q0313: an interior value that has a name, and of which the guard does not say that nobody else reads it."""
    facts = implied(item.when, defs)
    for name in matched.interior:
        span = matched.captures[name].span
        target = tree.NameTarget(span, name)
        if Fact.call("used_once", target) in facts or Fact.call("private", target) in facts:
            continue
        term = f"private({name})"
        help = f"add `and {term}` to the guard" if item.when is not None else f"add `when {term}`"
        if isinstance(item, tree.Rule):
            text = f"{name} is computed inside the match, and nothing says that only the match reads it"
            yield warning("Q0313", text, span, help=help)
        else:
            text = f"the fold absorbs {name}, and nothing says that only the match reads it"
            yield error("Q0313", text, span, "computed twice where it has other readers", help=help)


BEGINS = ("nn.conv", "matmul", "nn.attention", "einsum")
"""Operators, by how their names begin, at which integers begin because int8 pays there."""


def check_begins(
    rule: tree.Rule,
    matched: Matched,
    accumulators: frozenset[str],
    schemes: frozenset[str],
    defs: Mapping[str, tree.Def],
) -> Iterator[Diagnostic]:
    """Q0411: a rule that reads integers, begins none, and takes its operator whether or not a reader wants integers."""
    if any(o.name.startswith(BEGINS) for c in matched.calls() for o in matched.operators(c.func)):
        return
    if rule.when is not None and any(_asks_wanted(n, defs) for n in tree.walk(rule.when)):
        return
    for mark in rule.annotate:
        if isinstance(mark, tree.Like) or not _reads_integers(mark.spec, accumulators, schemes):
            continue
        operand = next((t for t in mark.targets if t.id in matched.operands), None)
        if operand is not None:
            text = f"the rule {rule.name} begins no integers, and fires whether or not a reader wants them"
            name = matched.results[0] if matched.results else "y"
            help = f"add wanted({name}) to the guard, unless values are to be narrowed here in any case"
            yield note("Q0411", text, rule.name_span, others=[(mark.span, "reads integers")], help=help)
            return


def _asks_wanted(node: tree.Node, defs: Mapping[str, tree.Def]) -> bool:
    if not isinstance(node, tree.Call):
        return False
    return node.func == "wanted" or (
        node.func in defs
        and any(isinstance(n, tree.Call) and n.func == "wanted" for n in tree.walk(defs[node.func].body))
    )


def _reads_integers(spec: tree.Spec, accumulators: frozenset[str], schemes: frozenset[str]) -> bool:
    """`any`, a narrow format, or an accumulator that is not derived: a bias on another's scale begins nothing."""
    if isinstance(spec, tree.AnySpec):
        return True
    if not isinstance(spec, tree.SchemeSpec) or spec.scheme not in schemes:
        return False
    return spec.scheme not in accumulators or spec.scale is None
