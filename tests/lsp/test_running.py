"""Tests run from their lens: what is in the editor counts, and the result is shown in three places."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from .editor import Buffer, open_text

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = """\
rule mine
    match     y = nn.relu(x)
    when      wanted(y)
    annotate  y like x
    realize   y = x

test mine "is not wanted"
    given     x: float32[1, 4]
              y = nn.relu(x)
    expect    skips "wanted(y)"

test mine "fires all the same"
    given     x: float32[1, 4]
              y = nn.relu(x)
    expect    fires
"""


async def lenses(buffer: Buffer) -> list[types.CodeLens]:
    return list(await buffer.client.text_document_code_lens_async(types.CodeLensParams(buffer.identifier)))


async def run(buffer: Buffer, lens: types.CodeLens) -> dict:
    """A click on a lens."""
    params = types.ExecuteCommandParams(lens.command.command, arguments=list(lens.command.arguments))
    return await buffer.client.workspace_execute_command_async(params)


async def test_a_lens_runs_tests_as_they_stand_in_the_editor(client: LanguageClient) -> None:
    buffer = open_text(client, "mine.qrule", TEXT)
    rule, good, bad = await lenses(buffer)
    assert [lens.command.title for lens in (rule, good, bad)] == ["Run its 2 tests", "Run test", "Run test"]
    assert good.range.start == buffer.at('|test mine "is')
    assert list(good.command.arguments) == [buffer.uri, "mine", "is not wanted"]
    found, findings = await asyncio.gather(run(buffer, rule), failed(buffer))
    assert [(case["title"], case["passed"]) for case in found["cases"]] == [
        ("is not wanted", True), ("fires all the same", False)
    ]  # fmt: skip
    assert '"fires all the same" failed: mine did not fire' in client.messages[-1].message
    assert [finding.range.start for finding in findings] == [buffer.at('test |mine "fires')]
    titles = [lens.command.title for lens in await lenses(buffer)]
    assert titles == ["Run its 2 tests", "Run test (passed)", "Run test (failed)"]

    await buffer.write(TEXT.replace("expect    fires", 'expect    skips "wanted(y)"'))
    assert [f for f in await buffer.findings() if f.source == "qdsl test"] == []  # that was another test
    assert (await lenses(buffer))[-1].command.title == "Run test"
    buffer.close()


async def failed(buffer: Buffer) -> list[types.Diagnostic]:
    """The findings that say that a test failed, once there are some."""
    while True:
        found = [f for f in await buffer.findings() if f.source == "qdsl test"]
        if found:
            return found


async def test_rules_with_errors_are_not_run(client: LanguageClient) -> None:
    buffer = open_text(client, "mine.qrule", TEXT.replace("y like x", "x as act y as acct"))
    found = await run(buffer, (await lenses(buffer))[-1])
    assert not found["passed"]
    assert found["cases"] == []
    assert "Q0206 there is no scheme acct" in client.messages[-1].message
    buffer.close()
