"""Whatever stands in a file, the parser answers with findings: one for each mistake, none for what follows from it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qdsl.lang.grammar import grammar
from qdsl.lang.parse import LARGEST_FILE, MOST_ERRORS, parse, parse_text
from qdsl.lang.render import render
from qdsl.lang.source import Source
from qdsl.lang.tokens import MOST_STRAYS, tokenize

from .reading import SAMPLES, messages

TEXT = SAMPLES.read_text(encoding="utf-8")
WORDS = [word.text for word in tokenize(Source("samples.qrule", TEXT)).words]
RULE = "rule {} match y = nn.relu(x) {} annotate y like x\n"


def check_findings(text: str) -> None:
    """What holds of the findings of any text."""
    file, found = parse_text(text, "any.qrule")
    assert file is not None
    for finding in found:
        span = finding.primary.span
        assert (finding.code, finding.severity) == ("Q0001", "error")
        assert 0 <= span.start <= span.end <= len(span.source.text)
        named = [t.name for t in grammar().terminals if len(t.name) > 1 and not t.name.isalpha()]
        assert not any(name in finding.message for name in named), finding.message
        assert finding.message.count("`, `") < 10
    assert [f.primary.span.start for f in found] == sorted(f.primary.span.start for f in found)
    assert render(found).count("error[") == len(found)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_file_with_words_dropped_doubled_or_swapped_is_answered(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(WORDS) - 60))
    words = WORDS[start : start + 60]
    for _ in range(data.draw(st.integers(1, 3))):
        i, j = data.draw(st.tuples(st.integers(0, len(words) - 1), st.integers(0, len(words) - 1)))
        match data.draw(st.sampled_from(["drop", "double", "swap"])):
            case "drop" if len(words) > 1:
                del words[i]
            case "double":
                words.insert(i, words[j])
            case _:
                words[i], words[j] = words[j], words[i]
    check_findings(data.draw(st.sampled_from([" ", "\n"])).join(words))


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=60))
def test_any_text_is_answered(text: str) -> None:
    check_findings(text)
    check_findings(RULE.format("r", "when " + text))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, len(TEXT)))
def test_a_file_that_ends_anywhere_has_at_most_one_mistake(end: int) -> None:
    text = TEXT[:end]
    check_findings(text)
    assert len(messages(text)) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "(" * 10_000 + "x" + ")" * 10_000,
        "[" * 10_000 + "]" * 10_000,
        "f(" * 10_000 + ")" * 10_000,
        "f{x, " * 10_000,
        "-" * 10_000 + "x",
        "not " * 10_000 + "x",
        "x" + ".y" * 10_000,
        "x" + "[C]" * 10_000,
        "x" + " + x" * 10_000,
        "x" + " * x" * 10_000,
    ],
    ids=lambda text: text[:8],
)
def test_deep_nesting_is_one_finding_and_no_recursion(text: str) -> None:
    found = messages(f"def f(x) = {text}\n{RULE.format('next', '')}")
    assert len(found) == 1
    assert re.match("nested more than 64 deep|expected", found[0])


def test_nesting_that_people_write_is_fine() -> None:
    assert messages("def f(x) = " + "(" * 30 + "x" + ")" * 30 + " + x" * 30) == []
    assert messages("def f(x) = x" + " and x" * 5_000 + " or x" * 5_000) == []


def test_an_error_hides_no_item_and_makes_no_other_error() -> None:
    text = "".join(RULE.format(f"good{i}", "") + RULE.format(f"bad{i}", "whenn 3") for i in range(10))
    parsed = parse(Source("many.qrule", text.replace("whenn 3", "when 3 3")))
    assert parsed.file is not None
    assert [item.name for item in parsed.file.items] == [f"good{i}" for i in range(10)]
    assert len(parsed.diagnostics) == 10
    assert parsed.unread == {f"bad{i}" for i in range(10)}


def test_a_misspelt_keyword_is_read_as_what_was_meant() -> None:
    parsed = parse(Source("text.qrule", "rul r match y = nn.relu(x) wehn wanted(y) anotate y liek x relize y = x"))
    assert parsed.file is not None
    assert [item.name for item in parsed.file.items] == ["r"]
    assert [d.message for d in parsed.diagnostics] == [
        "`rul`: did you mean `rule`?",
        "`wehn`: did you mean `when`?",
        "`anotate`: did you mean `annotate`?",
        "`liek`: did you mean `like`?",
        "`relize`: did you mean `realize`?",
    ]


@pytest.mark.parametrize("keyword", ["scheme", "def", "fold", "rule", "skip", "test"])
def test_a_misspelt_item_keyword_is_named_wherever_it_stands(keyword: str) -> None:
    items = {
        "scheme": "a = int8",
        "def": "f(x) = x",
        "fold": "f match y = g(x) rewrite y = x",
        "rule": "r match y = g(x) annotate y like x",
        "skip": 'g(x) because ""',
        "test": 'r "" given x: int8[] expect fires',
    }
    wrong = keyword[:1] + keyword[2:]
    for before in ["", *(f"{k} {body}\n" for k, body in items.items())]:
        assert messages(f"{before}{wrong} {items[keyword]}") == [f"`{wrong}`: did you mean `{keyword}`?"], before


def test_capture_names_near_a_keyword_are_no_mistake() -> None:
    assert messages("rule r match ruled = nn.relu(whens) annotate ruled like whens realize ruled = matches") == []


def test_errors_end_at_a_limit_that_is_told() -> None:
    found = messages("rule\n" * 1000)
    assert len(found) == MOST_ERRORS + 1
    assert found[-1] == f"more than {MOST_ERRORS} syntax errors: from here on the file was not read"
    found = messages('"\n' * 1000)
    assert len(found) == MOST_STRAYS + 1
    assert found[-1] == f"more than {MOST_STRAYS} unreadable characters: from here on the file was not read"


def test_a_text_over_the_size_limit_is_not_read() -> None:
    file, (finding,) = parse_text("#" * (LARGEST_FILE + 1), "large.qrule")
    assert file is None
    assert finding.code == "Q0002"
    assert "large.qrule" in render([finding])
