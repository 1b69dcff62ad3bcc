"""What each code means: a page per code, Q0302.md, with an example, its message and how to mend it."""

from qdsl.check.codes.page import Page, codes, page

__all__ = ["Page", "codes", "page"]
