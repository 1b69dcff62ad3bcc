"""Literals of a rule file: their values, and whether an attribute of some type accepts them."""

from __future__ import annotations

import re

from qdsl.lang import tree

_DTYPE = re.compile(r"(u?int(1|2|4|8|16|32|64)|float(16|32|64|8_\w+)|bfloat16|bool)")

WORDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "a string",
    "dtype": "a dtype such as int32",
    "ints": "a list of whole numbers",
    "floats": "a list of numbers",
    "int or ints": "a whole number or a list of them",
    "float or floats": "a number or a list of them",
}
"""Attribute types as messages call them."""


def is_literal(expr: tree.Node) -> bool:
    """Whether an expression is written out: a number, string, dtype, or a list of such."""
    if isinstance(expr, tree.List):
        return all(is_literal(e) for e in expr.elements)
    if isinstance(expr, tree.Unary):
        return expr.op == "-" and isinstance(expr.operand, tree.Number)
    return isinstance(expr, tree.Number | tree.String | tree.DType)


def value_of(expr: tree.Node) -> object:
    """The value of a literal, lists as tuples. Raises TypeError for anything else."""
    if isinstance(expr, tree.Number | tree.String):
        return expr.value
    if isinstance(expr, tree.DType):
        return expr.name
    if isinstance(expr, tree.Unary) and isinstance(expr.operand, tree.Number):
        return -expr.operand.value
    if isinstance(expr, tree.List):
        return tuple(value_of(e) for e in expr.elements)
    raise TypeError(f"{type(expr).__name__} is no literal")


def accepts(type_: str, expr: tree.Node) -> bool:
    """Whether an attribute of a type takes what is written; expressions that are no literals are taken on trust."""
    if type_ == "object":
        return True
    if " or " in type_:
        return any(accepts(t, expr) for t in type_.split(" or "))
    if isinstance(expr, tree.List):
        element = {"ints": "int", "floats": "float"}.get(type_)
        return element is not None and all(accepts(element, e) for e in expr.elements)
    if isinstance(expr, tree.String):
        return type_ == "str" or (type_ == "dtype" and _DTYPE.fullmatch(expr.value) is not None)
    if isinstance(expr, tree.DType):
        return type_ == "dtype"
    if isinstance(expr, tree.Compare | tree.Logic) or (isinstance(expr, tree.Unary) and expr.op == "not"):
        return type_ == "bool"
    if not is_literal(expr):
        return True
    value = value_of(expr)
    if isinstance(value, bool):
        return type_ == "bool"
    if isinstance(value, int):
        return type_ in ("int", "float") or (type_ == "bool" and value in (0, 1))
    return type_ == "float"


def accepts_type(wanted: str, given: str) -> bool:
    """Whether an attribute of one type takes the value of an attribute of another."""
    if "object" in (wanted, given):
        return True
    options = set(wanted.split(" or "))
    parts = set(given.split(" or "))
    return bool(options & parts) or ("float" in options and "int" in parts) or ("floats" in options and "ints" in parts)
