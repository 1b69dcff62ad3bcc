"""Photographs that scikit-image carries, and crops of them; test crops come from other photographs than calibration."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import skimage.data
from numpy.typing import NDArray
from PIL import Image

Floats = NDArray[np.float32]

CALIBRATION = ("coffee.png", "chelsea.png", "motorcycle_left.png", "camera.png", "hubble_deep_field.jpg", "brick.png",
               "ihc.png", "coins.png", "gravel.png")  # fmt: skip
TEST = ("astronaut.png", "rocket.jpg", "retina.jpg", "grass.png", "moon.png")
FOLDER = Path(os.fspath(skimage.data.__path__[0]))


def photograph(name: str) -> Image.Image:
    """One of them, in RGB."""
    with Image.open(FOLDER / name) as image:
        return image.convert("RGB")


def crops(names: tuple[str, ...], count: int, size: tuple[int, int], seed: int) -> Iterator[Floats]:
    """Crops of 0.5 to 1 times the photographs' sides, resized to (height, width): (height, width, 3), 0 to 255."""
    draw = np.random.default_rng(seed)
    height, width = size
    images = [photograph(n) for n in names]
    for index in range(count):
        image = images[index % len(images)]
        share = draw.uniform(0.5, 1.0)
        w, h = (round(side * share) for side in image.size)
        left, top = draw.integers(0, image.width - w + 1), draw.integers(0, image.height - h + 1)
        piece = image.crop((int(left), int(top), int(left) + w, int(top) + h))
        if draw.random() < 0.5:
            piece = piece.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        yield np.asarray(piece.resize((width, height), Image.Resampling.BILINEAR), np.float32)
