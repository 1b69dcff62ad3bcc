// The client: starts `qdsl lsp` and leaves everything else to it.

"use strict";

const fs = require("node:fs");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverCommand } = require("./server");

/** @type {LanguageClient | undefined} */
let client;

/** @param {import("vscode").ExtensionContext} context */
async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("qdsl.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("qdsl.server")) {
        void restart();
      }
    }),
  );
  await start();
}

async function start() {
  const configured = vscode.workspace.getConfiguration("qdsl").get("server.command", []);
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const server = serverCommand(configured, folders, fs.existsSync, process.platform);
  client = new LanguageClient(
    "qdsl",
    "qdsl rules",
    { ...server, options: { cwd: folders[0] } },
    { documentSelector: [{ language: "qrule" }] },
  );
  try {
    await client.start();
  } catch (error) {
    await complain([server.command, ...server.args].join(" "), error);
  }
}

/**
 * @param {string} command
 * @param {unknown} error
 */
async function complain(command, error) {
  const settings = "Open settings";
  const chosen = await vscode.window.showErrorMessage(
    `The language server did not start (${command}): ${error instanceof Error ? error.message : error}. ` +
      "Install it with: pip install 'qdsl[lsp]', or name its command in the settings.",
    settings,
  );
  if (chosen === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "qdsl.server.command");
  }
}

async function restart() {
  await deactivate();
  await start();
}

async function deactivate() {
  const stopping = client;
  client = undefined;
  if (stopping?.needsStop()) {
    await stopping.stop();
  }
}

module.exports = { activate, deactivate };
