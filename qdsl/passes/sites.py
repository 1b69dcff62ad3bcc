"""What calibrate finds in an annotated module: every place where a format was put, read back from the operators'
labels."""

from __future__ import annotations

from dataclasses import dataclass

from tvm import relax

from qdsl import dialect
from qdsl.formats.format import STORAGE_BITS, Format, SchemeType
from qdsl.formats.scale import Scale
from qdsl.match.graph import Graph, is_constant


@dataclass(frozen=True)
class Site:
    """One `simulated_quantize` or `annotated` that carries a format."""

    var: relax.Var
    call: relax.Call
    is_edge: bool
    """A coercion (simulated_quantize), not a result (annotated)."""
    format: Format
    value: relax.Expr
    """What is rounded: the operand's value seen through our own operators, or a constant."""
    read: tuple[relax.Var, ...]
    """For a result: the values that its rule reads in integers, seen through our own operators."""

    @property
    def symbol(self) -> str | None:
        """The free scale that this site gives numbers for, or None where its scale follows from others."""
        powers = self.format.scale.powers
        free = len(powers) == 1 and powers[0][1] == 1 and self.format.scale.coefficient == 1.0
        return powers[0][0] if free else None


def find_sites(graph: Graph) -> list[Site]:
    """All sites of an annotated function, in program order."""
    sites: list[Site] = []
    for binding in graph.bindings:
        call = binding.value
        if not dialect.is_call(call, "simulated_quantize", "annotated"):
            continue
        attrs = dialect.attributes(call)
        if "on_scale" not in attrs:
            continue
        is_edge = dialect.is_call(call, "simulated_quantize")
        read = () if is_edge else _integers_read(graph, call, attrs)
        value = underneath(graph, call.args[0])
        sites.append(Site(binding.var, call, is_edge, format_of(attrs), value, read))
    return sites


def format_of(attrs: dict[str, object]) -> Format:
    """The format that a site's labels say."""
    dtype, bits, zero = str(attrs["dtype"]), int(attrs["bits"]), str(attrs["on_zero"])  # type: ignore[call-overload]
    known_zero = zero.lstrip("-").isdigit()
    axis = attrs.get("axis")
    low = int(attrs["low"])  # type: ignore[call-overload]
    scheme = SchemeType(
        name=str(attrs["scheme"]),
        dtype=dtype,
        symmetric=known_zero,
        per_channel=axis is not None,
        narrow=dtype.startswith("int") and dtype != "int32" and low > -(2 ** (bits - 1)),
        bits=bits if bits != STORAGE_BITS[dtype] else None,
        pow2=bool(attrs.get("pow2", False)),
    )
    where = None if axis is None else int(axis)  # type: ignore[call-overload]
    return Format(scheme, Scale.parse(str(attrs["on_scale"])), int(zero) if known_zero else zero, where)


def _integers_read(graph: Graph, call: relax.Call, attrs: dict[str, object]) -> tuple[relax.Var, ...]:
    how = attrs["reads"]
    assert isinstance(how, list)
    captures = zip(dialect.captures_of(call), how, strict=True)
    values = [underneath(graph, c) for c, h in captures if h not in ("float", "as it is", "inside")]
    return tuple(v for v in values if isinstance(v, relax.Var))


def underneath(graph: Graph, expr: relax.Expr) -> relax.Expr:
    """A value seen through our own identities: the float value that it stands for before calibration."""
    while isinstance(expr, relax.Var):
        value = graph.value_of.get(expr)
        if value is None or not dialect.is_call(value, "simulated_quantize", "annotated"):
            return expr
        expr = value.args[0]
    return expr


def is_weight(site: Site) -> bool:
    """Whether a site narrows a constant on a free scale of its own."""
    return site.is_edge and is_constant(site.value) and site.symbol is not None
