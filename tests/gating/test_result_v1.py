"""A result that wfgate 0.1 wrote (`result_v1.json`), read by this version."""

import json
from pathlib import Path

import pytest

from wfgate.gating.release import against
from wfgate.gating.replay import parse_result, read_result, replay
from wfgate.profile import default_profile

FILE = Path(__file__).with_name("result_v1.json")


@pytest.fixture
def result():
    return read_result(FILE)


def test_reasons_become_values(result):
    missing, squeezed, gone, same = result.cases
    assert [case.verdict for case in result.cases] == ["block", "block", "inconclusive", "pass"]
    (critical,) = missing.reasons
    assert (critical.rule, str(critical.place)) == ("WR101", "approved/deploy.yaml:14:5")
    assert [reason.rule for reason in squeezed.reasons] == ["WR101", "WR104"]
    assert [str(reason.place) for reason in squeezed.reasons] == [
        "approved/deploy.yaml:28:5",
        "generated/squeezed-observability.yaml:28:5",
    ]
    assert all(squeezed.finding_of(reason).message == reason.message for reason in squeezed.reasons)
    assert [(reason.rule, reason.message) for reason in gone.reasons] == [
        ("not-compared", "generated/nowhere.yaml: cannot be read: no such file or directory")
    ]
    assert same.reasons == ()
    assert result.to_dict()["schema"] == "wfgate.result/2"


def test_nothing_else_changes(result):
    before, after = json.loads(FILE.read_text()), result.to_dict()
    for key in ("tool", "profile", "policy", "promise"):
        assert {name: after[key][name] for name in before[key]} == before[key]
    assert after["verdict"] == before["verdict"]
    for old, new in zip(before["cases"], after["cases"], strict=True):
        assert {key: new[key] for key in old.keys() - {"reasons", "findings"}} == {
            key: old[key] for key in old.keys() - {"reasons", "findings"}
        }
        assert [finding["fingerprint"] for finding in new["findings"]] == [
            finding["fingerprint"] for finding in old["findings"]
        ]


def test_it_can_be_compared_with_and_replayed(result):
    release = against(result, FILE).release
    assert [case.id for case in release.cases] == ["missing", "squeezed", "gone", "same"]
    assert replay([FILE], default_profile()).changed == ()


@pytest.mark.parametrize("cases", ["@team", [1], [{}], [{"findings": [{}], "reasons": [1]}]])
def test_a_malformed_one_is_an_error(cases):
    with pytest.raises(ValueError, match=r"schema|cases"):
        parse_result(json.dumps({"schema": "wfgate.result/1", "cases": cases}).encode())
