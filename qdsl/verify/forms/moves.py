"""Operators that move values: reshapes, slices, joins, pads, resizes, gathers."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from qdsl.verify.forms.ask import Ask, Form, Plan, Shape, Shapes


def reshape(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    total = prod(x)
    options: list[Shape] = [(x[0], total // x[0]), (total,), (1, *x), tuple(reversed(x))]
    return Plan((x,), {"shape": ask.pick("to", list(dict.fromkeys(options)))})


def permute_dims(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    rank = len(x)
    swapped = [*range(rank - 2), rank - 1, rank - 2] if rank > 1 else [0]
    return Plan((x,), {"axes": ask.pick("axes", [[0, *range(2, rank), 1], swapped, None])})


def squeeze(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.pick("shape", [(1, 3, 1, 4), (3, 1, 1, 2)])
    ones = [i for i, size in enumerate(x) if size == 1]
    return Plan((x,), {"axis": ask.pick("axis", [ones[-1:], None])}) if ones else None


def expand_dims(ask: Ask) -> Plan | None:
    return Plan((ask.shape(0) or ask.base(),), {"axis": ask.pick("axis", [1, -1, [0, 2]])})


def plain(ask: Ask) -> Plan | None:
    return Plan((ask.shape(0) or ask.base(),))


def strided_slice(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    last = len(x) - 1
    options = [([1], [0], [x[min(1, last)] - 1 or 1], [1]), ([last], [1 if x[last] > 1 else 0], [x[last]], [2])]
    axes, begin, end, strides = ask.pick("part", options) if last else options[1]
    return Plan((x,), {"axes": axes, "begin": begin, "end": end, "strides": strides})


def broadcast_to(ask: Ask) -> Plan | None:
    x = ask.shape(0) or (1, 3, 1, 1)
    return Plan((x,), {"shape": tuple(2 if size == 1 else size for size in x)})


def split(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.pick("shape", [(1, 4, 3), (2, 6, 1, 2)])
    if len(x) < 2 or x[1] < 2:
        return None
    options: list[dict[str, Any]] = [{"indices_or_sections": [1], "axis": 1}]
    if x[1] % 2 == 0:
        options.insert(0, {"indices_or_sections": 2, "axis": 1})
    return Plan((x,), ask.pick("parts", options))


def joined(ask: Ask) -> Plan | None:
    """concat and stack of a list."""
    known = ask.known[0] if ask.known else None
    if known and isinstance(known[0], tuple):
        return Plan((known,), {"axis": 1})
    same = ask.op == "stack"
    options: list[tuple[Shapes, int]] = [
        (((1, 2, 3), (1, 2 if same else 4, 3)), 1),
        (((1, 2, 3, 3),) * 3, -1),
        (((2, 3), (2 if same else 1, 3)), 0),
        (((1, 1), (1, 1)), 1),
    ]
    shapes, axis = ask.pick("parts", options)
    return Plan((shapes,), {"axis": axis})


def pad(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.pick("shape", [(1, 2, 3, 4), (1, 1, 2, 2)])
    width = ask.pick("width", [[0, 0] * (len(x) - 2) + [1, 1, 2, 1], [0, 0] * (len(x) - 1) + [0, 1]])
    if len(x) < 2:
        width = [1, 1]
    options: list[dict[str, Any]] = [
        {"pad_mode": "constant", "pad_value": 0.0},
        {"pad_mode": "reflect", "pad_value": 0.0},
        {"pad_mode": "edge", "pad_value": 0.0},
        {"pad_mode": "constant", "pad_value": 1.5},
    ]
    return Plan((x,), {"pad_width": width, **ask.pick("mode", options)})


def resize(ask: Ask) -> Plan | None:
    """image.resize2d and image.resize3d."""
    spatial = 3 if ask.op.endswith("3d") else 2
    x = ask.shape(0) or ask.pick("shape", [(1, 2, *(3, 4, 2)[:spatial]), (1, 1, *(2, 2, 2)[:spatial])])
    if len(x) != spatial + 2:
        return None
    options = [
        ("nearest_neighbor", "asymmetric", "floor"),
        ("linear", "half_pixel", "round"),
        ("linear", "align_corners", "round"),
        ("cubic", "half_pixel", "round"),
    ]
    method, mode, rounding = ask.pick("method", options[: 4 if spatial == 2 else 3])
    pixels = "DHW"[-spatial:]
    layout = ask.pick("layout", [f"NC{pixels}", f"N{pixels}C"])
    sizes = [x[layout.index(letter)] for letter in pixels]
    size = ask.pick("to", [tuple(2 * s for s in sizes), (2 * sizes[0] + 1, *(s + 2 for s in sizes[1:]))])
    settings = {"method": method, "coordinate_transformation_mode": mode, "rounding_method": rounding}
    return Plan((x,), {"size": size, "layout": layout, **settings})


def take(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.pick("shape", [(5, 3), (4, 2, 2)])
    axis = ask.pick("axis", [0, 1])
    return Plan(
        (x, ask.shape(1) or ask.pick("ids", [(4,), (1, 2)])), {"axis": axis}, dtypes={1: "int64"}, bound=x[axis]
    )


def repeat(ask: Ask) -> Plan | None:
    return Plan((ask.shape(0) or ask.base(),), {"repeats": 2, "axis": ask.pick("axis", [1, -1])})


def tile(ask: Ask) -> Plan | None:
    x = ask.shape(0) or ask.base()
    return Plan((x,), {"repeats": [*(1,) * (len(x) - 1), 2]})


def flip(ask: Ask) -> Plan | None:
    return Plan((ask.shape(0) or ask.base(),), {"axis": ask.pick("axis", [1, 0])})


def pixel_shuffle(ask: Ask) -> Plan | None:
    return Plan((ask.shape(0) or (1, 8, 2, 3),), {"upscale_factor": 2})


FORMS: Mapping[str, Form] = {
    "reshape": reshape,
    "permute_dims": permute_dims,
    "squeeze": squeeze,
    "expand_dims": expand_dims,
    "flatten": plain,
    "nn.batch_flatten": plain,
    "strided_slice": strided_slice,
    "broadcast_to": broadcast_to,
    "split": split,
    "concat": joined,
    "stack": joined,
    "nn.pad": pad,
    "image.resize2d": resize,
    "image.resize3d": resize,
    "take": take,
    "repeat": repeat,
    "tile": tile,
    "flip": flip,
    "nn.pixel_shuffle": pixel_shuffle,
}
