"""The engine: one sweep over a draft that rewrites every operator where it stands, until no form changes it.

A form gets a normalised call whose operands are canonical leaves, and answers with an expression to replace it by, or
None. Each form makes progress (fewer operators, a constant moved second, ...), so that rewriting its answer ends.
What a form makes belongs to the operator at hand, but for a call that carries the span of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import tvm
from tvm import ir, relax

from qdsl.errors import ModelError
from qdsl.load.canonical.constants import fold_call
from qdsl.load.draft import Binding, Draft, use_counts
from qdsl.load.operands import operator_name
from qdsl.load.origin import first_sentence, operator_of, operator_span


class Sweep:
    """What is known while the sweep goes: the new bindings, and what each variable is bound to."""

    def __init__(self, forms: Mapping[str, tuple[Form, ...]], draft: Draft) -> None:
        self.kernels = draft.kernels
        self._forms = forms
        self._draft = draft
        self._builder = relax.BlockBuilder()
        self._uses: Counter[relax.Var] = use_counts(draft)
        self._replaced: dict[relax.Var, relax.Expr] = {}
        self._definitions: dict[relax.Var, relax.Expr] = {}
        self._bindings: list[Binding] = []
        self._folded: dict[object, relax.Expr] = {}
        self._operators: dict[relax.Var, str] = {}
        self._operator = ""

    def run(self) -> Draft:
        draft = self._draft
        for binding in draft.bindings:
            self._operator = binding.operator
            result = self._emit_or_refuse(binding)
            self._replaced[binding.var] = result
            if isinstance(result, relax.Var):
                self._uses[result] = max(self._uses[result], self._uses[binding.var])
        outputs = tuple(self._replaced.get(output, output) for output in draft.outputs)
        return Draft(draft.inputs, tuple(self._bindings), outputs, draft.kernels, draft.single)

    def _emit_or_refuse(self, binding: Binding) -> relax.Expr:
        try:
            return self.emit(binding.value)
        except (tvm.error.InternalError, TypeError, ValueError) as error:
            raise ModelError(
                f"Relax refuses operator {self._operator} in the form that it was imported in: {first_sentence(error)}"
            ) from error

    def definition(self, expr: relax.Expr, name: str) -> relax.Call | None:
        """The call that computes `expr`, where that is a call of the Relax operator `name` ('nn.relu')."""
        value = self._definitions.get(expr) if isinstance(expr, relax.Var) else None
        return value if isinstance(value, relax.Call) and operator_name(value) == name else None

    def read_once(self, expr: relax.Expr) -> bool:
        """Whether one operand position reads `expr`; of a value that a form has made, true."""
        return self._uses[expr] <= 1

    def normalize(self, expr: relax.Expr) -> relax.Expr:
        """`expr` with its type inferred; its operands are leaves already."""
        return self._builder.normalize(expr)

    def span_of(self, var: relax.Expr) -> ir.Span:
        """The span that makes a call belong to the operator that `var` belongs to."""
        return operator_span(self._operators.get(var, self._operator))

    def emit(self, expr: relax.Expr) -> relax.Expr:
        """A leaf (or a tuple of leaves) that stands for the canonical form of `expr`."""
        if isinstance(expr, relax.Var):
            return self._replaced.get(expr, expr)
        if isinstance(expr, relax.Tuple):
            return relax.Tuple([self.emit(item) for item in expr.fields])
        if isinstance(expr, relax.TupleGetItem):
            return self._emit_item(expr)
        if isinstance(expr, relax.Call) and isinstance(expr.op, ir.Op):
            return self._emit_call(expr)
        return expr

    def _emit_item(self, expr: relax.TupleGetItem) -> relax.Expr:
        whole = self.emit(expr.tuple_value)
        if isinstance(whole, relax.Tuple):
            return whole.fields[expr.index]
        if self.definition(whole, "nn.dropout") is not None and expr.index == 0:
            return self._definitions[whole].args[0]
        return self._bind(relax.TupleGetItem(whole, expr.index))

    def _emit_call(self, expr: relax.Call) -> relax.Expr:
        arguments = [self.emit(argument) for argument in expr.args]
        call = self._builder.normalize(relax.Call(expr.op, arguments, expr.attrs, expr.ty_args))
        constant = fold_call(call, self._folded)
        if constant is not None:
            return constant
        at_hand = self._operator
        self._operator = operator_of(expr.span) or at_hand
        try:
            for form in self._forms.get(operator_name(call), ()):
                result = form(call, self)
                if result is not None:
                    return self.emit(result)
            return self._bind(call)
        finally:
            self._operator = at_hand

    def _bind(self, value: relax.Expr) -> relax.Expr:
        value = self._builder.normalize(value)
        var = relax.DataflowVar("v", value.ty)
        self._definitions[var] = value
        self._operators[var] = self._operator
        self._bindings.append(Binding(var, value, self._operator))
        return var


Form = Callable[[relax.Call, Sweep], relax.Expr | None]
