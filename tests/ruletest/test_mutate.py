"""--mutate: changes that tests notice, and those that they do not."""

from __future__ import annotations

from pathlib import Path

from qdsl.lang import tree
from qdsl.lang.unparse import unparse
from qdsl.ruletest.mutants import mutants_of
from qdsl.ruletest.mutate import mutate

from .conftest import CONVOLUTION, GIVEN, Rules

WEAK = 'test convolution "fires"' + GIVEN + "    expect fires\n"
MEASURED = 'test convolution "measured"' + GIVEN + "    expect mark x as act error <= 1 step\n"
RUNTIME = 'test convolution "runtime"' + GIVEN.replace("const ", "") + '    expect skips "constant(w)"\n'


def survivors(rules: Rules, *texts: str) -> list[str]:
    return [s.mutant.change for s in mutate(rules(*texts)).survivors]


def test_good_tests_kill_every_mutant(rules: Rules) -> None:
    report = mutate(rules(CONVOLUTION, MEASURED, RUNTIME))
    assert report.survivors == ()
    assert report.untested == ("relu",)
    assert report.checked >= 3, "the checker sees a missing centered, a swapped axis, a runtime weight"


def test_a_test_that_only_fires_lets_a_wrong_sum_pass(rules: Rules) -> None:
    residual = """
        rule residual_add
            match     y = add(a, b)
            when      not constant(b) and wanted(y)
            annotate  a, b as act
                      y as wide
            realize   y = rescale(a, y.scale) + rescale(b, y.scale)
    """
    graph = """
        test residual_add "{title}"
            given     x: float32[1, 4, 4, 4]
                      z: float32[1, 4, 4, 4]
                      w: const float32[4, 4, 1, 1]
                      y = nn.conv2d(add(x, z), w)
            expect    {expect}
    """
    sum_only = "+ -> - in `rescale(a, y.scale) + rescale(b, y.scale)`"
    weak = survivors(rules, CONVOLUTION, residual, graph.format(title="fires", expect="fires"))
    strong = survivors(rules, CONVOLUTION, residual, graph.format(title="measured", expect="fires error <= 1 step"))
    assert sum_only in weak
    assert sum_only not in strong
    assert "drop `wanted(y)`" in strong, "no test shows an add whose result nobody wants"


def test_a_comment_explains_a_survivor(rules: Rules) -> None:
    either = """
        fold twice
            match   s = add{x, a}  # qdsl: equivalent constants come second once canonical
                    y = add(s, b)
            when    constant(a, b) and used_once(s)
            rewrite y = x + (a + b)
        test twice "two constants"
            given   x: float32[2, 3]
                    a: const float32[3]
                    b: const float32[3]
                    y = add(add(x, a), b)
            expect  fires error <= 4 step
    """
    report = mutate(rules(either))
    explained = [s for s in report.survivors if s.explanation is not None]
    assert [s.explanation for s in explained] == ["constants come second once canonical"]
    assert "in one order only" in explained[0].line
    assert explained[0].line.split(":")[1] == str(explained[0].mutant.span.line)
    assert explained[0] not in report.unexplained


def test_mutants_change_one_thing_each(rules: Rules) -> None:
    made = rules(CONVOLUTION)
    (rule,) = (r for r in made.program.rules if r.name == "convolution")
    found = list(mutants_of(rule, made.program.schemes))
    assert [m.change for m in found] == [
        "drop `constant(w)`",
        "negate `constant(w)`",
        "`act` -> `any`",
        "`weight[O]` -> `any`",
        "`weight[O]`: O -> I",
        "`acc[C] = x.scale * w.scale` -> `act = x.scale * w.scale`",
        "`acc[C] = x.scale * w.scale` -> `acc[C]`",
        "`acc[C] = x.scale * w.scale`: C -> N",
        "drop centered in `centered(x)`",
    ]
    texts = [unparse(m.item) for m in found]
    assert len(set(texts)) == len(texts)
    assert unparse(rule) not in texts


def test_defs_are_mutated_with_the_rule_that_calls_them(rules: Rules) -> None:
    curve = """
        def hat(x) = x * (x + 3)
        rule curve
            match     y = multiply{x, add{x, 3}}
            when      wanted(y)
            annotate  x as any
                      y as wide
            realize   y = lookup(hat, x)
        test curve "behind a convolution"
            given     x: float32[1, 4, 4, 4]
                      w: const float32[4, 4, 1, 1]
                      c = nn.conv2d(x, w)
                      y = nn.conv2d(multiply(c, add(c, 3)), w)
            expect    fires mark x as acc error <= 1 step
    """
    report = mutate(rules(CONVOLUTION, curve))
    assert report.tested > 0
    changes = [s.mutant.change for s in report.survivors]
    assert not any("+ -> -" in change for change in changes), "a wrong def is noticed"


def test_the_tree_is_rebuilt_only_where_it_changes(rules: Rules, tmp_path: Path) -> None:
    (rule, _) = rules(CONVOLUTION).program.rules
    mutant = next(m for m in mutants_of(rule, {}) if "centered" in m.change)
    assert isinstance(mutant.item, tree.Rule)
    assert mutant.item.match is rule.match
    assert mutant.item.realize != rule.realize
