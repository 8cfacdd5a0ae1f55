"""WR106 where only the judge sees it: by p-value, by Holm, by what it takes the change for."""

import itertools
from dataclasses import replace

import pytest

from wfgate.language import MeaningModel, MeaningScore
from wfgate.language.meaning.base import CHANGES
from wfgate.model import END, START, Link, Task, Workflow
from wfgate.rules import review


def flow(*texts):
    tasks = tuple(Task(id=f"t{place}", name=text) for place, text in enumerate(texts))
    ids = [START, *(task.id for task in tasks), END]
    return Workflow(tasks=tasks, links=tuple(Link(source=a, target=b) for a, b in itertools.pairwise(ids)))


class Told(MeaningModel):
    """Gives each candidate text the p-value that it was told, and a kind of change."""

    id = "told"
    calibrated = True
    fingerprint = "0" * 64

    def __init__(self, p_values, change=None):
        self.p_values = p_values
        self.changes = tuple(float(kind == change) for kind in CHANGES) if change else ()

    def _compare(self, pairs):
        return [MeaningScore(self.p_values.get(candidate, 0.9), self.changes) for _, candidate in pairs]

    def p_value(self, logit, words=10):  # noqa: ARG002 - the interface
        return logit


@pytest.fixture
def findings(compare_by_name):
    def found(golden, candidate, judge, **relations):
        names = dict(zip(golden, candidate, strict=True)) | relations.pop("same", {})
        comparison = compare_by_name(flow(*golden), flow(*candidate), names, **relations)
        return [f for f in review(replace(comparison, meaning_model=judge)) if f.id == "WR106"]

    return found


def test_a_step_is_reported_with_its_p_value_and_both_texts(findings):
    judge = Told({"Tell the customers": 0.004}, "target")
    (finding,) = findings(["Build", "Tell the operators"], ["Build", "Tell the customers"], judge)
    assert finding.message == (
        "'Tell the operators' (now 'Tell the customers') probably changed meaning: another object or place "
        "(p <= 0.004)"
    )
    assert finding.severity == "error"
    assert finding.wording.p_value == 0.004
    assert finding.wording.golden == (("Tell the ", False), ("operators", True))
    assert finding.wording.candidate == (("Tell the ", False), ("customers", True))


@pytest.mark.parametrize(("p_value", "steps", "reported"), [(0.01, 1, 1), (0.01, 5, 1), (0.011, 5, 0), (0.051, 1, 0)])
def test_the_more_steps_were_changed_the_surer_it_must_be(findings, p_value, steps, reported):
    golden = [f"Step number {word}" for word in "abcde"[:steps]]
    candidate = [f"Number of the step: {word}" for word in "abcde"[:steps]]
    judge = Told(dict.fromkeys(candidate, 0.9) | {candidate[0]: p_value})
    assert len(findings([*golden, "Same"], [*candidate, "same."], judge)) == reported


def test_what_contradicts_is_said_in_its_own_words(findings):
    judge = Told({"Deploy to production": 0.002}, "target")
    (finding,) = findings(["Deploy to staging"], ["Deploy to production"], judge)
    assert "'staging' became 'production' (p <= 0.002)" in finding.message
    sure = Told({"Deploy to production": 0.7})
    (finding,) = findings(["Deploy to staging"], ["Deploy to production"], sure)
    assert finding.message.endswith("'staging' became 'production'")
    assert finding.wording.p_value is None


def test_a_vague_step_is_called_vague(findings):
    judge = Told({"Handle the tables": 0.001}, "vague")
    (finding,) = findings(["Rebuild the orders tables"], ["Handle the tables"], judge)
    assert ": most of the content of its text is missing" in finding.message


def test_another_rewording_of_a_changed_step_is_another_finding(findings):
    judge = Told({"Tell nobody at all": 0.001, "Tell the press": 0.001})
    first, second = (
        findings(["Tell the operators"], [text], judge)[0] for text in ("Tell nobody at all", "Tell the press")
    )
    assert first.fingerprint != second.fingerprint


def test_merged_steps_are_told_of_elsewhere_and_split_ones_here(findings, compare_by_name):
    judge = Told({"Fetch and drop": 0.001, "Send": 0.001, "Send | Burn": 0.001})
    golden, candidate = flow("Fetch", "Drop", "Send it"), flow("Fetch and drop", "Send", "Burn")
    comparison = compare_by_name(
        golden,
        candidate,
        {"Send it": "Send"},
        {"Fetch and drop": ("Fetch", "Drop")},
        {"Send it": ("Send", "Burn")},
    )
    found = [f for f in review(replace(comparison, meaning_model=judge)) if f.id == "WR106"]
    assert [finding.tasks for finding in found] == [("Send it",)]
    assert "now 'Send' and 'Burn'" in found[0].message


def test_a_judge_that_was_never_measured_gives_no_rate(findings):
    judge = Told({"Tell the customers": 0.004}, "target")
    judge.calibrated = False
    (finding,) = findings(["Tell the operators"], ["Tell the customers"], judge)
    assert finding.message.endswith("probably changed meaning: another object or place")
    assert finding.wording.p_value is None
