"""Code lenses above tests, and the command behind them."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

from lsprotocol import types

from qdsl.lsp.document import Document
from qdsl.lsp.lenses import lenses
from qdsl.lsp.server import RuleServer
from qdsl.lsp.testing import Outcome, run_tests

RUN = "qdsl.runTest"
"""Arguments: a document's URI, a rule, and the title of a test, or null for all tests of the rule."""


def register(server: RuleServer) -> None:
    """Adds the requests of this module to a server."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    def _lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        document = server.document(uri)
        return [
            types.CodeLens(
                server.wire.range(lens.span), types.Command(lens.text, RUN, arguments=[uri, lens.rule, lens.title])
            )
            for lens in lenses(document, server.session.verdicts_of(document))
        ]

    @server.command(RUN)
    async def _run(uri: str, rule: str, title: Any = None) -> dict[str, Any]:
        document = server.document(uri)
        task = asyncio.ensure_future(run_tests(document, rule, title))
        server.running.add(task)
        try:
            outcome = await _with_progress(server, task, f"Testing {rule}")
        except asyncio.CancelledError:
            return {"passed": False, "message": "stopped", "cases": []}
        finally:
            task.cancel()
            server.running.discard(task)
        _show(server, document, outcome)
        return _as_data(outcome)

    @server.feature(types.SHUTDOWN)
    def _stop(*_: Any) -> None:
        for task in server.running:
            task.cancel()


async def _with_progress(server: RuleServer, task: asyncio.Future[Outcome], title: str) -> Outcome:
    """Waits for a run, shown as work that can be cancelled in editors that show such things."""
    if not server.can("window", "work_done_progress"):
        return await task
    token, progress = str(uuid.uuid4()), server.work_done_progress
    await progress.create_async(token)
    progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
    loop = asyncio.get_running_loop()

    def stop(asked: Any) -> None:
        if asked.cancelled():
            loop.call_soon_threadsafe(task.cancel)

    progress.tokens[token].add_done_callback(stop)
    try:
        return await task
    finally:
        progress.end(token, types.WorkDoneProgressEnd())


def _show(server: RuleServer, document: Document, outcome: Outcome) -> None:
    """The result in a message, at the lenses, and failures among the findings."""
    server.session.verdicts_of(document).update(outcome.verdicts)
    good = outcome.error is None and not outcome.failed
    server.say(outcome.sentence, types.MessageType.Info if good else types.MessageType.Error)
    current = server.session.document(document.path)
    if document.path in server.session.texts.open:
        server.changed(server.wire.uri(current.path), quiet=0)
    if server.can("workspace", "code_lens", "refresh_support"):
        server.workspace_code_lens_refresh(None)


def _as_data(outcome: Outcome) -> dict[str, Any]:
    """For editors that show results in their own way."""
    cases = [
        {"rule": rule, "title": title, "passed": verdict.passed, "message": verdict.message}
        for (rule, title), verdict in outcome.verdicts.items()
    ]
    return {"passed": outcome.error is None and not outcome.failed, "message": outcome.sentence, "cases": cases}
