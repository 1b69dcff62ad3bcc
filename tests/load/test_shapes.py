"""Every input gets a shape: what was asked, what the model says, what the samples have, a batch of one."""

from __future__ import annotations

import pytest

from qdsl.errors import ModelError
from qdsl.load.model import InputSpec
from qdsl.load.shapes import DeclaredInput, fix_shapes

IMAGE = DeclaredInput("image", "float32", ("N", 3, "H", "W"))
TOKENS = DeclaredInput("tokens", "int64", ("batch", "seq"))
MASK = DeclaredInput("mask", "int64", ("batch", "seq"))


def _shapes(*declared: DeclaredInput, **options: object) -> dict[str, tuple[int, ...]]:
    return {spec.name: spec.shape for spec in fix_shapes(declared, **options)}  # type: ignore[arg-type]


def test_fixed_shape_is_kept() -> None:
    declared = DeclaredInput("x", "float32", (8, 3))
    assert fix_shapes([declared]) == (InputSpec("x", (8, 3), "float32"),)


def test_batch_of_one() -> None:
    (spec,) = fix_shapes([DeclaredInput("x", "float32", ("N", 3))])
    assert spec.shape == (1, 3)
    assert spec.dynamic_dims == (0,)
    assert _shapes(DeclaredInput("x", "float32", (None, 3))) == {"x": (1, 3)}


def test_asked_shape() -> None:
    (spec,) = fix_shapes([IMAGE], {"image": [2, 3, 8, 9]})
    assert spec.shape == (2, 3, 8, 9)
    assert spec.dynamic_dims == (0, 2, 3)


def test_samples_fill_what_is_open_behind_the_batch() -> None:
    assert _shapes(IMAGE, sample_shapes={"image": (160, 3, 32, 48)}) == {"image": (1, 3, 32, 48)}
    assert _shapes(IMAGE, sample_shapes={"image": (3, 32, 48)}) == {"image": (1, 3, 32, 48)}


def test_asked_goes_before_samples() -> None:
    asked = {"image": (1, 3, 8, 8)}
    assert _shapes(IMAGE, shapes=asked, sample_shapes={"image": (5, 3, 32, 32)}) == asked


def test_equally_named_dimensions_are_equal() -> None:
    assert _shapes(TOKENS, MASK, shapes={"mask": (2, 16)}) == {"tokens": (2, 16), "mask": (2, 16)}


def test_batch_that_another_input_has_inside() -> None:
    state = DeclaredInput("state", "float32", (2, "batch", 128))
    asked = {"tokens": (1, 512)}
    assert _shapes(TOKENS, state, shapes=asked) == {"tokens": (1, 512), "state": (2, 1, 128)}


def test_first_dimension_that_is_no_batch() -> None:
    steps = DeclaredInput("steps", "float32", ("seq", 4))
    assert _shapes(steps, TOKENS, shapes={"tokens": (1, 7)}) == {"steps": (7, 4), "tokens": (1, 7)}


def _refusal(*declared: DeclaredInput, **options: object) -> str:
    with pytest.raises(ModelError) as caught:
        fix_shapes(declared, **options)  # type: ignore[arg-type]
    return str(caught.value)


def test_open_dimension() -> None:
    assert _refusal(IMAGE) == (
        "Input 'image' has the shape [N, 3, H, W], which leaves dimensions 2, 3 open; say the size with "
        "--shape image=1,3,?,? (in Python: shapes={'image': (1, 3, ?, ?)}), a number for each '?'."
    )


def test_every_open_input_is_named() -> None:
    told = _refusal(IMAGE, TOKENS, DeclaredInput("free", "float32", None))
    assert [line.split("'")[1] for line in told.splitlines()] == ["image", "tokens", "free"]


@pytest.mark.parametrize(
    ("shapes", "told"),
    [
        ({"imag": (1, 3, 8, 8)}, "the model has no such input. Did you mean 'image'? Its inputs are: image."),
        ({"image": (3, 8, 8)}, "has 4 dimensions [N, 3, H, W], but the given shape [3, 8, 8] has 3"),
        ({"image": (1, 4, 8, 8)}, "dimension 1 cannot be 4"),
        ({"image": (1, 3, 0, 8)}, "positive whole numbers"),
        ({"image": (1, 3, 2.5, 8)}, "positive whole numbers"),
        ({"image": (1, 3, "a", 8)}, "positive whole numbers"),
        ({"image": 7}, "positive whole numbers"),
    ],
)
def test_shapes_that_cannot_be(shapes: object, told: str) -> None:
    assert told in _refusal(IMAGE, shapes=shapes)


def test_shapes_that_disagree() -> None:
    told = _refusal(TOKENS, MASK, shapes={"tokens": (1, 16), "mask": (1, 8)})
    assert "'seq' is 8 in input 'mask' and 16 in another" in told
