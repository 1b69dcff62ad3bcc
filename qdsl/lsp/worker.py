"""Runs tests for the language server, in a process of its own: TVM is loaded here and not there.

One request as JSON on stdin: {"path", "open": {path: text}, "rule", "title": a test's, or null for all of the rule}.
One answer as JSON on stdout: {"error": text or null, "cases": [{"rule", "title", "passed", "message", "text"}]}.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from qdsl.lsp.document import Document
from qdsl.lsp.texts import Texts


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Runs what a request asks for."""
    from qdsl.lang.render import render

    rules = Document(request["path"], Texts(request["open"])).rules
    errors = [d for d in rules.check() if d.is_error]
    if errors:
        return {"error": render(errors[:1], "concise"), "cases": []}
    from qdsl.ruletest.run import run_test

    title = request["title"]
    chosen = [t for t in rules.own.tests if t.rule == request["rule"] and title in (None, t.title)]
    cases = [(t, run_test(rules, t)) for t in chosen]
    return {
        "error": None if cases else "there is no such test any more",
        "cases": [
            {"rule": c.rule, "title": c.title, "passed": c.passed, "message": c.message, "text": t.span.text}
            for t, c in cases
        ],
    }


def main() -> None:
    """Answers one request; whatever libraries print goes to stderr."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    json.dump(answer(json.load(sys.stdin)), out)
    out.close()


if __name__ == "__main__":
    main()
