"""Completion: what may be written at the cursor."""

from qdsl.lsp.complete.complete import complete
from qdsl.lsp.complete.proposal import Proposal

__all__ = ["Proposal", "complete"]
