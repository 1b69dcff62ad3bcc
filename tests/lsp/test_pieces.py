"""Small parts of the server, without a server."""

from __future__ import annotations

import subprocess
import sys

import pytest

from qdsl.lang.flags import FLAGS
from qdsl.lang.grammar import spellings
from qdsl.lsp.edits import apply, line_edits
from qdsl.lsp.fixes.code import pieces
from qdsl.lsp.positions import Places
from qdsl.lsp.words import FLAGS as MEANINGS
from qdsl.lsp.words import KEYWORDS, SNIPPETS

RESCALED = "rescale(b, s.scale)"
WIDE = "a\U0001f600b\r\n\u00e9x\rlast\n"


@pytest.mark.parametrize(
    ("encoding", "units"),
    [("utf-8", [0, 1, 5, 6, 6]), ("utf-16", [0, 1, 3, 4, 4]), ("utf-32", [0, 1, 2, 3, 3])],
)
def test_units_of_a_line_with_wide_characters(encoding: str, units: list[int]) -> None:
    places = Places(WIDE, encoding)
    assert [places.place(offset) for offset in range(4)] == [(0, unit) for unit in units[:4]]
    assert [places.offset(0, unit) for unit in units] == [0, 1, 2, 3, 3]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_there_and_back(encoding: str) -> None:
    places = Places(WIDE, encoding)
    inside = [o for o in range(len(WIDE) + 1) if WIDE[o - 1 : o + 1] != "\r\n"]
    assert [places.offset(*places.place(o)) for o in inside] == inside
    assert places.place(len(WIDE)) == (3, 0)
    assert places.offset(99, 0) == len(WIDE)
    assert places.offset(1, 99) == WIDE.index("\rlast")


def test_line_edits_lead_from_one_text_to_the_other() -> None:
    before, after = "a\nb\nc\n", "a\nB\nc\nd"
    edits = list(line_edits(before, after))
    assert apply(before, edits) == after
    assert (edits[0].start, edits[0].end) == (2, 4)


@pytest.mark.parametrize(
    ("help_", "texts"),
    [
        ("write centered(x)", ["centered(x)"]),
        ("write weight[O] or weight[I]", ["weight[O]", "weight[I]"]),
        ("write level(low, x) and level(high, x)", ["level(low, x)", "level(high, x)"]),
        ("write y, _, _ = nn.batch_norm(x, gamma)", ["y, _, _ = nn.batch_norm(x, gamma)"]),
        ("mark b on that scale, b as acc = s.scale, or write rescale(b, s.scale)", ["b as acc = s.scale", RESCALED]),
        ("the axis comes with the scale: write acc = x.scale", ["acc = x.scale"]),
        ("write private(s): every reader is inside the match", ["private(s)"]),
        ("delete the binding", []),
    ],
)  # fmt: skip
def test_the_rule_texts_in_a_help_line(help_: str, texts: list[str]) -> None:
    assert list(pieces(help_)) == texts


def test_every_keyword_of_the_grammar_is_explained() -> None:
    words = {text for text in spellings().values() if text.isidentifier()} - {"_"}
    assert words == set(KEYWORDS)
    assert set(SNIPPETS) <= words
    assert set(FLAGS) <= set(MEANINGS)


def test_the_server_does_without_tvm() -> None:
    """Loaded, and asked for everything that needs neither an editor nor a test."""
    script = """
import sys
from qdsl.lsp.complete import complete
from qdsl.lsp.document import Document
from qdsl.lsp.fixes import fixes
from qdsl.lsp.hover import hover
from qdsl.lsp.start import make_server
from qdsl.lsp.texts import Texts
make_server()
text = "rule r match y = nn.rely(x) annotate x as act y like x"
document = Document("/r.qrule", Texts({"/r.qrule": text}))
hover(document, text.index("match"))
complete(document, text.index("x)"))
assert fixes(document.findings[0], document)
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("tvm", "tvm_ffi", "onnx")))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr


def test_without_pygls_a_sentence_says_what_to_install() -> None:
    script = """
import sys
sys.modules["pygls"] = None
from qdsl.cli.main import main
main(["lsp"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("qdsl: error: the language server needs pygls 2")
    assert "pip install 'qdsl[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("way", ["terminated", "left alone"])
def test_the_server_ends_with_its_editor(way: str) -> None:
    command = [sys.executable, "-m", "qdsl.cli.main", "lsp"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()
    assert server.stdout.readline().startswith(b"Content-Length")
    if way == "terminated":
        server.terminate()
    else:
        server.stdin.close()
    assert server.wait(timeout=60) == (143 if way == "terminated" else 0)
    assert server.stderr.read() == b""
    for pipe in (server.stdin, server.stdout, server.stderr):
        pipe.close()
