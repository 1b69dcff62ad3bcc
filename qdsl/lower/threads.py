"""How many threads kernels run on: TVM's pool is sized before it starts and narrowed afterwards.

TVM sizes its pool once, when the first parallel kernel runs, and assumes two hardware threads a core: it halves what
it counts. We count cores ourselves and put the number into TVM_NUM_THREADS beforehand (a number that the user has set
wins). TVM also pins its workers, and the calling thread, to cores of its own choosing, outside of what `taskset`
allows; that is switched off unless the user asks for it.
"""

from __future__ import annotations

import os
from pathlib import Path

import tvm

from qdsl.errors import ConfigError

_ALL_WORKERS = 1
"""TVM's affinity mode "big": use the first n workers."""


def available_cores() -> int:
    """The number of physical cores that this process may run on, at least 1."""
    try:
        allowed = os.sched_getaffinity(0)
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1
    return max(1, len({_siblings(cpu) for cpu in allowed}))


def prepare_pool() -> None:
    """Size TVM's pool for all cores, without pinning. Without effect once the pool has started."""
    os.environ.setdefault("TVM_NUM_THREADS", str(available_cores()))
    os.environ.setdefault("TVM_BIND_THREADS", "0")


def pool_size() -> int:
    """The largest number of threads that kernels of this process can use."""
    prepare_pool()
    return _positive(os.environ["TVM_NUM_THREADS"], "TVM_NUM_THREADS")


def resolve_threads(threads: int | str | None) -> int:
    """The number of threads to run on: what was asked for, or all cores.

    Raises ConfigError when `threads` is not a positive integer or larger than the pool can be.
    """
    size = pool_size()
    if threads is None:
        return size
    count = _positive(threads, "threads")
    if count > size:
        raise ConfigError(
            f"threads={count}: this process has {size} core{'s' * (size > 1)} for its kernels. "
            f"Ask for at most {size}, or set TVM_NUM_THREADS before Python starts."
        )
    return count


class Pool:
    """The pool's present width. Changing it is cheap, but not free, so it is changed only when it differs."""

    def __init__(self) -> None:
        self._width: int | None = None

    def use(self, threads: int) -> None:
        """Let the kernels that are called from here on run on `threads` threads."""
        if threads == self._width:
            return
        tvm.get_global_func("runtime.config_threadpool")(_ALL_WORKERS, threads)
        self._width = threads


pool = Pool()


def _positive(value: object, name: str) -> int:
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise ConfigError(f"{name}={value!r}: expected a whole number of threads, 1 or more.")
    return number


def _siblings(cpu: int) -> str:
    """A text that is the same for the hardware threads of one core."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return str(cpu)


prepare_pool()
