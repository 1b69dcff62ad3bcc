// Which command starts the language server: what the settings say, else the workspace's own qdsl, else that of the PATH.

"use strict";

const path = require("node:path");

/**
 * @param {string[]} configured the setting qdsl.server.command
 * @param {string[]} folders the folders of the workspace
 * @param {(file: string) => boolean} exists
 * @param {string} platform as in process.platform
 * @returns {{command: string, args: string[]}}
 */
function serverCommand(configured, folders, exists, platform) {
  if (configured.length > 0) {
    return { command: configured[0], args: configured.slice(1) };
  }
  const binary = platform === "win32" ? path.join("Scripts", "qdsl.exe") : path.join("bin", "qdsl");
  const found = folders.map((folder) => path.join(folder, ".venv", binary)).find(exists);
  return { command: found ?? "qdsl", args: ["lsp"] };
}

module.exports = { serverCommand };
