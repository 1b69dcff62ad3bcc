"""qdsl new: a rule to begin with."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qdsl.cli.console import Format, say, show_json
from qdsl.cli.whole import OutputError, whole_file
from qdsl.errors import RuleError

if TYPE_CHECKING:
    from qdsl.ruledoc.new import NewRule


def new(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="The name of the rule.")],
    op: Annotated[str, typer.Option(metavar="OP", help="The operator it is for; see qdsl ops.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Append to this file; stdout if left out.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Write a rule for an operator, and a test of it, to begin with. stderr tells whether the test passes as it is."""
    from qdsl.ruledoc.new import new_rule

    made = new_rule(rule, op)
    if output is not None:
        append(made, output)
    passes, said = tried(made, output)
    if format is Format.json:
        show_json({"rule": rule, "op": made.op, "text": made.text, "passes": passes})
        return
    if output is None:
        print(made.text, end="")
    else:
        print(f"{rule} added to {output}")
    say(said)


def append(made: NewRule, file: Path) -> None:
    """Put a rule at the end of a rule file, or into a new one. What is in the file stays as it is.

    Raises RuleError for a file that has errors already or a rule of that name.
    """
    from qdsl.lang import tree
    from qdsl.lang.diagnostics import Diagnostic
    from qdsl.lang.files import read_source
    from qdsl.lang.parse import parse
    from qdsl.lang.render import render

    real = file.resolve()
    if real.suffix != ".qrule":
        raise OutputError(f"{file}: rule files end in .qrule; name it so")
    before = ""
    if real.exists():
        source = read_source(str(file))
        if isinstance(source, Diagnostic):
            raise RuleError(render([source]))
        parsed = parse(source)
        if parsed.file is None or parsed.diagnostics:
            raise RuleError(f"{file} has errors; mend them first:\n\n{render(list(parsed.diagnostics))}")
        if any(isinstance(i, tree.Rule | tree.Fold) and i.name == made.rule for i in parsed.file.items):
            raise RuleError(f"{file} has a rule {made.rule} already; choose another name")
        before = source.text.rstrip("\n")
    with whole_file(real) as temporary:
        text = f"{before}\n\n{made.text}" if before.strip() else made.text
        temporary.write_text(text, encoding="utf-8", newline="")
        if real.exists():
            shutil.copymode(real, temporary)


def tried(made: NewRule, file: Path | None) -> tuple[bool, str]:
    """Whether a new rule passes the checker and its own test among the other rules of its file; a sentence about it."""
    from qdsl.lang.program import load_text
    from qdsl.lang.render import render
    from qdsl.ruleset import load_rules, with_stock
    from qdsl.ruletest.run import run_test

    rules = load_rules(file) if file is not None else with_stock(load_text(made.text, f"{made.rule}.qrule"))
    errors = [finding for finding in rules.check() if finding.is_error]
    if errors:
        return False, f"it does not get on with the rest of {file}:\n\n{render(errors)}"
    if not made.has_test:
        return False, f"no test: no call of {made.op} could be made up; write one (expect fires, error <= 1 step)"
    test = next(test for test in rules.own.tests if test.rule == made.rule)
    try:
        case = run_test(rules, test)
    except Exception as error:  # what TVM cannot build is no fault of the caller's
        return False, f"its test cannot be run as it is: {str(error).splitlines()[0]}"
    if case.passed:
        return True, "its test passes as it is; narrow the guard and the marks, and add a test where it must not fire"
    return False, f"its test does not pass as it is: {case.message}"
