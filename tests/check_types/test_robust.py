"""Rules with pieces of other rules in the wrong places: the checker always has an answer, and it is a finding."""

from hypothesis import given, settings
from hypothesis import strategies as st

from qdsl.check.types import check_types, infer_types
from qdsl.lang import tree
from qdsl.lang.program import load_program, load_text
from qdsl.lang.source import Span
from qdsl.lang.stock import stock_paths

STOCK = load_program(stock_paths())
HEAD = "\n".join(item.span.text for item in STOCK.items if isinstance(item, tree.Scheme | tree.Def))
ITEMS = [item for item in STOCK.items if isinstance(item, tree.Rule | tree.Fold)]
PIECES = {
    item: [
        node.span
        for node in tree.walk(item)
        if isinstance(node, tree.Expr | tree.Mark | tree.Spec | tree.NameTarget | tree.SpreadTarget)
    ]
    for item in ITEMS
}
EVERY = sorted({span.text for spans in PIECES.values() for span in spans})
CODES = {*(f"Q03{n:02}" for n in range(1, 9)), "Q0311", "Q0312"}
SWAPS = st.sampled_from(ITEMS).flatmap(
    lambda item: st.tuples(
        st.just(item),
        st.lists(st.tuples(st.sampled_from(PIECES[item]), st.sampled_from(EVERY)), min_size=1, max_size=3),
    )
)


@settings(max_examples=300, deadline=None)
@given(SWAPS)
def test_misplaced_pieces_are_findings_and_never_errors_of_ours(
    case: tuple[tree.Rule | tree.Fold, list[tuple[Span, str]]],
) -> None:
    item, swaps = case
    text, start = item.span.text, item.span.start
    for place, piece in sorted(swaps, key=lambda swap: -swap[0].start):
        text = text[: place.start - start] + piece + text[place.end - start :]
    program = load_text(f"{HEAD}\n{text}")
    found = check_types(program)
    assert {d.code for d in found} <= CODES
    assert all(d.help and d.primary.span.text for d in found)
    for rule in program.rules:
        infer_types(rule, program)
