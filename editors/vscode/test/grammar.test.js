// The TextMate grammar in the engine that editors use. tests/editors holds it against grammar/qrule.lark.

"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { createOnigScanner, createOnigString, loadWASM } = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const FILE = path.join(__dirname, "..", "syntaxes", "qrule.tmLanguage.json");

async function grammar() {
  await loadWASM(fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const registry = new Registry({
    onigLib: Promise.resolve({ createOnigScanner, createOnigString }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(FILE, "utf8"), FILE),
  });
  return registry.loadGrammar("source.qrule");
}

/** The innermost scope of every piece of a text that has one of its own. */
function scopes(loaded, text) {
  let state = INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = loaded.tokenizeLine(line, state);
    state = ruleStack;
    for (const token of tokens) {
      const piece = line.slice(token.startIndex, token.endIndex);
      if (piece.trim()) {
        found.push([piece, token.scopes.at(-1)]);
      }
    }
  }
  return found;
}

const TEXT = `scheme acc = int32 symmetric per_channel 24 bits # an accumulator
rule convolution for conv in nn.conv2d overrides other
    "Int8."
    match     y = conv(x, _)
    annotate  x as any
              y as acc[C] = x.scale * w.match
    realize   y = conv(centered(x), match=true)
test convolution "t"
    given     x: const float32[1]
    expect    fires
              error <= 1 step`;

const EXPECTED = {
  scheme: "keyword.control.item", acc: "entity.name.type.scheme", int32: "storage.type.dtype",
  symmetric: "keyword.other.flag", "24": "constant.numeric", bits: "keyword.other",
  "# an accumulator": "comment.line.number-sign", rule: "keyword.control.item", conv: "variable.parameter",
  convolution: "entity.name.type.rule", "nn.conv2d": "entity.name.function.operator",
  overrides: "keyword.control.clause", '"Int8."': "string.quoted.double", realize: "keyword.control.clause",
  any: "keyword.other.format", C: "constant.other.axis", scale: "variable.other.member", _: "variable.language.ignored",
  centered: "support.function.builtin", true: "constant.language.boolean", const: "storage.modifier",
  fires: "keyword.other.outcome", error: "keyword.other.outcome", "<=": "keyword.operator.comparison",
  step: "keyword.other.outcome",
};

test("words have their scopes", async () => {
  const found = scopes(await grammar(), TEXT);
  for (const [word, scope] of Object.entries(EXPECTED)) {
    const first = found.find(([piece]) => piece === word);
    assert.strictEqual(first?.[1], `${scope}.qrule`, word);
  }
  const matches = found.filter(([piece]) => piece === "match").map(([, scope]) => scope);
  assert.deepStrictEqual(matches, [
    "keyword.control.clause.qrule",
    "variable.other.member.qrule",
    "variable.parameter.qrule",
  ]);
});

test("nothing in a rule file is without a scope of its own", async () => {
  const found = scopes(await grammar(), TEXT);
  assert.deepStrictEqual(
    found.filter(([, scope]) => scope === "source.qrule"),
    [],
  );
});
