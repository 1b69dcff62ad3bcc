"""--coverage: rules that never fire, guard terms that are never true or never false, clauses that never run."""

from __future__ import annotations

from qdsl.ruletest.coverage import Coverage

from .conftest import CONVOLUTION, GIVEN, Rules

FIRES = 'test convolution "same"' + GIVEN + "    expect fires\n"
MEASURED = 'test convolution "measured"' + GIVEN + "    expect error <= 1 step\n"
RUNTIME = 'test convolution "runtime"' + GIVEN.replace("const ", "") + '    expect skips "constant(w)"\n'
RELU = 'test relu "behind"' + GIVEN + "              y = nn.relu(c)\n    expect error <= 1 step\n"


def missing(rules: Rules, *texts: str) -> list[str]:
    made = rules(CONVOLUTION, *texts)
    coverage = Coverage()
    assert made.test(coverage=coverage).passed
    report = coverage.of(made)
    findings = report.findings()
    assert {f.code for f in findings} <= {"Q0408"}
    assert report.complete == (not findings)
    return [f"{f.primary.span.text}: {f.message}" for f in findings]


def test_nothing_is_missing(rules: Rules) -> None:
    assert missing(rules, MEASURED, RUNTIME, RELU) == []


def test_a_term_that_is_never_false(rules: Rules) -> None:
    found = missing(rules, MEASURED, RELU)
    assert found == ["constant(w): a guard term of convolution is never seen false in any test"]


def test_a_comment_allows_a_term_that_no_test_can_reach(rules: Rules) -> None:
    allowed = CONVOLUTION.replace("constant(w)", "constant(w)  # qdsl: allow Q0408 nothing computes a weight here")
    made = rules(allowed, MEASURED, RELU)
    coverage = Coverage()
    assert made.test(coverage=coverage).passed
    report = coverage.of(made)
    assert report.complete
    assert "0 of 1 guard terms seen both true and false" in report.summary(), "allowed, and not hidden"
    assert not [d for d in made.check() if d.code == "Q0412"], "the checker cannot know whether a test gets there"


def test_a_rule_that_never_fires(rules: Rules) -> None:
    assert missing(rules, MEASURED, RUNTIME) == ["relu: no test makes the rule relu fire"]


def test_a_term_that_is_never_true(rules: Rules) -> None:
    found = missing(rules, RUNTIME)
    assert found[:2] == [
        "convolution: no test makes the rule convolution fire",
        "constant(w): a guard term of convolution is never seen true in any test",
    ]


def test_a_clause_that_never_runs(rules: Rules) -> None:
    found = missing(rules, FIRES, RUNTIME, RELU)
    assert found == ["convolution: no test runs the realize clause of convolution"]


def test_the_data_has_a_place_for_every_term(rules: Rules) -> None:
    made = rules(CONVOLUTION, MEASURED)
    coverage = Coverage()
    made.test(coverage=coverage)
    (convolution, relu) = coverage.of(made).as_dict()["rules"]
    (term,) = convolution["terms"]
    assert (term["term"], term["line"], term["seen_true"], term["seen_false"]) == ("constant(w)", 9, True, False)
    assert (convolution["fired"], convolution["clause_run"], relu["fired"]) == (True, True, False)


def test_operators_of_a_for_list_are_told_apart(rules: Rules) -> None:
    pools = """
        rule pools for pool in nn.max_pool2d, nn.max_pool1d
            match     y = pool(x)
            annotate  x as act
                      y like x
            realize   y = pool(x, **y)
        test pools "two axes" given x: float32[1, 2, 4, 4] y = nn.max_pool2d(x, pool_size=[2, 2]) expect error <= 1 step
    """
    made = rules(pools)
    coverage = Coverage()
    assert made.test(coverage=coverage).passed
    report = coverage.of(made)
    assert [(f.severity, f.message) for f in report.findings()] == [
        ("note", "no test makes pools fire on nn.max_pool1d")
    ]
    assert report.complete, "one test a rule is asked for, not one an operator"
