"""compile() and load_executable(): the two ways to an Executable."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import tvm
from tvm import ir, relax
from tvm.ir import IRModule

from qdsl.errors import BuildError
from qdsl.lower.executable import Executable
from qdsl.lower.export import quiet
from qdsl.lower.layout import ChannelsLast, turned_results_of
from qdsl.lower.pipeline import build_library
from qdsl.lower.signature import Signature, TensorSpec, signature_of
from qdsl.lower.target import resolve_target
from qdsl.lower.threads import resolve_threads

_FACE = "qdsl_signature"
"""The function in a library that gives its signature as JSON."""


def compile(
    module: IRModule,
    *,
    target: object = None,
    threads: int | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> Executable:
    """Compile the function `main` of `module`, float or integer, with its constants bound.

    target   what `qdsl.lower.target` lists; default: this machine
    threads  kernels run on so many; default: all cores
    input_names, output_names   default to the names of the parameters and of the results

    Raises BuildError when the module cannot be compiled, ConfigError for a bad target or thread number.
    """
    return compile_viewed(
        module, target=target, threads=threads, input_names=input_names, output_names=output_names, views=False
    )


def compile_viewed(
    module: IRModule,
    *,
    target: object,
    threads: int | None,
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    views: bool,
) -> Executable:
    """`compile`; with `views`, results may be transposed views of memory in another order, which saves turning them."""
    resolved = resolve_target(target)
    count = resolve_threads(threads)
    signature = signature_of(module, input_names, output_names)
    if views:
        module = tvm.transform.Sequential([ChannelsLast(turned_results=True)])(module)
        signature = replace(signature, turned=turned_results_of(module["main"]))
    face = {**asdict(signature), "target": resolved.name}
    library = build_library(_with_text(module, _FACE, json.dumps(face)), resolved)
    return Executable(library, signature, count, resolved.name)


def load_executable(path: str | Path, *, threads: int | None = None) -> Executable:
    """Read what Executable.export wrote. Raises BuildError when the file is not such a library."""
    count = resolve_threads(threads)
    where = Path(path)
    if not where.is_file():
        raise BuildError(f"{where} is not a file.")
    try:
        with quiet():
            library = tvm.runtime.load_module(str(where.resolve()))
            face = json.loads(str(relax.VirtualMachine(library, tvm.cpu())[_FACE]()))
    except Exception as error:
        raise BuildError(
            f"{where} is not a library that qdsl wrote, or was written for another machine or TVM version."
        ) from error
    return Executable(library, _signature_from(face), count, face["target"])


def _signature_from(face: dict[str, Any]) -> Signature:
    def specs(key: str) -> tuple[TensorSpec, ...]:
        return tuple(TensorSpec(item["name"], tuple(item["shape"]), item["dtype"]) for item in face[key])

    return Signature(
        specs("inputs"), specs("outputs"), face["tuple_result"], tuple(face["shared"]), tuple(face["turned"])
    )


def _with_text(module: IRModule, name: str, text: str) -> IRModule:
    """`module` with one more function, which takes nothing and gives `text`."""
    block = relax.BlockBuilder(module)
    with block.function(name, []):
        block.emit_func_output(ir.StringImm(text))
    return block.get()
