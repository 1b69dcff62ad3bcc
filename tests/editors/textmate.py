"""A small TextMate engine: matches, blocks with a beginning and an end, includes and captures; a line at a time.

It knows what qrule.tmLanguage.json uses. The real engine is run by `npm test` in editors/vscode.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GRAMMAR = Path(__file__).parents[2] / "editors" / "vscode" / "syntaxes" / "qrule.tmLanguage.json"


@dataclass(frozen=True)
class Scoped:
    """Characters of a text with their innermost scope; "" for none."""

    start: int
    end: int
    scope: str


class Engine:
    def __init__(self, grammar: dict[str, Any]) -> None:
        self.grammar = grammar
        self.compiled: dict[str, re.Pattern[str]] = {}

    @staticmethod
    def load() -> Engine:
        return Engine(json.loads(GRAMMAR.read_text(encoding="utf-8")))

    def scopes(self, text: str) -> list[Scoped]:
        """The coloured stretches of a text, in order."""
        found: list[Scoped] = []
        stack: list[dict[str, Any]] = [self.grammar]
        offset = 0
        for line in text.splitlines(keepends=True):
            found += (Scoped(offset + s.start, offset + s.end, s.scope) for s in self._line(line, stack))
            offset += len(line)
        return found

    def _line(self, line: str, stack: list[dict[str, Any]]) -> Iterator[Scoped]:
        at, idle = 0, 0
        while at <= len(line) and idle < 50:
            block = stack[-1]
            best: tuple[re.Match[str], dict[str, Any], str] | None = None
            if "end" in block:
                ended = self._regex(block["end"]).search(line, at)
                best = (ended, block, "end") if ended else None
            for rule in self._rules(block["patterns"]):
                match = self._regex(rule.get("match") or rule["begin"]).search(line, at)
                if match and (best is None or match.start() < best[0].start()):
                    best = (match, rule, "match" if "match" in rule else "begin")
            if best is None:
                return
            match, rule, how = best
            captures = {"match": "captures", "begin": "beginCaptures", "end": "endCaptures"}[how]
            yield from self._captured(match, rule, rule.get(captures, {}))
            if how == "begin":
                stack.append(rule)
            elif how == "end":
                stack.pop()
            idle = idle + 1 if match.end() == at else 0
            at = match.end()

    def _captured(self, match: re.Match[str], rule: dict[str, Any], captures: dict[str, Any]) -> Iterator[Scoped]:
        if rule.get("name") and "match" in rule:
            yield Scoped(match.start(), match.end(), rule["name"])
        for number, capture in captures.items():
            if match.group(int(number)):
                yield Scoped(match.start(int(number)), match.end(int(number)), capture["name"])

    def _rules(self, patterns: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for pattern in patterns:
            if "include" in pattern:
                yield from self._rules([self.grammar["repository"][pattern["include"].removeprefix("#")]])
            elif "match" in pattern or "begin" in pattern:
                yield pattern
            else:
                yield from self._rules(pattern["patterns"])

    def _regex(self, text: str) -> re.Pattern[str]:
        if text not in self.compiled:
            self.compiled[text] = re.compile(text)
        return self.compiled[text]
