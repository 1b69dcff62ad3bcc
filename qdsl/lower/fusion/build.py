"""The pass that writes groups into a module: each becomes a private function, which FuseTIR makes one PrimFunc."""

from __future__ import annotations

import tvm
from tvm import ir, relax
from tvm.ir import IRModule
from tvm.ir.transform import PassContext

from qdsl.lower.fusion.groups import Group, find_groups
from qdsl.lower.fusion.nodes import Node, read_nodes
from qdsl.lower.rewrite import is_straight


@tvm.transform.module_pass(opt_level=0, name="qdsl.FuseGroups")
class FuseGroups:
    """A pass over `main`, whose calls are of PrimFuncs with op_pattern attributes. The given module is left alone."""

    def transform_module(self, module: IRModule, _: PassContext) -> IRModule:
        variable = next((v for v, _ in module.functions_items() if v.name_hint == "main"), None)
        if variable is None or not is_straight(module[variable]):
            return relax.transform.FuseOps()(module)
        return _Writer(module, module[variable]).write()


class _Writer:
    def __init__(self, module: IRModule, function: relax.Function) -> None:
        rest = {v: f for v, f in module.functions_items() if v.name_hint != "main"}
        self.builder = relax.BlockBuilder(IRModule(rest, attrs=module.attrs))
        self.function = function
        self.nodes = read_nodes(module, function)
        self.groups = {group.result.index: group for group in find_groups(self.nodes)}
        self.new: dict[relax.Expr, relax.Expr] = {parameter: parameter for parameter in function.params}

    def write(self) -> IRModule:
        functions = {index: self._function(group) for index, group in self.groups.items() if len(group.nodes) > 1}
        with self.builder.function("main", self.function.params, dict(self.function.attrs or {})):
            with self.builder.dataflow():
                for node in self.nodes:
                    self._bind(node, functions)
                result = self._outputs(self.function.body.body)
            self.builder.emit_func_output(result)
        return self.builder.get()

    def _bind(self, node: Node, functions: dict[int, tuple[ir.GlobalVar, list[relax.Expr]]]) -> None:
        if node.index in functions:
            function, operands = functions[node.index]
            made = relax.Call(function, [self._renewed(operand) for operand in operands])
            self.new[node.variable] = self.builder.emit(made)
        elif node.index in self.groups or node.kind == node.kind.OPAQUE:
            self.new[node.variable] = self.builder.emit(self._renewed(node.value))

    def _renewed(self, value: relax.Expr) -> relax.Expr:
        return _replaced(value, self.new)

    def _function(self, group: Group) -> tuple[ir.GlobalVar, list[relax.Expr]]:
        """The private function of a group, and the old expressions that it is called on."""
        members = sorted(group.nodes, key=lambda node: node.index)
        inside = {node.variable for node in members}
        outside: dict[relax.Expr, relax.Var] = {}
        operands: list[relax.Expr] = []

        def parameter(value: relax.Expr) -> relax.Expr:
            if value in inside or value in outside or not isinstance(value, relax.Var | ir.GenericConst):
                return value
            outside[value] = relax.Var(f"p{len(operands)}", value.ty)
            operands.append(value)
            return value

        for node in members:
            for value in node.value.args[1].fields:
                parameter(value)
        new: dict[relax.Expr, relax.Expr] = dict(outside)
        bindings = []
        for node in members:
            last = node is members[-1]
            variable = (relax.Var if last else relax.DataflowVar)(node.variable.name, node.variable.ty)
            bindings.append(relax.VarBinding(variable, _replaced(node.value, new)))
            new[node.variable] = variable
        body = relax.SeqExpr([relax.DataflowBlock(bindings)], bindings[-1].var)
        function = relax.Function(list(outside.values()), body, members[-1].variable.ty, attrs=_PRIMITIVE)
        name = "_".join(["fused", *(_kernel(node) for node in members)])
        return self.builder.add_func(function, name[:120]), operands

    def _outputs(self, result: relax.Expr) -> relax.Expr:
        if isinstance(result, relax.Tuple):
            return relax.Tuple([self._outputs(field) for field in result.fields])
        if isinstance(result, relax.Var):
            return self.builder.emit_output(self.new.get(result, result), result.name)
        return result


_PRIMITIVE = ir.make_node("ir.DictAttrs", Primitive=True)


def _kernel(node: Node) -> str:
    return str(node.value.args[0].name_hint)


def _replaced(value: relax.Expr, new: dict[relax.Expr, relax.Expr]) -> relax.Expr:
    """An expression with its variables and constants replaced; calls one level deep, tuples all the way."""
    if value in new:
        return new[value]
    if isinstance(value, relax.Tuple):
        return relax.Tuple([_replaced(field, new) for field in value.fields])
    if isinstance(value, relax.Call):
        arguments = [_replaced(argument, new) for argument in value.args]
        return relax.Call(value.op, arguments, attrs=value.attrs, ty_args=value.ty_args, span=value.span)
    if isinstance(value, relax.TupleGetItem):
        return relax.TupleGetItem(_replaced(value.tuple_value, new), value.index)
    return value
