"""The table of typing rules against what is known of operators."""

from qdsl.check.types.operators import RULES
from qdsl.check.types.signatures import (
    INTEGER_OPERANDS,
    INTEGER_RESULT_AT,
    INTEGER_RESULTS,
    RESULT_NAMES,
    SIGNATURES,
)
from qdsl.ops import lookup, names

WITHOUT = {
    *("bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"),
    *("logical_and", "logical_not", "logical_or", "logical_xor", "isfinite", "isinf", "isnan"),
    *("bucketize", "ewise_fma", "sign", "hamming_window", "image.affine_grid", "multinomial_from_uniform"),
    *("nn.cross_entropy_with_logits", "nn.nll_loss", "shape_to_tensor", "tensor_to_shape", "unique"),
    *("vision.all_class_non_max_suppression", "vision.get_valid_counts", "vision.multibox_transform_loc"),
    "vision.non_max_suppression",
}
"""Operators that keep no scale: of these a rule says itself, in a mark, on which scale the result is."""

ONLY_FIRST = {"fresh", "real", "index", "codes_of", "real_of"}
"""Typing rules that look no further than the first operand."""


def test_every_signature_is_of_an_operator_and_has_a_rule() -> None:
    assert [n for n in SIGNATURES if lookup(n) is None] == []
    assert {s.kind for s in SIGNATURES.values()} - set(RULES) == {"fresh"}


def test_every_operator_has_a_typing_rule_or_none_on_purpose() -> None:
    assert {n for n in names() if n not in SIGNATURES} == WITHOUT


def test_a_typing_rule_sees_every_tensor_that_can_be_quantized() -> None:
    unseen = {}
    for name, signature in SIGNATURES.items():
        operands = lookup(name).operands
        seen = set(signature.data) | set(INTEGER_OPERANDS.get(name, ()))
        left = [o.name for i, o in enumerate(operands) if o.is_tensor and i not in seen]
        if left and signature.kind not in ONLY_FIRST:
            unseen[name] = left
    # Coordinates and shapes of another tensor: read, and not part of the result.
    assert unseen == {
        "collapse_sum_like": ["collapse_target"],
        "image.grid_sample": ["grid"],
        "vision.roi_pool": ["rois"],
    }


def test_tables_speak_of_operators() -> None:
    for name in (*INTEGER_OPERANDS, *INTEGER_RESULTS, *INTEGER_RESULT_AT, *RESULT_NAMES):
        assert lookup(name) is not None, name
    for name, results in RESULT_NAMES.items():
        assert lookup(name).results == len(results)
