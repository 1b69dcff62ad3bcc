"""A Pygments lexer for rule files: colours in documentation, notebooks and terminals.

Registered under the name qrule and the ending .qrule. Colours follow the grammar; tests/editors holds the two together.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, default, include, this, using, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from qdsl.lang.flags import FLAGS

ITEMS = ("use", "scheme", "def", "fold", "rule", "skip", "test")
CLAUSES = (
    "for", "in", "overrides", "match", "when", "annotate", "realize", "rewrite", "because", "given", "expect", "as",
    "share", "like",
)  # fmt: skip
BUILTINS = (
    "constant", "used_once", "quantized", "wanted", "private", "channelwise", "scalar", "dtype", "rank", "shape",
    "size", "axis", "spans", "centered", "requantize", "rescale", "affine", "lookup", "level", "average", "count",
)  # fmt: skip
"""Guards and builders; the checker's own list is above this package."""

NAME = r"[A-Za-z_]\w*"
DTYPE = r"(?:u?int(?:1|2|4|8|16|32|64)|float(?:16|32|64|8_\w+)|bfloat16|bool)(?!\w)"
GAP = r"((?:\s|#[^\n\r]*)+)"
"""What stands between two words: blanks and comments."""
MAYBE = r"((?:\s|#[^\n\r]*)*)"
_gap = using(this, state="gaps")


class QruleLexer(RegexLexer):
    """Rule files of qdsl."""

    name = "qdsl rules"
    aliases: ClassVar[list[str]] = ["qrule"]
    filenames: ClassVar[list[str]] = ["*.qrule"]

    tokens: ClassVar[dict[str, Any]] = {
        "root": [
            include("gaps"),
            (rf"\b(rule|fold|test){GAP}({NAME})", bygroups(Keyword.Declaration, _gap, Name.Class)),
            (rf"\b(def){GAP}({NAME})", bygroups(Keyword.Declaration, _gap, Name.Function)),
            (rf"\b(scheme){GAP}({NAME})", bygroups(Keyword.Declaration, _gap, Name.Class), "scheme"),
            (words(ITEMS, r"\b", r"\b"), Keyword.Declaration),
            (rf"\b(for){GAP}({NAME}){GAP}(in)\b", bygroups(Keyword, _gap, Name, _gap, Keyword), "operators"),
            (rf"\b(as){GAP}(any|float|fixed)\b", bygroups(Keyword, _gap, Keyword.Pseudo)),
            (rf"\b(as){GAP}({NAME})", bygroups(Keyword, _gap, Name.Class)),
            (rf"\b(given|expect){GAP}", bygroups(Keyword, _gap), "test"),
            (words(CLAUSES, r"\b", r"\b"), Keyword),
            (rf'\b(at){GAP}(?=")', bygroups(Keyword.Pseudo, _gap)),
            include("expression"),
        ],
        "gaps": [(r"\s+", Whitespace), (r"#[^\n\r]*", Comment.Single)],
        "scheme": [
            include("gaps"),
            (r"=", Operator),
            (rf"([0-9]+){GAP}(bits)\b", bygroups(Number.Integer, _gap, Keyword.Pseudo)),
            (DTYPE, Keyword.Type),
            (words(FLAGS, r"\b", r"\b"), Keyword.Pseudo),
            default("#pop"),
        ],
        "operators": [
            include("gaps"),
            (rf"(?!(?:{'|'.join((*CLAUSES, *ITEMS))})\b){NAME}(?:\s*\.\s*{NAME})*", Name.Function),
            (r",", Punctuation),
            default("#pop"),
        ],
        "test": [
            include("gaps"),
            (rf"(?=(?:{'|'.join(ITEMS)})\b(?!{MAYBE}[=:,.]))", Whitespace, "#pop"),
            (r"\b(?:given|expect)\b", Keyword),
            (r"\bfires\b(?!\s*[=:,.(\[{])", Keyword.Pseudo),
            (rf'\b(skips){GAP}(?=")', bygroups(Keyword.Pseudo, _gap)),
            (
                rf"\b(mark){GAP}({NAME}){GAP}(as){GAP}({NAME})",
                bygroups(
                    Keyword.Pseudo,
                    _gap,
                    Name,
                    _gap,
                    Keyword,
                    _gap,
                    using(this, state="format"),
                ),
            ),
            (
                rf"\b(error){MAYBE}([<>=!]=|[<>]){MAYBE}([0-9][0-9.eE+-]*){GAP}(steps?)\b",
                bygroups(
                    Keyword.Pseudo,
                    _gap,
                    Operator,
                    _gap,
                    Number,
                    _gap,
                    Keyword.Pseudo,
                ),
            ),
            (rf"\b(const){GAP}(?={DTYPE})", bygroups(Keyword.Pseudo, _gap)),
            include("expression"),
        ],
        "format": [(r"(?:any|float|fixed)\b", Keyword.Pseudo), (NAME, Name.Class)],
        "expression": [
            (r'"[^"\n\r]*"', String.Double),
            (rf"(\.)(?!\.){MAYBE}({NAME})", bygroups(Punctuation, _gap, Name.Attribute)),
            (words(("and", "or", "not"), r"\b", r"\b"), Operator.Word),
            (r"\b(?:[Tt]rue|[Ff]alse)\b", Keyword.Constant),
            (rf"\b{DTYPE}", Keyword.Type),
            (words(BUILTINS, r"\b", r"(?=\s*\()"), Name.Builtin),
            (rf"\b{NAME}(?:\s*\.\s*{NAME})*(?=\s*[({{])", Name.Function),
            (r"(\[)(\s*)([A-Z])(\s*)(\])", bygroups(Punctuation, Whitespace, Name.Constant, Whitespace, Punctuation)),
            (r"[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)", Number.Float),
            (r"[0-9]+", Number.Integer),
            (r"_(?!\w)", Keyword.Pseudo),
            (NAME, Name),
            (r"\.\.\.|\*\*|<=|>=|==|!=|[-+*/<>=]", Operator),
            (r"\(", Punctuation, "arguments"),
            (r"[\[\]{},:)]", Punctuation),
        ],
        "arguments": [
            include("gaps"),
            (rf"({NAME}){MAYBE}(=)(?!=)", bygroups(Name.Attribute, _gap, Operator)),
            (r"\)", Punctuation, "#pop"),
            # A list of arguments that is not closed ends where an item or a clause begins.
            (rf"(?=\b(?:{'|'.join((*CLAUSES, *ITEMS))})\b)", Whitespace, "#pop"),
            include("expression"),
        ],
    }
