// The client against a `vscode` and a language client made up for the purpose.

"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const test = require("node:test");

const made = [];
const commands = new Map();
const shown = [];
let failing = false;

class LanguageClient {
  constructor(...given) {
    Object.assign(this, { given, state: "new" });
    made.push(this);
  }
  async start() {
    if (failing) {
      throw new Error("spawn qdsl ENOENT");
    }
    this.state = "running";
  }
  needsStop() {
    return this.state === "running";
  }
  async stop() {
    this.state = "stopped";
  }
}

const vscode = {
  commands: {
    registerCommand: (name, run) => commands.set(name, run),
    executeCommand: async (...given) => shown.push(given),
  },
  window: { showErrorMessage: async (text, choice) => (shown.push([text]), choice) },
  workspace: {
    workspaceFolders: undefined,
    getConfiguration: () => ({ get: (_name, otherwise) => otherwise }),
    onDidChangeConfiguration: () => ({ dispose() {} }),
  },
};

const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);
const extension = require("../extension");
Module._load = load;

test("it starts the server for rule files, and anew on command", async () => {
  await extension.activate({ subscriptions: [] });
  assert.strictEqual(made.length, 1);
  const [, , server, client] = made[0].given;
  assert.deepStrictEqual([server.command, server.args], ["qdsl", ["lsp"]]);
  assert.deepStrictEqual(client.documentSelector, [{ language: "qrule" }]);
  await commands.get("qdsl.restart")();
  assert.deepStrictEqual(
    made.map((one) => one.state),
    ["stopped", "running"],
  );
  await extension.deactivate();
  assert.strictEqual(made[1].state, "stopped");
});

test("it says how to install a server that is not there", async () => {
  failing = true;
  await extension.activate({ subscriptions: [] });
  assert.match(shown[0][0], /qdsl lsp.*ENOENT.*pip install 'qdsl\[lsp\]'/s);
  assert.deepStrictEqual(shown[1], ["workbench.action.openSettings", "qdsl.server.command"]);
});
