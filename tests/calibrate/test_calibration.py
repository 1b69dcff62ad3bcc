"""A Calibration: decided, saved, loaded and added up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qdsl.calibrate import Calibration
from qdsl.errors import DataError

RNG = np.random.default_rng(9)
SAMPLES = [
    {"a": RNG.standard_normal((1, 3, 4)), "b/c:0": RNG.random(5) * 10.0**i, "dead": np.zeros(4)} for i in range(6)
]


def observed(samples: list[dict[str, np.ndarray]], **options: bool) -> Calibration:
    calibration = Calibration()
    for sample in samples:
        calibration.observe_all({name: array.astype(np.float32) for name, array in sample.items()}, **options)
    return calibration


def assert_same(one: Calibration, other: Calibration) -> None:
    assert set(one.sketches) == set(other.sketches)
    assert (one.ranges, one.samples) == (other.ranges, other.samples)
    for name, sketch in one.sketches.items():
        twin = other.sketches[name]
        for field in ("name", "axis", "count", "zeros", "minimum", "maximum"):
            assert getattr(sketch, field) == getattr(twin, field), (name, field)
        for field in ("channel_minimum", "channel_maximum"):
            np.testing.assert_array_equal(getattr(sketch, field), getattr(twin, field))
        assert (sketch.histogram is None) == (twin.histogram is None)
        if sketch.histogram is not None and twin.histogram is not None:
            assert sketch.histogram.exponent == twin.histogram.exponent
            np.testing.assert_array_equal(sketch.histogram.counts, twin.histogram.counts)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    calibration = observed(SAMPLES)
    calibration.observe("channels", np.arange(24.0).reshape(2, 3, 4), axis=1)
    calibration.observe("more channels", np.arange(24.0).reshape(2, 3, 4), axis=-1, histogram=False)
    calibration.decide("a", "percentile")
    calibration.ranges["by hand"] = (-1.0, 2.5)
    path = calibration.save(tmp_path / "ranges")
    assert path == tmp_path / "ranges.npz"
    loaded = Calibration.load(path)
    assert_same(loaded, calibration)
    assert loaded.decide("a", "mse") == calibration.decide("a", "mse")
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_saved_and_loaded(tmp_path: Path) -> None:
    assert_same(Calibration.load(Calibration().save(tmp_path / "empty.npz")), Calibration())


def test_calibrations_of_shards_add_up() -> None:
    whole = observed(SAMPLES)
    assert_same(observed(SAMPLES[:2]) + observed(SAMPLES[2:]), whole)
    assert_same(observed(SAMPLES[3:]) + observed(SAMPLES[:3]), whole)
    assert_same(whole + Calibration(), whole)


def test_a_sum_leaves_out_ranges_of_what_grew() -> None:
    one, other = observed(SAMPLES[:2]), observed(SAMPLES[2:])
    one.decide("a")
    one.ranges["by hand"] = (0.0, 1.0)
    total = one + other
    assert total.ranges == {"by hand": (0.0, 1.0)}
    assert total.decide("a") == observed(SAMPLES).decide("a")


def test_a_range_without_a_sketch_is_taken_as_it_is() -> None:
    calibration = Calibration(ranges={"by hand": (-1.0, 1.0)})
    assert calibration.decide("by hand", "mse") == (-1.0, 1.0)
    assert calibration.decide("anything", "global_scale", global_scale=2.0) == (-2.0, 2.0)
    with pytest.raises(DataError, match="does not know value 'other'"):
        calibration.decide("other")


def test_a_value_that_is_not_finite_is_named() -> None:
    with pytest.raises(DataError, match="Value 'conv1'"):
        Calibration().observe("conv1", np.array([1.0, np.nan], np.float32))


def test_saving_replaces_whole_files_only(tmp_path: Path) -> None:
    path = observed(SAMPLES).save(tmp_path / "c.npz")
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"cannot be written to .*nowhere"):
        observed(SAMPLES).save(tmp_path / "nowhere" / "c.npz")
    observed(SAMPLES[:1]).save(path)
    assert path.read_bytes() != before
    assert_same(Calibration.load(path), observed(SAMPLES[:1]))


class TestDamagedFiles:
    """Files that are no calibration are refused by name."""

    def stored(self, folder: Path, **changes: object) -> Path:
        path = observed(SAMPLES).save(folder / "c.npz")
        with np.load(path) as file:
            arrays = {key: file[key] for key in file.files}
        arrays.update({key: np.asarray(value) for key, value in changes.items()})
        np.savez(path, **{key: array for key, array in arrays.items() if array.dtype != object or array != None})  # noqa: E711
        return path

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"nothing\.npz is not a file; a calibration is the \.npz"):
            Calibration.load(tmp_path / "nothing.npz")

    @pytest.mark.parametrize("kept", [0, 20, -40])
    def test_truncated(self, tmp_path: Path, kept: int) -> None:
        path = self.stored(tmp_path)
        path.write_bytes(path.read_bytes()[:kept])
        with pytest.raises(DataError, match=r"c\.npz cannot be read as a calibration: it is damaged"):
            Calibration.load(path)

    def test_other_npz(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "c.npz", input=np.zeros(3))
        with pytest.raises(DataError, match="no calibration that qdsl wrote"):
            Calibration.load(tmp_path / "c.npz")

    def test_npy(self, tmp_path: Path) -> None:
        np.save(tmp_path / "c.npy", np.zeros(3))
        with pytest.raises(DataError, match="cannot be read as a calibration"):
            Calibration.load(tmp_path / "c.npy")

    def test_pickled(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "c.npz", format=np.array([{}], dtype=object))
        with pytest.raises(DataError, match="cannot be read as a calibration"):
            Calibration.load(tmp_path / "c.npz")

    def test_later_version(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="has version 2 of the calibration format; this qdsl reads 1"):
            Calibration.load(self.stored(tmp_path, version=2))

    @pytest.mark.parametrize(
        "changes",
        [
            {"names": ["a", "a", "dead"]},
            {"names": ["a"]},
            {"ends": np.full((3, 2), np.nan)},
            {"ends": np.zeros((2, 2))},
            {"counts": np.zeros(3, np.int64)},
            {"exponents": [0, -500, 0]},
            {"spans": [[0, 9999], [0, 0], [0, 0]]},
            {"numbers": [[1, 2], [1, 0], [1, 0]]},
            {"range_names": ["a"], "ranges": [[2.0, 1.0]]},
            {"range_names": ["a", "b"]},
            {"samples": "many"},
            {"counts": None},
        ],
    )
    def test_parts_that_do_not_fit_together(self, tmp_path: Path, changes: dict[str, object]) -> None:
        with pytest.raises(DataError, match="is a damaged calibration: its parts do not fit together"):
            Calibration.load(self.stored(tmp_path, **changes))
