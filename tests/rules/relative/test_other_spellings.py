"""Harmless edits that only look like changes: other names, a choice the other way round, joined scripts."""

import copy
import json
from datetime import date

import pytest

from wfgate.decide import Pair
from wfgate.read import read_text
from wfgate.run import Config, load_gate


@pytest.fixture(scope="module")
def serious():
    """Return the checks and levels of the findings of a pair that are no information."""
    gate = load_gate(Config(), date.min)

    def found(golden, candidate, name):
        read = [read_text(text, name).workflow for text in (golden, candidate)]
        case = gate.decide(Pair("w", (read[0],), read[1]))
        return {(each.id, each.severity) for each in case.findings if each.severity != "info"}

    return found


ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: w}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: toss-coin, template: toss}
      - {name: pay-out, template: pay, depends: toss-coin, when: "{{tasks.toss-coin.outputs.result}} == heads"}
      - {name: close-book, template: close, depends: pay-out || toss-coin.Failed}
  - {name: toss, container: {image: toss, command: [toss]}}
  - {name: pay, container: {image: pay, command: [pay]}}
  - {name: close, container: {image: close, command: [close]}}
"""


def test_references_in_conditions_and_joins_follow_renamed_tasks(serious):
    renamed = ARGO.replace("toss-coin", "flip-the-coin").replace("pay-out", "pay-the-winner")
    assert serious(ARGO, renamed, "w.yaml") == serious(renamed, ARGO, "w.yaml") == set()
    assert "WR301" in {check for check, _ in serious(ARGO, renamed.replace("== heads", "!= heads"), "w.yaml")}
    assert serious(ARGO, renamed.replace("|| flip-the-coin", "&& flip-the-coin"), "w.yaml") != set()
    assert serious(ARGO, renamed.replace("flip-the-coin.outputs", "toss-coin.outputs"), "w.yaml") != set()


JOBS = """\
on: push
jobs:
  a:
    runs-on: x
    steps:
      - uses: actions/checkout@v4
      - run: ./deploy.sh staging
      - name: Unit tests
        run: make test
      - name: Contract tests
        run: make contract
"""


def test_a_name_for_an_unnamed_step_is_a_label(serious):
    named = JOBS.replace("- run: ./deploy", "- name: Roll out to the test system\n        run: ./deploy")
    assert serious(JOBS, named, "w.yml") == serious(named, JOBS, "w.yml") == set()
    assert serious(JOBS, named.replace("./deploy.sh staging", "./deploy.sh production"), "w.yml") != set()
    other = named.replace("Roll out to the test system", "Ask the owner")
    assert serious(named, other, "w.yml") == set()  # the command is the same, so the new name is at most doubtful


@pytest.mark.parametrize(
    ("script", "level"),
    [
        ("cat VERSION", "warning"),
        ("node --version", "warning"),
        ("cat VERSION | sh", "error"),
        ("cat ~/.netrc", "error"),
        ("echo ${{ github.event.issue.title }}", "error"),
        ("./version.sh", "error"),
    ],
)
def test_a_new_step_that_only_prints_is_no_error(serious, script, level):
    added = f"{JOBS}      - name: Print the version\n        run: {script}\n"
    assert {severity for check, severity in serious(JOBS, added, "w.yml") if check == "WR107"} == {level}


MERGED = "      - name: Run all tests\n        run: |\n          make test\n          make contract\n"


@pytest.mark.parametrize(
    ("was", "now", "level"),
    [
        ("make contract\n", "make contract\n", "warning"),
        ("make test\n", "make test || true\n", "error"),
        ("          make test\n          make contract\n", "          make contract\n          make test\n", "error"),
    ],
)
def test_a_script_that_joins_two_steps_is_no_error(serious, was, now, level):
    head = JOBS.partition("      - name: Unit")[0]
    found = serious(JOBS, head + MERGED.replace(was, now), "w.yml")
    assert {severity for check, severity in found if check == "WR107"} == {level}


def test_a_note_on_the_canvas_has_no_effect(serious):
    nodes = [
        {"id": "1", "name": "Hook", "type": "n8n-nodes-base.webhook", "position": [0, 0], "parameters": {"path": "a"}},
        {"id": "2", "name": "Send mail", "type": "n8n-nodes-base.emailSend", "position": [9, 0], "parameters": {}},
    ]
    links = {"Hook": {"main": [[{"node": "Send mail", "type": "main", "index": 0}]]}}
    golden = {"name": "w", "nodes": nodes, "connections": links}
    noted = copy.deepcopy(golden)
    noted["nodes"].append(
        {"id": "3", "name": "Note", "type": "n8n-nodes-base.stickyNote", "parameters": {"content": "x"}}
    )
    was, now = json.dumps(golden), json.dumps(noted)
    assert serious(was, now, "w.json") == serious(now, was, "w.json") == set()


def test_a_lost_dependency_of_renamed_tasks_is_an_error(serious):
    """The template of a task says what it does, so the renamed tasks are surely those of the golden."""
    renamed = ARGO.replace("toss-coin", "flip-the-coin").replace("pay-out", "pay-the-winner")
    lost = renamed.replace(", depends: pay-the-winner || flip-the-coin.Failed", ", depends: flip-the-coin")
    assert lost != renamed
    assert "error" in {level for _, level in serious(ARGO, lost, "w.yaml")}
    other = renamed.replace("template: pay,", "template: close,")
    assert ("WR107", "error") in serious(ARGO, other, "w.yaml")
