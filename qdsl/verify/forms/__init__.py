"""Small shapes and attributes for operators, so that a rule's own pattern can be made into graphs."""

from qdsl.verify.forms import convolution, elementwise, moves, norms, pools
from qdsl.verify.forms.ask import Ask, Form, Hint, Plan, Shape, Shapes
from qdsl.verify.forms.elementwise import POINTWISE

FORMS: dict[str, Form] = {
    **convolution.FORMS,
    **elementwise.FORMS,
    **norms.FORMS,
    **pools.FORMS,
    **moves.FORMS,
}
"""By operator."""

__all__ = ["FORMS", "POINTWISE", "Ask", "Form", "Hint", "Plan", "Shape", "Shapes"]
