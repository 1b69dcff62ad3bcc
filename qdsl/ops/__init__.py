"""What there is to know of operators: names and aliases, operands, attributes, results, axis letters.

Everything is read from data that `python -m qdsl.ops.generate` takes from TVM's registry, so that checking a rule file
needs no TVM.
"""

from qdsl.ops.algebra import COMMUTATIVE, COMPARISONS, NEGATION, SUGAR, result_count
from qdsl.ops.layouts import axes_of, axis_of, letters_of, operand_layout
from qdsl.ops.operator import Attribute, Operand, Operator
from qdsl.ops.suggest import Suggestion, aliases, suggest
from qdsl.ops.table import lookup, names

__all__ = [
    "COMMUTATIVE",
    "COMPARISONS",
    "NEGATION",
    "SUGAR",
    "Attribute",
    "Operand",
    "Operator",
    "Suggestion",
    "aliases",
    "axes_of",
    "axis_of",
    "letters_of",
    "lookup",
    "names",
    "operand_layout",
    "result_count",
    "suggest",
]
