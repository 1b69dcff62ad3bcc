"""Signature help: the operands of the call that is being written, and which of them is next."""

from __future__ import annotations

from dataclasses import dataclass

from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.lsp.complete.site import Site
from qdsl.lsp.cursor import Cursor
from qdsl.lsp.document import Document
from qdsl.ops import lookup


@dataclass(frozen=True)
class Signature:
    """A call as messages show it."""

    label: str
    doc: str
    parameters: tuple[tuple[str, str], ...]
    """The name of each as it stands in the label, and what it is."""
    active: int | None
    """The one at the cursor; None beyond the last."""


def signature(document: Document, offset: int) -> Signature | None:
    """The innermost call around a character."""
    cursor = Cursor(document, offset)
    calls = [o for o in cursor.opened if o.func]
    if not calls or cursor.is_in_comment or cursor.string is not None:
        return None
    call, site = calls[-1], Site(cursor, document.program)
    known = (GUARDS if cursor.clause == "when" else BUILDERS).get(call.func)
    if known is not None:
        label, doc = known.signature, known.doc
        parameters = tuple((p.name, p.kind) for p in known.parameters)
    elif call.func in document.program.defs:
        definition = document.program.defs[call.func]
        parameters = tuple((p.id, "") for p in definition.parameters)
        label, doc = f"{definition.name}({', '.join(n for n, _ in parameters)})", " ".join(definition.span.text.split())
    else:
        found = site.pattern.operators(call.func)
        operator = found[0] if found else lookup(call.func)
        if operator is None:
            return None
        label, doc = operator.signature, operator.doc
        parameters = tuple((o.name, o.doc or o.kind) for o in operator.operands)
    active = call.index if call.keyword is None and call.index < len(parameters) else None
    return Signature(label, doc, parameters, active)
