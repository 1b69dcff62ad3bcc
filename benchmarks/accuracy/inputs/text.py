"""Text for PP-OCR: a photographed page that scikit-image carries, and lines rendered on photographs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from benchmarks.accuracy.inputs import pictures

Floats = NDArray[np.float32]

SIGNS = (
    "quantize the model with a handful of samples and compare Invoice No. 2024-0713 Total 1,284.50 EUR Platform 9 "
    "Departure 17:45 Gate B22 OPEN daily 08-20 h Caution wet floor EXIT Please keep this receipt for your records "
    "Dr. A. Lindqvist Room 304 tel +46 8 555 0199 www.example.org Serial 7F3A-90C1 Net weight 350 g Best before end "
    "No parking at any time Thank you for travelling with us Chapter 12 The river was slow that year"
)
WORDS = tuple(SIGNS.split())


def page() -> Image.Image:
    """A page of a printed book, grey, unevenly lit."""
    return pictures.photograph("page.png")


def page_lines() -> list[tuple[int, int]]:
    """Top and bottom of each line of print: rows in which much is darker than its surroundings."""
    image = page().convert("L")
    grey = np.asarray(image, np.float32)
    blurred = np.asarray(image.filter(ImageFilter.GaussianBlur(12)), np.float32)
    dense = (grey < 0.9 * blurred).mean(axis=1) > 0.04
    edges = np.flatnonzero(np.diff(np.concatenate([[0], dense.astype(int), [0]])))
    return [(max(int(a) - 3, 0), int(b) + 3) for a, b in edges.reshape(-1, 2) if b - a >= 6]


def page_strips(lines: list[tuple[int, int]], aspect: float) -> list[Image.Image]:
    """Strips of the page's lines, `aspect` times as wide as they are high, where something is printed."""
    image, strips = page(), []
    for top, bottom in lines:
        width = round(aspect * (bottom - top))
        for left in range(0, image.width - width, max(width // 2, 1)):
            strip = image.crop((left, top, left + width, bottom))
            if np.asarray(strip.convert("L"), np.float32).std() >= 20:
                strips.append(strip)
    return strips


def rendered_line(draw: np.random.Generator, names: tuple[str, ...], size: tuple[int, int]) -> Image.Image:
    """A few words on a piece of a photograph, (height, width), in some size, colour and tilt, slightly blurred."""
    height, width = size
    image = _background(draw, names, (height, width))
    font = ImageFont.load_default(float(draw.uniform(0.45, 0.75) * height))
    words = " ".join(draw.choice(WORDS) for _ in range(max(2, width // (2 * height))))
    ImageDraw.Draw(image).text(
        (int(draw.integers(2, height // 2)), int(draw.uniform(0.05, 0.3) * height)), words, _ink(draw, image), font
    )
    tilted = image.rotate(float(draw.uniform(-2, 2)), Image.Resampling.BICUBIC, fillcolor=image.getpixel((0, 0)))
    return tilted.filter(ImageFilter.GaussianBlur(float(draw.uniform(0, 0.8))))


def scene(draw: np.random.Generator, names: tuple[str, ...], side: int) -> Image.Image:
    """A square photograph with several lines of text on it."""
    image = _background(draw, names, (side, side))
    pen, y = ImageDraw.Draw(image), int(draw.integers(4, side // 6))
    while y < side - 24:
        points = float(draw.uniform(12, 40))
        words = " ".join(draw.choice(WORDS) for _ in range(int(draw.integers(1, 6))))
        pen.text((int(draw.integers(2, side // 3)), y), words, _ink(draw, image), ImageFont.load_default(points))
        y += round(points * float(draw.uniform(1.3, 3.0)))
    return image.filter(ImageFilter.GaussianBlur(float(draw.uniform(0, 0.6))))


def page_squares(lines: list[tuple[int, int]], side: int) -> list[Image.Image]:
    """Squares of the page, as high as five of its lines."""
    image, squares = page(), []
    for first, last in zip(lines[:-5:5], lines[4::5], strict=False):
        height = last[1] - first[0]
        for left in range(0, image.width - height, height):
            squares.append(image.crop((left, first[0], left + height, last[1])).resize((side, side)))
    return squares


def normalized(images: list[Image.Image], size: tuple[int, int]) -> Iterator[Floats]:
    """What PP-OCR reads: (3, height, width), BGR, -1 to 1."""
    height, width = size
    for image in images:
        pixels = np.asarray(image.resize((width, height), Image.Resampling.BILINEAR), np.float32)
        yield np.ascontiguousarray((pixels[:, :, ::-1] / 127.5 - 1).transpose(2, 0, 1))


def _background(draw: np.random.Generator, names: tuple[str, ...], size: tuple[int, int]) -> Image.Image:
    """A plain sheet as often as a photograph whose contrast is lowered, as behind signs and labels."""
    height, width = size
    if draw.random() < 0.5:
        return Image.new("RGB", (width, height), tuple(int(c) for c in draw.integers(150, 256, 3)))
    image = pictures.photograph(str(draw.choice(names)))
    h, w = min(height, image.height), min(width, image.width)
    left, top = int(draw.integers(0, image.width - w + 1)), int(draw.integers(0, image.height - h + 1))
    piece = image.crop((left, top, left + w, top + h)).resize((width, height))
    return Image.blend(piece, Image.new("RGB", piece.size, (128, 128, 128)), float(draw.uniform(0.2, 0.7)))


def _ink(draw: np.random.Generator, image: Image.Image) -> tuple[int, int, int]:
    """Dark on light and light on dark."""
    dark = float(np.asarray(image.convert("L"), np.float32).mean()) > 110
    low, high = (0, 70) if dark else (190, 256)
    red, green, blue = (int(c) for c in draw.integers(low, high, 3))
    return red, green, blue
