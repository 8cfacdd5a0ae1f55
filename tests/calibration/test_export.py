"""The exported benchmark: labels, scores as in the paper, independence of variants, and the sample to inspect."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from wfgate.calibration import (
    PERTURBATIONS,
    Golden,
    Rejection,
    StepTexts,
    benchmark,
    inspection,
    inspection_markdown,
    with_random_steps,
)
from wfgate.calibration.export import BenchmarkVariant
from wfgate.model import END, START, Link, Task, Workflow, fingerprint

N = 10


def row(name: str, *, texts: StepTexts | None = None) -> Golden:
    tasks = tuple(Task(id=f"{name}{number}", name=f"Do part {number} of {name}") for number in range(N))
    ids = [START, *(task.id for task in tasks), END]
    links = tuple(Link(source=a, target=b) for a, b in pairwise(ids))
    return Golden(name, Workflow(tasks=tasks, links=links), texts or StepTexts())


def made(*goldens: Golden, seed: int = 0) -> list[BenchmarkVariant]:
    return [each for each in benchmark(goldens, seed=seed) if not isinstance(each, Rejection)]


def test_labels_severities_and_scores_are_those_of_the_paper():
    found = {(each.label.operator, each.label.severity): each.label for each in made(row("a"))}
    for severity, left in ((0.1, 9), (0.3, 7), (0.5, 5)):
        for operator in ("missing", "compressed"):
            label = found[operator, severity]
            assert (label.label, label.steps, label.score) == ("degraded", (N, left), pytest.approx(1 - severity))
        assert len(found["missing", severity].affected) == N - left
    assert found["rewired", 0.1].score is None
    assert (found["relisted", 1.0].label, found["relisted", 1.0].score) == ("benign", 1.0)


def test_every_operator_is_applied_or_rejected_with_a_reason():
    found = [*benchmark([row("a")], seed=0)]
    rejected = {each.operator for each in found if isinstance(each, Rejection)}
    applied = {each.label.operator for each in found if isinstance(each, BenchmarkVariant)}
    recorded = {"rewritten", "edited", "refused", "misedited"}  # none is recorded, so there is nothing to reject
    assert applied | rejected == {*PERTURBATIONS} - recorded
    assert {"description", "vague", "split"} <= rejected
    assert all(each.reason for each in found if isinstance(each, Rejection))


def test_a_further_golden_changes_no_variant_and_another_seed_does():
    alone = {each.label.id: fingerprint(each.workflow) for each in made(row("a"))}
    beside = {each.label.id: fingerprint(each.workflow) for each in made(row("b"), row("a"))}
    assert {name: beside[name] for name in alone} == alone
    other = {each.label.id: fingerprint(each.workflow) for each in made(row("a"), seed=1)}
    assert other.keys() == alone.keys()
    assert other != alone


def test_steps_at_random_instead_of_recorded_omissions():
    recorded = row("a", texts=StepTexts(omissions=((0,),)))
    gone = {each.label.affected for seed in range(8) for each in made(recorded, seed=seed) if is_missing(each)}
    assert gone == {(1,)}
    plain = with_random_steps(recorded)
    gone = {each.label.affected for seed in range(8) for each in made(plain, seed=seed) if is_missing(each)}
    assert len(gone) > 3


def is_missing(each: BenchmarkVariant) -> bool:
    return (each.label.operator, each.label.severity) == ("missing", 0.1)


def test_the_sample_has_every_operator_before_a_second_one():
    variants = made(row("a"), row("b"))
    operators = {each.label.operator for each in variants}
    chosen = inspection(variants, len(operators), np.random.default_rng(0))
    assert Counter(each.label.operator for each in chosen) == dict.fromkeys(operators, 1)
    assert len(inspection(variants, 10_000, np.random.default_rng(0))) == len(variants)
    assert inspection(variants, 0, np.random.default_rng(0)) == []


def test_the_page_shows_what_differs_and_no_markup_of_a_step():
    golden = row("a")
    tasks = (golden.workflow.tasks[0].model_copy(update={"name": "<b>Do</b> @team"}), *golden.workflow.tasks[1:])
    golden = Golden("a", golden.workflow.model_copy(update={"tasks": tasks}))
    page = inspection_markdown(made(golden))
    assert "<b>" not in page
    (part,) = [part for part in page.split("## [ ] ") if part.startswith("a--reordered-10")]
    assert "the steps that both have are in another order" in part
    (part,) = [part for part in page.split("## [ ] ") if part.startswith("a--missing-10")]
    assert part.count("golden step") == 1
