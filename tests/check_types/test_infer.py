"""Types in words, as hints show them."""

import pytest

from qdsl.check.types import infer_types
from qdsl.lang.program import load_program, load_text
from qdsl.lang.stock import stock_paths

STOCK = load_program(stock_paths())


@pytest.mark.parametrize(
    ("rule", "expression", "words"),
    [
        ("convolution", "x", "uint8 @ x.scale - x.zero"),
        ("convolution", "centered(x)", "int16 @ x.scale"),
        ("convolution", "w", "int8[O] @ w.scale"),
        ("convolution", "conv(centered(x), w, **y, out_dtype=int32)", "int32[C] @ x.scale * w.scale"),
        ("matmul", "matmul(centered(x), w, out_dtype=int32)", "int32[N] @ x.scale * w.scale"),
        ("bias_add", "b", "int32 @ x.scale"),
        ("relu", "x.zero", "a code @ x.scale"),
        ("relu", "maximum(x, x.zero)", "an integer @ x.scale - x.zero"),
        ("prelu", "x > x.zero", "bool"),
        ("prelu", "slope[C]", "float32"),
        ("residual_add", "rescale(b, y.scale)", "int32 @ y.scale"),
        ("multiply", "astype(centered(a), int32) * astype(centered(b), int32)", "int32 @ a.scale * b.scale"),
        ("mean", "sum(astype(centered(x), int32), axis=y.axis, keepdims=y.keepdims)", "int32 @ x.scale"),
        ("attention_values", "matmul(e, centered(v), out_dtype=int32)", "int32 without a scale"),
        ("concat", "parts...", "uint8 @ parts.scale - parts.zero, each"),
    ],
)
def test_stock_rules(rule: str, expression: str, words: str) -> None:
    types = infer_types(next(r for r in STOCK.rules if r.name == rule), STOCK)
    assert words in {text for span, text in types.items() if " ".join(span.text.split()) == expression}


def test_of_a_rule_whose_operators_are_unknown_nothing_is_said() -> None:
    program = load_text("rule r for op in nn.dense match y = op(x) annotate y like x realize y = op(x)")
    assert infer_types(program.rules[0], program) == {}
