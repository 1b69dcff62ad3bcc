"""A finding that stands on purpose: `# qdsl: allow Q0313` at its line, and taking out one that allows nothing."""

from __future__ import annotations

from collections.abc import Iterator

from qdsl.check.allow import ALLOW
from qdsl.lang.source import Span
from qdsl.lang.tokens import comments
from qdsl.lsp.edits import Edit
from qdsl.lsp.fixes.fix import Fix, Problem


def allow(problem: Problem) -> Iterator[Fix]:
    """For warnings and notes; an error cannot be allowed."""
    finding, document = problem.finding, problem.document
    if finding.code == "Q0412":
        yield from _take_out(problem)
        return
    if finding.is_error:
        return
    title = f"Allow {finding.code} on this line"
    remark = _comment_of(problem, problem.span.line)
    if remark is None:
        at = document.source.line_starts[problem.span.line - 1] + len(document.source.line(problem.span.line).rstrip())
        yield Fix(title, (Edit(at, at, f"  # qdsl: allow {finding.code}"),))
    elif ALLOW.match(remark.text):
        end = remark.start + len(remark.text.rstrip())
        yield Fix(title, (Edit(end, end, f" {finding.code}"),))
    else:
        start = document.source.line_starts[problem.span.line - 1]
        line = document.source.line(problem.span.line)
        indent = line[: len(line) - len(line.lstrip())]
        yield Fix(title, (Edit(start, start, f"{indent}# qdsl: allow {finding.code}\n"),))


def _comment_of(problem: Problem, line: int) -> Span | None:
    found = comments(problem.document.source, problem.document.words)
    return next((span for span in found if span.line == line), None)


def _take_out(problem: Problem) -> Iterator[Fix]:
    """The code, and with the last of them the comment."""
    text, document = problem.document.text, problem.document
    comment = _comment_of(problem, problem.span.line)
    if comment is None:
        return
    rest = text[comment.start : problem.span.start] + text[problem.span.end : comment.end]
    if "Q0" in rest:
        yield Fix(f"Do not allow {problem.span.text}", (Edit(problem.span.start, problem.span.end, ""),))
        return
    start, end = comment.start, comment.end
    line = document.source.line_starts[comment.line - 1]
    if not text[line:start].strip():
        start, end = line, min(end + 1, len(text))
    while start > line and text[start - 1] in " \t":
        start -= 1
    yield Fix("Take the comment out", (Edit(start, end, ""),))
