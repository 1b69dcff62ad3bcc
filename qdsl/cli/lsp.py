"""qdsl lsp: the language server, for editors."""

from __future__ import annotations

from typing import Annotated

import typer

from qdsl.errors import QdslError


def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak on standard input and output; so it does in any case.", hidden=True)
    ] = True,
) -> None:
    """Start the language server for .qrule files. Editors do that; see editors/ on how to tell yours."""
    try:
        import pygls.lsp.server  # noqa: F401 - whether it is there
    except ImportError:
        raise QdslError(
            "the language server needs pygls 2, which is not installed here; install it with: pip install 'qdsl[lsp]'"
        ) from None
    from qdsl.lsp.start import serve

    serve()
