"""A rule's annotate clause applied to one match: formats for what it reads and what it makes, or the reason why not.

Each mark is a step of type inference. `x as act` asks for a format and an edge converts where x carries another; `x
as acc` and `x as any` only accept what x carries already; `y like x` copies; `share` makes several scales one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tvm import relax

from qdsl.formats.format import Format, SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang import tree
from qdsl.lang.source import Span
from qdsl.lang.unparse import unparse
from qdsl.match.facts import axis_of_letter
from qdsl.match.found import Match
from qdsl.match.graph import dtype_of, is_constant, shape_of
from qdsl.passes.fits import can_share, satisfies, trace_axis
from qdsl.passes.naming import Names
from qdsl.passes.plan import Firing, Read, Symbols
from qdsl.passes.scales import Refused, Scales


@dataclass
class Marker:
    """Applies the marks of one rule to one match. Nothing outside changes until `commit`."""

    match: Match
    rule: tree.Rule
    formats: Mapping[relax.Var, Format]
    symbols: Symbols
    schemes: Mapping[str, SchemeType]
    names: Names
    objection: Callable[[Mapping[str, tuple[Read, ...]]], str | None] = lambda reads: None
    """Asked at last whether something speaks against reading the values so."""

    def __post_init__(self) -> None:
        self.reads: dict[str, tuple[Read, ...]] = {}
        self.results: dict[str, tuple[Format | None, ...]] = {}
        self.joins: list[tuple[str, str]] = []
        self.made: list[tuple[str, SchemeType, str]] = []
        self.scales = Scales(self.match, self.format_of, self._scheme_of)

    def apply(self) -> Firing:
        """The firing that the marks give. Raises Refused."""
        for mark in self.rule.annotate:
            try:
                self._apply(mark)
            except Refused as refused:
                refused.mark = mark
                raise
        reason = self.objection(self.reads)
        if reason is not None:
            raise Refused(reason, self.rule.name_span)
        self._commit()
        return Firing(self.match, self.rule, self.reads, self.results)

    def _apply(self, mark: tree.Mark) -> None:
        for target in mark.targets:
            self._check_dtype(target)
        if isinstance(mark, tree.MarkAs):
            for target in mark.targets:
                self._mark(target, mark.spec)
        elif isinstance(mark, tree.Share):
            self._share(mark)
        else:
            for target in mark.targets:
                self._like(target, mark)

    def _commit(self) -> None:
        for name, scheme, kind in self.made:
            self.symbols.make(name, scheme, kind)
        for a, b in self.joins:
            self.symbols.join(a, b)

    # ---- what a name carries

    def format_of(self, name: str) -> Format | None:
        """The format in which the rule sees a name: as marked so far, else as the value stands."""
        known = self.reads.get(name)
        if known:
            return known[0].format
        if name in self.results:
            return self.results[name][0]
        value = self.match.values(name)[0]
        return self.carried(value)

    def carried(self, value: relax.Expr) -> Format | None:
        """The format that a value carries in the graph, or None for float."""
        found = self.formats.get(value) if isinstance(value, relax.Var) else None
        return None if found is None else self.symbols.resolve(found)

    def is_result(self, name: str) -> bool:
        return name in self.match.results

    def _check_dtype(self, target: tree.NameTarget | tree.SpreadTarget) -> None:
        for value in self.match.values(target.id):
            dtype = dtype_of(value)
            if dtype is not None and dtype != "float32":
                raise Refused(f"{target.id} is {dtype}; only float32 values are quantized", target.span)

    # ---- marks

    def _mark(self, target: tree.NameTarget | tree.SpreadTarget, spec: tree.Spec) -> None:
        name = target.id
        if self.is_result(name):
            self.results[name] = tuple(self._result_format(name, v, spec) for v in self.match.values(name))
            return
        self.reads[name] = tuple(self._read(name, v, spec, target.span) for v in self.match.values(name))

    def _read(self, name: str, value: relax.Expr, spec: tree.Spec, place: Span) -> Read:
        carried = self.carried(value)
        if isinstance(spec, tree.FloatSpec):
            return Read(value, None, False)
        if isinstance(spec, tree.AnySpec):
            if carried is None:
                raise Refused(
                    f"{name} is float here, and the rule reads it in whatever integer format it carries", place
                )
            return Read(value, carried, False)
        if isinstance(spec, tree.FixedSpec):
            return Read(value, self._fixed(spec), True)
        scheme = self._scheme(spec)
        if spec.scale is not None:
            return self._read_derived(name, value, scheme, spec, carried)
        if scheme.is_accumulator:
            if carried is None or carried.dtype != "int32":
                found = "float" if carried is None else carried.dtype
                raise Refused(f"{name} is {found} here, and the rule reads an int32 accumulator", place)
            return Read(value, carried, False)
        if carried is not None and satisfies(carried, scheme):
            return Read(value, carried, False)
        axis = self._letter_axis(name, spec) if scheme.per_channel else None
        return Read(value, self._free(value, name, scheme, axis), True)

    def _read_derived(
        self, name: str, value: relax.Expr, scheme: SchemeType, spec: tree.SchemeSpec, carried: Format | None
    ) -> Read:
        assert spec.scale is not None
        scale = self.scales.scale(spec.scale)
        reference = self.scales.axis(spec.scale)
        axis = None
        if reference is not None:
            axis = reference - (self._result_rank() - len(shape_of(value) or ()))
        self._check_powers(name, scheme, scale, spec.span)
        wanted = Format(scheme, scale, 0, axis if axis is None or axis >= 0 else None)
        if reference is not None and wanted.axis is None:
            wanted = replace(wanted, axis=reference)
        if carried is not None and carried.dtype == scheme.dtype and carried.scale.agrees(scale):
            return Read(value, carried, False)
        if carried is None and not is_constant(value):
            raise Refused(f"{name} is float and computed; only a constant is read on a derived scale", spec.span)
        return Read(value, wanted, True)

    def _result_format(self, name: str, value: relax.Expr, spec: tree.Spec) -> Format | None:
        if isinstance(spec, tree.FloatSpec):
            return None
        if isinstance(spec, tree.FixedSpec):
            return self._fixed(spec)
        if isinstance(spec, tree.AnySpec):
            raise Refused(f"{name} is made here, so it cannot be `any`", spec.span)
        scheme = self._scheme(spec)
        if spec.scale is not None:
            scale = self.scales.scale(spec.scale)
            axis = axis_of_letter(self.match, name, spec.axis) if spec.axis else self.scales.axis(spec.scale)
            if spec.axis and axis is None:
                raise Refused(f"the layout of {name} has no axis {spec.axis}", spec.span)
            if self.scales.is_per_tensor(scale):
                axis = None
            self._check_powers(name, scheme, scale, spec.span)
            return Format(scheme, scale, 0, axis)
        kind = "wide" if scheme.is_accumulator else "activation"
        symbol = self._make(f"{self.names.of(value)}.{scheme.name}", scheme, kind)
        return Format(scheme, Scale.of(symbol), self._zero(symbol, scheme))

    def _like(self, target: tree.NameTarget | tree.SpreadTarget, mark: tree.Like) -> None:
        source = self.format_of(mark.source)
        if source is None:
            raise Refused(f"{mark.source} is float here, so there is nothing for {target.id} to be like", mark.span)
        if mark.source not in self.reads and not self.is_result(mark.source):
            values = self.match.values(mark.source)
            self.reads[mark.source] = tuple(Read(v, self.carried(v), False) for v in values)
        if mark.scale is not None:
            scale = self.scales.scale(mark.scale)
            if scale.coefficient <= 0:
                raise Refused(f"the factor of a scale has to be positive, and {unparse(mark.scale)} is not", mark.span)
            self._check_powers(target.id, source.scheme, scale, mark.span)
            source = source.with_scale(scale)
        source = self._follow_axis(target.id, mark.source, source, mark.span)
        if self.is_result(target.id):
            self.results[target.id] = tuple(source for _ in self.match.values(target.id))
            return
        reads = []
        for value in self.match.values(target.id):
            carried = self.carried(value)
            agrees = carried is not None and carried.dtype == source.dtype and carried.scale.agrees(source.scale)
            reads.append(Read(value, carried if agrees else source, not agrees))
        self.reads[target.id] = tuple(reads)

    def _follow_axis(self, name: str, source: str, format: Format, place: Span) -> Format:
        """A per-channel format after a move: the channel axis has to be where it was, or to be traced."""
        if format.axis is None:
            return format
        before = shape_of(self.match.values(source)[0])
        after = shape_of(self.match.values(name)[0])
        if before == after and self.match.compiled.root.op != "permute_dims":
            return format
        axis = trace_axis(self.match, format.axis, before, after)
        if axis is None:
            raise Refused(f"{name} does not keep the axis that the scale of {source} lies along", place)
        return replace(format, axis=axis)

    def _share(self, mark: tree.Share) -> None:
        if not isinstance(mark.spec, tree.SchemeSpec):
            raise Refused("share needs a scheme", mark.span)
        scheme = self._scheme(mark.spec)
        first = self.match.values(self.match.results[0])[0]
        group = self._make(f"{self.names.of(first)}.{scheme.name}", scheme, "activation")
        shared = Format(scheme, Scale.of(group), self._zero(group, scheme))
        for target in mark.targets:
            if self.is_result(target.id):
                self.results[target.id] = tuple(shared for _ in self.match.values(target.id))
                continue
            reads = []
            for value in self.match.values(target.id):
                carried = self.carried(value)
                if carried is not None and can_share(carried, scheme) and self.symbols.is_free(carried):
                    self.joins.append((carried.scale.symbols[0], group))
                    reads.append(Read(value, carried, False))
                else:
                    reads.append(Read(value, shared, True))
            self.reads[target.id] = tuple(reads)

    # ---- schemes, axes and scales

    def _scheme(self, spec: tree.SchemeSpec) -> SchemeType:
        return self.schemes[spec.scheme]

    def _scheme_of(self, symbol: str) -> SchemeType | None:
        pending = {name: scheme for name, scheme, _ in self.made}
        return pending.get(symbol) or self.symbols.scheme.get(symbol)

    def _make(self, name: str, scheme: SchemeType, kind: str) -> str:
        self.made.append((name, scheme, kind))
        return name

    def _zero(self, symbol: str, scheme: SchemeType) -> str | int:
        return scheme.zero_for_symmetric if scheme.symmetric else symbol

    def _free(self, value: relax.Expr, name: str, scheme: SchemeType, axis: int | None) -> Format:
        owner = self.names.of(value) if isinstance(value, relax.Var) else self.names.constant(value, self.match, name)
        along = "" if axis is None else f"[{axis}]"
        kind = "weight" if is_constant(value) else "activation"
        symbol = self._make(f"{owner}.{scheme.name}{along}", scheme, kind)
        return Format(scheme, Scale.of(symbol), self._zero(symbol, scheme), axis)

    def _letter_axis(self, name: str, spec: tree.SchemeSpec) -> int:
        axis = axis_of_letter(self.match, name, spec.axis) if spec.axis else None
        if axis is None:
            raise Refused(f"{name} has no axis {spec.axis} in its layout here", spec.span)
        return axis

    def _fixed(self, spec: tree.FixedSpec) -> Format:
        values = {k.name: k.value for k in spec.args}
        scale, zero = self.scales.scale(values["scale"]), 0
        if "zero" in values:
            zero = int(self.scales.factor(values["zero"]))
        named = values.get("dtype")
        dtype = named.name if isinstance(named, tree.DType) else "uint8"
        symmetric = zero == 0 and dtype.startswith("int")
        return Format(SchemeType("fixed", dtype, symmetric, False, pow2=scale.is_power_of_two), scale, zero)

    def _check_powers(self, name: str, scheme: SchemeType, scale: Scale, place: Span) -> None:
        if scheme.pow2 and not self.scales.is_power_of_two(scale):
            raise Refused(f"{name} would be on a scale that is no power of two, and {scheme.name} has no other", place)

    def _result_rank(self) -> int:
        return len(shape_of(self.match.values(self.match.results[0])[0]) or ())
