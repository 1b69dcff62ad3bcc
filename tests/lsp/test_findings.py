"""Findings appear while somebody types, at their places, with their help lines; and fixes for them."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from .editor import applied, open_text

pytestmark = pytest.mark.asyncio(loop_scope="session")

RULE = """\
use "schemes.qrule"

rule project for op in matmul
    "A product with a constant matrix."
    match     y = op(x, w)
    when      constant(w)
    annotate  x as act
              w as weight[N]
              y as acc[N] = x.scale * w.scale
    realize   y = op(centered(x), w, out_dtype=int32)
"""
SCHEMES = """\
scheme act    = uint8 asymmetric per_tensor
scheme weight = int8 symmetric per_channel narrow
scheme acc    = int32 symmetric per_channel
"""


def codes(findings: list[types.Diagnostic]) -> list[str]:
    return [str(finding.code) for finding in findings]


async def test_a_text_that_is_in_no_file_is_checked_with_what_it_uses(client: LanguageClient) -> None:
    (client.folder / "schemes.qrule").write_text(SCHEMES)
    buffer = open_text(client, "typed.qrule", RULE)
    assert "Q0407" in codes(await buffer.findings())
    await buffer.write(RULE.replace("as act", "as axt"))
    findings = await buffer.findings()
    finding = next(f for f in findings if f.code == "Q0206")
    assert finding.severity == types.DiagnosticSeverity.Error
    assert finding.message == "there is no scheme axt\nhelp: did you mean act?"
    assert (finding.range.start, finding.range.end) == (buffer.at("x as |axt"), buffer.at("x as axt|"))
    await buffer.write(RULE)
    assert "Q0206" not in codes(await buffer.findings())
    buffer.close()


async def test_typing_quickly_is_answered_once(client: LanguageClient) -> None:
    buffer = open_text(client, "quick.qrule", "")
    await buffer.findings()
    for end in range(1, 9):
        await buffer.write("rule r m"[:end])
    findings = await buffer.findings()  # of the last version: the others were overtaken
    assert codes(findings) == ["Q0001"]
    buffer.close()


async def test_an_unsaved_text_is_what_others_use(client: LanguageClient) -> None:
    own = SCHEMES + "scheme byte = uint8 asymmetric per_tensor\n"
    schemes = open_text(client, "schemes.qrule", own, save=True)
    await schemes.findings()
    rules = open_text(client, "rules.qrule", RULE.replace("as act", "as byte"))
    assert "Q0206" not in codes(await rules.findings())
    await schemes.write(SCHEMES)
    finding = next(f for f in await rules.findings() if f.code == "Q0206")
    assert "byte" in finding.message
    await schemes.write(own + "schem x = int8\n")
    told = next(f for f in await rules.findings() if "schemes.qrule" in f.message)
    assert told.range.start.line == 0
    assert told.related_information[0].location.uri == schemes.uri
    schemes.close()
    rules.close()


async def test_wide_characters_before_a_place_count_as_the_editor_counts(client: LanguageClient) -> None:
    text = 'test convolution "\U0001f600 \u00e9" given x: float32[1] y = nn.rely(x) expect fires\n'
    buffer = open_text(client, "wide.qrule", text)
    finding = next(f for f in await buffer.findings() if f.code == "Q0101")
    assert finding.range.start == buffer.at("|nn.rely")
    buffer.close()


@pytest.mark.parametrize(
    ("good", "bad", "place", "title"),
    [
        ("when      constant(w)", "when      wanted(y)", "|w as weight", "Add `and constant(w)` to the guard"),
        ("annotate", "anotate", "|anotate", "Change to annotate"),
    ],
)
async def test_a_help_line_can_be_carried_out(
    client: LanguageClient, good: str, bad: str, place: str, title: str
) -> None:
    (client.folder / "schemes.qrule").write_text(SCHEMES)
    buffer = open_text(client, "mend.qrule", RULE.replace(good, bad))
    findings = await buffer.findings()
    at = buffer.at(place)
    params = types.CodeActionParams(buffer.identifier, types.Range(at, at), types.CodeActionContext(findings))
    actions = await client.text_document_code_action_async(params)
    action = next((a for a in actions if a.title == title), None)
    assert action is not None, [a.title for a in actions]
    await buffer.write(applied(buffer.text, action.edit.changes[buffer.uri]))
    assert good.split()[-1] in buffer.text
    remaining = await buffer.findings()
    assert action.diagnostics[0].code not in codes(remaining)
    assert not [f for f in remaining if f.severity == types.DiagnosticSeverity.Error]
    buffer.close()
