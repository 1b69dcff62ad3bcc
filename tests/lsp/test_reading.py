"""What is asked about a text as it stands: hover, places of names, outline, colours, hints."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from qdsl.lsp.highlight import TYPES

from .editor import Buffer, open_text

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCHEMES = "scheme byte = uint8 asymmetric per_tensor\n"
RULES = """\
use "own.qrule"

# The scale of a product
# is the product of the scales.
rule project for op in nn.conv1d, nn.conv2d overrides convolution
    "A convolution of our own."
    match     y = op(x, w, groups=1)
    when      constant(w) and y.data_layout == "NCHW"
    annotate  x as byte
              w as weight[O]
              y as acc[C] = x.scale * w.scale
    realize   y = op(centered(x), w, **y, out_dtype=int32)

test project "does not fire on a weight that is computed"
    given     x: float32[1, 8, 8, 8]
              w: float32[8, 8, 3, 3]
              y = nn.conv2d(x, w)
    expect    skips "constant(w)"
              mark x as byte
"""


@pytest.fixture(scope="module")
def rules(client: LanguageClient):
    (client.folder / "own.qrule").write_text(SCHEMES)
    buffer = open_text(client, "project.qrule", RULES, save=True)
    yield buffer
    buffer.close()


async def hovered(buffer: Buffer, marked: str) -> str:
    params = types.HoverParams(buffer.identifier, buffer.at(marked))
    found = await buffer.client.text_document_hover_async(params)
    return found.contents.value if found else ""


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("for op in nn.con|v1d", "nn.conv1d(data, weight)"),
        ("y = o|p(x, w, gr", "| `strides` | int or ints |"),
        ("y = op(x|, w, gr", "x: uint8 @ x.scale - x.zero"),
        ("|w as weight", "w: int8[O] @ w.scale"),
        ("|y as acc", "y: int32[C] @ x.scale * w.scale"),
        ("gro|ups=1", "`groups`: int, an attribute of `nn.conv1d`"),
        ("y.data_|layout", "data_layout"),
        ("const|ant(w) and", "a guard: a constant of the model"),
        ("cent|ered(x)", "here: `int16 @ x.scale`"),
        ("as by|te\n              w", "scheme byte = uint8 asymmetric per_tensor"),
        ("weight[|O]", "axis O: output channels"),
        ("overrides con|volution", "rule convolution for "),
        ("overr|ides", "rules for the same operator that this one is tried before"),
        ("test pro|ject", "A convolution of our own."),
        ("w|: float32[8", "w: float32[8, 8, 3, 3]"),
        ("mark x| as", "x: uint8 @ x.scale"),
        ('use "o|wn.qrule', "scheme: byte"),
        ("scale of a pro|duct\n#", ""),
    ],
)
async def test_hover(rules: Buffer, place: str, said: str) -> None:
    text = await hovered(rules, place)
    assert said in text if said else text == ""


@pytest.mark.parametrize(
    ("place", "file", "target"),
    [
        ("centered(|x)", "project.qrule", "op(|x, w, groups"),
        ("**|y", "project.qrule", "|y = op(x, w, gr"),
        ("y = |op(cent", "project.qrule", "for |op in"),
        ("x as |byte\n              w", "own.qrule", "scheme |byte"),
        ('use "|own', "own.qrule", "|scheme byte"),
        ("test |project", "project.qrule", "rule |project"),
        ("mark |x as", "project.qrule", "op(|x, w, groups"),
        ('skips "constant(|w)"', "project.qrule", "op(x, |w, groups"),
        ("nn.conv2d(|x, w)", "project.qrule", "|x: float32"),
        ("overrides |conv", "convolution.qrule", ""),
        ("|centered", "", ""),
    ],
)
async def test_definition(rules: Buffer, place: str, file: str, target: str) -> None:
    params = types.DefinitionParams(rules.identifier, rules.at(place))
    found = await rules.client.text_document_definition_async(params)
    assert (found.uri.rsplit("/", 1)[-1] if found else "") == file
    if target:
        there = Buffer(rules.client, found.uri, RULES if file == "project.qrule" else SCHEMES)
        assert found.range.start == there.at(target)


async def test_references_are_found_in_other_files_and_in_strings(rules: Buffer) -> None:
    other = open_text(
        rules.client, "other.qrule", 'use "own.qrule"\n' + RULES.split("\n\n", 1)[1].replace("project", "p2")
    )
    at = rules.at("x as |byte\n              w")
    context = types.ReferenceContext(include_declaration=True)
    params = types.ReferenceParams(context, rules.identifier, at)
    found = await rules.client.text_document_references_async(params)
    assert sorted(location.uri.rsplit("/", 1)[-1] for location in found) == (
        ["other.qrule"] * 2 + ["own.qrule"] + ["project.qrule"] * 2
    )
    capture = types.ReferenceParams(types.ReferenceContext(False), rules.identifier, rules.at("centered(x), |w"))
    found = await rules.client.text_document_references_async(capture)
    lines = [location.range.start.line for location in found]
    assert {location.uri for location in found} == {rules.uri}
    assert lines == [7, 9, 10, 11, 17]  # the guard, two marks, realize, and the term that the test names
    other.close()


async def test_highlights_keep_to_the_item(rules: Buffer) -> None:
    params = types.DocumentHighlightParams(rules.identifier, rules.at("nn.conv2d(|x, w)"))
    found = await rules.client.text_document_document_highlight_async(params)
    assert [h.range.start.line for h in found] == [14, 16]
    assert found[0].kind == types.DocumentHighlightKind.Write


async def test_outline(rules: Buffer) -> None:
    found = await rules.client.text_document_document_symbol_async(types.DocumentSymbolParams(rules.identifier))
    assert [s.name for s in found] == [
        "own.qrule", "project", "project: does not fire on a weight that is computed"
    ]  # fmt: skip
    assert found[1].detail == "A convolution of our own."
    assert [(c.name, c.kind) for c in found[1].children] == [
        ("y", types.SymbolKind.Field), ("x", types.SymbolKind.Variable), ("w", types.SymbolKind.Variable)
    ]  # fmt: skip
    named = await rules.client.workspace_symbol_async(types.WorkspaceSymbolParams("byt"))
    assert [(s.name, s.container_name) for s in named] == [("byte", "own.qrule")]


async def test_hints_are_the_types_that_nobody_wrote(rules: Buffer) -> None:
    everything = types.Range(types.Position(0, 0), types.Position(30, 0))
    found = await rules.client.text_document_inlay_hint_async(types.InlayHintParams(rules.identifier, everything))
    assert [(h.label, h.position) for h in found] == [(": int32[C] @ x.scale * w.scale", rules.at("y| = op(cent"))]
    head = types.Range(types.Position(0, 0), types.Position(6, 0))
    assert not await rules.client.text_document_inlay_hint_async(types.InlayHintParams(rules.identifier, head))


async def test_items_and_comments_fold(rules: Buffer) -> None:
    found = await rules.client.text_document_folding_range_async(types.FoldingRangeParams(rules.identifier))
    assert {(f.start_line, f.end_line, f.kind) for f in found} == {
        (2, 3, "comment"),
        (4, 11, "region"),
        (13, 18, "region"),
    }


async def test_colours_by_meaning(rules: Buffer) -> None:
    params = types.SemanticTokensParams(rules.identifier)
    data = (await rules.client.text_document_semantic_tokens_full_async(params)).data
    lines = RULES.splitlines()
    line = unit = 0
    seen: dict[str, str] = {}
    for down, right, length, type_, _ in zip(*(data[i::5] for i in range(5)), strict=True):
        line, unit = line + down, right if down else unit + right
        seen.setdefault(lines[line][unit : unit + length], TYPES[type_])
    assert seen["rule"] == seen["realize"] == "keyword"
    assert (seen["project"], seen["op"], seen["x"]) == ("class", "parameter", "variable")
    assert (seen["conv1d"], seen["constant"], seen["centered"]) == ("function", "method", "macro")
    assert (seen["byte"], seen["O"], seen["scale"], seen["groups"]) == ("type", "enumMember", "property", "property")
    assert seen["# The scale of a product"] == "comment"
