"""The words of the language in a line each: what completion and hover say of them."""

from __future__ import annotations

KEYWORDS = {
    "use": "another rule file, relative to this one",
    "scheme": "a number format under a name: dtype, zero point, one scale or one per channel",
    "def": "a pure helper, written out where it is used",
    "fold": "a rewrite of the float graph before anything is quantized",
    "rule": "how an operator is quantized: what it reads, what it makes, how it is computed",
    "skip": "operators that are left in float, and why",
    "test": "a small graph, and what the rule has to do with it",
    "for": "a name that stands for several operators: one rule for all of them",
    "in": "the operators that the name stands for",
    "overrides": "rules for the same operator that this one is tried before",
    "match": "the operators that are looked for; names capture values",
    "when": "what has to be true of the captured values",
    "annotate": "in which format each value is read and made: the types of the rule",
    "realize": "the results computed on integers",
    "rewrite": "what stands in the place of the match",
    "because": "the reason, for the report",
    "given": "the graph of the test: inputs and operators",
    "expect": "what has to happen to it",
    "as": "the format of what stands before it",
    "share": "one scale for all of the values",
    "like": "the format and the scale of another value",
    "any": "in whatever integer format it carries, unchanged; refused where it is float",
    "float": "as float32",
    "fixed": "on a scale that is known beforehand: fixed(scale=1/256, zero=0)",
    "const": "a constant of the graph",
    "fires": "the rule is applied",
    "skips": "the rule is refused, by this very term of its guard",
    "mark": "the format that the rule gives a value",
    "error": "a bound on the error, in steps of the result's scale",
    "step": "one unit of the result's scale",
    "steps": "units of the result's scale",
    "at": "by the operator's name in the model",
    "bits": "how many of the dtype's bits are used",
    "and": "both",
    "or": "at least one",
    "not": "the opposite",
}
"""Every word that is a token of its own in the grammar."""

FLAGS = {
    "symmetric": "zero is code 0 (or the middle of an unsigned dtype)",
    "asymmetric": "with a zero point",
    "per_tensor": "one scale",
    "per_channel": "one scale for each index of an axis",
    "narrow": "without the least code, so that the range is symmetric",
    "pow2": "every scale is a power of two",
}

LETTERS = {
    "N": "batch",
    "C": "channels",
    "D": "depth",
    "H": "height",
    "W": "width",
    "O": "output channels",
    "I": "input channels",
    "M": "rows of the left operand",
    "K": "summed over",
    "G": "groups",
}

SNIPPETS = {
    "use": 'use "${1:schemes.qrule}"',
    "scheme": "scheme ${1:act} = ${2:uint8} ${3:asymmetric} ${4:per_tensor}",
    "def": "def ${1:name}(${2:x}) = $0",
    "rule": """\
rule ${1:name}
    "${2:What it does, in a sentence.}"
    match     y = ${3:nn.relu}(x)
    annotate  ${4:y like x}
    realize   y = ${0:x}""",
    "fold": """\
fold ${1:name}
    "${2:What it does, in a sentence.}"
    match     c = ${3:nn.conv2d}(x, w)
              y = ${4:multiply}{c, k}
    when      constant(w, k) and used_once(c)
    rewrite   y = $0""",
    "skip": 'skip ${1:nn.conv2d(x, w)} when ${2:size(w, I) < 4}\n    because "${0:why}"',
    "test": """\
test ${1:rule} "${2:what it shows}"
    given     x: float32[${3:1, 8, 8, 8}]
              y = $0
    expect    fires""",
}
"""Items with places to fill in."""
