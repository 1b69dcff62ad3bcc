"""The sweep of annotate: operators in program order, each by the first rule that fits; no fixpoint.

An operator inside somebody's match waits until that match's root is reached. If the match fires there, its operators
are gone; if it is refused they get their own rules, in order, before the root does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial

from tvm import relax

from qdsl.formats.format import Format, SchemeType
from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.match import guards
from qdsl.match.book import Book
from qdsl.match.found import Match
from qdsl.match.graph import Graph, operator_name, origin
from qdsl.match.pattern import Compiled
from qdsl.passes.claims import Claims, find_matches, operators_in, outside_reader, possible
from qdsl.passes.headroom import ACCUMULATOR_BITS, overflow
from qdsl.passes.marks import Marker
from qdsl.passes.naming import Names
from qdsl.passes.plan import Attempt, Decision, Firing, Plan
from qdsl.passes.scales import Refused
from qdsl.passes.wanted import wanted_values

Record = Callable[[str, tree.Expr, bool], None]
"""Told the answer of each guard term: (rule, term, answer)."""


@dataclass
class Sweep:
    """One sweep over one function. `run` gives the plan."""

    graph: Graph
    book: Book
    schemes: Mapping[str, SchemeType]
    defs: Mapping[str, tree.Def]
    skipped: Mapping[relax.Var, str]
    """Root operators that no rule may touch, with the reason."""
    record: Record | None = None
    fuel: int | None = None
    """At most this many rules fire (for bisection); None: no limit."""
    accumulator_bits: int = ACCUMULATOR_BITS
    plan: Plan = field(default_factory=Plan)
    names: Names = field(default_factory=Names)

    def run(self) -> Plan:
        self.found = find_matches(self.graph, self.book, lambda v: v not in self.skipped)
        could_fire = possible(self.graph, self.defs)
        self._wanted = wanted_values(self.graph, self.found, could_fire)
        self.claims = Claims(self.graph, self.found, could_fire)
        self.consumed: set[relax.Var] = set()
        self.done: set[tuple[relax.Var, int]] = set()
        self.deferred: list[relax.Var] = []
        self.tried: dict[relax.Var, list[Attempt]] = {}
        for binding in self.graph.bindings:
            if isinstance(binding.value, relax.Call):
                self._reach(binding.var)
        return self.plan

    # ---- what guards ask

    def format_of(self, value: relax.Expr) -> Format | None:
        found = self.plan.formats.get(value) if isinstance(value, relax.Var) else None
        return None if found is None else self.plan.symbols.resolve(found)

    def wanted(self, value: relax.Expr) -> bool:
        return isinstance(value, relax.Var) and value in self._wanted

    def channelwise(self, value: relax.Expr) -> bool:
        return False

    # ---- the order of things

    def _reach(self, var: relax.Var) -> None:
        if var in self.consumed:
            return
        if not self.claims.waits(var):
            self._resolve(var)
            return
        most = self.claims.largest(var)
        own = [c.compiled for c in self.claims.rooted.get(var, ()) if c.compiled.size >= most]
        if not any(self._attempt(var, compiled) for compiled in self.book.at(self.graph, var) if compiled in own):
            self.deferred.append(var)

    def _resolve(self, root: relax.Var) -> None:
        """Decides an operator that waits for nobody any more."""
        for compiled in self.book.at(self.graph, root) if root not in self.skipped else ():
            if self.claims.at(root, compiled) is None and self.found.of(root, compiled):
                self._release(root)
            if self._attempt(root, compiled):
                return
        self._release(root)
        self._leave(root)

    def _release(self, root: relax.Var) -> None:
        """Operators that waited for this root get their own rules before it does."""
        waited = [c for c in self.claims.rooted.get(root, ()) if c.open]
        for claim in waited:
            claim.open = False
        self._flush({v for c in waited for v in c.operators})

    def _flush(self, among: AbstractSet[relax.Var]) -> None:
        """Decides those of some operators that wait for nobody any more, in the order of the program."""
        while ready := [v for v in self.deferred if v in among and not self.claims.waits(v)]:
            self.deferred.remove(ready[0])
            if ready[0] not in self.consumed:
                self._resolve(ready[0])

    def _settle(self, match: Match) -> None:
        """What a match reads is decided before it: operators that wait only for others to get what it takes."""
        inside = {match.root, *operators_in(self.graph, match)}
        others = {v for c in self.claims.competing(inside) if c.open for v in c.operators} - inside
        before = self.graph.order[match.root]
        for var in [v for v in self.deferred if v in others and self.graph.order[v] < before]:
            if var in self.deferred:
                self.deferred.remove(var)
                self._resolve(var)

    def _attempt(self, root: relax.Var, compiled: Compiled) -> bool:
        """Tries a pattern at a root, once; whether it fired."""
        if (root, id(compiled)) in self.done:
            return False
        self.done.add((root, id(compiled)))
        firing = self._try(compiled, self.found.of(root, compiled), root)
        if firing is not None:
            self._fire(root, firing)
        return firing is not None

    # ---- trying

    def _try(self, compiled: Compiled, matches: list[Match], root: relax.Var) -> Firing | None:
        rule = compiled.item
        assert isinstance(rule, tree.Rule)
        if self.fuel is not None and len(self.plan.firings) >= self.fuel:
            self._note(root, Attempt(rule.name, rule.name_span, False, "no fuel is left"))
            return None
        if not matches:
            miss = self.book.near_miss(self.graph, compiled, root)
            if isinstance(miss, Match):
                self._note(root, self._unmatched(miss, rule))
            else:
                reason = f"does not match: {miss.message}"
                self._note(root, Attempt(rule.name, rule.name_span, False, reason, "", miss.span))
            return None
        first: Attempt | None = None
        for match in matches:
            self._settle(match)
            refusal = self._refusal(match, rule)
            if isinstance(refusal, Firing):
                self._note(root, Attempt(rule.name, rule.name_span, True))
                return refusal
            first = first or refusal
        if first is not None:
            self._note(root, first)
        return None

    def _unmatched(self, match: Match, rule: tree.Rule) -> Attempt:
        """Why our own walk finds a match where none was to be had: a skipped operator, or what has to be constant."""
        for var in operators_in(self.graph, match):
            if var in self.skipped:
                return Attempt(rule.name, rule.name_span, False, f"{var.name}, inside the match, is skipped")
        refusal = self._refusal(match, rule)
        assert isinstance(refusal, Attempt), "TVM and our own matcher disagree"
        return refusal

    def _refusal(self, match: Match, rule: tree.Rule) -> Attempt | Firing:
        verdict = guards.check(rule.when, match, self, self.defs, record=self._recorder(rule))
        if not verdict.holds:
            seen = f" ({verdict.seen})" if verdict.seen else ""
            place = verdict.term.span if verdict.term else None
            reason = f"`{verdict.text}` does not hold{seen}"
            return Attempt(rule.name, rule.name_span, False, reason, verdict.text, place)
        outside = outside_reader(self.graph, match)
        if outside is not None:
            reason = f"{outside.name}, inside the match, is read outside of it too"
            return Attempt(rule.name, rule.name_span, False, reason)
        if any(v in self.consumed or v in self.plan.firings for v in operators_in(self.graph, match)):
            return Attempt(rule.name, rule.name_span, False, "another rule has taken an operator inside the match")
        objection = partial(overflow, self.graph, match, bits=self.accumulator_bits)
        marker = Marker(match, rule, self.plan.formats, self.plan.symbols, self.schemes, self.names, objection)
        try:
            return marker.apply()
        except Refused as refused:
            mark = unparse(refused.mark) if refused.mark is not None else ""
            return Attempt(rule.name, rule.name_span, False, refused.reason, "", refused.place, mark)

    def _recorder(self, rule: tree.Rule) -> Callable[[tree.Expr, bool], None] | None:
        if self.record is None:
            return None
        record = self.record
        return lambda term, answer: record(rule.name, term, answer)

    # ---- outcomes

    def _fire(self, root: relax.Var, firing: Firing) -> None:
        inside = set(operators_in(self.graph, firing.match))
        self.consumed |= inside
        released: set[relax.Var] = set()
        for claim in self.claims.competing({root, *inside}):
            claim.open = False
            released |= claim.operators
        for name, formats in firing.results.items():
            for value, result in zip(firing.match.values(name), formats, strict=True):
                if result is not None and isinstance(value, relax.Var):
                    self.plan.formats[value] = result
        self.plan.firings[root] = firing
        results = [f for formats in firing.results.values() for f in formats]
        first = results[0] if results else None
        for var in sorted(inside, key=lambda v: self.graph.order[v]):
            self._decide(var, "quantized", firing.rule.name, f"inside the match of {firing.rule.name}", None)
        self._decide(root, "quantized", firing.rule.name, firing.rule.doc or "", first)
        self._flush(released)

    def _leave(self, root: relax.Var) -> None:
        name = operator_name(self.graph.value_of[root])
        if root in self.skipped:
            self._decide(root, "skipped", None, self.skipped[root], None)
            return
        attempts = self.tried.get(root, [])
        if name is None:
            reason = "a kernel that is no operator: no rule can speak of it"
        elif not attempts:
            reason = f"no rule for {name}"
        else:
            last = nearest(attempts)
            reason = f"{last.rule}: {last.reason}"
        self._decide(root, "float", None, reason, None)

    def _note(self, root: relax.Var, attempt: Attempt) -> None:
        self.tried.setdefault(root, []).append(attempt)

    def _decide(self, var: relax.Var, outcome: str, rule: str | None, reason: str, result: Format | None) -> None:
        value = self.graph.value_of[var]
        name = operator_name(value) or "call_tir"
        attempts = tuple(self.tried.get(var, ()))
        self.plan.decisions.append(
            Decision(str(var.name), name, origin(value), outcome, rule, reason, attempts, result)
        )


def nearest(attempts: list[Attempt]) -> Attempt:
    """The attempt that came closest: a refused mark before a failed guard before a pattern that does not match."""
    return min(attempts, key=lambda a: 2 if a.reason.startswith("does not match") else 1 if a.term else 0)
