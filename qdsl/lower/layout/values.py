"""Every value of a function in up to two layouts: channels first as written, channels last as kernels like it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tvm import relax

from qdsl.lower.layout.calls import constant, rank_of, shape_of, to_first, to_last
from qdsl.lower.rewrite import Rewriting

_TURNED = "qdsl.turned"


class Values(Rewriting):
    """The new variables of a function under way. A layout that a value is not in yet is made when first asked for."""

    def __init__(self, builder: relax.BlockBuilder, function: relax.Function) -> None:
        super().__init__(builder, function)
        self._last: dict[relax.Expr, relax.Expr] = {}
        self._items: dict[relax.Expr, list[tuple[relax.Expr, bool]]] = {}

    def bind_last(self, variable: relax.Var, value: relax.Expr) -> None:
        """Let the old `variable`, channels last, be the new `value`."""
        self._last[variable] = self.emit(value)

    def set_items(self, variable: relax.Var, items: Sequence[tuple[relax.Expr, bool]]) -> None:
        """The old `variable` is a tuple of these values, each with whether it is channels last."""
        self._items[variable] = list(items)

    def take_item(self, variable: relax.Var, item: relax.TupleGetItem) -> bool:
        """Let `variable` be an item of a tuple known from `set_items`; whether it was."""
        items = self._items.get(item.tuple_value)
        if items is None:
            return False
        value, is_last = items[item.index]
        (self.bind_last if is_last else self.bind)(variable, value)
        return True

    def is_last(self, operand: relax.Expr) -> bool:
        """Whether an old operand has a channels-last form already; constants count for neither."""
        return operand in self._last

    def new(self, operand: relax.Expr) -> relax.Expr:
        """The new expression for an old operand, channels first."""
        if operand in self._items:
            return relax.Tuple([self._turned_back(*item) for item in self._items[operand]])
        if operand in self._last and not self.is_bound(operand):
            self.bind(operand, self._turned_back(self._last[operand], True))
        return super().new(operand)

    def _turned_back(self, value: relax.Expr, is_last: bool) -> relax.Expr:
        return self.emit(_permuted(value, to_first(rank_of(value)))) if is_last else value

    def last(self, operand: relax.Expr) -> relax.Expr:
        """The new expression for an old operand of rank 3 or more, channels last. Constants are turned at once."""
        array = constant(operand)
        if array is not None:
            return relax.const(np.ascontiguousarray(array.transpose(to_last(array.ndim))))
        if operand not in self._last:
            self._last[operand] = self.emit(_permuted(self.new(operand), to_last(rank_of(operand))))
        return self._last[operand]

    def broadcast_last(self, operand: relax.Expr, rank: int) -> relax.Expr:
        """An operand that broadcasts against a channels-first value of `rank`, as the channels-last one takes it."""
        shape = shape_of(operand)
        if shape is None or (int(np.prod(shape)) == 1 and not isinstance(operand, relax.Var)):
            return self.new(operand)
        array = constant(operand)
        if array is not None:
            full = array.reshape((1,) * (rank - array.ndim) + array.shape)
            return relax.const(np.ascontiguousarray(_trimmed(full.transpose(to_last(rank)))))
        if len(shape) == rank:
            return self.last(operand)
        full_shape = (1,) * (rank - len(shape)) + shape
        full_value = self.emit(relax.op.reshape(self.new(operand), full_shape))
        return self.emit(_permuted(full_value, to_last(rank)))


class TurnedValues(Values):
    """Values whose results stay channels last where they are."""

    def __init__(self, builder: relax.BlockBuilder, function: relax.Function) -> None:
        super().__init__(builder, function)
        self._turned: list[int] = []

    def result(self, operand: relax.Expr) -> relax.Expr:
        last = self._last.get(operand)
        self._turned.append(int(last is not None))
        return self.new(operand) if last is None else last

    def attributes(self) -> dict[str, object]:
        return {_TURNED: self._turned}


def turned_results_of(function: relax.Function) -> tuple[bool, ...]:
    """For each result of a function that the pass wrote with `turned_results`, whether it is channels last."""
    return tuple(bool(turned) for turned in (function.attrs or {}).get(_TURNED, ()))


def _permuted(value: relax.Expr, axes: Sequence[int]) -> relax.Expr:
    """A transposition, written as a reshape where no element moves in memory."""
    shape = shape_of(value)
    assert shape is not None
    moving = [axis for axis in axes if shape[axis] != 1]
    if moving == sorted(moving):
        return relax.op.reshape(value, [shape[axis] for axis in axes])
    return relax.op.permute_dims(value, list(axes))


def _trimmed(array: np.ndarray) -> np.ndarray:
    """Leading dims of 1 dropped, so that equal kernels take equal shapes."""
    while array.ndim > 1 and array.shape[0] == 1:
        array = array[0]
    return array
