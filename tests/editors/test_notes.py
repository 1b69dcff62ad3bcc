"""What editors/ says and contains: settings that can be read, files that are there, commands that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EDITORS = Path(__file__).parents[2] / "editors"
VSCODE = EDITORS / "vscode"
NEEDED = "run `npm install` in editors/vscode first"


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (EDITORS / name).read_text(encoding="utf-8"), re.DOTALL)


def test_helix_can_read_its_settings() -> None:
    languages, config = (tomllib.loads(block) for block in blocks("helix.md", "toml"))
    server = languages["language-server"]["qdsl"]
    assert [server["command"], *server["args"]] == ["qdsl", "lsp"]
    assert languages["language"][0]["language-servers"] == ["qdsl"]
    assert config["editor"]["lsp"]["display-inlay-hints"] is True


def test_neovim_is_given_balanced_lua_with_the_command() -> None:
    found = blocks("neovim.md", "lua")
    assert sum('{ "qdsl", "lsp" }' in block for block in found) == 2
    for block in found:
        assert block.count("(") == block.count(")")
        assert block.count("{") == block.count("}")
        assert len(re.findall(r"\bfunction\b", block)) == len(re.findall(r"\bend\b", block))


def test_links_lead_somewhere() -> None:
    for page in EDITORS.glob("*.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_extension_names_files_and_commands_that_are_there() -> None:
    package = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    gives = package["contributes"]
    named = [package["main"], gives["languages"][0]["configuration"], gives["grammars"][0]["path"]]
    assert all((VSCODE / path).is_file() for path in named)
    grammar = json.loads((VSCODE / gives["grammars"][0]["path"]).read_text(encoding="utf-8"))
    assert grammar["scopeName"] == gives["grammars"][0]["scopeName"]
    registered = re.findall(r'registerCommand\("([^"]+)"', (VSCODE / "extension.js").read_text(encoding="utf-8"))
    assert registered == [command["command"] for command in gives["commands"]]
    formatter = gives["configurationDefaults"]["[qrule]"]["editor.defaultFormatter"]
    assert formatter == f"{package['publisher']}.{package['name']}"
    json.loads((VSCODE / "language-configuration.json").read_text(encoding="utf-8"))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_extensions_code_can_be_read() -> None:
    for file in ("extension.js", "server.js", "eslint.config.js"):
        done = subprocess.run(["node", "--check", str(VSCODE / file)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
@pytest.mark.skipif(not (VSCODE / "node_modules").is_dir(), reason=NEEDED)
@pytest.mark.parametrize("script", ["lint", "test"])
def test_the_extensions_own_tests(script: str) -> None:
    done = subprocess.run(["npm", "run", "--silent", script], cwd=VSCODE, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
