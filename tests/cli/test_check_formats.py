"""SARIF and GitHub annotations, from findings made by hand."""

import json

from sarif_pydantic import Sarif

from qdsl.cli.sarif import github, sarif
from qdsl.lang.diagnostics import Diagnostic, Label
from qdsl.lang.source import Source, Span

SOURCE = Source("rules/a,b.qrule", "rule r\nmatch y = f(x)\n")
FINDING = Diagnostic(
    code="Q0301",
    severity="error",
    message="x carries no mark: 100% of it",
    primary=Label(Span(SOURCE, 19, 20), "here"),
    secondary=(Label(Span(SOURCE, 5, 6), "in this rule"),),
    help="write x as act",
)


def test_sarif() -> None:
    log = sarif([FINDING])
    run = log["runs"][0]
    result = run["results"][0]
    assert log["version"] == "2.1.0"
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], bool(rule["shortDescription"]["text"])) == ("Q0301", True)
    assert (result["ruleId"], result["level"]) == ("Q0301", "error")
    assert result["message"]["text"] == "x carries no mark: 100% of it; write x as act"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 13, "endLine": 2, "endColumn": 14}
    assert result["relatedLocations"][0]["message"]["text"] == "in this rule"


def test_sarif_is_what_the_standard_says() -> None:
    """Models made from the SARIF 2.1.0 schema take the log, and give every key of it back."""
    log = json.loads(json.dumps(sarif([FINDING])))
    read = Sarif.model_validate(log).model_dump(mode="json", by_alias=True, exclude_none=True)
    assert read == log


def test_github_escapes_what_it_reserves() -> None:
    assert github(FINDING) == (
        "::error file=rules/a%2Cb.qrule,line=2,col=13,endLine=2,endColumn=14,title=Q0301"
        "::x carries no mark: 100%25 of it; write x as act"
    )
