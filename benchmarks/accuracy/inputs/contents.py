"""Files of many kinds as magika reads them: 1024 bytes of the beginning, 1024 of the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import zoo
from benchmarks.accuracy.inputs import pictures

HALF, BLOCK, PADDING = 1024, 4096, 256


def files() -> list[Path]:
    """Files of the packages of this benchmark, of each kind by suffix the two smallest and the two largest."""
    packages = (zoo.MAGIKA, zoo.RAPIDOCR, zoo.OPEN_NSFW, zoo.BASIC_PITCH, zoo.MTCNN)
    roots = [*(zoo.fetch(p) for p in packages), pictures.FOLDER]
    kinds: dict[str, list[Path]] = {}
    for root in roots:
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.stat().st_size >= 16 and file.suffix != ".pyc":
                kinds.setdefault(file.suffix or file.name, []).append(file)
    chosen = []
    for _, members in sorted(kinds.items()):
        by_size = sorted(members, key=lambda f: (f.stat().st_size, f.name))
        chosen += list(dict.fromkeys([*by_size[:2], *by_size[-2:]]))
    return chosen


def features(file: Path) -> NDArray[np.int32]:
    """(1, 2048): both ends without surrounding white space, padded with 256 after the one and before the other."""
    with file.open("rb") as opened:
        head = opened.read(BLOCK).lstrip()[:HALF]
        opened.seek(max(file.stat().st_size - BLOCK, 0))
        tail = opened.read(BLOCK).rstrip()[-HALF:]
    row = np.full((1, 2 * HALF), PADDING, np.int32)
    row[0, : len(head)] = np.frombuffer(head, np.uint8)
    row[0, 2 * HALF - len(tail) :] = np.frombuffer(tail, np.uint8)
    return row


def samples() -> Iterator[NDArray[np.int32]]:
    """All of them, kinds mixed the same way on every run."""
    chosen = files()
    for index in np.random.default_rng(0).permutation(len(chosen)):
        yield features(chosen[index])
