"""Renamed n8n nodes of the same type, with the same parameters: the name is a label, unless it misleads."""

import copy
import json
from datetime import date
from itertools import pairwise

import pytest

from wfgate.decide import Pair
from wfgate.run import Config, load_gate


def node(name, kind, place, **parameters):
    at = {"typeVersion": 1, "position": [200 * place, 0]}
    return {"name": name, "type": f"n8n-nodes-base.{kind}", "parameters": parameters} | at


GOLDEN = {
    "name": "Replies",
    "nodes": [
        node("Gmail Trigger", "gmailTrigger", 0, simple=False),
        node("Assess if message needs a reply", "httpRequest", 1, url="https://model.example.org/assess"),
        node("If Needs Reply", "if", 2, conditions={"boolean": [{"value1": "={{ $json.reply }}", "value2": True}]}),
        node(
            "AI Agent", "httpRequest", 3, url="https://model.example.org/write", body="={{ $('Gmail Trigger').item }}"
        ),
        node("Save in staging", "httpRequest", 4, url="https://store.example.org", body="={{ $('AI Agent').item }}"),
        node("Notify the team", "slack", 5, text="={{ $('AI Agent').item.json.text }}"),
        node("Wait1", "wait", 6, amount=5),
    ],
}
NAMES = [each["name"] for each in GOLDEN["nodes"]]
GOLDEN["connections"] = {one: {"main": [[{"node": two, "type": "main", "index": 0}]]} for one, two in pairwise(NAMES)}


def renamed(names, *, references=True, data=GOLDEN):
    """Return the workflow with other names of nodes, in connections and, as the editor does it, in expressions."""
    found = copy.deepcopy(data)
    nodes = found["nodes"]
    if references:
        text = json.dumps(nodes)
        for number, old in enumerate(names):
            text = text.replace(f"$('{old}')", f"$('#{number}')")
        for number, new in enumerate(names.values()):
            text = text.replace(f"$('#{number}')", f"$('{new}')")
        found["nodes"] = nodes = json.loads(text)
    for each in nodes:
        each["name"] = names.get(each["name"], each["name"])
    found["connections"] = {names.get(name, name): kinds for name, kinds in found["connections"].items()}
    for kinds in found["connections"].values():
        for end in kinds["main"][0]:
            end["node"] = names.get(end["node"], end["node"])
    return found


@pytest.fixture(scope="module")
def decide(tmp_path_factory):
    gate, folder = load_gate(Config(), date.min), tmp_path_factory.mktemp("labels")

    def decided(candidate, golden=GOLDEN):
        for name, data in (("golden.json", golden), ("candidate.json", candidate)):
            (folder / name).write_text(json.dumps(data))
        return gate.decide(Pair("x", (folder / "golden.json",), folder / "candidate.json"))

    return decided


@pytest.mark.parametrize(
    "names",
    [
        {"Gmail Trigger": "New email"},
        {"AI Agent": "YouTube agent"},
        {"Wait1": "Wait for image"},
        {"Assess if message needs a reply": "Classifier"},
        {"Gmail Trigger": "New email", "AI Agent": "Writer", "If Needs Reply": "Reply needed?", "Wait1": "Pause"},
    ],
)
def test_a_new_label_is_named_and_changes_nothing(decide, names):
    case = decide(renamed(names))
    assert case.verdict == "pass"
    assert {finding.severity for finding in case.findings} == {"info"}
    for old, new in names.items():
        assert any(f"`{new}` instead of `{old}`" in finding.message for finding in case.findings)
    values = {each.id: each.value for each in case.evidence}
    assert not values["meaning-doubt"]
    assert not values["reworded-share"]


@pytest.mark.parametrize("new", ["Save in production", "Delete from staging"])
def test_a_name_that_contradicts_the_old_one_is_no_label(decide, new):
    assert decide(renamed({"Save in staging": new})).verdict != "pass"


def test_exchanged_names_are_no_labels(decide):
    names = {"AI Agent": "Assess if message needs a reply", "Assess if message needs a reply": "AI Agent"}
    assert decide(renamed(names)).verdict == "block"
    assert decide(renamed(names, references=False)).verdict == "block"


def test_a_name_of_another_step_is_no_label(decide):
    candidate = renamed({"Notify the team": "Notify"})
    candidate = renamed({"AI Agent": "Notify the team"}, data=candidate)
    case = decide(candidate)
    assert not any("`Notify the team` instead of `AI Agent`" in finding.message for finding in case.findings)
    assert case.verdict != "pass"


@pytest.mark.parametrize(
    ("key", "value"),
    [("type", "n8n-nodes-base.graphql"), ("parameters", {"url": "https://evil.example.org"}), ("disabled", True)],
)
def test_another_type_or_value_counts_under_a_new_name_too(decide, key, value):
    candidate = renamed({"AI Agent": "Writer"})
    next(each for each in candidate["nodes"] if each["name"] == "Writer")[key] = value
    assert decide(candidate).verdict == "block"


def test_a_reference_to_the_old_name_counts(decide):
    assert decide(renamed({"AI Agent": "Writer"}, references=False)).verdict == "block"


def test_a_lost_link_of_a_renamed_node_counts(decide):
    candidate = renamed({"AI Agent": "Writer"})
    candidate["connections"]["Writer"]["main"] = [[]]
    assert decide(candidate).proven == "block"
