"""What the formatter does not touch: files with syntax errors, and what it would spoil itself."""

from collections.abc import Iterable
from itertools import count

import pytest

from qdsl.lang.format import FormatterFault, format_text
from qdsl.lang.format.layout import Layout
from qdsl.lang.format.rows import Row

RULE = "rule r # why\n match y = nn.relu(x) annotate y like x"


@pytest.mark.parametrize(
    ("text", "code"),
    [("rule", "Q0001"), ("rul r match", "Q0001"), ('use "a" \x00', "Q0001"), ("x" * 5_000_000, "Q0002")],
)
def test_a_syntax_error_is_reported(text: str, code: str) -> None:
    done = format_text(text, "a.qrule")
    assert done.text is None
    assert done.diagnostics[0].code == code


def _spoiled_text(self: Layout, start: int, end: int) -> str:
    return " ".join(word.text for word in self.words[start:end]).replace("relu", "gelu")


def _unreadable_text(self: Layout, start: int, end: int) -> str:
    return "".join(word.text for word in self.words[start:end])


@pytest.mark.parametrize(
    ("spoiled", "said"), [(_spoiled_text, "says something else"), (_unreadable_text, "has a syntax error")]
)
def test_what_says_something_else_is_refused(monkeypatch: pytest.MonkeyPatch, spoiled, said: str) -> None:
    monkeypatch.setattr(Layout, "text", spoiled)
    with pytest.raises(FormatterFault, match=f"a.qrule: internal error: formatted, it {said}"):
        format_text(RULE, "a.qrule")


def test_a_lost_comment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qdsl.lang.format.format.write", lambda rows: "".join(f"{row.code}\n" for row in rows))
    with pytest.raises(FormatterFault, match="lacks a comment"):
        format_text(RULE)


def test_what_is_not_stable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    indents = count(1)

    def deeper(rows: Iterable[Row]) -> str:
        return "".join(f"{' ' * next(indents)}{row.code} {row.comment}\n" for row in rows)

    monkeypatch.setattr("qdsl.lang.format.format.write", deeper)
    with pytest.raises(FormatterFault, match="differently the next time"):
        format_text(RULE)
