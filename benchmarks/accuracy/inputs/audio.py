"""Music for basic-pitch: synthesised notes and chords with overtones, envelopes, vibrato and some noise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

RATE, LENGTH = 22050, 43844
"""Samples a second, and of one window, as the model reads them."""


def windows(count: int, seed: int) -> Iterator[NDArray[np.float32]]:
    """(1, LENGTH, 1), each with two to eight notes."""
    draw = np.random.default_rng(seed)
    for _ in range(count):
        sound = draw.normal(0, draw.uniform(1e-4, 3e-3), LENGTH)
        for _ in range(int(draw.integers(2, 9))):
            sound += note(draw)
        loudest = np.abs(sound).max()
        yield (sound / loudest * draw.uniform(0.2, 0.95)).astype(np.float32).reshape(1, LENGTH, 1)


def note(draw: np.random.Generator) -> NDArray[np.float64]:
    """One note between A1 and C7 with up to twelve overtones."""
    time = np.arange(LENGTH) / RATE
    start, length = draw.uniform(0, 1.5), draw.uniform(0.15, 1.5)
    pitch = 440 * 2 ** ((draw.integers(33, 97) - 69) / 12)
    vibrato = 1 + draw.choice([0, 0.004]) * np.sin(2 * np.pi * 5.5 * time)
    phase = 2 * np.pi * np.cumsum(pitch * vibrato) / RATE
    tone, brightness = np.zeros(LENGTH), draw.uniform(0.6, 2.5)
    for overtone in range(1, 13):
        if overtone * pitch < RATE / 2:
            tone += np.sin(overtone * phase + draw.uniform(0, 6.28)) / overtone**brightness
    since = np.clip(time - start, 0, None)
    envelope = np.minimum(since / 0.01, 1) * np.exp(-since * draw.uniform(0.5, 4)) * (time - start < length)
    return np.asarray(draw.uniform(0.2, 1) * envelope * tone)
