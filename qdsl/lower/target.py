"""The chip that code is made for: TVM's target, and which of our kernels it can run.

None, "native"    the machine this process runs on, with exactly the features that it reports
"avx512-vnni"     any x86-64 with AVX-512 and VNNI        (vpdpbusd on 64 bytes)
"avx2"            any x86-64 with AVX2 and FMA
"portable"        any x86-64 (or this machine's family), no vector extension assumed
anything else     what tvm.target.Target understands: a JSON text, a dict or a Target
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import tvm

from qdsl.errors import ConfigError
from qdsl.lower.threads import available_cores

Kernels = Literal["avx512-vnni", "avx512", "avx2", "portable"]

_NAMED: dict[str, dict[str, Any]] = {
    "avx512-vnni": {"kind": "llvm", "mcpu": "cascadelake"},
    "avx2": {"kind": "llvm", "mcpu": "haswell"},
    "portable": {"kind": "llvm"},
}


@dataclass(frozen=True)
class Target:
    """A resolved target."""

    tvm: tvm.target.Target
    """What TVM compiles for."""
    kernels: Kernels
    """The family of schedules to use."""
    name: str
    """One line for people and reports, e.g. 'znver4 (avx512-vnni)'."""

    @property
    def float_lanes(self) -> int:
        """How many float32 one vector register holds."""
        return {"avx512-vnni": 16, "avx512": 16, "avx2": 8, "portable": 4}[self.kernels]


def resolve_target(target: object = None) -> Target:
    """What `target` stands for (see the module's text). Raises ConfigError when TVM does not know it."""
    if isinstance(target, Target):
        return target
    if target is None or target == "native":
        return _native()
    if isinstance(target, str) and target in _NAMED:
        return _described(tvm.target.Target(_NAMED[target]))
    try:
        if isinstance(target, str) and target.lstrip().startswith("{"):
            target = json.loads(target)
        made = target if isinstance(target, tvm.target.Target) else tvm.target.Target(target)
    except Exception as error:
        raise ConfigError(
            f"target {target!r} is not known. Use one of native, {', '.join(_NAMED)}, "
            f'or a TVM target such as \'{{"kind": "llvm", "mcpu": "znver4"}}\'.'
        ) from error
    if made.kind.name != "llvm":
        raise ConfigError(f"target {made.kind.name!r}: qdsl makes code for CPUs only; use a target of kind llvm.")
    return _described(made)


@lru_cache(maxsize=1)
def _native() -> Target:
    features: Mapping[str, bool] = tvm.get_global_func("tvm.codegen.llvm.GetHostCPUFeatures")()
    # A virtual machine may hide features that the processor's name implies, so they are listed one by one.
    listed = sorted(f"{'+' if present else '-'}{name}" for name, present in features.items())
    description = {"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu(), "num-cores": available_cores()}
    if listed:
        description["mattr"] = listed
    return _described(tvm.target.Target(description))


def _described(target: tvm.target.Target) -> Target:
    kernels = _kernels(target)
    return Target(target, kernels, f"{target.attrs.get('mcpu', 'generic')} ({kernels})")


def _kernels(target: tvm.target.Target) -> Kernels:
    def has(*features: str) -> bool:
        return all(tvm.target.codegen.target_has_features(feature, target) for feature in features)

    if has("avx512f", "avx512bw", "avx512vl"):
        return "avx512-vnni" if has("avx512vnni") else "avx512"
    return "avx2" if has("avx2", "fma") else "portable"
