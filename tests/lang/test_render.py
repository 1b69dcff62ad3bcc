"""How findings look: the shape of the message is part of the language."""

import json
import re
from textwrap import dedent

import pytest

from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.render import render
from qdsl.lang.source import Source, Span


def span(source: Source, text: str, occurrence: int = 0) -> Span:
    """The place of a piece of text."""
    start = -1
    for _ in range(occurrence + 1):
        start = source.text.index(text, start + 1)
    return Span(source, start, start + len(text))


def shown(text: str) -> str:
    return dedent(text).strip("\n")


NORM = Source(
    "rules/norm.qrule",
    "\n" * 9 + "    match     t = nn.batch_norm(x, gamma, beta, mean, var)\n\n    annotate  t as act\n",
)
MARKED = Span(NORM, span(NORM, "t as act").start, span(NORM, "t as act").start + 1)
TUPLE = Diagnostic(
    "Q0302",
    "error",
    "nn.batch_norm returns a tuple, and only a tensor can be quantized",
    Label(MARKED, "marked here"),
    (Label(span(NORM, "nn.batch_norm"), "3 results: tensor, mean, variance"),),
    "name the tensor you want: y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)",
)


def finding(source: Source, primary: str, *secondary: str, severity: str = "error") -> Diagnostic:
    """A finding whose labels say what they are of."""
    labels = tuple(Label(span(source, text), f"of {text}") for text in secondary)
    return Diagnostic("Q0000", severity, "a message", Label(span(source, primary), f"at {primary}"), labels)


def test_the_shape_of_a_message() -> None:
    assert render([TUPLE]) == shown("""
        error[Q0302]: nn.batch_norm returns a tuple, and only a tensor can be quantized
          --> rules/norm.qrule:12:15
           |
        10 |     match     t = nn.batch_norm(x, gamma, beta, mean, var)
           |                   ------------- 3 results: tensor, mean, variance
        12 |     annotate  t as act
           |               ^ marked here
           = help: name the tensor you want: y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)
    """)


def test_several_labels_on_one_line() -> None:
    source = Source("a.qrule", "y = f(abc, de) + g(h)")
    assert render([finding(source, "de", "abc", "g(h)", "y")]) == shown("""
        error[Q0000]: a message
         --> a.qrule:1:12
          |
        1 | y = f(abc, de) + g(h)
          | -     ---  ^^    ---- of g(h)
          | |     |    |
          | |     |    at de
          | |     of abc
          | of y
    """)


def test_labels_that_overlap_take_rows_of_their_own() -> None:
    source = Source("a.qrule", "y = f(abc, de)")
    assert render([finding(source, "abc", "f(abc, de)")]) == shown("""
        error[Q0000]: a message
         --> a.qrule:1:7
          |
        1 | y = f(abc, de)
          |       ^^^ at abc
          |     ---------- of f(abc, de)
    """)


def test_a_label_over_several_lines_marks_the_first_and_the_last() -> None:
    source = Source("a.qrule", "rule r\n    match y = f(x)\n    annotate y like x\n\nrule s")
    label = Label(span(source, "match y = f(x)\n    annotate y like x\n\n"), "both")
    assert render([Diagnostic("Q0000", "note", "m", label)]) == shown("""
        note[Q0000]: m
         --> a.qrule:2:5
          |
        2 |     match y = f(x)
          |     ^^^^^^^^^^^^^^
        3 |     annotate y like x
          |     ^^^^^^^^^^^^^^^^^ both
    """)


def test_line_numbers_are_aligned() -> None:
    source = Source("a.qrule", "a\n" * 8 + "bc\nde\n")
    assert render([finding(source, "de", "bc", severity="warning")]) == shown("""
        warning[Q0000]: a message
          --> a.qrule:10:1
           |
         9 | bc
           | -- of bc
        10 | de
           | ^^ at de
    """)


def test_labels_in_another_file() -> None:
    first, second = Source("a.qrule", "rule relu"), Source("b.qrule", "\nrule relu")
    labels = Label(span(first, "relu"), "again"), (Label(span(second, "relu"), "first here"),)
    assert render([Diagnostic("Q0202", "error", "two rules relu", *labels)]) == shown("""
        error[Q0202]: two rules relu
         --> a.qrule:1:6
          |
        1 | rule relu
          |      ^^^^ again
         ::: b.qrule:2:6
          |
        2 | rule relu
          |      ---- first here
    """)


def test_the_end_of_a_file_has_a_caret_too() -> None:
    source = Source("a.qrule", "rule r\n")
    assert render([Diagnostic("Q0001", "error", "m", Label(Span(source, 7, 7), "here"))]) == shown("""
        error[Q0001]: m
         --> a.qrule:2:1
          |
        2 |
          | ^ here
    """)


@pytest.mark.parametrize(
    ("before", "width"),
    [
        ("\t", 4),
        ("ab\t", 4),
        ("abcd\t", 8),
        ("日本", 4),
        ("e\u0301", 1),
        ("\u200b", 1),
        ("\x1b[31m", 5),
        ("\uff46", 2),
        ("é", 1),
    ],
)
def test_carets_stand_under_what_they_mark(before: str, width: int) -> None:
    """`width` is the number of terminal columns of the text before the mark."""
    source = Source("a.qrule", f"{before}target after")
    row = render([finding(source, "target")]).splitlines()[4]
    assert row == "  | " + " " * width + "^^^^^^ at target"


def test_wide_characters_have_wide_carets() -> None:
    source = Source("a.qrule", "x = 日本 + y")
    assert render([finding(source, "日本")]).splitlines()[4] == "  |     ^^^^ at 日本"


def test_what_a_terminal_would_obey_is_not_sent_to_it() -> None:
    source = Source("a.qrule", "\x1b[31m target \u202e \x07")
    assert not re.search("[\x1b\u202e\x07]", render([finding(source, "target")]))


@pytest.mark.parametrize("length", [150, 5_000, 3_000_000])
def test_long_lines_are_trimmed_around_their_labels(length: int) -> None:
    source = Source("a.qrule", "x " * (length // 2) + "target" + " y" * (length // 2))
    lines = render([finding(source, "target")]).splitlines()
    assert max(map(len, lines)) < 130
    line, marks = lines[3], lines[4]
    assert line.endswith("...")
    assert line[marks.index("^") : marks.rindex("^") + 1] == "target"


def test_the_end_of_a_long_line_is_shown_with_what_is_before_it() -> None:
    source = Source("a.qrule", "x " * 200 + "target")
    assert render([finding(source, "target")]).splitlines()[3].count("x ") > 40


def test_concise_is_a_line_for_each() -> None:
    broken = Diagnostic("Q0001", "error", "two\nlines", Label(span(NORM, "match"), ""))
    assert render([TUPLE, broken], "concise") == (
        "rules/norm.qrule:12:15: Q0302 nn.batch_norm returns a tuple, and only a tensor can be quantized\n"
        "rules/norm.qrule:10:5: Q0001 two lines"
    )


def test_json_has_the_keys_of_the_contract() -> None:
    assert json.loads(render([TUPLE], "json")) == [
        {
            "code": "Q0302",
            "severity": "error",
            "message": "nn.batch_norm returns a tuple, and only a tensor can be quantized",
            "file": "rules/norm.qrule",
            "line": 12,
            "column": 15,
            "end_line": 12,
            "end_column": 16,
            "labels": [
                {
                    "file": "rules/norm.qrule",
                    "line": 10,
                    "column": 19,
                    "message": "3 results: tensor, mean, variance",
                }
            ],
            "help": "name the tensor you want: y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)",
        }
    ]


def test_no_findings() -> None:
    assert [render([], format) for format in ("pretty", "concise", "json")] == ["", "", "[]"]


def test_colour_is_only_a_view() -> None:
    plain, colored = render([TUPLE]), render([TUPLE], color=True)
    assert re.sub("\x1b\\[[0-9;]*m", "", colored) == plain
    assert "\x1b[1;31m" in colored
    assert render([TUPLE], "concise", color=True) == render([TUPLE], "concise")


def test_an_unknown_format_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'xml': the formats are pretty, concise, json"):
        render([], "xml")
