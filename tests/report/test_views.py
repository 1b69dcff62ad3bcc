"""The summary, the terminal table, the page and the comparison."""

import io
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from rich.console import Console

from qdsl.report import Report, Row, compare

SUMMARY = """\
sample: 2 of 4 operators in integers, 1 folded away

  quantized      2   nn.conv2d 1, nn.relu 1
  float          1   LSTM 1
  skipped        1   matmul 1
  folded         1   nn.batch_norm 1
  conversions 1 quantize, 2 requantize, 1 dequantize
  output      logits: 38.2 dB   cosine 0.999910   max error 0.125
  output      same: exact
  latency     1.5 ms (float 3 ms, 2.00 times as fast)
  constants   1 MB (float 4 MB)
  took        2.8 s (calibrate 2.0, load 0.5, realize 0.2)   peak memory 322 MB

left in float
     1 LSTM: no rule for LSTM & its like
     1 matmul: option skip_dense_layer

warning: one concat field keeps 4 bits"""


def test_summary(report: Report) -> None:
    assert report.summary() == SUMMARY


def test_summary_of_a_large_model_fits_a_screen(report: Report) -> None:
    rows = tuple(Row(f"n{i}", f"op{i}", "float", reason=f"reason {i}") for i in range(500))
    lines = replace(report, rows=rows, warnings=("w",) * 100).summary().splitlines()
    assert len(lines) <= 40
    assert "  ... and 492 more" in lines
    assert "  ... and 92 more" in lines


def test_summary_of_an_empty_report() -> None:
    assert Report("empty", ()).summary() == "empty: 0 of 0 operators in integers\n"


def test_table_keeps_brackets_in_names(report: Report) -> None:
    out = io.StringIO()
    Console(file=out, width=160).print(report.table())
    lines = out.getvalue().splitlines()
    assert len(lines) == 1 + len(report.rows)
    assert "<b>lstm[0]</b>" in lines[3]
    assert re.search(
        r"conv1 +nn\.conv2d +quantized +convolution +acc +32 +0\.5 \.\. 2 \[2\] +0 +41\.3 +44\.0 +12\.5", lines[1]
    )


class Outline(HTMLParser):
    """Every tag that was opened and every text, and whether tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.append(tag)
        self.sources += [value for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_narrow_table_keeps_what_matters_most(report: Report) -> None:
    out = io.StringIO()
    Console(file=out, width=80).print(report.table(80))
    heading = out.getvalue().splitlines()[0].split()
    assert heading == ["operator", "kind", "outcome", "rule,", "or", "why", "not", "scheme", "dB"]


def test_columns_that_say_nothing_are_left_out() -> None:
    table = Report("plain", (Row("a", "add", "float", reason="no rule"),)).table()
    assert [column.header for column in table.columns] == ["operator", "kind", "outcome", "rule, or why not"]


def test_the_page_is_whole_and_needs_nothing_beside_it(report: Report) -> None:
    outline = Outline()
    outline.feed(report.to_html())
    assert outline.open == []
    assert outline.sources == []
    assert outline.tags.count("tr") >= 1 + len(report.rows)
    assert "b" not in outline.tags, "a name of the model became markup"
    assert "<b>lstm[0]</b>" in outline.text
    assert "no rule for LSTM & its like" in outline.text


def test_a_notebook_shows_the_same(report: Report) -> None:
    assert report._repr_html_() in report.to_html()


def test_equal_reports_compare_equal(report: Report) -> None:
    assert compare(report, report).changes == ()
    assert compare(report, report).text() == "before and after say the same"


def test_comparison_lists_what_differs(report: Report) -> None:
    rows = list(report.rows)
    rows[0] = replace(rows[0], outcome="float", rule=None, reason="rule convolution is left out", sqnr_db=40.9)
    rows[4] = replace(rows[4], name="relu2")
    text = compare(report, replace(report, rows=tuple(rows)), ("a", "b")).text()
    assert text.splitlines() == [
        "a -> b",
        "  summary: quantized 2 -> 1",
        "  summary: float 1 -> 2",
        "  relu1: operator there -> gone",
        "  relu2: operator not there -> there",
        "  conv1: outcome quantized -> float",
        "  conv1: rule convolution -> none",
        "  conv1: reason none -> rule convolution is left out",
    ]


def test_a_data_frame_has_a_line_for_each_operator(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    """pandas is an extra, so a stand-in takes what it would be given."""
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    frame = report.to_frame()
    assert [line["name"] for line in frame] == [row.name for row in report.rows]
    assert {"outcome", "rule", "sqnr_db"} <= set(frame[0])
