"""Every check runs on every pair; the findings are exactly the expected ones."""

import pytest

from wfgate.language import CUT
from wfgate.rules import NAME, called, review
from wfgate.rules.checks import ABSOLUTE, RELATIVE


@pytest.fixture(scope="module")
def pairs(load_pair, pair_names):
    return [load_pair(name) for name in pair_names]


def test_findings_of_each_pair(pairs):
    findings = {pair.name: pair.findings() for pair in pairs}
    found = {
        name: [[each.id, each.severity + ", pre-existing" * each.pre_existing, *each.tasks] for each in of]
        for name, of in findings.items()
    }
    assert found == {pair.name: pair.expected["findings"] for pair in pairs}
    assert [name for name, of in findings.items() if len({each.fingerprint for each in of}) < len(of)] == []


def test_every_check_fires_on_some_pair_and_nearly_on_another(pairs):
    fired = {pair.name: {finding[0] for finding in pair.expected["findings"]} for pair in pairs}
    near = {pair.name: set(pair.expected.get("near_miss", ())) for pair in pairs}
    assert {*ABSOLUTE, *RELATIVE} - set().union(*fired.values()) == set()
    assert {*ABSOLUTE, *RELATIVE} - set().union(*near.values()) == set()
    assert {name: fired[name] & near[name] for name in fired if fired[name] & near[name]} == {}


def test_a_workflow_against_itself_has_no_relative_finding_and_only_old_ones(pairs):
    new = {}
    for pair in pairs:
        for workflow in (pair.golden, pair.candidate):
            if len({task.id for task in workflow.tasks}) < len(workflow.tasks):
                continue
            findings = review(type(pair)(pair.name, workflow, workflow, {}).comparison())
            new[pair.name] = [*new.get(pair.name, ()), *(each.id for each in findings if not each.pre_existing)]
    assert {name: ids for name, ids in new.items() if ids} == {}


def test_findings_know_where_their_messages_name_steps(pairs):
    unnamed = set()
    for pair in pairs:
        files = (pair.golden, pair.candidate)
        comparison = pair.comparison()
        workflows = (*files, *(part for file in files for part in file.subworkflows))
        opened = (comparison.golden, comparison.candidate)
        names = {called(task) for workflow in (*workflows, *opened) for task in workflow.tasks}
        for finding in pair.findings():
            said = [one for one in finding.mentions if one.kind == "name"]
            for one in said:
                shown = finding.message[one.start + 1 : one.end - 1]
                assert finding.message[one.start : one.end] == f"'{shown}'"
                assert one.name in names
                assert len(shown) <= NAME
                assert shown == one.name or (CUT in shown and one.name.startswith(shown.partition(CUT)[0]))
            if finding.tasks and not said:
                unnamed.add(finding.id)
            json = finding.model_dump_json()  # fails on a mark
            assert type(finding).from_json(json).mentions == finding.mentions
    assert unnamed == {"WR502", "WR601"}  # about the workflow; a reference to another finding
