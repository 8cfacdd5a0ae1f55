"""What became of each golden step, on regenerated workflows: every report and `wfgate diff` have one answer."""

import json
from collections import Counter
from pathlib import Path

import pytest

from wfgate.compare import Levels
from wfgate.decide import Assessor, step_states
from wfgate.decide.evidence.demands import Demands
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.model import Link, Task, Workflow
from wfgate.rules import review

REGENERATIONS = Path(__file__).parents[3] / "calibration" / "corpora" / "regenerations"


def read(name):
    return [json.loads(line) for line in (REGENERATIONS / name).read_text(encoding="utf-8").splitlines()]


def workflow(steps, links):
    tasks = tuple(Task(id=f"s{place}", name=text) for place, text in enumerate(steps, 1))
    return Workflow(tasks=tasks, links=tuple(Link(source=f"s{a}", target=f"s{b}") for a, b in links))


@pytest.fixture(scope="module")
def regenerated():
    """Return a function: the assessment of a regeneration, and what became of the golden steps."""
    goldens, candidates = ({each["id"]: each for each in read(f"{name}.jsonl")} for name in ("goldens", "candidates"))
    assessor = Assessor(StaticEmbedder(), load_meaning_model())

    def of(name):
        candidate = candidates[name]
        golden = goldens[candidate["golden"]]
        links = [(int(need[1:]), int(step["id"][1:])) for step in candidate["steps"] for need in step["needs"]]
        assessment = assessor.assess(
            workflow(golden["steps"], golden["edges"]), workflow([step["name"] for step in candidate["steps"]], links)
        )
        return assessment, step_states(assessment.comparison)

    return of


@pytest.mark.parametrize(
    "name", ["new_b_13#1", "opsx_g_17#1", "new_a_24#2", "opsx_d_06#4", "new_b_34#5", "opsx_e_01#0"]
)
def test_the_counts_are_those_of_the_severity(regenerated, name):
    assessment, steps = regenerated(name)
    demands = Demands.of(assessment.comparison)
    counted = Counter(step.state for step in steps)
    assert counted["missing"] + counted["probably-changed"] + counted["changed"] == demands.gone + demands.altered
    assert counted["doubtful"] == demands.doubtful
    assert sum(step.moved for step in steps) <= demands.moved


def test_what_a_check_proves_is_no_mere_doubt(regenerated):
    assessment, steps = regenerated("opsx_b_05#4")
    (changed,) = [step for step in steps if step.state == "changed"]
    assert changed.golden_text.endswith("from us-east-1 to us-west-2.")
    assert changed.candidate_text == "None fits: half the traffic from us-east-1 to eu-west-1"
    assert Demands.of(assessment.comparison).doubtful == 2


def test_a_step_is_where_its_work_is_done_not_where_it_is_aligned(regenerated):
    assessment, steps = regenerated("new_b_34#5")
    (stop,) = [step for step in steps if (step.golden_text or "").startswith("Stop the order immediately")]
    assert "s3" in stop.candidate  # "... on any hit stop the order immediately"; it is aligned with another step
    assert "s13" not in stop.candidate
    listed = {part for step in steps for part in step.candidate}
    assert listed == {task.id for task in assessment.comparison.candidate.tasks}  # each of them has its place


def test_a_split_step_is_reworded_if_its_meaning_is_kept(regenerated):
    _, steps = regenerated("new_b_27#3")
    (split,) = [step for step in steps if len(step.candidate) > 1]
    assert split.state == "reworded"


def test_a_state_never_says_more_than_the_finding_about_the_step(regenerated):
    for name in ("new_b_13#1", "opsx_g_17#1", "new_a_24#2", "opsx_d_06#4", "new_b_34#5", "opsx_e_01#0", "opsx_b_05#4"):
        assessment, steps = regenerated(name)
        findings = [one for one in review(assessment.comparison) if one.id == "WR106" and one.wording is not None]
        certain = {step for one in findings if one.exact for step in one.golden_steps}
        estimated = {step for one in findings for step in one.golden_steps} - certain
        assert not estimated & {
            step.id for step in steps if step.state == "changed" and step.p_value > Levels().changed
        }
