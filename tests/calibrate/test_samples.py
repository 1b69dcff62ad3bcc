"""Calibration data in every form: the batches that come of it, or what is said of what does not fit."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from qdsl.calibrate import SampleSource, random_samples
from qdsl.errors import DataError


@dataclass(frozen=True)
class Input:
    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"


IMAGE = Input("image", (1, 2, 3))
IMAGES = Input("image", (4, 2, 3))
IDS = Input("ids", (1, 5), "int64")


def rows(count: int, shape: tuple[int, ...] = (2, 3), dtype: str = "float32") -> np.ndarray:
    """(count, *shape): row i is all i."""
    return np.broadcast_to(np.arange(count).reshape(-1, *[1] * len(shape)), (count, *shape)).astype(dtype)


def numbers(source: SampleSource) -> list[list[float]]:
    """The row numbers in each batch of the only input."""
    batches = [batch["image"] for batch in source]
    assert all(batch.dtype == np.float32 and batch.flags.c_contiguous for batch in batches)
    return [batch[:, 0, 0].tolist() for batch in batches]


def chunks(*sizes: int) -> list[dict[str, np.ndarray]]:
    whole, ends = rows(sum(sizes)), np.cumsum(sizes)
    return [{"image": whole[end - size : end]} for size, end in zip(sizes, ends, strict=True)]


def stored(folder: Path, **arrays: np.ndarray) -> Path:
    np.savez(folder / "data.npz", **arrays)
    return folder / "data.npz"


FORMS: dict[str, Callable[[Path], object]] = {
    "list": lambda _: chunks(*[1] * 19),
    "generator": lambda _: iter(chunks(8, 8, 3)),
    "batches of 8, 8, 3": lambda _: chunks(8, 8, 3),
    "rows without the batch axis": lambda _: [{"image": row} for row in rows(19)],
    "dict": lambda _: {"image": rows(19)},
    "dict in float64": lambda _: {"image": rows(19, dtype="float64")},
    "dict in uint8": lambda _: {"image": rows(19, dtype="uint8")},
    "dict of nested lists": lambda _: {"image": rows(19).tolist()},
    "npz": lambda folder: stored(folder, image=rows(19)),
    "npz, column major": lambda folder: stored(folder, image=np.asfortranarray(rows(19))),
    "npz by str": lambda folder: str(stored(folder, image=rows(19))),
    "npz without names": lambda folder: stored(folder, arr_0=rows(19)),
    "array": lambda _: rows(19),
    "list of arrays": lambda _: list(rows(19)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_batches(form: str, tmp_path: Path) -> None:
    single = SampleSource(FORMS[form](tmp_path), [IMAGE])
    assert numbers(single) == [[i] for i in range(19)]
    assert (single.total, single.dropped) == (19, 0)
    fours = SampleSource(FORMS[form](tmp_path), [IMAGES])
    assert numbers(fours) == [[4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3] for i in range(4)]
    assert (fours.total, fours.dropped) == (4, 3)


def test_whole_batches_stacked_along_a_first_axis(tmp_path: Path) -> None:
    stack = rows(12).reshape(3, 4, 2, 3)
    for data in ({"image": stack}, stack, stored(tmp_path, image=stack)):
        assert numbers(SampleSource(data, [IMAGES])) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_several_inputs_stay_together(tmp_path: Path) -> None:
    ids = rows(3, (5,), "int32")
    arrays = {"ids": ids, "image": rows(3)}
    for data in (arrays, stored(tmp_path, **arrays), [{n: a[i] for n, a in arrays.items()} for i in range(3)]):
        batches = list(SampleSource(data, [IMAGE, IDS]))
        assert [batch["ids"][0, 0] for batch in batches] == [0, 1, 2]
        assert [batch["image"][0, 0, 0] for batch in batches] == [0, 1, 2]
        assert all(batch["ids"].dtype == np.int64 and list(batch) == ["image", "ids"] for batch in batches)


def test_inputs_without_a_batch_axis() -> None:
    inputs = [Input("gain", ()), Input("table", (3,))]
    elements = [{"gain": 0.5, "table": [1.0, 2.0, 3.0]}, {"gain": 1.5, "table": [4.0, 5.0, 6.0]}]
    stacked = {"gain": [0.5, 1.5], "table": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}
    for data in (elements, stacked):
        first, second = list(SampleSource(data, inputs))
        assert first["gain"].shape == ()
        assert second["gain"] == 1.5
        assert second["table"].tolist() == [4, 5, 6]


def test_a_look_at_the_shapes_loses_nothing(tmp_path: Path) -> None:
    source = SampleSource(iter(chunks(8, 8, 3)))
    assert source.sample_shapes == source.sample_shapes == {"image": (8, 2, 3)}
    assert sum(len(batch["image"]) for batch in source.batches([IMAGE])) == 19
    for data in ({"image": rows(19)}, stored(tmp_path, image=rows(19))):
        assert SampleSource(data).sample_shapes == {"image": (1, 2, 3)}
    assert SampleSource(rows(19)).sample_shapes == {"": (1, 2, 3)}
    assert SampleSource(iter([rows(1)])).sample_shapes == {"": (1, 2, 3)}


def test_a_generator_is_read_once_and_only_as_far_as_needed() -> None:
    given: list[int] = []

    def generate() -> Iterator[dict[str, np.ndarray]]:
        for i in range(10):
            given.append(i)
            yield {"image": rows(1)}

    source = SampleSource(generate(), [IMAGE])
    assert source.is_one_shot
    assert given == []
    iterator = iter(source)
    next(iterator)
    assert given == [0]
    assert len(list(iterator)) == 9
    with pytest.raises(DataError, match="is a generator and has been read"):
        next(iter(source))


def test_a_generator_can_be_kept() -> None:
    source = SampleSource(iter(chunks(2, 1)), [IMAGE], keep=True)
    assert numbers(source) == numbers(source) == [[0], [1], [2]]


def test_lists_and_arrays_can_be_read_again() -> None:
    for data in (chunks(2, 1), {"image": rows(3)}):
        source = SampleSource(data, [IMAGE])
        assert not source.is_one_shot
        assert numbers(source) == numbers(source)


def test_an_npz_is_read_row_by_row(tmp_path: Path) -> None:
    """Reading the first batch leaves the rest of the file unread: damage behind it is not yet seen."""
    path = stored(tmp_path, image=np.random.default_rng(0).random((500, 2, 3)).astype("float32"))
    whole = path.read_bytes()
    place = whole.index(b"image.npy") + 4000
    path.write_bytes(whole[:place] + bytes(8) + whole[place + 8 :])
    iterator = iter(SampleSource(path, [IMAGE]))
    next(iterator)
    with pytest.raises(DataError, match="damaged"):
        list(iterator)


GOOD = {"image": rows(1), "ids": rows(1, (5,), "int64")}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "The calibration data is empty"),
        (iter(()), "The calibration data is empty"),
        ([GOOD, {"image": rows(1)}], "Sample 1 lacks input 'ids': the model reads 'image', 'ids'"),
        ([{}], "Sample 0 lacks inputs 'image', 'ids'"),
        ([{**GOOD, "imagee": 1}], "Sample 0 has 'imagee', which is no input: .* Did you mean 'image'"),
        ({**GOOD, "y": rows(1)}, "The calibration data has 'y', which is no input: the model reads 'image', 'ids'"),
        (
            [GOOD, {**GOOD, "image": rows(1, (3, 2))}],
            "Sample 1, input 'image': shape \\(1, 3, 2\\) does not fit",
        ),
        ({**GOOD, "image": rows(1, (3, 2))}, "input 'image': shape \\(1, 3, 2\\) .* it is \\(N, 2, 3\\)"),
        ([{**GOOD, "image": rows(1)[None]}], "shape \\(1, 1, 2, 3\\) does not fit the model's \\(1, 2, 3\\)"),
        ([{**GOOD, "ids": rows(1, (5,))}], "input 'ids': float32 data for an input of int64; give whole numbers"),
        ({**GOOD, "ids": rows(1, (5,))}, "input 'ids': float32 data for an input of int64"),
        (
            [{**GOOD, "image": rows(1) * np.nan}],
            "Sample 0, input 'image': 6 of 6 numbers are not finite .*NaN",
        ),
        ([GOOD, {**GOOD, "image": rows(1) + np.inf}], "Sample 1, input 'image': .* \\(the first Inf"),
        ([{**GOOD, "image": np.full((1, 2, 3), 1e300)}], "1e\\+300 is beyond the range of float32"),
        ([{**GOOD, "image": np.full((1, 2, 3), 2**24 + 1)}], "16777217 cannot be held exactly in float32"),
        ([{**GOOD, "image": np.full((1, 2, 3), 2**63 - 1)}], "cannot be held exactly in float32"),
        ([{**GOOD, "ids": np.full((1, 5), 2**63, "uint64")}], "cannot be held exactly in int64"),
        ([{**GOOD, "image": np.array([[["a"] * 3] * 2])}], "an array of numbers is needed, not one of text"),
        ([{**GOOD, "image": np.array([None])}], "not one of Python objects"),
        ([{**GOOD, "image": [[1.0], [1.0, 2.0]]}], "Sample 0, input 'image': this is no array"),
        ([{**GOOD, "image": rows(1) * 1j}], "not one of complex numbers"),
        ([{**GOOD, "image": rows(2)}], "Sample 0: its inputs are for different numbers of batches: 'image' 2, 'ids' 1"),
        (
            {"image": rows(3), "ids": rows(2, (5,), "int64")},
            "different numbers .* 'image' has 3 .*'ids' has 2",
        ),
        ([rows(1)], "Sample 0 is a ndarray; a sample is a dict of arrays: \\{'image': array, 'ids': array\\}"),
        ([(rows(1), 3)], "Sample 0 is a tuple; a sample is a dict"),
        ({name: array[:0] for name, array in GOOD.items()}, "holds no samples"),
    ],
)
def test_data_that_does_not_fit_is_named(data: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        list(SampleSource(data, [IMAGE, IDS]))


def test_the_sample_with_the_bad_number_is_named() -> None:
    """In a batch, in an array with the samples first, in a stream."""
    bad = rows(12)
    bad[6, 1, 1] = np.nan
    for data in ({"image": bad}, bad, bad.reshape(3, 4, 2, 3)[:, None].reshape(12, 2, 3)):
        with pytest.raises(DataError, match="Sample 6, input 'image'"):
            list(SampleSource(data, [IMAGES]))
    with pytest.raises(DataError, match="Sample 6, input 'image'"):
        list(SampleSource([{"image": row} for row in bad], [IMAGES]))


@pytest.mark.parametrize("data", [chunks(2, 1), {"image": rows(3)}])
def test_fewer_samples_than_one_batch_are_refused(data: object) -> None:
    with pytest.raises(DataError, match=r"holds 3 .*the model takes 4 at a time: give at least 4"):
        list(SampleSource(data, [IMAGES]))


@pytest.mark.parametrize("data", [3, None, 2.5])
def test_no_data_at_all(data: object) -> None:
    with pytest.raises(DataError, match="Calibration data is an iterable of"):
        SampleSource(data, [IMAGE])


def test_reading_before_the_inputs_are_known() -> None:
    with pytest.raises(DataError, match="no inputs, or none are known yet"):
        list(SampleSource([]))


class TestFiles:
    """Files that are no calibration data."""

    def read(self, path: Path) -> None:
        list(SampleSource(path, [IMAGE]))

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"There is no file .*nowhere\.npz"):
            self.read(tmp_path / "nowhere.npz")

    def test_folder(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"is a folder; calibration data is an \.npz file"):
            self.read(tmp_path)

    def test_pickled(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"Array 'image' in .* holds pickled Python objects"):
            self.read(stored(tmp_path, image=np.array([{"a": 1}], dtype=object)))

    @pytest.mark.parametrize("kept", [0, 10, 500, -30])
    def test_truncated(self, tmp_path: Path, kept: int) -> None:
        path = stored(tmp_path, image=rows(50))
        path.write_bytes(path.read_bytes()[:kept])
        with pytest.raises(DataError, match=r"cannot be read as calibration data: .* damaged, incomplete or no \.npz"):
            self.read(path)

    def test_text(self, tmp_path: Path) -> None:
        (tmp_path / "data.npz").write_text("image: 1 2 3")
        with pytest.raises(DataError, match=r"no \.npz file"):
            self.read(tmp_path / "data.npz")

    def test_array_that_is_shorter_than_it_says(self, tmp_path: Path) -> None:
        member = io.BytesIO()
        np.save(member, rows(50))
        with zipfile.ZipFile(tmp_path / "data.npz", "w") as archive:
            archive.writestr("image.npy", member.getvalue()[:-100])
        with pytest.raises(DataError, match="ends in the middle of array 'image'"):
            self.read(tmp_path / "data.npz")

    def test_header_that_is_none(self, tmp_path: Path) -> None:
        with zipfile.ZipFile(tmp_path / "data.npz", "w") as archive:
            archive.writestr("image.npy", b"nothing of the kind")
        with pytest.raises(DataError, match="damaged, incomplete"):
            self.read(tmp_path / "data.npz")

    def test_wrong_names(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"data\.npz has 'x', which is no input: the model reads 'image'"):
            self.read(stored(tmp_path, x=rows(3), y=np.arange(3)))

    def test_no_arrays(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"data\.npz lacks input 'image'"):
            self.read(stored(tmp_path))


def test_random_samples_fit_and_repeat() -> None:
    first, again = (list(random_samples([IMAGES, IDS], 3, seed=5)) for _ in range(2))
    assert len(list(SampleSource(first, [IMAGES, IDS]))) == 3
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one["image"], other["image"])
    assert set(np.unique(first[0]["ids"])) <= {0, 1}
