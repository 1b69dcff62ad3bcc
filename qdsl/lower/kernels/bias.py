"""Sums that begin with a bias: TVM's tensor expressions begin every sum with zero, so the function is rewritten.

    acc = 0; acc += ..; out = acc + bias        becomes        acc = bias; acc += ..; out = acc

That saves an addition per result: loading a bias costs no more than clearing a register.
"""

from __future__ import annotations

from typing import Any

import tvm_ffi
from tvm import tirx
from tvm.s_tir import SBlock

_SUM, _RESULT = "acc", "out"
"""The names of the blocks that hold the sum and add the bias to it."""


def begin_with_bias(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """`function`, whose block `out` is the block `acc` plus a bias along its last axis, with the bias moved."""
    blocks: list[Any] = []
    tvm_ffi.structural_walk(function, (SBlock, blocks.append))
    bias = next(block for block in blocks if str(block.name_hint) == _RESULT).body.value.b.source

    def moved(block: Any) -> Any:
        if str(block.name_hint) == _SUM:
            return _with_start(block, bias)
        return _without_bias(block) if str(block.name_hint) == _RESULT else block

    return tvm_ffi.structural_map(function, (SBlock, moved))


def _with_start(block: Any, bias: Any) -> SBlock:
    *_, channel = [variable.var for variable in block.iter_vars if variable.iter_type == 0]
    init = block.init
    start = tirx.BufferStore(init.buffer, tirx.BufferLoad(bias, [channel]), init.indices)
    # The block's reads stay those of its update, which is what an intrinsic is held against.
    return _rebuilt(block, init=start)


def _without_bias(block: Any) -> SBlock:
    store = block.body
    total = store.value.a
    body = tirx.BufferStore(store.buffer, total, store.indices)
    return _rebuilt(block, reads=list(block.reads)[:1], body=body)


def _rebuilt(block: Any, **changes: Any) -> SBlock:
    fields = {
        "iter_vars": block.iter_vars,
        "reads": block.reads,
        "writes": block.writes,
        "name_hint": block.name_hint,
        "body": block.body,
        "init": block.init,
        "alloc_buffers": block.alloc_buffers,
        "match_buffers": block.match_buffers,
        "annotations": block.annotations,
        "span": block.span,
    }
    return SBlock(**{**fields, **changes})
