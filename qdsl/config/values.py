"""Bring the forms in which people write lists and operator names to the one that QConfig keeps."""

from __future__ import annotations

from typing import Any


def as_tuple(value: Any) -> Any:
    """None, one value or a list as a tuple; anything else is left for the type check to refuse."""
    if value is None:
        return ()
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def as_operator_names(value: Any) -> Any:
    """Operator names without `relax.`, each one known to TVM; None and "none" stay None.

    Raises ValueError that names the nearest operator.
    """
    if value is None or value == "none":
        return None
    names = as_tuple(value)
    if not isinstance(names, tuple):
        return names
    return tuple(_known_operator(name) for name in names)


def _known_operator(name: Any) -> Any:
    if not isinstance(name, str):
        return name
    from qdsl.ops import lookup, suggest  # reads a table that most configurations do not need

    plain = name.removeprefix("relax.")
    if lookup(plain) is None:
        hint = str(suggest(plain)) or "`qdsl ops` lists them"
        raise ValueError(f"no Relax operator is called {name!r}; {hint}")
    return plain
