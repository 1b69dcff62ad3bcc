"""The Pygments lexer and the TextMate grammar against grammar/qrule.lark: every word in its colour."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Token

from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.lang.flags import FLAGS
from qdsl.lang.grammar import grammar, spellings
from qdsl.lang.pygments import BUILTINS, QruleLexer
from qdsl.lang.stock import rules_folder

from .textmate import Engine
from .words import Expected, expected

SAMPLES = Path(__file__).parents[1] / "lang" / "samples.qrule"
FILES = [SAMPLES, *sorted(rules_folder().rglob("*.qrule"))]

OF_PYGMENTS = {
    "keyword": (Keyword, Operator.Word), "name": (Name,), "flag": (Keyword,), "string": (String,), "number": (Number,),
    "dtype": (Keyword.Type,), "boolean": (Keyword.Constant,), "sign": (Operator, Punctuation, Keyword.Pseudo),
    "comment": (Comment,), "dot": (Punctuation, Name.Function),
}  # fmt: skip
OF_TEXTMATE = {
    "keyword": ("keyword.", "storage.modifier."), "name": ("variable.", "entity.", "support.", "constant.other."),
    "flag": ("keyword.",), "string": ("string.",), "number": ("constant.numeric.",), "dtype": ("storage.type.",),
    "boolean": ("constant.language.",), "sign": ("keyword.operator.", "punctuation.", "variable.language."),
    "comment": ("comment.",), "dot": ("punctuation.accessor.", "entity.name.function."),
}  # fmt: skip


def pygments_of(text: str) -> dict[int, list[object]]:
    """The token type at every character."""
    lexer = QruleLexer(stripnl=False, ensurenl=False)
    types: list[object] = []
    for _, type_, value in lexer.get_tokens_unprocessed(text):
        types += [type_] * len(value)
    assert len(types) == len(text)
    return dict(enumerate(types))


def textmate_of(text: str) -> dict[int, str]:
    """The innermost scope at every character that has one."""
    found: dict[int, str] = {}
    for scoped in Engine.load().scopes(text):
        found.update(dict.fromkeys(range(scoped.start, scoped.end), scoped.scope))
    return found


def place(text: str, word: Expected) -> str:
    line = text.count("\n", 0, word.start) + 1
    return f"line {line}: {text[word.start : word.end]!r} ({word.kind})"


def test_the_files_use_every_word_of_the_grammar() -> None:
    """Or the tests below could not fail for some."""
    words = [w for path in FILES for w in expected(path.read_text(encoding="utf-8"))]
    assert {t.name for t in grammar().terminals} - {w.terminal for w in words} - {"__IGNORE_0"} == set()
    keywords = {t for t, text in spellings().items() if text.isidentifier()} - {"IGNORED"}
    assert keywords == {w.terminal for w in words if w.kind == "keyword"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_pygments(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    types = pygments_of(text)
    assert Token.Error not in types.values()
    for word in expected(text):
        for i in range(word.start, word.end):
            assert any(types[i] in one for one in OF_PYGMENTS[word.kind]), f"{place(text, word)} is {types[i]}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_textmate(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    scopes = textmate_of(text)
    for word in expected(text):
        for i in range(word.start, word.end):
            scope = scopes.get(i, "")
            assert scope.startswith(OF_TEXTMATE[word.kind]), f"{place(text, word)} is {scope!r}"


def test_words_may_stand_on_lines_of_their_own() -> None:
    """Pygments is given whole texts; an editor's grammar sees one line at a time, and cannot."""
    text = SAMPLES.read_text(encoding="utf-8")
    words = expected(text)
    broken = "\n".join(text[w.start : w.end] for w in words)
    types = pygments_of(broken)
    for word in expected(broken):
        wanted = OF_PYGMENTS[word.kind]
        assert all(any(types[i] in one for one in wanted) for i in range(word.start, word.end)), place(broken, word)


def test_builtins_are_the_checkers() -> None:
    names = set(GUARDS) | set(BUILDERS)
    assert set(BUILTINS) == names
    rules = Engine.load().grammar["repository"]["expression"]["patterns"]
    listed = next(r["match"] for r in rules if r.get("name") == "support.function.builtin.qrule")
    assert set(listed.split("(?:")[1].split(")")[0].split("|")) == names


def test_flags_are_the_languages() -> None:
    rules = Engine.load().grammar["repository"]["scheme"]["patterns"]
    listed = next(r["match"] for r in rules if r.get("name") == "keyword.other.flag.qrule")
    assert set(listed.split("(?:")[1].split(")")[0].split("|")) == set(FLAGS)


def test_pygments_finds_the_lexer_by_its_name() -> None:
    declared = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    lines = declared.split('[project.entry-points."pygments.lexers"]\n', 1)[1]
    assert lines.startswith(f'qrule = "{QruleLexer.__module__}:{QruleLexer.__name__}"\n')
    assert QruleLexer.aliases == ["qrule"]
