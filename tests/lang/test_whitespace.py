"""Whitespace and comments say nothing: where lines break leaves the tree unchanged."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdsl.lang.parse import parse_text
from qdsl.lang.source import Source
from qdsl.lang.tokens import comments, tokenize

from .reading import RULE_FILES, SAMPLES, read

SOURCE = Source("samples.qrule", SAMPLES.read_text(encoding="utf-8"))
WORDS = [word.text for word in tokenize(SOURCE).words]


def _glued(words: list[str]) -> str:
    """As few spaces as keep the words apart."""
    text = words[0]
    for word in words[1:]:
        text += (" " if re.match(r"\w", word) and re.search(r"\w$", text) else "") + word
    return text


@pytest.mark.parametrize("path", RULE_FILES, ids=lambda p: p.name)
def test_without_newlines_the_tree_is_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    words = [word.text for word in tokenize(Source(path.name, text)).words]
    expected = read(text)
    assert read(" ".join(words)) == expected
    assert read("\n".join(words)) == expected
    assert read(_glued(words)) == expected


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_whitespace_between_words_will_do(data: st.DataObject) -> None:
    gaps = data.draw(st.lists(st.sampled_from([" ", "\n", "\t", "\r\n", "  # so\n"]), min_size=40, max_size=40))
    text = "".join(word + gaps[i % len(gaps)] for i, word in enumerate(WORDS))
    assert read(text) == read(SOURCE.text)


def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    text = "\ufeff" + SOURCE.text.replace("\n", "\r\n")
    file = read(text)
    assert file == read(SOURCE.text)
    assert file.items[0].span.line == read(SOURCE.text).items[0].span.line


@pytest.mark.parametrize("text", ["", "\n", "  \t\r\n", "# only a comment", "\ufeff", "\ufeff# and a mark\n"])
def test_a_file_without_items_is_fine(text: str) -> None:
    assert read(text).items == ()


def test_a_lone_carriage_return_ends_a_comment() -> None:
    assert len(read('# old\ruse "a.qrule"').items) == 1


def test_comments_are_found_in_the_gaps_and_not_in_strings() -> None:
    source = Source("c.qrule", '# first\nskip at "#no" # second\n  because "#" # third')
    found = comments(source, tokenize(source).words)
    assert [span.text for span in found] == ["# first", "# second", "# third"]


def test_words_tell_where_they_stand() -> None:
    for word in tokenize(SOURCE).words:
        assert SOURCE.text[word.start : word.end] == word.text


def test_parse_text_shows_the_path_it_was_given() -> None:
    file, _ = parse_text('use "a"', "here.qrule")
    assert file is not None
    assert str(file.items[0].span) == "here.qrule:1:1"
