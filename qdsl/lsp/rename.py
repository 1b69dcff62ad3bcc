"""Giving a name another one, everywhere that the same thing is meant."""

from __future__ import annotations

from qdsl.check.builtins import BUILDERS, GUARDS
from qdsl.check.references import AXIS_LETTER
from qdsl.errors import QdslError
from qdsl.lang.grammar import soft_terminals
from qdsl.lang.quote import quote
from qdsl.lang.source import Source, Span
from qdsl.lang.tokens import tokenize
from qdsl.lsp.document import Document
from qdsl.lsp.occurrences import Occurrence, occurrence_at, occurrences
from qdsl.lsp.resolve import GLOBAL, LOCAL, definition, global_item, home_document, same
from qdsl.ops import lookup


class CannotRename(QdslError):
    """Why a name keeps its name; shown to who asked."""


def renamable(document: Document, offset: int) -> Occurrence:
    """The name at a place, if it may have another one. Raises CannotRename."""
    found = occurrence_at(document, offset)
    if found is None:
        raise CannotRename("here stands no name that could be renamed")
    if found.kind not in LOCAL + GLOBAL:
        raise CannotRename(f"{found.name} is a word of the language ({found.kind}) and cannot be renamed")
    defined = definition(found, document)
    if defined is None:
        raise CannotRename(f"nothing defines {found.name}")
    if not document.texts.is_ours(defined.path):
        raise CannotRename(f"{found.name} is defined in {defined.path}, which is not part of this workspace")
    return found


def rename(document: Document, offset: int, name: str) -> list[Span]:
    """The places to write the new name at. Raises CannotRename, also where the name is taken."""
    found = renamable(document, offset)
    kind = _kind_of_word(name)
    if kind is None or (kind != "NAME" and found.kind == "scheme"):
        raise CannotRename(f"{quote(name)} cannot be a name: names are letters, digits and _, and no keyword or dtype")
    if name == found.name:
        return []
    taken = _taken(found, document, name)
    if taken is not None:
        raise CannotRename(f"{name} is {taken}")
    places = list(dict.fromkeys(same(found, document)))
    foreign = next((s.path for s in places if not document.texts.is_ours(s.path)), None)
    if foreign is not None:
        raise CannotRename(f"{found.name} is also used in {foreign}, which is not part of this workspace")
    return places


def _kind_of_word(name: str) -> str | None:
    """The terminal of a word that can name something, or None."""
    words = tokenize(Source("<name>", name)).words
    if len(words) != 1 or words[0].text != name or name == "_":
        return None
    return words[0].kind if words[0].kind == "NAME" or words[0].kind in soft_terminals() else None


def _taken(found: Occurrence, document: Document, name: str) -> str | None:
    """What a name stands for already where it would be used."""
    if found.kind in ("each", "def") and (lookup(name) or name in GUARDS or name in BUILDERS):
        return "a word of the language already"
    if found.kind in GLOBAL:
        other = global_item(found.kind, name, document.program)
        return None if other is None else f"defined already, at {other.name_span}"
    owner = global_item("rule", found.owner, document.program) if found.owner else found.item
    if owner is None:
        return None
    for other_name in occurrences(owner, home_document(owner, document)):
        if other_name.name == name and (other_name.kind in LOCAL or other_name.kind == "letter"):
            what = "an axis letter" if AXIS_LETTER.fullmatch(name) and other_name.kind == "letter" else "a name"
            return f"{what} of the same item already, at {other_name.span}"
    return None
