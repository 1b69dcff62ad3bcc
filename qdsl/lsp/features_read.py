"""Requests about what is written: hover, definition, references, outline, colours, hints, folding."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types

from qdsl.lsp.document import Document
from qdsl.lsp.highlight import TYPES, coloured
from qdsl.lsp.hints import hints
from qdsl.lsp.hover import hover
from qdsl.lsp.occurrences import occurrence_at
from qdsl.lsp.outline import Symbol, foldings, outline
from qdsl.lsp.resolve import definition, same, same_here
from qdsl.lsp.server import RuleServer

SYMBOLS = {
    "use": types.SymbolKind.File,
    "scheme": types.SymbolKind.Struct,
    "def": types.SymbolKind.Function,
    "fold": types.SymbolKind.Interface,
    "rule": types.SymbolKind.Class,
    "skip": types.SymbolKind.Null,
    "test": types.SymbolKind.Event,
    "operand": types.SymbolKind.Variable,
    "result": types.SymbolKind.Field,
    "inner": types.SymbolKind.Variable,
    "input": types.SymbolKind.Constant,
}


Positioned = types.HoverParams | types.DefinitionParams | types.ReferenceParams | types.DocumentHighlightParams


def register(server: RuleServer) -> None:
    """Adds the requests of this module to a server."""

    def at(params: Positioned) -> tuple[Document, int]:
        document = server.document(params.text_document.uri)
        return document, server.wire.offset(document, params.position)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _hover(params: types.HoverParams) -> types.Hover | None:
        found = hover(*at(params))
        if found is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), server.wire.range(found.span))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def _definition(params: types.DefinitionParams) -> types.Location | None:
        document, offset = at(params)
        found = occurrence_at(document, offset)
        span = definition(found, document) if found else None
        return server.wire.location(span) if span else None

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def _references(params: types.ReferenceParams) -> list[types.Location]:
        document, offset = at(params)
        found = occurrence_at(document, offset)
        if found is None:
            return []
        spans = dict.fromkeys(await asyncio.to_thread(lambda: list(same(found, document))))
        if not params.context.include_declaration:
            defined = definition(found, document)
            spans = dict.fromkeys(s for s in spans if defined is None or (s.path, s) != (defined.path, defined))
        return [server.wire.location(span) for span in spans]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def _highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        document, offset = at(params)
        found = occurrence_at(document, offset)
        kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
        others = same_here(found, document) if found else ()
        return [types.DocumentHighlight(server.wire.range(o.span), kinds[o.defines]) for o in others]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def _outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return [_symbol(server, symbol) for symbol in outline(server.document(params.text_document.uri))]

    @server.feature(types.WORKSPACE_SYMBOL)
    async def _workspace(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return await asyncio.to_thread(_symbols_named, server, params.query.lower())

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def _foldings(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        found = []
        for span, kind in foldings(server.document(params.text_document.uri)):
            stretch = server.wire.range(span)
            if stretch.end.line > stretch.start.line:
                found.append(types.FoldingRange(stretch.start.line, stretch.end.line, kind=kind))
        return found

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def _hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        document = server.document(params.text_document.uri)
        start, end = (server.wire.offset(document, p) for p in (params.range.start, params.range.end))
        return [
            types.InlayHint(
                server.wire.position(document.text, hint.offset),
                hint.text,
                types.InlayHintKind.Type,
                tooltip=hint.tooltip,
            )
            for hint in hints(document, start, end)
        ]

    legend = types.SemanticTokensLegend(list(TYPES), ["declaration"])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def _colours(params: types.SemanticTokensParams) -> types.SemanticTokens:
        document = server.document(params.text_document.uri)
        data: list[int] = []
        line = unit = 0
        for token in coloured(document):
            stretch = server.wire.between(document.text, token.start, token.end)
            at_line, at_unit = stretch.start.line, stretch.start.character
            data += [at_line - line, at_unit - unit if at_line == line else at_unit, stretch.end.character - at_unit]
            data += [TYPES.index(token.type), int(token.defines)]
            line, unit = at_line, at_unit
        return types.SemanticTokens(data)


def _symbol(server: RuleServer, symbol: Symbol) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name or "?",
        kind=SYMBOLS[symbol.kind],
        range=server.wire.range(symbol.span),
        selection_range=server.wire.range(symbol.name_span),
        detail=symbol.detail or None,
        children=[_symbol(server, child) for child in symbol.children],
    )


def _symbols_named(server: RuleServer, query: str) -> list[types.WorkspaceSymbol]:
    """The items of the workspace whose names have the letters of a query in them."""
    found = []
    for path in server.session.texts.paths:
        for symbol in outline(server.session.document(path)):
            if query in symbol.name.lower() and symbol.kind != "use":
                place = server.wire.location(symbol.name_span)
                found.append(
                    types.WorkspaceSymbol(place, symbol.name, SYMBOLS[symbol.kind], container_name=Path(path).name)
                )
    return found
