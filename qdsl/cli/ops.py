"""qdsl ops: the operators that rules can speak of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli.console import Format, columns, show_json
from qdsl.errors import RuleError

if TYPE_CHECKING:
    from qdsl.ops import Operator


def ops(
    name: Annotated[str | None, typer.Argument(help="An operator, or a part of its name.")] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """List or describe operators. Of one: operands, attributes, results, axis letters."""
    from qdsl.ops import lookup, names

    if name is None:
        _list(list(names()), format)
    elif operator := lookup(name.removeprefix("relax.")):
        if format is Format.json:
            show_json(asdict(operator))
        else:
            print("\n".join(_description(operator)))
    elif partly := [one for one in names() if name.lower() in one]:
        _list(partly, format)
    else:
        from qdsl.ops import suggest

        raise RuleError(f"no operator is called {name!r}; {suggest(name) or '`qdsl ops` lists them'}")


def _list(found: list[str], format: Format) -> None:
    from qdsl.ops import lookup

    if format is Format.json:
        show_json(found)
    else:
        print(columns((op.signature, _first_sentence(op.doc)) for one in found if (op := lookup(one))))


def _description(operator: Operator) -> Iterator[str]:
    from qdsl.ops import operand_layout

    results = {None: "as many results as it is asked for", 1: "one result"}.get(operator.results)
    yield f"{operator.signature} -> {results or f'{operator.results} results'}"
    if operator.doc:
        yield f"    {operator.doc}"
    defaults = {attribute.name: attribute.default for attribute in operator.attributes}
    operands = []
    for index, operand in enumerate(operator.operands):
        letters = operand_layout(operator, index, defaults, None) or ""
        operands.append((f"  {operand.name}", operand.kind, letters, "optional" if operand.optional else ""))
    letters = operand_layout(operator, "result", defaults, None) or ""
    yield "operands"
    yield columns([*operands, ("  (result)", "tensor", letters, "")])
    if operator.attributes:
        yield "attributes"
        yield columns((f"  {a.name}", a.type, _default(a.default, a.required)) for a in operator.attributes)


def _default(value: object, required: bool) -> str:
    if required:
        return "required"
    if isinstance(value, tuple):
        return "= [" + ", ".join(map(str, value)) + "]"
    return "= none" if value is None else f"= {str(value).lower() if isinstance(value, bool) else value}"


def _first_sentence(doc: str) -> str:
    return doc.split(". ")[0].rstrip(".")
