"""What holds of every text: formatting keeps what it says, loses no comment, and is done after one time."""

from hypothesis import given, settings
from hypothesis import strategies as st

from qdsl.lang.format import format_text
from qdsl.lang.source import Source
from qdsl.lang.tokens import comments, tokenize
from qdsl.lang.unparse import unparse

from ..lang.reading import RULE_FILES, read
from ..lang.trees import FILES

BLANKS = [" ", " ", " ", "\n", "\n\n", "\n\n\n", "\t", "\r\n", " \x0c "]
REMARKS = [
    "  # so\n",
    "\n # below\n",
    "\n\n# free\n",
    "# a\n# b\n",
    "\n    # four\n\n",
    "\n              # fourteen\n",
    "\r# lone\r",
    "\n# ---- part\n",
]
GAPS = st.lists(st.sampled_from(BLANKS + REMARKS), min_size=7, max_size=60)
STOCK = [path.read_text(encoding="utf-8") for path in RULE_FILES]


def words_of(text: str) -> list[str]:
    return [word.text for word in tokenize(Source("t", text)).words]


def comments_of(text: str) -> list[str]:
    source = Source("t", text)
    return [span.text.rstrip() for span in comments(source, tokenize(source).words)]


def formatted(text: str) -> str:
    done = format_text(text)
    assert done.text is not None, done.diagnostics
    return done.text


def scattered(words: list[str], gaps: list[str]) -> str:
    """The words with other blanks, line breaks and comments between them."""
    return gaps[0] + "".join(word + gaps[i % len(gaps)] for i, word in enumerate(words))


def is_kept(text: str) -> None:
    once = formatted(text)
    assert read(once) == read(text)
    assert words_of(once) == words_of(text)
    assert comments_of(once) == comments_of(text)
    assert formatted(once) == once
    lines = once.split("\n")
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in once
    assert lines == [""] or (lines[0] and lines[-1] == "" and lines[-2])


@settings(max_examples=60, deadline=None)
@given(FILES, GAPS)
def test_random_trees_in_random_layout(file, gaps: list[str]) -> None:
    is_kept(scattered(words_of(unparse(file)), gaps))


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(STOCK), GAPS)
def test_rule_files_in_random_layout(text: str, gaps: list[str]) -> None:
    is_kept(scattered(words_of(text), gaps))


@settings(max_examples=40, deadline=None)
@given(FILES)
def test_line_breaks_that_say_nothing_do_not_matter(file) -> None:
    """Where nothing is remarked and there is room, the style depends on the words alone."""
    for item in file.items:
        words = words_of(unparse(item))
        if len(" ".join(words)) < 80:
            assert formatted(" \n ".join(words)) == formatted(" ".join(words))
