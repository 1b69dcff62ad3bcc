"""What helps while writing: completion, signatures, formatting, renaming."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from .editor import Buffer, applied, open_text

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = "rule project for op in nn.conv1d, nn.conv2d\n    match     y = op(x, w)\n    when      constant(w)\n"


async def completed(client: LanguageClient, text: str) -> tuple[Buffer, list[types.CompletionItem]]:
    """What is proposed at the `|` of a text."""
    buffer = open_text(client, "typed.qrule", text.replace("|", "", 1))
    before = text[: text.index("|")]
    at = types.Position(before.count("\n"), len(before.rpartition("\n")[2]))
    found = await client.text_document_completion_async(types.CompletionParams(buffer.identifier, at))
    buffer.close()
    return buffer, found.items


@pytest.mark.parametrize(
    ("text", "there", "missing"),
    [
        ("|", ["rule", "fold", "test", "rule ..."], ["match", "nn.conv2d"]),
        (HEAD + "|", ["annotate", "and"], ["realize", "match"]),
        (HEAD + "annotate |", ["x", "w", "y", "share"], ["act"]),
        (HEAD + "annotate x as |", ["act", "any", "float", "fixed"], ["x", "nn.relu"]),
        (HEAD + "annotate x as act\n w as weight[|", ["O", "I"], ["N", "C", "x"]),
        (HEAD + "annotate y as acc[C] = |", ["x.scale", "w.scale", "count"], ["nn.conv2d"]),
        (HEAD + "and y.|", ["strides", "data_layout", "dtype"], ["scale"]),
        (HEAD + "and size(w, |", ["O", "H"], ["N", "constant"]),
        (HEAD + "annotate x as act realize y = |", ["x", "op", "centered", "nn.relu"], ["constant", "y"]),
        (HEAD + "annotate x as act realize y = op(x, |", ["w", "out_dtype=", "**y"], ["axis="]),
        (HEAD + "annotate x as act realize y = op(x, w, out_dtype=|", ["int32", "y.out_dtype"], ["x"]),
        ("rule r match y = nn.|", ["nn.conv2d"], ["add", "matmul"]),
        ("rule r match y = concat([a, |", ["a"], ["axis="]),
        ("scheme a = int8 symmetric |", ["per_channel", "narrow"], ["asymmetric", "symmetric"]),
        ("rule r overrides |", ["convolution", "relu"], ["nn.relu"]),
        ('test convolution "t" expect skips "|"', ["constant(w)"], ["w"]),
        ('test convolution "t" given x: |', ["const", "float32"], ["x"]),
        ("rule r # nn.|", [], ["nn.conv2d"]),
        (HEAD + "annotate x as act w, y as float # qdsl: allow |", ["Q0407"], ["nn.conv2d", "Q0412"]),
        ('skip at "|', [], ["nn.conv2d"]),
        (HEAD.replace("op(x, w)", "op(x, w, |") + "annotate x as act", ["strides=", "x"], ["annotate", "out"]),
    ],
)
async def test_completion(client: LanguageClient, text: str, there: list[str], missing: list[str]) -> None:
    _, items = await completed(client, text)
    labels = {item.label for item in items}
    assert set(there) <= labels
    assert not set(missing) & labels


async def test_a_name_with_dots_is_replaced_as_a_whole(client: LanguageClient) -> None:
    buffer, items = await completed(client, "rule r match y = nn.con|")
    item = next(i for i in items if i.label == "nn.conv2d")
    assert item.insert_text_format == types.InsertTextFormat.Snippet
    assert applied(buffer.text, [item.text_edit]) == "rule r match y = nn.conv2d(${1:data}, ${2:weight})"
    resolved = await client.completion_item_resolve_async(item)
    assert "| `weight` | tensor | OIHW |" in resolved.documentation.value


@pytest.mark.parametrize(
    ("text", "label", "active"),
    [
        (HEAD + "annotate x as act realize y = op(x, |", "nn.conv1d(data, weight)", 1),
        (HEAD + "annotate x as act realize y = op(x, w, groups=|", "nn.conv1d(data, weight)", 2),
        (HEAD + "and spans(w, |", "spans(b, AXIS or x)", 1),
        (HEAD + "annotate x as act realize y = affine(x, |", "affine(x, gain, offset)", 1),
    ],
)
async def test_signatures(client: LanguageClient, text: str, label: str, active: int) -> None:
    buffer = open_text(client, "called.qrule", text.replace("|", ""))
    lines = text.splitlines()
    at = types.Position(len(lines) - 1, len(lines[-1]) - 1)
    found = await client.text_document_signature_help_async(types.SignatureHelpParams(buffer.identifier, at))
    assert (found.signatures[0].label, found.active_parameter) == (label, active)
    buffer.close()


async def test_formatting_changes_lines_and_not_texts(client: LanguageClient) -> None:
    good = "# first\nscheme act = uint8 asymmetric per_tensor\n\nrule relu\n    match     y = nn.relu(x)\n"
    good += "    annotate  y like x\n    realize   y = maximum(x, x.zero)\n"
    bad = good.replace("    annotate  y", " annotate y")
    buffer = open_text(client, "style.qrule", bad)
    params = types.DocumentFormattingParams(buffer.identifier, types.FormattingOptions(4, True))
    edits = await client.text_document_formatting_async(params)
    assert [edit.range.start.line for edit in edits] == [5]
    assert applied(bad, edits) == good
    await buffer.write(good)
    assert not list(await client.text_document_formatting_async(params))
    await buffer.write(good.replace("realize", "relize"))
    assert await client.text_document_formatting_async(params) is None
    buffer.close()


RENAMED = """\
scheme byte = uint8 asymmetric per_tensor
def half(x) = x * 0.5
rule mine
    match     y = nn.relu(x)
    when      wanted(y)
    annotate  x as byte
              y like x
    realize   t = half(x)
              y = maximum(x, x.zero)
test mine "t" given x: float32[1, 8] y = nn.relu(x) expect skips "wanted(y)" mark y as byte
"""


async def rename(buffer: Buffer, place: str, name: str) -> dict[str, str]:
    """The texts after renaming what is at a place, by file."""
    params = types.RenameParams(buffer.identifier, buffer.at(place), name)
    edit = await buffer.client.text_document_rename_async(params)
    texts = {buffer.uri: buffer.text}
    folder = buffer.client.folder
    texts |= {path.as_uri(): path.read_text() for path in folder.glob("*.qrule") if path.as_uri() not in texts}
    return {uri.rsplit("/", 1)[-1]: applied(texts[uri], edits) for uri, edits in edit.changes.items()}


async def test_a_capture_is_renamed_in_its_rule_and_in_the_tests_of_it(client: LanguageClient) -> None:
    buffer = open_text(client, "renamed.qrule", RENAMED, save=True)
    text = (await rename(buffer, "y = nn.relu(|x)\n", "data"))["renamed.qrule"]
    assert "nn.relu(data)\n" in text
    assert "maximum(data, data.zero)" in text
    assert "def half(x) = x * 0.5" in text
    assert "given x: float32[1, 8] y = nn.relu(x)" in text
    text = (await rename(buffer, "wanted(|y)\n", "out"))["renamed.qrule"]
    assert 'skips "wanted(out)" mark out as byte' in text
    assert "y = nn.relu(x) expect" in text
    buffer.close()


async def test_what_files_share_is_renamed_in_all_of_them(client: LanguageClient) -> None:
    buffer = open_text(client, "renamed.qrule", RENAMED, save=True)
    (client.folder / "user.qrule").write_text(
        'use "renamed.qrule"\nskip nn.relu(x) because "byte"\ndef g(x) = half(x)\n'
    )
    texts = await rename(buffer, "= |half(x)", "halved")
    assert texts["user.qrule"].endswith("def g(x) = halved(x)\n")
    assert texts["renamed.qrule"].count("halved") == 2
    texts = await rename(buffer, "rule |mine", "ours")
    assert set(texts) == {"renamed.qrule"}
    assert 'test ours "t"' in texts["renamed.qrule"]
    buffer.close()
    (client.folder / "user.qrule").unlink()


@pytest.mark.parametrize(
    ("place", "name", "why"),
    [
        ("nn.relu(|x)\n", "y", "y is a name of the same item already"),
        ("nn.relu(|x)\n", "match", "`match` cannot be a name"),
        ("nn.relu(|x)\n", "2x", "`2x` cannot be a name"),
        ("scheme |byte", "int8", "`int8` cannot be a name"),
        ("scheme |byte", "acc", "acc is defined already"),
        ("def |half", "sigmoid", "sigmoid is a word of the language already"),
        ("|nn.relu(x)\n", "r", "nn.relu is a word of the language (operator)"),
    ],
)
async def test_why_a_name_is_not_renamed(client: LanguageClient, place: str, name: str, why: str) -> None:
    buffer = open_text(client, "renamed.qrule", RENAMED)
    with pytest.raises(JsonRpcException, match=why.replace("(", r"\(").replace(")", r"\)")):
        await client.text_document_rename_async(types.RenameParams(buffer.identifier, buffer.at(place), name))
    buffer.close()


async def test_a_stock_rule_cannot_be_renamed_from_elsewhere(client: LanguageClient) -> None:
    text = 'test convolution "t" given x: float32[1] y = nn.relu(x) expect fires\n'
    buffer = open_text(client, "stock.qrule", text)
    params = types.PrepareRenameParams(buffer.identifier, buffer.at("test |convolution"))
    with pytest.raises(JsonRpcException, match="not part of this workspace"):
        await client.text_document_prepare_rename_async(params)
    buffer.close()
