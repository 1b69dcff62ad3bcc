"""Notifications about texts: opened, changed, saved, closed, changed on disk, and folders of the workspace."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from qdsl.lsp.server import RuleServer

GLIMPSE = 0.05
"""Seconds before a text that was opened is checked: editors open and close some in passing."""


def register(server: RuleServer) -> None:
    """Adds the notifications of this module to a server."""

    @server.feature(types.INITIALIZED)
    async def _initialized(_: types.InitializedParams) -> None:
        server.refresh()
        if server.can("workspace", "did_change_watched_files", "dynamic_registration"):
            watcher = types.FileSystemWatcher("**/*.qrule")
            options = types.DidChangeWatchedFilesRegistrationOptions([watcher])
            wanted = types.Registration("rules", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(types.RegistrationParams([wanted]))
        await asyncio.to_thread(_warm_up)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _opened(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri, GLIMPSE)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _saved(params: types.DidSaveTextDocumentParams) -> None:
        server.changed(params.text_document.uri, quiet=0)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def _closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def _on_disk(_: types.DidChangeWatchedFilesParams) -> None:
        server.changed_on_disk()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def _folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.changed_on_disk()


def _warm_up() -> None:
    """What the first request would have to wait for: the grammar's tables and the list of operators."""
    from qdsl.lang.grammar import grammar
    from qdsl.ops import names

    grammar()
    names()
