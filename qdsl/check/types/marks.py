"""Marks as types: what `annotate` says of every name, with like, share and derived scales resolved.

Free scales are symbols named after the value (`x.scale`), zero points likewise (`x.zero`). `like` and `share` unify:
the names of one group have one symbol. Nothing here knows of numbers or of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from qdsl.check.types.boundary import Boundary
from qdsl.check.types.findings import Findings
from qdsl.check.types.fixed import fixed_format
from qdsl.check.types.scales import ScaleReader
from qdsl.check.types.values import REAL, UNKNOWN, Many, Quantity, Real, Type, Unknown
from qdsl.formats.format import STORAGE_BITS, SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label

Target = tree.NameTarget | tree.SpreadTarget


@dataclass(frozen=True)
class Marked:
    """One name's mark."""

    target: Target
    mark: tree.Mark

    @property
    def spec(self) -> tree.Spec | None:
        return None if isinstance(self.mark, tree.Like) else self.mark.spec

    @property
    def declared_scale(self) -> tree.Expr | None:
        """The expression after `=`, if there is one."""
        if isinstance(self.mark, tree.Like):
            return self.mark.scale
        spec = self.mark.spec
        return spec.scale if isinstance(spec, tree.SchemeSpec) else None


class Marks:
    """The types that a rule's marks give its names."""

    def __init__(self, rule: tree.Rule, boundary: Boundary, schemes: dict[str, SchemeType], findings: Findings) -> None:
        self.boundary = boundary
        self.schemes = schemes
        self.findings = findings
        self.marked: dict[str, Marked] = {}
        self.sources = {m.source: m for m in rule.annotate if isinstance(m, tree.Like)}
        """Names that a `like` speaks of, which marks them too."""
        self._types: dict[str, Type] = {}
        self._open: list[str] = []
        for mark in rule.annotate:
            for target in mark.targets:
                self._enter(target, mark)

    def _enter(self, target: Target, mark: tree.Mark) -> None:
        first = self.marked.setdefault(target.id, Marked(target, mark))
        if first.target is target:
            return
        # Two marks of one name are Q0202; here only what they say of its scale.
        fixed = any(not isinstance(m, tree.Like) and isinstance(m.spec, tree.FixedSpec) for m in (first.mark, mark))
        if fixed:
            self.findings.add(
                "Q0312",
                f"{target.id} is marked twice, and one of the marks fixes its scale",
                target.span,
                "marked again here",
                others=[Label(first.target.span, "first marked here")],
                help="keep one of the two marks",
            )

    def forget(self, names: Iterable[str]) -> None:
        """Say nothing of some names: their marks have been found wrong."""
        self._types.update(dict.fromkeys(names, UNKNOWN))

    def is_marked(self, name: str) -> bool:
        """Whether a mark speaks of the name, as a target or as the source of a `like`."""
        return name in self.marked or name in self.sources

    def type_of(self, name: str) -> Type:
        """The type that a name has as a value of the realize clause."""
        if name not in self._types:
            self._types[name] = self._resolve(name)
        return self._types[name]

    def resolve_all(self) -> None:
        """Resolve every mark, so that each mistake in one is reported."""
        for name in (*self.marked, *self.sources):
            self.type_of(name)

    # ---- one name

    def _resolve(self, name: str) -> Type:
        if name in self._open:
            return self._cycle(name)
        self._open.append(name)
        try:
            marked = self.marked.get(name)
            if marked is None:
                return self._unmarked(name)
            if isinstance(marked.mark, tree.Like):
                return self._like(name, marked, marked.mark)
            return self._specified(name, marked, marked.mark.spec)
        finally:
            self._open.remove(name)

    def _unmarked(self, name: str) -> Type:
        if name not in self.sources or name in self.boundary.unsure:
            return UNKNOWN
        if name in self.boundary.operands:
            return self._as_it_stands(name)
        source = self.sources[name].source_span
        what = "a result" if name in self.boundary.results else "an inner value"
        if name not in self.boundary.made:
            return UNKNOWN
        self.findings.add(
            "Q0311",
            f"nobody gives {name} a scheme",
            source,
            f"{name} is {what} without a mark of its own",
            help=f"mark {name} first: {name} as <scheme>",
        )
        return UNKNOWN

    def _as_it_stands(self, name: str) -> Quantity | Many:
        scale = Scale.of(f"{name}.scale")
        return self._spread(name, Quantity(f"{name}.dtype", scale, f"{name}.zero", unit=self._unit(name)))

    def _like(self, name: str, marked: Marked, mark: tree.Like) -> Type:
        source = self.type_of(mark.source)
        element = source.element if isinstance(source, Many) else source
        if mark.scale is not None and not isinstance(element, Unknown):
            scale = self.scale_reader().read(mark.scale)
            element = UNKNOWN if scale is None or not isinstance(element, Quantity) else replace(element, scale=scale)
        if isinstance(element, Quantity):
            element = replace(element, unit=self._unit(name))
        return Many(element) if isinstance(marked.target, tree.SpreadTarget) else element

    def _specified(self, name: str, marked: Marked, spec: tree.Spec) -> Type:
        if isinstance(spec, tree.FloatSpec):
            return Many(REAL) if isinstance(marked.target, tree.SpreadTarget) else REAL
        if isinstance(spec, tree.FixedSpec):
            fixed = fixed_format(spec, self.findings)
            return UNKNOWN if fixed is None else self._spread(name, replace(fixed, unit=self._unit(name)))
        if isinstance(spec, tree.AnySpec):
            return self._any(name, marked)
        return self._scheme(name, marked, spec)

    def _any(self, name: str, marked: Marked) -> Type:
        made, shared = name in self.boundary.made, isinstance(marked.mark, tree.Share)
        if not made and not shared:
            return self._as_it_stands(name)
        members = marked.mark.targets if shared else (marked.target,)
        reason = "a result carries no format before this rule gives it one" if made else "each of them carries its own"
        self.findings.add(
            "Q0311",
            f"nobody gives {' and '.join(m.id for m in members)} a scheme",
            members[0].span,
            reason,
            help=f"name the scheme, or write `{name} like` the operand whose format it has",
        )
        return UNKNOWN

    def _scheme(self, name: str, marked: Marked, spec: tree.SchemeSpec) -> Type:
        scheme = self.schemes.get(spec.scheme)
        if scheme is None or scheme.dtype not in STORAGE_BITS:
            return UNKNOWN
        group = marked.mark.targets[0].id if isinstance(marked.mark, tree.Share) else name
        scale = Scale.of(f"{group}.scale") if spec.scale is None else self.scale_reader().read(spec.scale)
        if scale is None:
            return UNKNOWN
        zero = scheme.zero_for_symmetric if scheme.symmetric else f"{group}.zero"
        value = Quantity(scheme.dtype, scale, zero, spec.axis, (scheme.low, scheme.high), self._unit(name))
        return self._spread(name, value)

    def _spread(self, name: str, value: Quantity) -> Quantity | Many:
        marked = self.marked.get(name)
        node = marked.target if marked else None
        if not isinstance(node, tree.SpreadTarget) and name not in self._spread_names():
            return value
        shared = marked is not None and isinstance(marked.mark, tree.Share)
        return Many(value if shared or value.scale.symbols == () else replace(value, axis=f"{name}..."))

    def _spread_names(self) -> set[str]:
        places = self.boundary.places.items()
        return {n for n, found in places if any(isinstance(p.node, tree.Spread | tree.SpreadTarget) for p in found)}

    def _unit(self, name: str) -> Scale | None:
        return Scale.of(name) if name in self.boundary.operands else None

    # ---- scales and cycles

    def scale_reader(self, locals_: dict[str, tree.Expr] | None = None) -> ScaleReader:
        """A reader of scale expressions under these marks."""
        return ScaleReader(self.scale_of, locals_ or {}, self.findings)

    def scale_of(self, field: tree.Field) -> Scale | None:
        """The scale of `x.scale`, or None (reported where it is a mistake of this rule)."""
        if not isinstance(field.base, tree.Name):
            return None
        value = self.type_of(field.base.id)
        element = value.element if isinstance(value, Many) else value
        if isinstance(element, Quantity):
            return element.scale
        if isinstance(element, Real):
            self._no_scale(field, field.base.id)
        return None

    def _no_scale(self, field: tree.Field, name: str) -> None:
        mark = self.marked.get(name)
        self.findings.add(
            "Q0305",
            f"{name} is float32 and has no scale",
            field.span,
            others=[Label(mark.target.span, "marked float here")] if mark else [],
            help=f"mark {name} with a scheme, or leave {name}.{field.name} out",
        )

    def _cycle(self, name: str) -> Type:
        members = self._open[self._open.index(name) :]
        marked = self.marked[members[0]]
        self.findings.add(
            "Q0311",
            "nobody gives a scheme to " + (f"{name}" if len(members) == 1 else " and ".join(sorted(members))),
            marked.target.span,
            "its format is said to follow from itself" if len(members) == 1 else "each follows from the other",
            others=[Label(self.marked[m].target.span, "and so does this") for m in members[1:]],
            help=f"give one of them a scheme: {name} as <scheme>",
        )
        return UNKNOWN
