"""Inner values of a module, all in one run: what calibration reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from tvm import relax
from tvm.ir import IRModule

from qdsl.errors import BuildError
from qdsl.lower.compile import compile_viewed
from qdsl.lower.executable import Executable


class Evaluator:
    """`main` compiled so that it gives the listed values in place of its own results.

    What none of them needs is not computed. Memory is that of one run: the activations of one sample.
    """

    def __init__(
        self,
        module: IRModule,
        values: Sequence[relax.Var | str],
        *,
        target: object = None,
        threads: int | None = None,
        input_names: Sequence[str] | None = None,
    ) -> None:
        """values: variables of `main` (bindings or parameters), or their names. Asked for twice is given once.

        Raises BuildError when a value is not in `main`, two values share a name, or the module cannot be compiled.
        """
        chosen = _choose(module["main"], values)
        self.names = tuple(chosen)
        self.executable: Executable = compile_viewed(
            with_results(module, chosen),
            target=target,
            threads=threads,
            input_names=input_names,
            output_names=self.names,
            views=True,
        )

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The values of one sample by name; images may be views of channels-last memory.

        Raises DataError for inputs that do not fit.
        """
        return self.executable.run(inputs)


def with_results(module: IRModule, values: Mapping[str, relax.Var]) -> IRModule:
    """`module` with `main` giving the tuple of `values` (its own variables, by new name) and computing only them."""
    main = module["main"]
    outlets = [relax.Var(name, variable.ty) for name, variable in values.items()]
    ending = [relax.VarBinding(outlet, value) for outlet, value in zip(outlets, values.values(), strict=True)]
    bindings = [binding for block in main.body.blocks for binding in block.bindings]
    body = relax.SeqExpr([relax.DataflowBlock([*bindings, *ending])], relax.Tuple(outlets))
    function = relax.Function(main.params, body, relax.TupleType([outlet.ty for outlet in outlets]))
    function = function.with_attr("global_symbol", "main")
    functions = {variable: f for variable, f in module.functions_items() if variable.name_hint != "main"}
    changed = IRModule({**functions, main_variable(module): function}, attrs=module.attrs)
    return relax.transform.DeadCodeElimination(["main"])(relax.transform.Normalize()(changed))


def main_variable(module: IRModule) -> object:
    """The global variable of `main`."""
    return next(variable for variable, _ in module.functions_items() if variable.name_hint == "main")


def _choose(main: relax.Function, values: Sequence[relax.Var | str]) -> dict[str, relax.Var]:
    known: dict[str, list[relax.Var]] = {}
    for variable in [*main.params, *(b.var for block in main.body.blocks for b in block.bindings)]:
        known.setdefault(variable.name, []).append(variable)
    chosen: dict[str, relax.Var] = {}
    for value in values:
        name = value if isinstance(value, str) else value.name
        found = known.get(name, [])
        if not isinstance(value, str):
            found = [variable for variable in found if variable.same_as(value)]
        if len(found) != 1:
            problem = f"{len(found)} values are" if found else "no value is"
            raise BuildError(f"{problem} named {name!r} in 'main'.")
        if not chosen.setdefault(name, found[0]).same_as(found[0]):
            raise BuildError(f"two values named {name!r} are asked for; give them different names.")
    if not chosen:
        raise BuildError("no values were asked for.")
    return chosen
