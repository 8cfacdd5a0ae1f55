"""The corpus of regenerations is what its data card says: complete, consistent, split by golden."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from wfgate.read import read_data

FOLDER = Path(__file__).parents[2] / "calibration" / "corpora" / "regenerations"


def records(name):
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def goldens():
    return {golden["id"]: golden for golden in records("goldens.jsonl")}


@pytest.fixture(scope="module")
def candidates():
    return records("candidates.jsonl")


def test_it_is_as_large_as_it_has_to_be(goldens, candidates):
    assert len(goldens) >= 250
    assert len(candidates) >= 1500
    assert sum(golden["short"] for golden in goldens.values()) >= len(goldens) / 3
    assert {candidate["golden"] for candidate in candidates} == goldens.keys()
    assert len({candidate["id"] for candidate in candidates}) == len(candidates)


def test_the_split_is_by_golden_and_depends_on_nothing_else(goldens):
    for name, golden in goldens.items():
        odd = hashlib.sha256(name.encode()).digest()[0] % 2
        assert golden["half"] == ("test" if odd else "fit")
    assert min(Counter(golden["half"] for golden in goldens.values()).values()) >= 100


def test_every_label_rests_on_two_reviewers_and_a_third_where_they_disagree(goldens, candidates):
    for candidate in candidates:
        labels = candidate["labels"]
        rejected = [label == "reject" for label in labels]
        assert len(labels) == (2 if rejected[0] == rejected[1] else 3), candidate["id"]
        assert candidate["label"] == (labels[0] if len(labels) == 2 else labels[2])
        steps = len(candidate["steps"])
        assert len(candidate["support"]) == len(goldens[candidate["golden"]]["steps"])
        for support in (*candidate["support"], *candidate["second_support"].values()):
            assert support["status"] in {"kept", "weaker", "changed", "gone"}
            assert (support["status"] == "gone") == (not support["in"])
            assert all(1 <= step <= steps for step in support["in"])


def test_every_workflow_can_be_read(goldens, candidates):
    for golden in goldens.values():
        reading = read_data({"steps": golden["steps"], "edges": golden["edges"]}, golden["id"])
        assert len(reading.workflow.tasks) == len(golden["steps"])
    for candidate in candidates:
        reading = read_data({"wfgate": "1", "steps": candidate["steps"]}, candidate["id"])
        assert len(reading.workflow.tasks) == len(candidate["steps"])


def test_every_brief_has_its_golden(goldens):
    for brief in records("briefs.jsonl"):
        steps = range(1, len(goldens[brief["id"]]["steps"]) + 1)
        assert brief["dropped_step"] in steps
        assert brief["changed_step"] in steps
        assert brief["changed_kind"] in {"quantity", "target", "condition", "action", "weaker", "order"}


def test_alterations_are_of_the_half_for_fitting_and_differ_from_what_they_replace(goldens, candidates):
    by_id = {candidate["id"]: candidate for candidate in candidates}
    path = FOLDER.parents[1] / "step_equivalence" / "alterations.jsonl"
    seen = set()
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        name, _, number = record["id"].rpartition("@")
        candidate, seen = by_id[name], {*seen, record["id"]}
        assert goldens[candidate["golden"]]["half"] == "fit"
        assert candidate["label"] != "reject"
        assert record["step"] in candidate["support"][int(number) - 1]["in"]
        written = [*(altered["text"] for altered in record["altered"]), record["same"]]
        assert len({*written, candidate["steps"][record["step"] - 1]["name"]}) == 4
        assert len({altered["kind"] for altered in record["altered"]}) == 2
    assert len(seen) == len(path.read_text("utf-8").splitlines())
