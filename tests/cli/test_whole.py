"""Output is there as a whole or not at all."""

from pathlib import Path

import pytest

from qdsl.cli.whole import OutputError, whole_file, whole_folder


def write(folder: Path, word: str) -> None:
    (folder / "report.json").write_text(word)


def test_a_new_folder(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out") as folder:
        write(folder, "new")
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out" / "report.json").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_an_earlier_output_is_replaced_whole(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "out") as folder:
        write(folder, "old")
        (folder / "stale").touch()
    with whole_folder(tmp_path / "out") as folder:
        write(folder, "new")
    assert [entry.name for entry in (tmp_path / "out").iterdir()] == ["report.json"]
    assert (tmp_path / "out" / "report.json").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("end", [KeyboardInterrupt, OSError, SystemExit])
def test_nothing_is_left_of_a_run_that_ends_early(tmp_path: Path, end: type[BaseException]) -> None:
    with whole_folder(tmp_path / "out") as folder:
        write(folder, "old")

    def interrupted() -> None:
        with whole_folder(tmp_path / "out") as folder:
            write(folder, "half")
            raise end

    with pytest.raises(end):
        interrupted()
    assert (tmp_path / "out" / "report.json").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_folders_of_others_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    with pytest.raises(OutputError, match="holds files that qdsl did not write"), whole_folder(tmp_path / "mine"):
        pass
    with pytest.raises(OutputError, match="is a file"), whole_folder(tmp_path / "mine" / "thesis.tex"):
        pass
    with pytest.raises(OutputError, match="there is no folder"), whole_folder(tmp_path / "a" / "b"):
        pass


def test_a_file(tmp_path: Path) -> None:
    with whole_file(tmp_path / "y.npz") as path:
        assert path.suffix == ".npz"
        path.write_text("new")
    assert (tmp_path / "y.npz").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["y.npz"]


def test_nothing_is_left_of_a_file_that_ends_early(tmp_path: Path) -> None:
    def interrupted() -> None:
        with whole_file(tmp_path / "y.npz") as path:
            path.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
