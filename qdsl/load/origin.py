"""Where a binding came from, as the span of its value; and what TVM said when it refused one."""

from __future__ import annotations

from tvm import ir


def operator_span(operator: str) -> ir.Span:
    """A span whose source is the operator of the user's model that a call belongs to."""
    return ir.Span(ir.SourceName(operator), 1, 1, 1, 1)


def operator_of(span: ir.Span | None) -> str | None:
    """The operator that a span made by `operator_span` names; None for TVMScript's, which are places in a text."""
    if span is None or (span.line, span.column, span.end_line, span.end_column) != (1, 1, 1, 1):
        return None
    return str(span.source_name.name)


def first_sentence(error: Exception) -> str:
    """The line of an importer's complaint that says what is wrong, without TVM's stack dump."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("File ", "Traceback", "Stack trace"))]
    text = told[-1] if told else type(error).__name__
    return text if text.endswith((".", "!")) else f"{text}."
