"""Code actions: the help lines of findings, carried out.

A help line is text, and what it means as an edit is guessed in one way or several; each guess is made on a copy and
checked, and only one that removes the finding and brings no error is offered.
"""

from qdsl.lsp.fixes.fix import Fix
from qdsl.lsp.fixes.fixes import fixes

__all__ = ["Fix", "fixes"]
