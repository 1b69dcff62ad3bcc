"""qdsl fmt: what is written where, and with which exit code."""

import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest

UGLY = 'use   "a.qrule"  # why\n\n\n\nscheme act=uint8'
PRETTY = 'use "a.qrule"  # why\n\nscheme act = uint8\n'


@pytest.fixture
def ugly(tmp_path: Path) -> Path:
    file = tmp_path / "ugly.qrule"
    file.write_text(UGLY)
    return file


def as_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_a_file_is_rewritten_and_keeps_its_permissions(qdsl, ugly: Path) -> None:
    ugly.chmod(0o640)
    done = qdsl("fmt", ugly.name)
    assert (done.returncode, done.stdout) == (0, "reformatted ugly.qrule\n1 file reformatted\n")
    assert ugly.read_bytes() == PRETTY.encode()
    assert stat.S_IMODE(ugly.stat().st_mode) == 0o640
    assert qdsl("fmt", ugly.name).stdout == "1 file in style already\n"
    assert [path.name for path in ugly.parent.iterdir()] == ["ugly.qrule"]


def test_a_file_in_style_is_not_touched(qdsl, ugly: Path) -> None:
    ugly.write_text(PRETTY)
    os.utime(ugly, ns=(0, 0))
    assert qdsl("fmt", ugly).returncode == 0
    assert ugly.stat().st_mtime_ns == 0


def test_check_says_and_leaves(qdsl, ugly: Path) -> None:
    done = qdsl("fmt", "--check", ugly.name)
    assert (done.returncode, done.stdout) == (1, "would reformat ugly.qrule\n1 file would be reformatted\n")
    assert ugly.read_text() == UGLY
    ugly.write_text(PRETTY)
    assert qdsl("fmt", "--check", ugly.name).returncode == 0


def test_diff_shows_and_leaves(qdsl, ugly: Path) -> None:
    done = qdsl("fmt", "--diff", ugly.name)
    assert done.returncode == 1
    assert done.stdout == (
        "--- ugly.qrule\n+++ ugly.qrule\n@@ -1,5 +1,3 @@\n"
        '-use   "a.qrule"  # why\n+use "a.qrule"  # why\n \n-\n-\n-scheme act=uint8\n'
        "\\ No newline at end of file\n+scheme act = uint8\n"
    )
    assert ugly.read_text() == UGLY
    ugly.write_text(PRETTY)
    assert (qdsl("fmt", "--diff", ugly).returncode, qdsl("fmt", "--diff", ugly).stdout) == (0, "")


def test_a_folder_is_its_rule_files_at_any_depth(qdsl, ugly: Path) -> None:
    deep = ugly.parent / "presets" / "deep.qrule"
    deep.parent.mkdir()
    deep.write_text(UGLY)
    (ugly.parent / "note.txt").write_text(UGLY)
    done = qdsl("fmt", ".", ugly.name)
    assert done.stdout == "reformatted presets/deep.qrule\nreformatted ugly.qrule\n2 files reformatted\n"
    assert deep.read_text() == ugly.read_text() == PRETTY
    assert (ugly.parent / "note.txt").read_text() == UGLY


def test_a_link_stays_one(qdsl, ugly: Path) -> None:
    link = ugly.parent / "link.qrule"
    link.symlink_to(ugly)
    assert qdsl("fmt", link.name).returncode == 0
    assert link.is_symlink()
    assert ugly.read_text() == PRETTY


def test_a_syntax_error_leaves_its_file_and_formats_the_others(qdsl, ugly: Path) -> None:
    broken = ugly.parent / "broken.qrule"
    broken.write_text("rule   r\n")
    done = qdsl("fmt", broken.name, ugly.name)
    assert done.returncode == 2
    assert done.stdout.startswith("error[Q0001]: `rule r` has no `match` clause\n --> broken.qrule:1:")
    assert done.stdout.endswith("reformatted ugly.qrule\n1 file reformatted, 1 file left alone\n")
    assert (broken.read_text(), ugly.read_text()) == ("rule   r\n", PRETTY)


@pytest.mark.parametrize(("name", "said"), [("nowhere.qrule", "no such file"), ("latin.qrule", "not UTF-8")])
def test_what_cannot_be_read(qdsl, tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "latin.qrule").write_bytes(b"# gr\xfc\xdfe\n")
    done = qdsl("fmt", name)
    assert done.returncode == 2
    assert "error[Q0002]" in done.stdout
    assert said in done.stdout


def test_a_folder_without_rules(qdsl, tmp_path: Path) -> None:
    done = qdsl("fmt", tmp_path)
    assert done.returncode == 2
    assert "no .qrule files" in done.stderr


def test_a_fault_of_ours_is_told_and_nothing_written(qdsl, ugly: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qdsl.lang.format.format.write", lambda rows: "".join(f"{row.code}\n" for row in rows))
    done = qdsl("fmt", ugly.name)
    assert done.returncode == 2
    assert "ugly.qrule: internal error: formatted, it lacks a comment" in done.stdout
    assert ugly.read_text() == UGLY


def test_stdin_to_stdout(qdsl, monkeypatch: pytest.MonkeyPatch) -> None:
    as_stdin(monkeypatch, UGLY.encode())
    done = qdsl("fmt", "-")
    assert (done.returncode, done.stdout, done.stderr) == (0, PRETTY, "")
    as_stdin(monkeypatch, UGLY.encode())
    assert qdsl("fmt", "-", "--check").returncode == 1
    as_stdin(monkeypatch, b"rule r")
    done = qdsl("fmt", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--> <stdin>:1:" in done.stderr
    as_stdin(monkeypatch, b"\xff")
    assert "not UTF-8" in qdsl("fmt", "-").stderr
    assert qdsl("fmt", "-", "a.qrule").returncode == 2


def test_json(qdsl, ugly: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = qdsl("fmt", "--check", ugly.name, "--format", "json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == [{"file": "ugly.qrule", "changed": True, "refused": None}]
    as_stdin(monkeypatch, UGLY.encode())
    assert json.loads(qdsl("fmt", "-", "--format", "json").stdout)[0]["text"] == PRETTY
