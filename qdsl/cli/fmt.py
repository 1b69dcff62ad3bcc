"""qdsl fmt: rule files in the one style."""

from __future__ import annotations

import difflib
import io
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from qdsl.cli.console import Format, show_json, use_color
from qdsl.cli.guard import FINDINGS, UNUSABLE
from qdsl.cli.whole import OutputError, whole_file
from qdsl.errors import RuleError

if TYPE_CHECKING:
    from qdsl.lang.diagnostics import Diagnostic

STDIN = Path("-")


@dataclass(frozen=True)
class Outcome:
    """What formatting a file comes to."""

    path: Path
    before: str = ""
    after: str = ""
    refused: str | None = None
    """Why it was not formatted."""

    @property
    def changed(self) -> bool:
        return self.before != self.after


def fmt(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...|-", help="Rule files, or folders with them; the stock rules if left out. - is stdin."
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="As --check, and show what would change.")] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Format rule files, each written as a whole or not at all. One style, no options; comments stay."""
    dry = check or diff
    if paths and STDIN in paths:
        if len(paths) > 1:
            raise typer.BadParameter("- stands alone: either stdin or files")
        outcomes = [_of_text(STDIN, _stdin())]
        if not dry and format is Format.pretty and not outcomes[0].refused:
            sys.stdout.write(outcomes[0].after)
            return
    else:
        outcomes = []
        for path in _files(paths or ()):
            outcomes.append(_of_file(path))
            if not dry:
                _store(outcomes[-1])
    _show(outcomes, format, dry, diff)
    if any(outcome.refused for outcome in outcomes):
        raise typer.Exit(UNUSABLE)
    if dry and any(outcome.changed for outcome in outcomes):
        raise typer.Exit(FINDINGS)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that paths name, each once; a folder stands for all rule files in and below it."""
    from qdsl.lang.stock import rules_folder

    seen: set[Path] = set()
    for path in paths or (rules_folder(),):
        below = sorted(path.rglob("*.qrule")) if path.is_dir() else [path]
        if not below:
            raise RuleError(f"{path}: no .qrule files are in it or below it; name a file or another folder")
        for file in below:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise RuleError("stdin: not UTF-8 text; convert it first") from None


def _of_file(path: Path) -> Outcome:
    from qdsl.lang.diagnostics import Diagnostic
    from qdsl.lang.files import read_source

    source = read_source(os.fspath(path))
    if isinstance(source, Diagnostic):
        return Outcome(path, refused=_said([source]))
    return _of_text(path, source.text)


def _of_text(path: Path, text: str) -> Outcome:
    from qdsl.lang.format import FormatterFault, format_text

    try:
        done = format_text(text, "<stdin>" if path == STDIN else os.fspath(path))
    except FormatterFault as fault:
        return Outcome(path, refused=str(fault))
    if done.text is None:
        return Outcome(path, refused=_said(done.diagnostics))
    return Outcome(path, text, done.text)


def _said(diagnostics: Sequence[Diagnostic]) -> str:
    from qdsl.lang.render import render

    return render(list(diagnostics), "pretty", use_color(sys.stdout)).rstrip("\n")


def _store(outcome: Outcome) -> None:
    """Write a file if it changed. Behind a link, it is the file that is replaced, and it keeps its permissions."""
    if not outcome.changed or outcome.refused:
        return
    real = outcome.path.resolve()
    if not os.access(real, os.W_OK):
        raise OutputError(f"{outcome.path}: cannot be written to; change its permissions")
    with whole_file(real) as temporary:
        temporary.write_text(outcome.after, encoding="utf-8", newline="")
        shutil.copymode(real, temporary)


def _show(outcomes: Sequence[Outcome], format: Format, dry: bool, diff: bool) -> None:
    if format is Format.json:
        show_json([_as_dict(outcome) for outcome in outcomes])
        return
    from_stdin = [outcome.path for outcome in outcomes] == [STDIN]
    findings: TextIO = sys.stderr if from_stdin else sys.stdout
    for outcome in outcomes:
        if outcome.refused:
            print(outcome.refused, file=findings)
        elif outcome.changed and diff:
            sys.stdout.writelines(_difference(outcome))
        elif outcome.changed:
            print(f"{'would reformat' if dry else 'reformatted'} {outcome.path}", file=findings)
    if not from_stdin and not diff:
        print(_tally(outcomes, dry))


def _as_dict(outcome: Outcome) -> dict[str, object]:
    """As JSON; with the text where no file holds it."""
    text = {"text": outcome.after} if outcome.path == STDIN and not outcome.refused else {}
    return {"file": str(outcome.path), "changed": outcome.changed, "refused": outcome.refused, **text}


def _difference(outcome: Outcome) -> Iterator[str]:
    """A unified diff that `patch` takes; a line ends at a line break and nowhere else."""
    before, after = (list(io.StringIO(text, newline="\n")) for text in (outcome.before, outcome.after))
    for line in difflib.unified_diff(before, after, str(outcome.path), str(outcome.path)):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _tally(outcomes: Sequence[Outcome], dry: bool) -> str:
    refused = sum(outcome.refused is not None for outcome in outcomes)
    changed = sum(outcome.changed for outcome in outcomes)
    same = len(outcomes) - refused - changed
    parts = [
        (changed, "would be reformatted" if dry else "reformatted"),
        (same, "in style already"),
        (refused, "left alone"),
    ]
    return ", ".join(f"{n} file{'s' * (n != 1)} {said}" for n, said in parts if n) or "no files"
