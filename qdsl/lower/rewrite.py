"""Walking over `main` binding by binding, writing a new one: the frame of qdsl's own passes over a module."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tvm import ir, relax
from tvm.ir import IRModule

from qdsl.lower.layout.calls import shape_of


class Rewriting:
    """A function under way: what each old variable has become, and the builder that new bindings go to."""

    def __init__(self, builder: relax.BlockBuilder, function: relax.Function) -> None:
        self.builder = builder
        self.definitions = {b.var: b.value for block in function.body.blocks for b in block.bindings}
        self.readers = _count_readers(function)
        self._new: dict[relax.Expr, relax.Expr] = {parameter: parameter for parameter in function.params}

    def new(self, operand: relax.Expr) -> relax.Expr:
        """What an old operand is now (constants, shapes and numbers are themselves)."""
        if isinstance(operand, relax.Tuple):
            return relax.Tuple([self.new(field) for field in operand.fields])
        return self._new.get(operand, operand)

    def is_bound(self, operand: relax.Expr) -> bool:
        """Whether an old variable has become something already."""
        return operand in self._new

    def bind(self, variable: relax.Var, value: relax.Expr) -> None:
        """Let the old `variable` be the new `value`, which is emitted unless it is bound already."""
        self._new[variable] = self.emit(value)

    def result(self, operand: relax.Expr) -> relax.Expr:
        """What an old result is now."""
        return self.new(operand)

    def attributes(self) -> dict[str, object]:
        """What to say of the function, once it is written."""
        return {}

    def emit(self, value: relax.Expr) -> relax.Expr:
        """A variable for a new expression."""
        return value if isinstance(value, relax.Var | ir.GenericConst) else self.builder.emit(value)

    def defined(self, operand: relax.Expr) -> relax.Expr:
        """The old expression that an old operand stands for: its definition, or itself."""
        while isinstance(operand, relax.Var) and operand in self.definitions:
            operand = self.definitions[operand]
        return operand

    def copied(self, value: relax.Expr) -> relax.Expr:
        """An old expression on new operands."""
        if isinstance(value, relax.Call):
            arguments = [self.new(argument) for argument in value.args]
            return relax.Call(value.op, arguments, attrs=value.attrs, ty_args=value.ty_args, span=value.span)
        if isinstance(value, relax.TupleGetItem):
            return relax.TupleGetItem(self.new(value.tuple_value), value.index)
        return self.new(value)


Frame = TypeVar("Frame", bound=Rewriting)


def rewrite_main(
    module: IRModule,
    step: Callable[[relax.Var, relax.Expr, Frame], bool],
    frame: type[Frame],
) -> IRModule:
    """`module` with `main` rewritten and dead code gone; unchanged where main is missing or not straight.

    `step` binds one old variable anew and says whether it did; where not, the binding is copied.
    """
    variable = next((v for v, _ in module.functions_items() if v.name_hint == "main"), None)
    if variable is None or not is_straight(module[variable]):
        return module
    function = module[variable]
    rest = {v: f for v, f in module.functions_items() if v.name_hint != "main"}
    builder = relax.BlockBuilder(IRModule(rest, attrs=module.attrs))
    with builder.function("main", function.params, dict(function.attrs or {})):
        with builder.dataflow():
            rewriting = frame(builder, function)
            for block in function.body.blocks:
                for binding in block.bindings:
                    if not step(binding.var, binding.value, rewriting):
                        rewriting.bind(binding.var, rewriting.copied(binding.value))
            result = _outputs(rewriting, function.body.body)
        builder.emit_func_output(result)
    made = relax.transform.DeadCodeElimination()(builder.get())
    if attributes := rewriting.attributes():
        made["main"] = made["main"].with_attrs(attributes)
    return made


def is_straight(function: relax.Function) -> bool:
    """Whether every binding is a plain one of fixed shape in a dataflow block, so that it may be rewritten."""
    return isinstance(function, relax.Function) and all(
        isinstance(block, relax.DataflowBlock)
        and all(isinstance(binding, relax.VarBinding) and _plain(binding.value) for binding in block.bindings)
        for block in function.body.blocks
    )


def _plain(value: relax.Expr) -> bool:
    if isinstance(value.ty, relax.TensorType):
        return shape_of(value) is not None
    return not isinstance(value, relax.If)


def _outputs(rewriting: Rewriting, result: relax.Expr) -> relax.Expr:
    if isinstance(result, relax.Tuple):
        return relax.Tuple([_outputs(rewriting, field) for field in result.fields])
    if isinstance(result, relax.Var):
        return rewriting.builder.emit_output(rewriting.result(result), result.name)
    return result


def _count_readers(function: relax.Function) -> dict[relax.Expr, int]:
    counts: dict[relax.Expr, int] = {}

    def read(value: relax.Expr) -> None:
        if isinstance(value, relax.Var):
            counts[value] = counts.get(value, 0) + 1
        elif isinstance(value, relax.Tuple):
            for field in value.fields:
                read(field)
        elif isinstance(value, relax.Call):
            for argument in value.args:
                read(argument)
        elif isinstance(value, relax.TupleGetItem):
            read(value.tuple_value)

    for block in function.body.blocks:
        for binding in block.bindings:
            read(binding.value)
    read(function.body.body)
    return counts
