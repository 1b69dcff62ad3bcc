"""Every command and snippet of the README and of docs/ runs, and prints what the page says."""

import re
from pathlib import Path

import pytest

from .running import Done, Runner
from .snippets import Snippet, shape_of, snippets

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARKS = ("", "not run: ", "exit ", "prints", "from ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path, tmp_path: Path) -> None:
    """The blocks of a page run in order, in one folder that looks like a checkout."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "rules").symlink_to(ROOT / "rules")
    runner = Runner(tmp_path)
    printed = ""
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
            printed = fine(snippet, runner.shell(snippet.text))
        elif snippet.language == "python":
            printed = fine(snippet, runner.python(snippet.text, str(snippet)))
        elif snippet.language == "qrule":
            file = tmp_path / f"line_{snippet.line}.qrule"
            file.write_text(snippet.text)
            fine(snippet, runner.shell(f"qdsl check --format concise {file.name}"))
        elif snippet.language == "toml":
            (tmp_path / "options.toml").write_text(snippet.text)
            fine(snippet, runner.python("from qdsl.config import from_toml; from_toml('options.toml')", str(snippet)))
        else:
            assert snippet.language in ("text", "mermaid"), f"{snippet}: no way to test a {snippet.language} block"


def fine(snippet: Snippet, done: Done) -> str:
    """What a block printed, if it ended as the page says."""
    assert done.code == snippet.exit_code, f"{snippet}: exit {done.code}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_extractor_sees_marks_and_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# x\n\n<!-- exit 1 -->\n```sh\nfalse\n```\n\n```text\nhi\n```\n")
    first, second = snippets(page)
    assert (first.line, first.language, first.text, first.exit_code) == (4, "sh", "false\n", 1)
    assert (second.mark, second.exit_code) == ("", 0)
    assert shape_of("  a  1.5 dB\n") == shape_of("a 23 dB")


def test_blocks_run_the_same_here_as_in_bash(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    for text in ("qdsl ops nn.relu  # described", "qdsl ops nn.rel\nqdsl ops"):
        assert runner.shell(text) == runner.bash(text)
    assert runner.python("a = 1\nprint(a)", "here").stdout == "1\n"
    failed = runner.python("print(a + 1)\nb", "here")
    assert (failed.code, failed.stdout) == (1, "2\n")
    assert "name 'b' is not defined" in failed.stderr


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"
