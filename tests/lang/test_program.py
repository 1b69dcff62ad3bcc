"""Programs of several files: what is used is read once and where it is used, and what cannot be read is told."""

import os
from pathlib import Path

import pytest

from qdsl.formats.format import SchemeType
from qdsl.lang import tree
from qdsl.lang.parse import LARGEST_FILE
from qdsl.lang.program import Program, load_program, load_text
from qdsl.lang.render import render
from qdsl.lang.stock import stock_paths

RELU = "rule {} match y = nn.relu(x) annotate y like x\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def names(program: Program) -> list[str]:
    return [rule.name for rule in program.rules]


def reasons(program: Program) -> list[str]:
    assert all(d.code == "Q0002" for d in program.diagnostics)
    return [d.message for d in program.diagnostics]


def test_items_stand_where_their_file_is_used(folder: Path) -> None:
    write("main.qrule", RELU.format("first") + 'use "parts/a.qrule"\n' + RELU.format("last"))
    write("parts/a.qrule", 'use "b.qrule"\n' + RELU.format("a"))
    write("parts/b.qrule", RELU.format("b"))
    program = load_program(["main.qrule"])
    assert names(program) == ["first", "b", "a", "last"]
    assert [file.span.path for file in program.files] == ["main.qrule", "parts/a.qrule", "parts/b.qrule"]
    assert set(program.sources) == {"main.qrule", "parts/a.qrule", "parts/b.qrule"}
    assert not program.diagnostics


def test_each_file_is_loaded_once_whatever_it_is_called(folder: Path) -> None:
    write("main.qrule", 'use "a.qrule" use "./x/../a.qrule" use "b.qrule" use "link.qrule"')
    write("a.qrule", RELU.format("a"))
    write("b.qrule", 'use "a.qrule"')
    os.symlink("a.qrule", "link.qrule")
    program = load_program(["a.qrule", Path("main.qrule"), folder / "a.qrule"])
    assert names(program) == ["a"]
    assert not program.diagnostics


def test_all_files_see_one_namespace_and_duplicates_are_kept(folder: Path) -> None:
    write("a.qrule", "scheme act = uint8 asymmetric\n" + RELU.format("relu"))
    write("b.qrule", "scheme act = int8\n" + RELU.format("relu") + "def f(x) = x")
    program = load_program(["a.qrule", "b.qrule"])
    assert names(program) == ["relu", "relu"]
    assert program.schemes["act"].dtype == "uint8"
    assert [type(item) for item in program.items].count(tree.Scheme) == 2
    assert list(program.defs) == ["f"]


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ({"a": "a"}, "a -> a"),
        ({"a": "b", "b": "a"}, "a -> b -> a"),
        ({"a": "b", "b": "c", "c": "b"}, "b -> c -> b"),
    ],
)
def test_a_cycle_is_told_with_its_path(folder: Path, text: dict[str, str], way: str) -> None:
    for name, used in text.items():
        write(name, RELU.format(name) + f'use "{used}"')
    program = load_program(["a"])
    (finding,) = program.diagnostics
    assert finding.code == "Q0002"
    assert finding.message == f"rule files use each other in a cycle: {way}"
    assert [label.span.text for label in (finding.primary, *finding.secondary)] == [
        f'use "{used}"' for used in way.split(" -> ")[-1:] + way.split(" -> ")[1:-1]
    ]
    assert sorted(names(program)) == sorted(text)


def test_a_file_used_from_two_sides_is_no_cycle(folder: Path) -> None:
    write("a", 'use "b" use "c"')
    write("b", 'use "d"')
    write("c", 'use "d"')
    write("d", RELU.format("d"))
    assert names(load_program(["a"])) == ["d"]
    assert not load_program(["a"]).diagnostics


def test_long_chains_of_files_are_followed(folder: Path) -> None:
    for i in range(150):
        write(f"{i}", f'use "{i + 1}"')
    write("150", RELU.format("end"))
    assert names(load_program(["0"])) == ["end"]


def test_chains_without_end_are_refused(folder: Path) -> None:
    for i in range(1000):
        write(f"{i}", f'use "{i + 1}"')
    (reason,) = reasons(load_program(["0"]))
    assert reason == "cannot read 200: files use each other more than 200 deep"


def test_a_missing_file_is_named_with_the_nearest(folder: Path) -> None:
    write("convolution.qrule", "")
    program = load_program(["convolutoin.qrule", "elsewhere/none.qrule"])
    assert reasons(program) == [
        "cannot read convolutoin.qrule: there is no such file",
        "cannot read elsewhere/none.qrule: there is no such file",
    ]
    assert program.diagnostics[0].help == "did you mean convolution.qrule?"
    assert render(program.diagnostics[:1]) == (
        "error[Q0002]: cannot read convolutoin.qrule: there is no such file\n"
        " --> convolutoin.qrule\n"
        "  = help: did you mean convolution.qrule?"
    )


def test_a_missing_used_file_is_told_at_its_use(folder: Path) -> None:
    write("sub/main.qrule", RELU.format("r") + 'use "gone.qrule"')
    program = load_program(["sub/main.qrule"])
    assert reasons(program) == ["cannot read sub/gone.qrule: there is no such file"]
    assert str(program.diagnostics[0].primary.span) == "sub/main.qrule:2:1"
    assert names(program) == ["r"]


def test_what_is_no_text_file_is_told(folder: Path) -> None:
    Path("folder").mkdir()
    Path("latin").write_bytes("# Größe\n# weiß\n".encode("latin-1"))
    Path("large").write_bytes(b"#" * (LARGEST_FILE + 1))
    Path("empty").write_bytes(b"")
    assert reasons(load_program(["folder", "latin", "large", "empty", "/dev/zero"])) == [
        "cannot read folder: it is a folder",
        "cannot read latin: it is not UTF-8 text: byte 0xF6 in line 1",
        "cannot read large: it is larger than 4 MiB",
        "cannot read /dev/zero: it is larger than 4 MiB",
    ]


def test_paths_that_no_system_has_are_told(folder: Path) -> None:
    write("odd", f'use "{"x" * 300}" use "a\0b"')
    long_name, zero = reasons(load_program(["odd"]))
    assert long_name.endswith("file name too long")
    assert zero.startswith("cannot read a\\x00b: ")


def test_a_permission_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    assert reasons(load_program(["secret"])) == ["cannot read secret: reading it is not permitted"]


def test_syntax_errors_of_all_files_are_collected(folder: Path) -> None:
    write("a", 'use "b" scheme s = int8 sym')
    write("b", "def f(x) = ")
    program = load_program(["a"])
    assert [d.primary.span.path for d in program.diagnostics] == ["a", "b"]
    assert program.unread == {"s", "f"}


def test_a_text_without_a_file_uses_files_beside_its_path(folder: Path) -> None:
    write("rules/a.qrule", RELU.format("a"))
    program = load_text('use "a.qrule" ' + RELU.format("b"), "rules/unsaved.qrule")
    assert names(program) == ["a", "b"]


def test_scheme_flags_are_resolved() -> None:
    program = load_text(
        "scheme act = uint8 asymmetric per_tensor scheme weight = int8 symmetric per_channel narrow "
        "scheme wide = int32 24 bits scheme half = float16"
    )
    assert program.scheme_types == {
        "act": SchemeType("act", "uint8", symmetric=False, per_channel=False),
        "weight": SchemeType("weight", "int8", symmetric=True, per_channel=True, narrow=True),
        "wide": SchemeType("wide", "int32", symmetric=True, per_channel=False, bits=24),
    }


def test_the_stock_rules_load_without_a_finding() -> None:
    program = load_program(stock_paths())
    assert program.rules
    assert render(program.diagnostics) == ""
