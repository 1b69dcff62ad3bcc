"""What folding, annotating and realizing cost, from 100 to 10,000 operators: time per operator should stay level.

python benchmarks/matching.py
"""

from __future__ import annotations

import time

import numpy as np
from tvm import IRModule, relax

from qdsl.config import QConfig
from qdsl.passes.calibrate import sites_of, write_numbers
from qdsl.passes.solve import Numbers
from qdsl.ruleset import load_rules
from qdsl.session.stages import annotate, fold, realize

SIZES = (100, 300, 1000, 3000, 10000)


def chain(operators: int) -> IRModule:
    """conv, bias, batch norm, relu and every third time a residual add, over and over."""
    generator = np.random.default_rng(0)
    weight = relax.const(generator.standard_normal((4, 4, 1, 1)).astype("float32"))
    bias = relax.const(generator.standard_normal((1, 4, 1, 1)).astype("float32"))
    norm = [relax.const(np.ones(4, "float32")) for _ in range(4)]
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((1, 4, 4, 4), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            value, count = x, 0
            while count < operators:
                before = value
                value = builder.emit(relax.op.nn.conv2d(value, weight))
                value = builder.emit(relax.op.add(value, bias))
                value = builder.emit(builder.emit(relax.op.nn.batch_norm(value, *norm, axis=1, training=False))[0])
                value = builder.emit(relax.op.nn.relu(value))
                count += 4
                if count % 12 == 0:
                    value, count = builder.emit(relax.op.add(value, before)), count + 1
            result = builder.emit_output(value)
        builder.emit_func_output(result)
    return builder.get()


def numbers_for(module: IRModule) -> Numbers:
    """Some numbers for every symbol: this measures rewriting, not calibration."""
    numbers = Numbers()
    for site in sites_of(module):
        for symbol in site.format.scale.symbols:
            numbers.scale[symbol] = np.asarray(0.01)
        if isinstance(site.format.zero, str):
            numbers.zero[site.format.zero] = 0
    return numbers


def main() -> None:
    rules, config = load_rules(), QConfig()
    print(f"{'operators':>10} {'fold':>10} {'annotate':>10} {'realize':>10}   microseconds an operator")
    for size in SIZES:
        module = chain(size)
        start = time.perf_counter()
        folded = fold(module, rules, config)
        after_fold = time.perf_counter()
        annotated = annotate(folded, rules, config).module
        after_annotate = time.perf_counter()
        simulated = write_numbers(annotated, numbers_for(annotated))
        before_realize = time.perf_counter()
        realize(simulated, rules, config)
        end = time.perf_counter()
        steps = (after_fold - start, after_annotate - after_fold, end - before_realize)
        print(f"{size:>10} " + " ".join(f"{1e6 * s / size:>10.1f}" for s in steps), flush=True)


if __name__ == "__main__":
    main()
