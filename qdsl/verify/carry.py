"""The formats that computed values carry before a rule reads them, as its marks allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qdsl.formats.format import Format, SchemeType
from qdsl.formats.scale import Scale
from qdsl.lang import tree
from qdsl.verify.choose import Chooser
from qdsl.verify.forms import Shape


@dataclass(frozen=True)
class Carried:
    """Answers, for every operand of a rule, in which formats it may come."""

    rule: tree.Rule
    schemes: Mapping[str, SchemeType]
    quantized: frozenset[str]
    """Names that the guard asks to carry an integer format."""

    def __call__(self, name: str, shape: Shape, chooser: Chooser) -> Format | None:
        """One of the formats; None for float."""
        options = self.options(name, shape)
        return chooser.pick(f"{name}.carried", options) if options else None

    def options(self, name: str, shape: Shape) -> list[Format | None]:
        """The formats, the usual one first."""
        spec = self._spec(name)
        if spec is None:
            return self._any(name, shape) if self._is_source(name) else [None]
        if isinstance(spec, tree.AnySpec):
            return self._any(name, shape)
        if not isinstance(spec, tree.SchemeSpec) or spec.scale is not None:
            return [None]
        scheme = self.schemes.get(spec.scheme)
        if scheme is None:
            return [None]
        if scheme.is_accumulator:
            return self._accumulators(name, shape)
        same = [] if scheme.per_channel else [_format(name, scheme, None)]
        options: list[Format | None] = [None, *same, *self._accumulators(name, shape)[-1:]]
        return [*options[1:], None] if name in self.quantized else options

    def _spec(self, name: str) -> tree.Spec | None:
        for mark in self.rule.annotate:
            if not isinstance(mark, tree.Like) and any(t.id == name for t in mark.targets):
                return mark.spec
        return None

    def _is_source(self, name: str) -> bool:
        return any(isinstance(m, tree.Like) and m.source == name for m in self.rule.annotate)

    def _any(self, name: str, shape: Shape) -> list[Format | None]:
        narrow = [s for s in self.schemes.values() if not s.is_accumulator and not s.per_channel]
        narrow.sort(key=lambda s: s.narrow)
        return [*(_format(name, s, None) for s in narrow), *self._accumulators(name, shape)]

    def _accumulators(self, name: str, shape: Shape) -> list[Format | None]:
        """int32 on one scale a channel, and on one scale."""
        found: list[Format | None] = []
        for scheme in self.schemes.values():
            if scheme.is_accumulator and scheme.per_channel:
                axes = [1, len(shape) - 1] if len(shape) > 2 else [len(shape) - 1] if shape else []
                found += [_format(name, scheme, axis) for axis in axes]
        found += [_format(name, s, None) for s in self.schemes.values() if s.is_accumulator and not s.per_channel]
        return found


def _format(name: str, scheme: SchemeType, axis: int | None) -> Format:
    symbol = f"{name}.{scheme.name}"
    zero = scheme.zero_for_symmetric if scheme.symmetric else symbol
    return Format(scheme, Scale.of(symbol), zero, axis)
