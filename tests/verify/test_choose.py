"""Choices: the plainest graph first, then one change at a time."""

from __future__ import annotations

from qdsl.verify.choose import Chooser, variations
from qdsl.verify.shrink import smaller_choices


def build(chooser: Chooser) -> tuple[str, int, int] | None:
    letter = chooser.pick("letter", "abc")
    number = chooser.pick("number", [0, 1, 2])
    chooser.pick("all.size", ["large", "small"])
    return None if number == 0 else (letter, number, len(chooser.asked))


def test_the_first_that_fits_then_single_changes() -> None:
    found = list(variations(build, 5, seed=0))
    assert found[0][:2] == ("a", 1)
    assert {f[:2] for f in found[1:4]} == {("b", 1), ("c", 1), ("a", 2)}


def test_nothing_twice_and_no_more_than_asked_for() -> None:
    found = list(variations(build, 100, seed=0))
    assert len(found) == len(set(found)) == 6
    assert len(list(variations(build, 2, seed=0))) == 2


def test_nothing_fits() -> None:
    assert list(variations(lambda chooser: None, 5, seed=0)) == []


def test_later_options_than_there_are_mean_the_last() -> None:
    assert Chooser({"letter": 9}).pick("letter", "abc") == "c"


def test_smaller_choices_touch_sizes_only() -> None:
    found = list(smaller_choices({"conv.variant": 2, "x.shape": 1}, {"conv.variant": 5, "conv.size": 3, "x.shape": 4}))
    assert found[0] == {"conv.variant": 2, "conv.size": 1, "x.shape": 3}
    assert all(set(f) <= {"conv.variant", "conv.size", "x.shape"} for f in found)
    assert {"x.shape": 1} in found, "the same without the other change"
