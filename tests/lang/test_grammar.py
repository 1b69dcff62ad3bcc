"""The grammar file itself: without conflicts, and the parser's only word on what is right."""

from pathlib import Path

import pytest
from lark import Lark

from qdsl.lang.expected import CLAUSE_KEYWORDS, ITEM_KEYWORDS
from qdsl.lang.grammar import OPTIONS, grammar, grammar_text, reserved_words, soft_terminals

from .reading import RULE_FILES


def test_is_lalr_without_any_collision() -> None:
    pytest.importorskip("interegular")
    Lark(grammar_text(), **OPTIONS, strict=True)


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda p: p.name)
def test_whole_files_parse_as_they_stand(path: Path) -> None:
    """Items are parsed one by one; the grammar's own `start` must say the same of their sequence."""
    text = path.read_text(encoding="utf-8")
    assert grammar().parse(text).data == "start"


def test_there_is_one_grammar_for_all_parses() -> None:
    assert grammar() is grammar()


def test_keywords_that_begin_or_join_are_reserved_and_others_are_not() -> None:
    assert reserved_words() == {*ITEM_KEYWORDS, *CLAUSE_KEYWORDS, "in", "and", "or", "not"}
    assert {"STEP", "ANY", "FLOAT", "MARK"} <= soft_terminals()
