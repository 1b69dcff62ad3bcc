"""Requests while somebody writes: completion, signatures, formatting, fixes, renaming."""

from __future__ import annotations

import asyncio

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from qdsl.errors import QdslError
from qdsl.lang.diagnostics import Diagnostic
from qdsl.lsp import describe
from qdsl.lsp.complete import Proposal, complete
from qdsl.lsp.document import Document
from qdsl.lsp.fixes import Fix, fixes
from qdsl.lsp.formatting import format_edits
from qdsl.lsp.rename import CannotRename, renamable, rename
from qdsl.lsp.server import RuleServer
from qdsl.lsp.signature import signature
from qdsl.ops import lookup

KINDS = {
    "keyword": types.CompletionItemKind.Keyword,
    "snippet": types.CompletionItemKind.Snippet,
    "operator": types.CompletionItemKind.Function,
    "guard": types.CompletionItemKind.Method,
    "builder": types.CompletionItemKind.Method,
    "def": types.CompletionItemKind.Function,
    "rule": types.CompletionItemKind.Class,
    "scheme": types.CompletionItemKind.TypeParameter,
    "value": types.CompletionItemKind.Variable,
    "field": types.CompletionItemKind.Field,
    "attribute": types.CompletionItemKind.Property,
    "letter": types.CompletionItemKind.EnumMember,
    "dtype": types.CompletionItemKind.Struct,
    "flag": types.CompletionItemKind.EnumMember,
    "file": types.CompletionItemKind.File,
    "text": types.CompletionItemKind.Text,
}
REQUEST_FAILED = -32803


def refused(error: QdslError) -> JsonRpcException:
    """An error whose text the editor shows."""
    return JsonRpcException(str(error), REQUEST_FAILED)


def register(server: RuleServer) -> None:
    """Adds the requests of this module to a server."""
    options = types.CompletionOptions(trigger_characters=list('.([{,="'), resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    def _complete(params: types.CompletionParams) -> types.CompletionList:
        document = server.document(params.text_document.uri)
        offset = server.wire.offset(document, params.position)
        found = complete(document, offset)
        return types.CompletionList(False, [_item(server, document, offset, p, i) for i, p in enumerate(found)])

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def _resolve(item: types.CompletionItem) -> types.CompletionItem:
        operator = lookup(item.label) if item.kind == types.CompletionItemKind.Function else None
        if operator is not None:
            item.documentation = types.MarkupContent(types.MarkupKind.Markdown, describe.operator(operator))
        return item

    @server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.SignatureHelpOptions(["(", ",", "{"]))
    def _signature(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        document = server.document(params.text_document.uri)
        found = signature(document, server.wire.offset(document, params.position))
        if found is None:
            return None
        parameters = [types.ParameterInformation(name, doc or None) for name, doc in found.parameters]
        shown = types.SignatureInformation(found.label, found.doc or None, parameters)
        return types.SignatureHelp([shown], 0, len(parameters) if found.active is None else found.active)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def _format(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = server.document(params.text_document.uri)
        try:
            edits = format_edits(document)
        except QdslError as error:
            raise refused(error) from None
        return None if edits is None else server.wire.edits(document.text, edits)

    actions = types.CodeActionOptions([types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, actions)
    async def _actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.document(params.text_document.uri)
        only = params.context.only
        if only and not any(types.CodeActionKind.QuickFix.value.startswith(kind) for kind in map(_value, only)):
            return []
        start = server.wire.offset(document, params.range.start)
        end = server.wire.offset(document, params.range.end)
        return await asyncio.to_thread(_actions_at, server, document, start, end)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def _prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
        document = server.document(params.text_document.uri)
        try:
            found = renamable(document, server.wire.offset(document, params.position))
        except CannotRename as error:
            raise refused(error) from None
        return types.PrepareRenamePlaceholder(server.wire.range(found.span), found.name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def _rename(params: types.RenameParams) -> types.WorkspaceEdit:
        document = server.document(params.text_document.uri)
        offset = server.wire.offset(document, params.position)
        try:
            spans = await asyncio.to_thread(rename, document, offset, params.new_name)
        except CannotRename as error:
            raise refused(error) from None
        return server.wire.workspace_edit(spans, params.new_name)


def _value(kind: types.CodeActionKind | str) -> str:
    return str(getattr(kind, "value", kind))


def _item(server: RuleServer, document: Document, offset: int, proposal: Proposal, index: int) -> types.CompletionItem:
    snippets = server.can("text_document", "completion", "completion_item", "snippet_support")
    snippet = proposal.snippet if snippets else None
    text = snippet or proposal.insert or proposal.label
    if proposal.kind == "snippet" and not snippets:
        text = proposal.label
    start = proposal.start if proposal.start is not None else _word_start(document, offset)
    return types.CompletionItem(
        label=f"{proposal.label} ..." if proposal.kind == "snippet" else proposal.label,
        kind=KINDS[proposal.kind],
        detail=proposal.detail or None,
        sort_text=f"{proposal.rank}{index:04}",
        filter_text=proposal.label,
        insert_text_format=types.InsertTextFormat.Snippet if snippet else types.InsertTextFormat.PlainText,
        text_edit=types.TextEdit(server.wire.between(document.text, start, offset), text),
    )


def _word_start(document: Document, offset: int) -> int:
    text = document.text
    while offset > 0 and (text[offset - 1].isalnum() or text[offset - 1] == "_"):
        offset -= 1
    return offset


def _actions_at(server: RuleServer, document: Document, start: int, end: int) -> list[types.CodeAction]:
    """The fixes of all findings that touch a stretch of text."""
    found: list[types.CodeAction] = []
    for finding in document.findings:
        span = finding.primary.span
        if span.start <= end and start <= span.end:
            mended = fixes(finding, document)
            found += [_action(server, document, finding, fix, index == 0) for index, fix in enumerate(mended)]
    return found


def _action(server: RuleServer, document: Document, finding: Diagnostic, fix: Fix, is_first: bool) -> types.CodeAction:
    edits = server.wire.edits(document.text, fix.edits)
    return types.CodeAction(
        fix.title,
        types.CodeActionKind.QuickFix,
        diagnostics=[server.wire.diagnostic(finding)],
        is_preferred=is_first and not fix.title.startswith("Allow "),
        edit=types.WorkspaceEdit(changes={server.wire.uri(document.path): edits}),
    )
