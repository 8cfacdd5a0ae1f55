"""Counts of demands: every golden step has one status, and the counts are those of its supports."""

from itertools import pairwise

import pytest

from wfgate.compare.fate import SIGNIFICANT
from wfgate.decide import Assessor
from wfgate.decide.evidence.demands import Demands
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.model import Link, Task, Workflow

STEPS = (
    "Freeze the release branch",
    "Compile the service with Maven",
    "Wait 30 minutes before the rollout",
    "Sign the archive with the company key",
    "Upload the archive to Nexus",
    "Notify the operations channel",
)


def chain(*texts):
    ids = [f"t{place}" for place in range(len(texts))]
    links = pairwise(ids)
    return Workflow(
        tasks=tuple(Task(id=name, name=text) for name, text in zip(ids, texts, strict=True)),
        links=tuple(Link(source=one, target=two) for one, two in links),
    )


@pytest.fixture(scope="module")
def assess():
    assessor = Assessor(StaticEmbedder(), load_meaning_model())
    return lambda *texts: assessor.assess(chain(*STEPS), chain(*texts))


def test_identical_workflows_keep_every_demand(assess):
    assert Demands.of(assess(*STEPS).comparison) == Demands(total=6)


@pytest.mark.parametrize("gone", [1, 2, 4])
def test_steps_that_nothing_carries_are_gone(assess, gone):
    assert Demands.of(assess(*STEPS[gone:]).comparison).gone == gone


def test_another_number_alters_a_demand_or_is_doubted(assess):
    found = Demands.of(assess(*STEPS[:2], "Wait 3 minutes before the rollout", *STEPS[3:]).comparison)
    assert found.gone + found.doubtful + found.altered == 1


@pytest.mark.parametrize(
    "texts",
    [
        (
            "Put a freeze on the branch",
            "Use Maven to build",
            "Wait half an hour",
            "Sign it",
            "Publish",
            "Tell operations",
        ),
        ("Order pizza", "Compile the service with Gradle", *STEPS[3:]),
        ("Order pizza",),
    ],
)
def test_each_step_is_counted_once_by_its_support(assess, texts):
    assessment = assess(*texts)
    places, supports = assessment.comparison.places, assessment.comparison.supports
    gone = {step for step, place in enumerate(places) if not place.carriers}
    gone |= {support.golden for support in supports if support.adjusted <= SIGNIFICANT}
    doubtful = {support.golden for support in supports if support.doubted} - gone
    found = Demands.of(assessment.comparison)
    assert (found.gone, found.doubtful) == (len(gone), len(doubtful))
    assert found.gone + found.doubtful + found.altered <= found.total
