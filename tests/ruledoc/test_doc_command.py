"""qdsl doc: where pages go."""

import json
from pathlib import Path

FILE = Path(__file__).parent / "pages" / "gates.qrule"


def test_a_folder_of_pages(qdsl, tmp_path: Path) -> None:
    done = qdsl("doc", FILE, "-o", "deep/pages")
    assert (done.returncode, done.stdout) == (0, "5 pages written; begin with deep/pages/index.md\n")
    folder = tmp_path / "deep" / "pages"
    assert {f.name for f in folder.iterdir()} == {"index.md", "gate.md", "halved_swish.md", "join.md", "plain_norm.md"}


def test_pages_of_rules_that_are_gone_are_removed_and_nothing_else(qdsl, tmp_path: Path) -> None:
    assert qdsl("doc", FILE, "-o", "pages").returncode == 0
    (tmp_path / "pages" / "mine.md").write_text("# Mine\n")
    fewer = tmp_path / "fewer.qrule"
    fewer.write_text("fold double\n    match     y = add(x, x)\n    rewrite   y = x * 2\n")
    assert qdsl("doc", fewer, "-o", "pages").returncode == 0
    assert {f.name for f in (tmp_path / "pages").iterdir()} == {"index.md", "double.md", "mine.md"}


def test_a_page_that_is_not_ours_is_refused(qdsl, tmp_path: Path) -> None:
    (tmp_path / "index.md").write_text("# Mine\n")
    done = qdsl("doc", FILE, "-o", ".")
    assert done.returncode == 2
    assert "index.md: was not written by qdsl doc" in done.stderr
    assert [f.name for f in tmp_path.iterdir()] == ["index.md"]
    assert qdsl("doc", FILE, "-o", "index.md").returncode == 2


def test_without_a_folder_everything_is_printed(qdsl) -> None:
    done = qdsl("doc", FILE)
    assert done.returncode == 0
    assert done.stdout.startswith("# gate\n")
    assert done.stdout.count("\n## Match\n") == 4


def test_json(qdsl) -> None:
    docs = json.loads(qdsl("doc", FILE, "--format", "json").stdout)
    assert [doc["name"] for doc in docs] == ["gate", "halved_swish", "join", "plain_norm"]
    assert docs[0]["overridden_by"] == ["halved_swish"]
    assert docs[0]["remark"] == "(s_a a) * (s_b b)  =  (s_a s_b) (a b)"
    assert [test["title"] for test in docs[0]["tests"]] == ["of two convolutions", "stays in float"]


def test_rules_that_cannot_be_read(qdsl, tmp_path: Path) -> None:
    (tmp_path / "bad.qrule").write_text("rule")
    done = qdsl("doc", "bad.qrule")
    assert done.returncode == 2
    assert "Q0001" in done.stderr
