"""Q0303: axis letters that the operand's layout has not, and schemes with a letter too many or too few."""

from __future__ import annotations

from collections.abc import Sequence

from qdsl.check.types.boundary import Boundary, Place, as_call, pinned_rank
from qdsl.check.types.findings import Findings, text_of
from qdsl.check.types.signatures import SIGNATURES
from qdsl.formats.format import SchemeType
from qdsl.lang import tree
from qdsl.lang.diagnostics import Label
from qdsl.ops import letters_of, operand_layout


def check_mark_axes(rule: tree.Rule, boundary: Boundary, schemes: dict[str, SchemeType], findings: Findings) -> None:
    """Every mark's letter against the scheme and the layout of what it marks."""
    for mark in rule.annotate:
        spec = None if isinstance(mark, tree.Like) else mark.spec
        if not isinstance(spec, tree.SchemeSpec) or spec.scheme not in schemes:
            continue
        for target in mark.targets:
            places = boundary.places.get(target.id, ())
            letters = _letters(rule, target.id, places)
            if spec.axis is not None:
                _check_letter(spec, schemes[spec.scheme], target, places, letters, findings)
            elif schemes[spec.scheme].per_channel and spec.scale is None:
                sound = _sound(places, letters)
                _check_missing(spec, schemes[spec.scheme], target, target.id in boundary.made, sound, findings)


CHANNELS = {"axis": 1, "channel_axis": 1}
"""Where C is, of norms that need not say so in a match: the letters are the same wherever it is."""


def _letters(rule: tree.Rule | tree.Fold, name: str, places: Sequence[Place]) -> tuple[str, ...]:
    """The letters that may be written for a name, at any of its places."""
    rank = pinned_rank(rule.when, name)
    layouts = [operand_layout(p.operator, p.position, CHANNELS | dict(p.attrs), rank) for p in places]
    return tuple(dict.fromkeys(letter for layout in layouts for letter in letters_of(layout)))


def _sound(places: Sequence[Place], letters: tuple[str, ...]) -> tuple[str, ...]:
    """The letters that a help line offers: of a contraction's operand or result, those that are not summed over."""
    signature = SIGNATURES.get(places[0].operator.name) if places else None
    if signature is None or not signature.axes:
        return letters
    position = places[0].position
    kept = signature.axes[position] if isinstance(position, int) and position < len(signature.axes) else None
    survivors = set(kept) if kept is not None else {v for axes in signature.axes for v in axes.values()}
    return tuple(letter for letter in letters if letter in survivors) or letters


def _check_letter(
    spec: tree.SchemeSpec,
    scheme: SchemeType,
    target: tree.Node,
    places: Sequence[Place],
    letters: tuple[str, ...],
    findings: Findings,
) -> None:
    at = spec.axis_span or spec.scheme_span
    if not scheme.per_channel:
        message = f"{spec.scheme} is per tensor and has no axis"
        findings.add("Q0303", message, at, help=f"write {spec.scheme}, or mark with a per_channel scheme")
        return
    if not places or spec.axis in letters:
        return
    place = places[0]
    what = _described(place)
    labels = [Label(place.node.span, what + (f" with the axes {', '.join(letters)}" if letters else ""))]
    if letters:
        message = f"{text_of(target)} has no axis {spec.axis}"
        help = "write " + " or ".join(f"{spec.scheme}[{letter}]" for letter in _sound(places, letters))
    else:
        message = f"{place.operator.name} gives this value no axis letters"
        scale = text_of(spec.scale) if spec.scale is not None else "<scale>"
        help = f"the axis comes with the scale: write {spec.scheme} = {scale}"
        if spec.scale is None and not scheme.is_accumulator:
            help += ", or use a per_tensor scheme"
    findings.add("Q0303", message, at, others=labels, help=help)


def _described(place: Place) -> str:
    if place.position == "result":
        return f"the result of {place.operator.name}"
    assert isinstance(place.position, int)
    return f"the {place.operator.operands[place.position].name} of {place.operator.name}"


def _check_missing(
    spec: tree.SchemeSpec,
    scheme: SchemeType,
    target: tree.Node,
    is_result: bool,
    letters: tuple[str, ...],
    findings: Findings,
) -> None:
    # An accumulator is read as it stands, on whatever axis it was made.
    if scheme.is_accumulator and not is_result:
        return
    choices = " or ".join(f"{spec.scheme}[{letter}]" for letter in letters)
    findings.add(
        "Q0303",
        f"{spec.scheme} is per channel: {text_of(target)} needs an axis or a scale",
        spec.scheme_span,
        help=_missing_help(spec, scheme, choices),
    )


def _missing_help(spec: tree.SchemeSpec, scheme: SchemeType, choices: str) -> str:
    if scheme.is_accumulator:
        return f"write {choices or spec.scheme} = <scale>"
    return f"write {choices}" if choices else f"write {spec.scheme} = <scale>, or use a per_tensor scheme"


# ---- vectors laid along a letter: gain[O]


def check_along(
    rule: tree.Rule | tree.Fold,
    boundary: Boundary,
    choice: dict[str, str],
    bindings: Sequence[tree.Binding],
    findings: Findings,
) -> None:
    """Every `gain[O]` against the layout of the value that it is combined with, where that has one."""
    for binding in bindings:
        for node in tree.walk(binding.value):
            call = as_call(node)
            if call is None or not call.positional:
                continue
            for index, argument in enumerate(call.positional):
                others = [a for i, a in enumerate(call.positional) if i != index]
                if isinstance(argument, tree.Along) and others:
                    _check_one(rule, boundary, choice, argument, others[0], findings)


def _check_one(
    rule: tree.Rule | tree.Fold,
    boundary: Boundary,
    choice: dict[str, str],
    along: tree.Along,
    beside: tree.Node,
    findings: Findings,
) -> None:
    letters, offered = _letters_of_value(rule, boundary, choice, beside)
    if not letters or along.axis in letters:
        return
    findings.add(
        "Q0303",
        f"{text_of(beside)} has no axis {along.axis}",
        along.span,
        others=[Label(beside.span, f"its axes are {', '.join(letters)}")],
        help="write " + " or ".join(f"{text_of(along.base)}[{letter}]" for letter in offered),
    )


def _letters_of_value(
    rule: tree.Rule | tree.Fold, boundary: Boundary, choice: dict[str, str], expr: tree.Node
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The letters of a value, and those that a help line offers."""
    if isinstance(expr, tree.Name):
        places = boundary.places.get(expr.id, ())
        letters = _letters(rule, expr.id, places)
        return letters, _sound(places, letters)
    if isinstance(expr, tree.Call):
        letters = letters_of(operand_layout(choice.get(expr.func, expr.func), "result", CHANNELS, None))
        return letters, letters
    if isinstance(expr, tree.Binary):
        return _letters_of_value(rule, boundary, choice, expr.left)
    return (), ()
