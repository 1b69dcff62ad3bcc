"""What MTCNN's stages read: faces and other crops, square, NHWC, -1 to 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.accuracy.inputs import pictures

Floats = NDArray[np.float32]

FACES = 100
"""The first so many of scikit-image's 200 crops from Labelled Faces in the Wild are faces, the others are not."""


def candidates(first: int, count: int, names: tuple[str, ...], side: int, seed: int) -> Iterator[Floats]:
    """Faces and crops of photographs in turn, (side, side, 3); faces from number `first` on."""
    grey = np.load(pictures.FOLDER / "lfw_subset.npy")
    others = pictures.crops(names, (count + 1) // 2, (side, side), seed)
    for index in range(count):
        if index % 2:
            yield stage(next(others))
            continue
        face = Image.fromarray((255 * grey[(first + index // 2) % FACES]).astype(np.uint8)).convert("RGB")
        yield stage(np.asarray(face.resize((side, side), Image.Resampling.BICUBIC), np.float32))


def stage(pixels: Floats) -> Floats:
    """0 to 255 as MTCNN normalizes it; its networks were trained on transposed images."""
    return np.ascontiguousarray((pixels.transpose(1, 0, 2) - 127.5) / 128).astype(np.float32)
