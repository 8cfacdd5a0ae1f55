import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from jsonschema import Draft7Validator

from wfgate.decide import AlignmentView, Reason
from wfgate.model import SourceSpan
from wfgate.show.sarif import SarifReporter

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text())


def log_of(result):
    log = json.loads(SarifReporter().render(result))
    Draft7Validator(SCHEMA).validate(log)
    return log["runs"][0]


def test_report(result, snapshot):
    assert SarifReporter().render(result) == snapshot


def test_every_report_is_valid(result):
    run = log_of(result)
    assert run["invocations"][0]["exitCode"] == result.exit_code
    rules = run["tool"]["driver"]["rules"]
    for item in run["results"]:
        assert rules[item["ruleIndex"]]["id"] == item["ruleId"]
        assert item["locations"]


def test_hostile_text_is_only_text(hostile, make_hostile):
    run = log_of(make_hostile(hostile))
    for item in run["results"]:
        assert "[" not in item["message"]["text"]  # nothing is a link
        assert item["message"]["text"].isprintable()


def test_what_was_not_compared_is_no_success(make_result):
    assert log_of(make_result())["invocations"][0]["executionSuccessful"] is False


def test_every_finding_is_there_with_its_place_and_level(make_result, make_block):
    case = make_block()
    items = log_of(make_result(case))["results"]
    assert sorted(item["ruleId"] for item in items) == sorted(finding.id for finding in case.findings)
    by_rule = {item["ruleId"]: item for item in items}
    missing, meaning = by_rule["WR101"], by_rule["WR106"]
    assert missing["level"] == "error"
    assert by_rule["WR105"]["level"] == "warning"
    assert by_rule["WF106"]["baselineState"] == "unchanged"
    place = meaning["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "out/deploy.yaml"
    assert place["region"] == {"startLine": 9, "startColumn": 5}
    golden = missing["relatedLocations"][0]["physicalLocation"]
    assert golden["artifactLocation"]["uri"] == "golden/deploy.yaml"
    assert golden["region"]["startLine"] == 12


@pytest.mark.parametrize(("fail_on", "level"), [("block", "warning"), ("review", "error"), ("none", "warning")])
def test_a_reason_without_a_finding_is_a_result(make_result, make_review, fail_on, level):
    case = make_review(reasons=("taken together, it differs",), findings=())
    (item,) = log_of(make_result(case, fail_on=fail_on))["results"]
    assert (item["ruleId"], item["level"]) == ("verdict", level)


def test_fingerprints_tell_cases_apart_and_survive_a_move(make_result, make_block):
    moved = make_block(
        findings=tuple(
            finding.model_copy(update={"location": SourceSpan(line=90, column=1)}) for finding in make_block().findings
        )
    )

    def prints(*cases):
        return [item["partialFingerprints"]["wfgate/v1"] for item in log_of(make_result(*cases))["results"]]

    assert prints(make_block()) == prints(moved)
    both = prints(make_block(), make_block(id="another"))
    assert len(set(both)) == len(both)


def uris(item):
    places = [*item["locations"], *item.get("relatedLocations", ())]
    return [place["physicalLocation"]["artifactLocation"]["uri"] for place in places]  # each has one


def test_places_are_uris(make_result, make_block):
    file = "a b/ü%2.yaml"
    for item in log_of(make_result(make_block(candidate=file)))["results"]:
        uri = uris(item)[0]
        assert uri.isascii()
        assert unquote(uri) == file


@pytest.mark.parametrize(
    ("golden", "name", "uri", "line"),
    [
        ("golden/deploy.yaml", "deploy", "golden/deploy.yaml", 1),
        ("golden/a.yaml, golden/a@2.yaml", "a", "golden/a.yaml", 1),
        ("deploy (golden)", "suites/all.jsonl:7", "suites/all.jsonl", 7),
        ("deploy (golden)", "deploy", "wfgate.toml", 1),
        ("none", "stdin:3", "wfgate.toml", 1),
    ],
)
@pytest.mark.parametrize("candidate", ["deploy (candidate)", "none"])
def test_every_result_is_in_a_file(make_result, make_block, golden, name, uri, line, candidate):
    block = make_block(golden=golden, candidate=candidate, id=name)
    lost = block.model_copy(update={"findings": (), "alignment": AlignmentView(), "verdict": "inconclusive"})
    lost = lost.model_copy(
        update={"error": "no candidate", "reasons": (Reason(rule="not-compared", message="no candidate"),)}
    )
    items = log_of(make_result(block, lost))["results"]
    assert {item["ruleId"] for item in items} >= {"verdict", "WR101", "WR106"}
    for item in items:
        assert uris(item)[0] == uri
        (place,) = item["locations"]
        assert place["physicalLocation"]["region"]["startLine"] == line
        assert place["logicalLocations"] == [{"name": candidate, "kind": "resource"}]


def test_what_is_beyond_the_limit_is_said(make_result, make_block, monkeypatch):
    monkeypatch.setattr("wfgate.show.sarif.CAP", 20)
    run = log_of(make_result(*(make_block(id=f"case-{number}") for number in range(5))))
    assert len(run["results"]) == 20
    assert (
        "5 less severe results omitted" in run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    )
    assert {item["level"] for item in run["results"][:15]} == {"error"}  # the gravest are kept
