"""A language server as editors start it, and a client that talks to it over pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-m", "qdsl.cli.main", "lsp", "--stdio"]


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER, server_env=dict(os.environ)), scope="session")
async def client(lsp_client: LanguageClient, tmp_path_factory) -> AsyncIterator[None]:
    """An editor that can do what Visual Studio Code can, with the workspace `client.folder`."""
    folder = tmp_path_factory.mktemp("workspace")
    lsp_client.folder = folder
    capabilities = client_capabilities("visual-studio-code")
    params = types.InitializeParams(capabilities, workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "rules")])

    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def _registered(params: types.RegistrationParams) -> None:
        lsp_client.registered = params

    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def _refresh(params: None) -> None: ...

    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()
