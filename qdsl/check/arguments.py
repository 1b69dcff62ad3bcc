"""The arguments of an operator call: how many operands and of which kind (Q0102), attributes (Q0103, Q0104)."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.attributes import check_keyword, check_taken_over
from qdsl.check.context import Context
from qdsl.check.finding import counted, error, listed
from qdsl.check.literals import is_literal
from qdsl.lang import tree
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lang.source import Span
from qdsl.ops import COMMUTATIVE, Operand, Operator
from qdsl.ops.operator import ATTRIBUTE_IN_PLACE

COMMON_MISTAKES = {
    "nn.conv": "a bias is an add behind the convolution: add{{c, b}}",
    "matmul": "a bias is an add behind the product: add{{c, b}}",
    "concat": "the operands are one list: concat([a, b]) or concat([parts...])",
    "stack": "the operands are one list: stack([a, b])",
    "nn.layer_norm": "epsilon and axes are attributes: nn.layer_norm(x, gamma, beta, axes=[-1])",
}
"""Operators, by how their names begin, that other frameworks give other operands."""


def check_arguments(call: tree.Call, context: Context) -> Iterator[Diagnostic]:
    """One operator call; for the name after `for`, the first operator that does not fit."""
    operators = context.operators(call.func)
    for operator in operators:
        found = list(_check(call, operator, context))
        if found:
            yield from found
            return


def _check(call: tree.Call, operator: Operator, context: Context) -> Iterator[Diagnostic]:
    if call.commutative and operator.name not in COMMUTATIVE:
        text = f"{operator.name} is not commutative, so its operands have one order only"
        yield error("Q0102", text, call.span, help=f"write {operator.signature}")
        return
    places = operator.places(len(call.positional))
    if places is None or _is_surplus(call, operator, places):
        yield _count(call, operator)
        return
    operands = {o.name: o for o in operator.operands}
    for argument, place in zip(call.positional, places, strict=True):
        if place in operands:
            yield from check_kind(argument, operands[place], operator)
        elif isinstance(argument, tree.Spread):
            yield _count(call, operator)
        else:
            yield from check_keyword(place, argument.span, argument, operator, context)
    seen: dict[str, Span] = {}
    for keyword in call.keywords:
        if keyword.name in seen or keyword.name in places:
            text = f"{keyword.name} is given twice"
            first = seen.get(keyword.name, call.func_span)
            yield error("Q0202", text, keyword.span, others=[(first, "in this call")], help="delete one of them")
            continue
        seen[keyword.name] = keyword.span
        yield from check_keyword(keyword.name, keyword.span, keyword.value, operator, context)
    taken = [a for a in call.args if isinstance(a, tree.AttributesOf)]
    for source in taken:
        yield from check_taken_over(source, operator, context)
    if not context.is_pattern and not taken:
        yield from _missing(call, operator, {*places, *seen})


def _is_surplus(call: tree.Call, operator: Operator, places: tuple[str, ...]) -> bool:
    """Whether a name was put where only an attribute's literal can stand: nn.conv2d(x, w, b)."""
    last = call.positional[-1] if call.positional else None
    return (
        bool(places) and places[-1] == ATTRIBUTE_IN_PLACE.get(operator.name) and isinstance(last, tree.Name | tree.Call)
    )


def _count(call: tree.Call, operator: Operator) -> Diagnostic:
    need, most, given = operator.required_tensors, len(operator.operands), len(call.positional)
    takes = counted(need, "operand") if need == most else f"{need} to {most} operands"
    hint = next((h for start, h in COMMON_MISTAKES.items() if operator.name.startswith(start)), None)
    help = f"its operands are {operator.signature}" + (f"; {hint}" if hint and given > need else "")
    return error(
        "Q0102",
        f"{operator.name} takes {takes}, not {given}",
        call.span,
        help=help.replace("{{", "{").replace("}}", "}"),
    )


def check_kind(argument: tree.Node, operand: Operand, operator: Operator) -> Iterator[Diagnostic]:
    """Whether what is written can be an operand of its kind."""
    fault = _fault(argument, operand)
    if fault is not None:
        message, help = fault
        text = f"{operand.name} of {operator.name} is {message}, not {' '.join(argument.span.text.split())}"
        yield error("Q0102", text, argument.span, help=help)


def _fault(argument: tree.Node, operand: Operand) -> tuple[str, str] | None:
    text = argument.span.text
    if operand.kind == "tensors":
        if isinstance(argument, tree.Spread):
            return "a list of tensors", f"write [{text}]"
        if isinstance(argument, tree.List):
            wrong = next((e for e in argument.elements if isinstance(e, tree.String | tree.DType | tree.List)), None)
            return None if wrong is None else ("a list of tensors", "name the tensors")
        return "a list of tensors", f"write [{text}], or [parts...] for any number of them"
    if isinstance(argument, tree.Spread):
        return (
            "one tensor" if operand.is_tensor else "written out",
            f"write {argument.id}" if operand.is_tensor else "write the numbers",
        )
    if operand.kind == "tensor":
        if isinstance(argument, tree.List | tree.String | tree.DType):
            return "a tensor", "write a name, a number or a call"
        return None
    if isinstance(argument, tree.String | tree.DType):
        return "a list of whole numbers" if operand.kind in (
            "shape",
            "numbers",
        ) else "a number", "write it without quotes"
    if operand.kind == "number" and isinstance(argument, tree.List):
        return "one number", "write a number"
    numbers = argument.elements if isinstance(argument, tree.List) else ()
    if any(is_literal(e) and not _is_whole(e) for e in numbers):
        return "a list of whole numbers", "sizes, axes and bounds of slices are whole numbers"
    return None


def _is_whole(expr: tree.Node) -> bool:
    value = expr.operand if isinstance(expr, tree.Unary) else expr
    return isinstance(value, tree.Number) and isinstance(value.value, int) and not isinstance(value.value, bool)


def _missing(call: tree.Call, operator: Operator, given: set[str]) -> Iterator[Diagnostic]:
    """A call that is made has to say everything that has no default."""
    needed = [o.name for o in operator.operands if not o.optional] + [a.name for a in operator.attributes if a.required]
    missing = [n for n in needed if n not in given]
    if missing:
        text = f"{operator.name} needs {listed(missing)}"
        what = ", ".join(f"{n}=..." for n in missing)
        yield error(
            "Q0102", text, call.span, help=f"write {what}, or take over the attributes of a matched call with **"
        )
