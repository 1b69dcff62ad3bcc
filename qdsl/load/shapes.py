"""Fix the shape of every model input: from the user, the file, the calibration data, or a batch of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qdsl.errors import ModelError
from qdsl.load.model import InputSpec
from qdsl.load.names import did_you_mean

Dim = int | str | None
"""A size, the name of an open size, or None for an open size without a name."""


@dataclass(frozen=True)
class DeclaredInput:
    """An input as the model declares it."""

    name: str
    dtype: str
    dims: tuple[Dim, ...] | None
    """None where the model does not even fix the rank."""


def fix_shapes(
    declared: Sequence[DeclaredInput],
    shapes: Mapping[str, Sequence[int]] | None = None,
    sample_shapes: Mapping[str, Sequence[int]] | None = None,
) -> tuple[InputSpec, ...]:
    """The inputs with every dimension known.

    A dimension is taken from `shapes`, else from the model, else from another input that names the same dimension,
    else from `sample_shapes`, and an open first dimension is a batch of one.

    Raises:
        ModelError: an unknown input name, a wrong rank or size, or a dimension that nothing tells.
    """
    asked = _asked(declared, shapes or {})
    named: dict[str, int] = {}
    for spec in declared:
        for dim, size in zip(spec.dims or (), asked.get(spec.name, ()), strict=False):
            if isinstance(dim, str):
                named[dim] = _agree(spec.name, dim, size, named)
    batch_names = _batch_names(declared)
    for name in batch_names:
        named.setdefault(name, 1)

    fixed, problems = [], []
    for spec in declared:
        sizes = asked.get(spec.name) or _resolve(spec, (sample_shapes or {}).get(spec.name), named)
        if sizes is None or None in sizes:
            problems.append(_problem(spec, sizes))
            continue
        shape = tuple(size for size in sizes if size is not None)
        open_dims = range(len(shape)) if spec.dims is None else [i for i, d in enumerate(spec.dims) if not _known(d)]
        fixed.append(InputSpec(spec.name, shape, spec.dtype, dynamic_dims=tuple(open_dims)))
    if problems:
        raise ModelError("\n".join(problems))
    return tuple(fixed)


def _batch_names(declared: Sequence[DeclaredInput]) -> set[str]:
    """Names of open first dimensions, but for those that another input has elsewhere and that do not say batch."""
    first = {spec.dims[0] for spec in declared if spec.dims and isinstance(spec.dims[0], str)}
    inner = {dim for spec in declared for dim in (spec.dims or ())[1:] if isinstance(dim, str)}
    return {name for name in first if name not in inner or "batch" in name.lower() or name.lower() in ("n", "b", "bs")}


def _known(dim: Dim) -> bool:
    return isinstance(dim, int)


def _asked(declared: Sequence[DeclaredInput], shapes: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """`shapes`, checked against the declarations."""
    by_name = {spec.name: spec for spec in declared}
    asked: dict[str, tuple[int, ...]] = {}
    for name, given in shapes.items():
        if name not in by_name:
            raise ModelError(
                f"A shape is given for '{name}', but the model has no such input.{did_you_mean(name, by_name)} "
                f"Its inputs are: {', '.join(by_name)}."
            )
        sizes = _sizes(name, given)
        dims = by_name[name].dims
        if dims is not None and len(dims) != len(sizes):
            raise ModelError(
                f"Input '{name}' has {len(dims)} dimensions {show(dims)}, but the given shape {show(sizes)} "
                f"has {len(sizes)}."
            )
        for position, (dim, size) in enumerate(zip(dims or (), sizes, strict=False)):
            if isinstance(dim, int) and dim != size:
                raise ModelError(
                    f"Input '{name}' is fixed to {show(dims or ())} in the model, so dimension {position} cannot be "
                    f"{size}; leave it {dim}, or export the model with that dimension open."
                )
        asked[name] = sizes
    return asked


def _sizes(name: str, given: Sequence[int]) -> tuple[int, ...]:
    try:
        sizes = tuple(int(size) for size in given)
        whole = all(float(size) == int(size) for size in given)
    except (TypeError, ValueError):
        sizes, whole = (), False
    if not whole or any(size < 1 for size in sizes):
        raise ModelError(f"The shape of input '{name}' must be a list of positive whole numbers, not {given!r}.")
    return sizes


def _agree(name: str, dim: str, size: int, named: Mapping[str, int]) -> int:
    if named.get(dim, size) != size:
        raise ModelError(
            f"The given shapes disagree: dimension '{dim}' is {size} in input '{name}' and {named[dim]} in another; "
            f"the model gives both the same name, so they must be equal."
        )
    return size


def _resolve(
    spec: DeclaredInput, sample: Sequence[int] | None, named: Mapping[str, int]
) -> tuple[int | None, ...] | None:
    """The sizes as far as something tells them; None where the model leaves even the rank open."""
    if spec.dims is None:
        return None
    from_sample = _align(spec.dims, sample)
    shape: list[int | None] = []
    for position, dim in enumerate(spec.dims):
        if isinstance(dim, int):
            shape.append(dim)
        elif isinstance(dim, str) and dim in named:
            shape.append(named[dim])
        elif dim is None and position == 0:
            shape.append(1)
        else:
            shape.append(from_sample[position])
    return tuple(shape)


def _problem(spec: DeclaredInput, sizes: Sequence[int | None] | None) -> str:
    """What is not known of an input's shape, and how to say it."""
    if sizes is None:
        return (
            f"The model does not say how many dimensions input '{spec.name}' has; give its shape with "
            f"--shape {spec.name}=1,3,224,224 (in Python: shapes={{'{spec.name}': (1, 3, 224, 224)}})."
        )
    example = ["?" if size is None else str(size) for size in sizes]
    missing = [str(position) for position, size in enumerate(sizes) if size is None]
    plural = "s" if len(missing) > 1 else ""
    return (
        f"Input '{spec.name}' has the shape {show(spec.dims or ())}, which leaves dimension{plural} "
        f"{', '.join(missing)} open; say the size with --shape {spec.name}={','.join(example)} "
        f"(in Python: shapes={{'{spec.name}': ({', '.join(example)})}}), a number for each '?'."
    )


def _align(dims: tuple[Dim, ...], sample: Sequence[int] | None) -> tuple[int | None, ...]:
    """The sample's sizes position by position; a sample without the batch dimension is shifted by one."""
    if sample is not None and len(sample) == len(dims):
        return tuple(int(size) for size in sample)
    if sample is not None and len(sample) == len(dims) - 1:
        return (1, *(int(size) for size in sample))
    return (None,) * len(dims)


def show(dims: Sequence[Dim]) -> str:
    """[N, 3, ?, 224]"""
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in dims) + "]"
