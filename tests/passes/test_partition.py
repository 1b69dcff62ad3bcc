"""partition_conversions: quantize-inputs, integer main, dequantize-outputs, and the same numbers as before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, note
from tvm import IRModule, ir, relax

from qdsl.config import QConfig
from qdsl.errors import RuleError
from qdsl.lower.compile import compile as compile_module
from qdsl.match.graph import operator_name
from qdsl.passes.partition import joined, partition

from ..match.examples import examples
from ..match.net import Net, nn
from .interpreter import outputs
from .networks import networks
from .staged import samples_for, staged


def network(inner_float: bool = False) -> IRModule:
    """Two inputs, one of them read in float too; two results from integers and one straight from an input."""
    net = Net()
    x, v = net.input(1, 4, 6, 6), net.input(1, 4, 6, 6, name="v")
    r = net.emit(nn.relu(net.conv(x, 4, 3, "c")), "r")
    results = [net.conv(r, 4, name="d"), r]
    return net.module(*results, *([net.emit(relax.op.exp(v), "e"), v] if inner_float else []))


def function_dtypes(module: IRModule, name: str) -> tuple[set[str], set[str]]:
    """The dtypes of what a function is given and of what it gives."""
    function = module[name]
    return {str(p.ty.dtype) for p in function.params}, {str(f.dtype) for f in function.ret_ty.fields}


def test_the_main_part_is_integers() -> None:
    module = network()
    made = staged(module, samples_for(module), QConfig(partition_conversions="fully_integral")).integer
    relax.analysis.well_formed(made)
    names = {str(v.name_hint) for v in made.get_global_vars()}
    assert names == {"main", "quantize_inputs", "quantized_main", "dequantize_outputs"}
    assert function_dtypes(made, "quantize_inputs") == ({"float32"}, {"uint8"})
    assert function_dtypes(made, "quantized_main") == ({"uint8"}, {"int32"})
    assert function_dtypes(made, "dequantize_outputs") == ({"int32"}, {"float32"})
    calls = [operator_name(b.value) for block in made["main"].body.blocks for b in block.bindings]
    assert set(calls) == {None}, "main only calls the three"
    ir.assert_structural_equal(made["main"].ret_ty, module["main"].ret_ty)


def test_float_between_the_conversions_is_refused_by_name() -> None:
    module = network(inner_float=True)
    samples = samples_for(module)
    assert staged(module, samples, QConfig(partition_conversions="enabled"))
    with pytest.raises(RuleError, match=r"fully_integral: .* in float: e \(exp\), v\. Give them a rule"):
        staged(module, samples, QConfig(partition_conversions="fully_integral"))


def test_it_is_off_by_default_and_done_once() -> None:
    module = network()
    made = staged(module, samples_for(module)).integer
    assert len(made.get_global_vars()) == 1
    assert partition(made, "disabled") is made
    twice = partition(made, "enabled")
    assert partition(twice, "enabled") is twice


def test_the_parts_compute_what_the_whole_computes() -> None:
    module = network(inner_float=True)
    samples = samples_for(module)
    whole = staged(module, samples).integer
    parts = partition(whole, "enabled")
    expected = outputs(whole, samples[0])
    for again in (outputs(joined(parts), samples[0]), list(compile_module(joined(parts)).run(samples[0]).values())):
        for a, b in zip(expected, again, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-5)


@examples(15)
@given(networks())
def test_any_network_comes_apart_and_together_again(module: IRModule) -> None:
    note(str(module))
    samples = samples_for(module, 1)
    whole = staged(module, samples).integer
    parts = partition(whole, "enabled")
    relax.analysis.well_formed(parts)
    ir.assert_structural_equal(ir.load_json(ir.save_json(parts)), parts)
    for a, b in zip(outputs(whole, samples[0]), outputs(joined(parts), samples[0]), strict=True):
        np.testing.assert_array_equal(a, b)
