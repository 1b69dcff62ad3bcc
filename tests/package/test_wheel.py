"""A wheel built from the tree holds everything, and works outside the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def pip(*arguments: object) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy of what the wheel is made of, so that no build/ of an earlier time gets into it."""
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("qdsl", "grammar", "rules", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        (source / name).symlink_to(ROOT / name)
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder, source)
    return next(folder.glob("qdsl-*.whl"))


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment with the wheel in it.

    It borrows the dependencies of this one through a .pth file. The checkout's own editable install is not seen there,
    since .pth files in a borrowed folder are not read.
    """
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    site = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    pip("--python", python, "install", "--no-deps", "--no-index", wheel)
    Path(site, "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def outside(bin_folder: Path, cwd: Path, *command: object) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    line = [str(bin_folder / str(command[0])), *map(str, command[1:])]
    return subprocess.run(line, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)


def test_the_wheel_holds_every_file_of_the_tree(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    for folder, place in ((ROOT / "qdsl", "qdsl"), (ROOT / "grammar", "qdsl/grammar"), (ROOT / "rules", "qdsl/rules")):
        for file in folder.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith("."):
                name = f"{place}/{file.relative_to(folder).as_posix()}"
                assert name in held, (
                    f"{name} is missing: a folder without __init__.py, or no package-data for its kind?"
                )


def test_it_runs_outside_the_checkout(bin_folder: Path, tmp_path: Path) -> None:
    where = outside(bin_folder, tmp_path, "python", "-c", "import qdsl.version as v; print(v.__file__)")
    assert str(bin_folder.parent) in where.stdout, where
    version = outside(bin_folder, tmp_path, "qdsl", "version", "--format", "json")
    assert "apache-tvm" in json.loads(version.stdout)


def test_it_checks_its_own_rules_outside_the_checkout(bin_folder: Path, tmp_path: Path) -> None:
    check = outside(bin_folder, tmp_path, "qdsl", "check")
    assert (check.returncode, check.stderr) == (0, ""), check.stdout + check.stderr
    assert "no findings" in check.stdout or "note" in check.stdout
