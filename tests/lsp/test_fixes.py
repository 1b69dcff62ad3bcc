"""Help lines carried out: on the files of tests/bad, each of which has what one code is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from qdsl.lang.format import format_text
from qdsl.lsp.document import Document
from qdsl.lsp.edits import apply
from qdsl.lsp.fixes import fixes
from qdsl.lsp.fixes.verify import findings_of
from qdsl.lsp.texts import Texts

BAD = Path(__file__).parents[1] / "bad"

CASES = [
    ("Q0001_misspelt_clause", "Q0001", "Change to annotate"),
    ("Q0001_wrong_quotes", "Q0001", 'Write "stem*"'),
    ("Q0001_signs_of_other_languages", "Q0001", "Write not"),
    ("Q0001_bound_or_compared", "Q0001", "Write == instead of ="),
    ("Q0002_missing_use_near", "Q0002", "Use Q0002_missing_use.qrule"),
    ("Q0101_dense", "Q0101", "Change to matmul"),
    ("Q0101_onnx_and_pytorch_names", "Q0101", "Change to nn.conv2d"),
    ("Q0102_list_of_parts", "Q0102", "Write [parts...]"),
    ("Q0103_keyword", "Q0103", "Change to strides"),
    ("Q0103_field", "Q0103", "Change to axis"),
    ("Q0103_field_of_an_operand", "Q0103", "Ask rank(x)"),
    ("Q0104_axis_in_words", "Q0104", "Write axis=-1"),
    ("Q0104_types", "Q0104", 'Write "NCHW"'),
    ("Q0105_two_of_three", "Q0105", "Write y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)"),
    ("Q0201_gama", "Q0201", "Change to gamma"),
    ("Q0203_never_used", "Q0203", "Write _ for what is not used"),
    ("Q0203_never_used", "Q0203", "Delete zero = beta * 0"),
    ("Q0203_never_used", "Q0203", "Leave high out"),
    ("Q0204_not_a_pattern", "Q0204", "Write add{a, b}"),
    ("Q0206_scheme_misspelt", "Q0206", "Change to weight"),
    ("Q0301_unmarked_operand", "Q0301", "Mark gamma as float"),
    ("Q0302_tuple_marked", "Q0302", "Write y, _, _ = nn.batch_norm(x, gamma, beta, mean, var)"),
    ("Q0303_letter_of_another_operand", "Q0303", "Write weight[O]"),
    ("Q0304_conv_without_out_dtype", "Q0304", "Write conv(centered(x), w, **y, out_dtype=int32)"),
    ("Q0304_floats_and_integers", "Q0304", "Write lookup(sigmoid, x)"),
    ("Q0305_sum_on_two_scales", "Q0305", "Write rescale(b, x.scale)"),
    ("Q0306_zero_point_left_in", "Q0306", "Write centered(x)"),
    ("Q0306_literal_number", "Q0306", "Write level(low, x) and level(high, x)"),
    ("Q0309_no_constant", "Q0309", "Add `when constant(w)`"),
    ("Q0310_batch_norm", "Q0310", "Add `and not y.training` to the guard"),
    ("Q0311_nobody_gives_a_scheme", "Q0311", "Mark y like x"),
    ("Q0312_fixed_and_act", "Q0312", "Delete y as act"),
    ("Q0401_under_another_name", "Q0401", "Bind y instead of z"),
    ("Q0403_larger_match", "Q0403", "Let hardswish override multiply"),
    ("Q0405_overrides", "Q0405", "Do not override clip"),
    ("Q0410_scheme", "Q0410", "Delete scheme spare = int16 symmetric per_tensor"),
    ("Q0411_reshape", "Q0411", "Allow Q0411 on this line"),
    ("Q0412_nothing_on_its_line", "Q0412", "Take the comment out"),
]


def document(name: str, text: str | None = None) -> Document:
    path = str(BAD / f"{name}.qrule")
    return Document(path, Texts({} if text is None else {path: text}))


@pytest.mark.parametrize(("name", "code", "title"), CASES, ids=[f"{c}-{t}" for _, c, t in CASES])
def test_what_the_help_line_says_is_done_and_helps(name: str, code: str, title: str) -> None:
    before = document(name)
    offered = {}
    for finding in (f for f in findings_of(before) if f.code == code):
        offered |= {fix.title: (finding, fix) for fix in fixes(finding, before)}
        if title in offered:
            break
    assert title in offered, list(offered)
    finding, fix = offered[title]
    after = document(name, apply(before.text, fix.edits))

    def alike(found: Document) -> int:
        return sum((f.code, f.message) == (finding.code, finding.message) for f in findings_of(found))

    assert alike(after) < alike(before)


def test_a_rule_without_a_test_is_given_one(tmp_path: Path) -> None:
    text = (
        "rule mine for op in nn.conv1d, nn.conv2d\n"
        "    match     c = op(x, w)\n"
        "              y = add{c, b}\n"
        "    when      constant(w, b) and private(c) and spans(b, C)\n"
        "    annotate  x as act\n"
        "              w as weight[O]\n"
        "              b as float\n"
        "              y as float\n"
        "    realize   y = astype(op(centered(x), w, **c, out_dtype=int32), float32) * x.scale * w.scale[C] + b[C]\n"
    )
    path = str(tmp_path / "mine.qrule")
    mine = Document(path, Texts({path: text}))
    finding = next(f for f in mine.findings if f.code == "Q0407")
    fix = next(f for f in fixes(finding, mine) if f.title == "Add a test of mine")
    written = apply(text, fix.edits)
    assert written.startswith(text)
    assert written.removeprefix(text) == (
        '\ntest mine "fires on its match"\n'
        "    given     x: float32[1, 8, 8]\n"
        "              w: const float32[8, 8, 3]\n"
        "              b: const float32[1, 8, 8, 8]\n"
        "              c = nn.conv1d(x, w)\n"
        "              y = add(c, b)\n"
        "    expect    fires\n"
    )


def test_a_text_in_the_one_style_stays_in_it() -> None:
    before = document("Q0203_never_used", format_text((BAD / "Q0203_never_used.qrule").read_text()).text)
    finding = next(f for f in before.findings if f.help == "delete the binding")
    after = apply(before.text, fixes(finding, before)[0].edits)
    assert format_text(after).text == after
    assert len(after.splitlines()) == len(before.text.splitlines()) - 1


def test_what_does_not_help_is_not_offered() -> None:
    """`write a name, a number or a call` is no rule text, however much it looks like some."""
    cycle = document("Q0406_cycle")
    assert [fixes(f, cycle) for f in cycle.findings if f.code == "Q0406"] == [[]]
    kinds = document("Q0102_operand_kind")
    finding = next(f for f in kinds.findings if f.help == "write a name, a number or a call")
    assert fixes(finding, kinds) == []
