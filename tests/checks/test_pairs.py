"""Every check runs on every pair; the findings are exactly the expected ones."""

import json
from pathlib import Path

import pytest

from wfgate.checks import ABSOLUTE, RELATIVE, review

PAIRS = Path(__file__).parents[1] / "pairs"
NAMES = sorted(folder.name for folder in PAIRS.iterdir() if folder.is_dir())


def expectation(name):
    return json.loads((PAIRS / name / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_findings_of_a_pair(name, load_pair):
    findings = load_pair(name).findings()
    found = [
        [finding.id, finding.severity + ", pre-existing" * finding.pre_existing, *finding.tasks]
        for finding in findings
    ]
    assert found == expectation(name)["findings"]
    assert len({finding.fingerprint for finding in findings}) == len(findings)


@pytest.mark.parametrize("check", [*ABSOLUTE, *RELATIVE])
def test_every_check_fires_on_some_pair_and_nearly_on_another(check):
    cases = [expectation(name) for name in NAMES]
    assert any(finding[0] == check for case in cases for finding in case["findings"])
    near = [case for case in cases if check in case.get("near_miss", ())]
    assert near, f"no pair is a near miss of {check}"
    assert not any(finding[0] == check for case in near for finding in case["findings"])


@pytest.mark.parametrize("name", NAMES)
def test_a_workflow_against_itself_has_no_relative_finding_and_only_old_ones(name, load_pair):
    pair = load_pair(name)
    for workflow in (pair.golden, pair.candidate):
        if len({task.id for task in workflow.tasks}) < len(workflow.tasks):
            continue
        findings = review(type(pair)(name, workflow, workflow, {}).comparison())
        assert [finding for finding in findings if not finding.pre_existing] == []
