"use strict";

const assert = require("node:assert");
const path = require("node:path");
const test = require("node:test");
const { serverCommand } = require("../server");

const own = path.join("/work", ".venv", "bin", "qdsl");

test("what the settings say comes first", () => {
  const found = serverCommand(["python", "-m", "qdsl.cli.main", "lsp"], ["/work"], () => true, "linux");
  assert.deepStrictEqual(found, { command: "python", args: ["-m", "qdsl.cli.main", "lsp"] });
});

test("then the workspace's own", () => {
  assert.deepStrictEqual(serverCommand([], ["/other", "/work"], (f) => f === own, "linux"), {
    command: own,
    args: ["lsp"],
  });
});

test("then the one on the PATH", () => {
  assert.deepStrictEqual(serverCommand([], ["/work"], () => false, "linux"), { command: "qdsl", args: ["lsp"] });
  assert.deepStrictEqual(serverCommand([], [], () => true, "linux"), { command: "qdsl", args: ["lsp"] });
});

test("on Windows it is called otherwise", () => {
  assert.ok(serverCommand([], ["/work"], () => true, "win32").command.endsWith("qdsl.exe"));
});
