"""What each code means: for `qdsl explain CODE` and docs/codes.md (`python -m qdsl.cli.codes` prints that page)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from qdsl.errors import RuleError


@dataclass(frozen=True)
class Meaning:
    """One code in words."""

    title: str
    """What was found."""
    why: str
    """Why it is refused, or worth telling."""
    mend: str
    """What to write instead."""


CODES = {
    "Q0001": Meaning(
        "syntax error",
        "The text does not follow the grammar; what stands behind the error up to the next item is not looked at.",
        "write one of the things that the message expected; a misspelt keyword is named",
    ),
    "Q0002": Meaning(
        "a file cannot be read",
        "It is missing, a folder, not UTF-8 or too large, or files use each other in a circle.",
        "correct the path, which is relative to the file with the `use`, or take one `use` out of the circle",
    ),
    "Q0101": Meaning(
        "unknown operator",
        "Rules name Relax operators without `relax.`; names of Relay, ONNX and PyTorch are recognized and translated.",
        "take the name that the help line offers; `qdsl ops` lists them all",
    ),
    "Q0102": Meaning(
        "wrong number or kind of operands",
        "A call with other operands than the operator has would never match.",
        "compare with the signature in the message; `{a, b}` is for operators that commute",
    ),
    "Q0103": Meaning(
        "unknown attribute",
        "The operator has no attribute of that name, so a pattern with it would never match.",
        "take the nearest name in the message; `qdsl ops NAME` lists the attributes",
    ),
    "Q0104": Meaning(
        "wrong type of attribute",
        "An attribute is compared with, or set to, a value that it can never have.",
        "write a value of the type in the message",
    ),
    "Q0105": Meaning(
        "wrong number of results",
        "A destructuring names more or fewer tensors than the operator returns.",
        "name them all, those that do not matter as `_`: y, _, _ = nn.batch_norm(...)",
    ),
    "Q0201": Meaning(
        "unbound name",
        "A clause speaks of something that the match does not bind.",
        "bind it in the match, or correct the spelling",
    ),
    "Q0202": Meaning(
        "a name is bound twice",
        "In a match a name stands for one value; two definitions of it contradict each other.",
        "give the second one another name",
    ),
    "Q0203": Meaning(
        "captured and never used",
        "The rule would read the same without the name; often another one was meant.",
        "write `_`, or use it",
    ),
    "Q0204": Meaning(
        "the match is not one connected graph with one root",
        "A rule is tried at its root, from where everything else in it has to be reached.",
        "connect the parts, or make two rules of them",
    ),
    "Q0205": Meaning(
        "impure call in a guard",
        "Guards are facts about the graph; an operator computes something, and does so only when the model runs.",
        "guard by facts such as constant, used_once, size, dtype or shape",
    ),
    "Q0206": Meaning(
        "unknown scheme, guard or builder",
        "The name is neither declared in the rule files nor built in.",
        "take the name that the help line offers, or declare the scheme or def",
    ),
    "Q0301": Meaning(
        "a tensor of the match carries no mark",
        "What a rule reads and makes must say its format, so that nothing is quantized by accident.",
        "mark it: as SCHEME, as float, as any, or like another tensor",
    ),
    "Q0302": Meaning(
        "a tuple is marked or quantized",
        "An operator with several results returns a tuple, and only a tensor has a format.",
        "name the tensor: y, _, _ = nn.batch_norm(...)",
    ),
    "Q0303": Meaning(
        "axis and scheme do not agree",
        "The letter is not in the operand's layout; or one scale where an axis is given, or the reverse.",
        "take a letter of the layout in the message; no axis on per_tensor, one on per_channel",
    ),
    "Q0304": Meaning(
        "realize computes another dtype than the mark says",
        "An integer convolution or matmul gives its operands' dtype unless told otherwise, and overflows there.",
        "add what the help line says, such as out_dtype=int32, or change the mark",
    ),
    "Q0305": Meaning(
        "scales do not agree",
        "Integers on different scales mean different numbers: their sum means nothing.",
        "bring them onto one scale with rescale(x, y.scale), or mark the result on the scale of the expression",
    ),
    "Q0306": Meaning(
        "a zero point is still in it",
        "A product of values that carry zero points is off by them, and a literal number is on no scale.",
        "use centered(x) before multiplying, x.zero for zero, level(v, x) for a number",
    ),
    "Q0307": Meaning(
        "a dtype that nothing can be quantized to",
        "Schemes are of int4, uint4, int8, uint8, int16, uint16 or int32.",
        "take one of these",
    ),
    "Q0308": Meaning(
        "an accumulator may overflow",
        "The sum has so many products that int32 does not hold their largest total.",
        "guard the size of the sum, or use fewer bits",
    ),
    "Q0309": Meaning(
        "a weight's scheme on something that need not be constant",
        "Such a scheme is computed from the numbers themselves, which only a constant has before the model runs.",
        "add constant(w) to the guard, or mark it with an activation's scheme",
    ),
    "Q0310": Meaning(
        "training mode is not excluded",
        "A batch norm or dropout in training mode computes something else, and it is the operator's own default.",
        "add `not y.training` to the guard",
    ),
    "Q0311": Meaning(
        "nobody gives a scheme",
        "A chain of `like` and `share` ends nowhere: its format is never said.",
        "mark one of the chain with a scheme, or with any",
    ),
    "Q0312": Meaning(
        "`fixed` in conflict",
        "A result on a fixed scale and zero point is also to be on another one, or its scheme cannot hold them.",
        "keep one of the two",
    ),
    "Q0313": Meaning(
        "a value inside the match may have other users",
        "They would need it computed a second time; in a fold they would see a changed value.",
        "add used_once(x) or private(x) to the guard",
    ),
    "Q0401": Meaning(
        "realize does not define every result",
        "Every result that the match names has to be computed.",
        "add the missing binding",
    ),
    "Q0402": Meaning(
        "no realize clause",
        "The rule marks values and computes nothing itself: its operands are read as float.",
        "fine for a `fixed` result; otherwise add realize",
    ),
    "Q0403": Meaning(
        "two rules match the same",
        "Which one fires would depend on the order of files.",
        "let one say `overrides` the other, or set them apart by their guards",
    ),
    "Q0404": Meaning(
        "a rule that can never fire",
        "Its pattern or guard contradicts itself, or another rule takes all that it matches.",
        "look at the places that the message points to",
    ),
    "Q0405": Meaning(
        "`overrides` of a rule that it does not meet",
        "The two match different things, so there is nothing to override; often the name is wrong.",
        "correct the name, or leave it out",
    ),
    "Q0406": Meaning(
        "a fold without end",
        "What it makes matches a fold again, so a model could be rewritten for ever.",
        "guard against the form that it makes, or take one of the folds in the circle out",
    ),
    "Q0407": Meaning(
        "a rule without a test",
        "Nothing shows that it fires where it should and computes what it should.",
        'add: test NAME "..." given ... expect fires ... error <= 1 step',
    ),
    "Q0408": Meaning(
        "something that no test reaches",
        "A guard term that was never seen true or never false could be left out, or be wrong, unnoticed; a rule that "
        "never fires and a clause that is never run are not tested at all. `qdsl test --coverage` finds these.",
        'add a test in which the term fails (expect skips "...") or the rule fires (expect fires, error <= 1 step)',
    ),
    "Q0409": Meaning(
        "a skip that hit nothing",
        "In this model no operator is of that name or form, so nothing was left in float.",
        "compare with the names in the report",
    ),
    "Q0410": Meaning(
        "a scheme or def that nothing uses",
        "It has no effect; often a name is misspelt where it was to be used.",
        "use it or delete it",
    ),
    "Q0411": Meaning(
        "a rule that begins no integers, and does not ask whether they are wanted",
        "It would keep values in integers that a float operator reads next, for nothing but an error.",
        "add wanted(y) to the guard, unless that is meant",
    ),
    "Q0412": Meaning(
        "a comment that allows nothing",
        "`# qdsl: allow CODE` silences a warning or note of its line; here there is none, or an error, which stays.",
        "take the comment out",
    ),
}


def meaning(code: str) -> Meaning:
    """What a code means. Raises RuleError where there is no such code."""
    if code not in CODES:
        raise RuleError(f"there is no code {code}; they run from {min(CODES)} to {max(CODES)}")
    return CODES[code]


def markdown() -> Iterator[str]:
    """docs/codes.md, line by line."""
    yield "# Codes"
    yield ""
    yield "What `qdsl check` finds, and what to write instead; `qdsl explain CODE` prints one of them. This page is"
    yield "written by `make docs`. Each code has examples in tests/bad, with the message beside them."
    for code, page in CODES.items():
        yield ""
        yield f"## {code}: {page.title}"
        yield ""
        yield page.why
        yield f"To mend it: {page.mend}."


if __name__ == "__main__":
    print("\n".join(markdown()))
