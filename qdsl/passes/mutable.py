"""A dataflow graph that folds rewrite in place: variables keep their names and readers, values change, the dead go at
once."""

from __future__ import annotations

from dataclasses import dataclass, field

from tvm import relax

from qdsl.match.graph import Graph, Reader, flat_operands
from qdsl.passes.rebuild import fresh_name, with_operands


@dataclass(init=True)
class MutableGraph(Graph):
    """A Graph whose values can be replaced. Use counts are those of the rewritten graph at every moment."""

    original: Graph
    before: dict[relax.Var, list[relax.Var]] = field(default_factory=dict)
    """New variables to be bound just before an old one."""

    def __post_init__(self) -> None:
        self.function = self.original.function
        self.bindings = self.original.bindings
        self.value_of = dict(self.original.value_of)
        self.order = dict(self.original.order)
        self.readers = {var: list(readers) for var, readers in self.original.readers.items()}
        self.builder = relax.BlockBuilder()
        self.inserted_at: dict[relax.Var, relax.Var] = {}
        self.hints: dict[relax.Var, str] = {}
        self.taken = {str(v.name) for v in self.order} | {str(p.name) for p in self.function.params}

    def var2val_at(self, root: relax.Var, depth: int) -> dict[relax.Var, relax.Expr]:
        """The definitions within `depth` operators of a root: all that a pattern of that depth can look at."""
        seen: dict[relax.Var, relax.Expr] = {}
        frontier = [root]
        for _ in range(2 * depth + 2):
            below: list[relax.Var] = []
            for var in frontier:
                value = self.value_of.get(var)
                if value is None or var in seen:
                    continue
                seen[var] = value
                below += [o for o in flat_operands(value) if isinstance(o, relax.Var)]
            frontier = below
        return seen

    def insert(self, value: relax.Expr, root: relax.Var, hint: str) -> relax.Var:
        """Binds a new variable just before `root`."""
        normal = self.builder.normalize(value)
        var = relax.DataflowVar(fresh_name(hint, self.taken), normal.ty)
        self.hints[var] = hint
        self.before.setdefault(root, []).append(var)
        self.inserted_at[var] = root
        self.order[var] = self.order[root]
        self._bind(var, normal)
        return var

    def replace(self, var: relax.Var, value: relax.Expr) -> None:
        """Gives a variable another value, or where that is a variable or a constant, to all its readers."""
        old = self.value_of[var]
        if isinstance(value, relax.Var) and not self.is_output(var):
            self._redirect(var, value)
        else:
            self._unread(var, old)
            self._bind(var, value if isinstance(value, relax.Var) else self.builder.normalize(value))
            return
        self._drop(var)

    def absorb(self, var: relax.Var, made: relax.Var) -> None:
        """Makes `var` the name of what the freshly inserted `made` computes."""
        value = self.value_of.pop(made)
        self.before[self.inserted_at.pop(made)].remove(made)
        self._unread(made, value)
        self.replace(var, value)

    def drop_dead_below(self, values: list[relax.Var]) -> None:
        """Removes operators that nothing reads any more, and what only they read."""
        stack = list(values)
        while stack:
            var = stack.pop()
            if var in self.value_of and not self.readers.get(var):
                operands = [o for o in flat_operands(self.value_of[var]) if isinstance(o, relax.Var)]
                self._drop(var)
                stack += operands

    def names(self) -> dict[relax.Var, str]:
        """What each variable is to be called: new ones take the name of the one they stand for, once that is gone."""
        old = {var: str(var.name) for var in self.value_of if var not in self.hints}
        taken = set(old.values())
        new = {v: h if h not in taken else str(v.name) for v, h in self.hints.items() if v in self.value_of}
        return {**old, **new}

    def sequence(self) -> list[relax.Var]:
        """All bound variables in an order in which they can be computed."""
        ordered: list[relax.Var] = []

        def visit(var: relax.Var) -> None:
            for inserted in self.before.get(var, ()):
                visit(inserted)
            if var in self.value_of:
                ordered.append(var)

        for binding in self.bindings:
            visit(binding.var)
        return ordered

    def _bind(self, var: relax.Var, value: relax.Expr) -> None:
        self.value_of[var] = value
        for position, operand in enumerate(flat_operands(value)):
            if isinstance(operand, relax.Var):
                self.readers.setdefault(operand, []).append(Reader(var, position))

    def _unread(self, var: relax.Var, value: relax.Expr) -> None:
        for operand in flat_operands(value):
            if isinstance(operand, relax.Var) and operand in self.readers:
                self.readers[operand] = [r for r in self.readers[operand] if r.var is None or r.var != var]

    def _drop(self, var: relax.Var) -> None:
        value = self.value_of.pop(var, None)
        if value is not None:
            self._unread(var, value)

    def _redirect(self, var: relax.Var, to: relax.Expr) -> None:
        for reader in {r.var for r in self.readers.pop(var, []) if r.var is not None}:
            old = self.value_of[reader]
            new = with_operands(
                old, lambda operand, _: to if isinstance(operand, relax.Var) and operand == var else operand
            )
            self._unread(reader, old)
            self._bind(reader, self.builder.normalize(new))
