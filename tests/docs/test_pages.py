"""Every command and snippet of the README and of docs/ runs, and prints what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .snippets import Snippet, shape_of, snippets

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARKS = ("", "not run: ", "exit ", "prints", "from ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path) -> None:
    """The blocks of a page run in order, in one folder that looks like a checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "rules").symlink_to(ROOT / "rules")
    printed = ""
    python = python_printed = ""
    for snippet in snippets(page):
        assert snippet.mark.startswith(MARKS[1:]) or not snippet.mark, (
            f"{snippet}: what does <!-- {snippet.mark} --> mean?"
        )
        if snippet.mark.startswith("not run: "):
            continue
        if snippet.mark == "prints":
            assert shape_of(snippet.text) in shape_of(printed), f"{snippet}: prints\n{printed}"
        elif snippet.mark.startswith("from "):
            assert snippet.text.strip() in (ROOT / snippet.mark.removeprefix("from ")).read_text(), str(snippet)
        elif snippet.language == "sh":
            printed = run(snippet, ["bash", "-euo", "pipefail", "-c", snippet.text], tmp_path)
        elif snippet.language == "python":
            python += snippet.text  # a page's Python blocks are one program
            everything = run(snippet, [sys.executable, "-c", python], tmp_path)
            printed, python_printed = everything.removeprefix(python_printed), everything
        elif snippet.language == "qrule":
            file = tmp_path / f"line_{snippet.line}.qrule"
            file.write_text(snippet.text)
            run(snippet, ["qdsl", "check", "--format", "concise", file.name], tmp_path)
        elif snippet.language == "toml":
            file = tmp_path / "options.toml"
            file.write_text(snippet.text)
            run(
                snippet,
                [sys.executable, "-c", "from qdsl.config import from_toml; from_toml('options.toml')"],
                tmp_path,
            )
        else:
            assert snippet.language == "text", f"{snippet}: no way to test a {snippet.language} block"


def run(snippet: Snippet, command: list[str], folder: Path) -> str:
    """Run what a block says with this environment's programs first in the path."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PATH": programs}, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == snippet.exit_code, f"{snippet}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_extractor_sees_marks_and_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# x\n\n<!-- exit 1 -->\n```sh\nfalse\n```\n\n```text\nhi\n```\n")
    first, second = snippets(page)
    assert (first.line, first.language, first.text, first.exit_code) == (4, "sh", "false\n", 1)
    assert (second.mark, second.exit_code) == ("", 0)
    assert shape_of("  a  1.5 dB\n") == shape_of("a 23 dB")


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"
