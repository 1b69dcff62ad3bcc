"""qdsl explain: for an operator of a model, which rules were tried and which guard failed; or what a code means."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qdsl.cli import options
from qdsl.cli.console import Format, show_json

if TYPE_CHECKING:
    from qdsl.session.explain import Explanation


def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL.onnx|CODE", help="A model, or a code such as Q0302.")],
    node: Annotated[str | None, typer.Argument(help="One operator of the model; all of them if left out.")] = None,
    rules: options.Rules = None,
    config: options.ConfigFile = None,
    settings: options.Settings = None,
    shape: options.Shapes = None,
    skip: options.Skip = None,
    only: options.Only = None,
    without: options.Without = None,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.pretty,
) -> None:
    """Say why. For an operator: rules tried and guards that failed, no data needed. For a code: what it means."""
    if re.fullmatch(r"[Qq]\d{4}", model):
        _explain_code(model.upper(), format)
        return
    from qdsl.ruleset import load_rules
    from qdsl.session.explain import explain as explain_model
    from qdsl.session.explain import explain_text

    chosen = options.options_from(config, settings, skip, only, without)
    shapes = options.shapes_from(shape)
    ruleset = load_rules(*rules) if rules else None
    explanations = explain_model(model, node, config=chosen, rules=ruleset, shapes=shapes)
    if format is Format.json:
        show_json([_as_dict(explanation) for explanation in explanations])
    else:
        print("\n\n".join(explain_text(explanation) for explanation in explanations))


def _explain_code(code: str, format: Format) -> None:
    from qdsl.check.codes import page

    found = page(code)
    if format is Format.json:
        show_json(asdict(found))
    else:
        print(found.text())


def _as_dict(explanation: Explanation) -> dict[str, Any]:
    parts = [
        {
            **{key: getattr(part, key) for key in ("var", "op", "outcome", "rule", "reason", "result")},
            "attempts": [
                {"rule": a.rule, "fired": a.fired, "reason": a.reason, "place": str(a.place or a.span)}
                for a in part.attempts
            ],
        }
        for part in explanation.parts
    ]
    whole = {key: getattr(explanation, key) for key in ("name", "op", "outcome", "reason")}
    return {**whole, "folds": list(explanation.folds), "parts": parts}
