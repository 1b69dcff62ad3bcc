"""What guards may ask of the graph while rules are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from tvm import relax

from qdsl.formats.format import Format
from qdsl.match.attributes import attributes
from qdsl.match.found import Match, Place
from qdsl.match.graph import Graph, operator_name, shape_of
from qdsl.ops import operand_layout


class Facts(Protocol):
    """The state of a sweep that a guard can see."""

    @property
    def graph(self) -> Graph:
        """The function that is swept."""

    def format_of(self, value: relax.Expr) -> Format | None:
        """The integer format that a value carries, or None where it is float."""

    def wanted(self, value: relax.Expr) -> bool:
        """Whether some reader will read the value in an integer format."""

    def channelwise(self, value: relax.Expr) -> bool:
        """Whether every integer reader of the value takes a scale per channel."""


@dataclass(frozen=True)
class FloatFacts:
    """The facts while folding: nothing is in integers yet, so nothing is wanted either."""

    graph: Graph

    def format_of(self, value: relax.Expr) -> Format | None:
        return None

    def wanted(self, value: relax.Expr) -> bool:
        return False

    def channelwise(self, value: relax.Expr) -> bool:
        return False


def layout_at(place: Place) -> str | None:
    """The layout letters of the value at a place of a call, such as "NCHW"; None where the operator has none."""
    name = operator_name(place.call)
    if name is None:
        return None
    operand = place.call if place.position == "result" else place.call.args[int(place.position)]
    shape = shape_of(operand)
    rank = None if shape is None else len(shape)
    position = "result" if place.position == "result" else int(place.position)
    return operand_layout(name, position, attributes(place.call), rank)


def layout_of(match: Match, name: str) -> str | None:
    """The layout letters of a captured value, by the operator of the match that reads or makes it."""
    place = match.places.get(name)
    return None if place is None else layout_at(place)


def axis_of_letter(match: Match, name: str, letter: str) -> int | None:
    """The axis of a captured value that a layout letter names, or None."""
    layout = layout_of(match, name)
    return layout.index(letter) if layout is not None and letter in layout else None


def result_axis(match: Match, letter: str) -> tuple[int, int] | None:
    """(axis, rank) of a letter in the result of the match's operator that has that letter in its layout."""
    for place in match.places.values():
        result = Place(place.call, "result")
        layout = layout_at(result)
        shape = shape_of(place.call)
        if layout is not None and letter in layout and shape is not None:
            return layout.index(letter), len(shape)
    return None


def varies_only_along(shape: tuple[int, ...], rank: int, axis: int | None) -> bool:
    """Whether a tensor, broadcast to `rank` axes, has one element or varies only along `axis`."""
    if int(np.prod(shape)) == 1:
        return True
    if axis is None or len(shape) > rank:
        return False
    aligned = (1,) * (rank - len(shape)) + shape
    return all(size == 1 or i == axis for i, size in enumerate(aligned))
