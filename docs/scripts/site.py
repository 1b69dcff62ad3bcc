"""A hook of MkDocs: pages also link to files of the tree that are no pages. In the site such a link is its text."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:]+)(#[^)]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """The page with links out of docs/ taken back to their text; MkDocs refuses all others that lead nowhere."""
    docs, here = Path(config.docs_dir), Path(page.file.abs_src_path).parent

    def kept(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(here / link[2]))
        return link[0] if target.is_relative_to(docs) or not target.exists() else link[1]

    return LINK.sub(kept, markdown)
