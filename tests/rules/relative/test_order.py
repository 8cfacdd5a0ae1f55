"""The opposite order of two steps, in other words."""

import pytest

from wfgate.compare import compare
from wfgate.language import StaticEmbedder, load_meaning_model
from wfgate.read import read_data
from wfgate.rules import review

GOLDEN = ("Run the tests", "Deploy to staging", "Deploy to production")
TESTS, STAGING, PRODUCTION = (
    "Execute the test suite",
    "Roll out to the staging environment",
    "Roll out to the production environment",
)


@pytest.mark.parametrize(
    ("candidate", "moved"),
    [
        ((TESTS, STAGING, PRODUCTION), set()),
        ((TESTS, PRODUCTION, STAGING), {"Deploy to staging", "Deploy to production"}),
        ((PRODUCTION, TESTS, STAGING), set(GOLDEN)),
    ],
)
def test_reworded_steps_with_similar_words_that_changed_places_contradict_the_golden(candidate, moved):
    golden, candidate = (read_data(list(steps), "p").workflow for steps in (GOLDEN, candidate))
    comparison = compare(golden, candidate, StaticEmbedder(), load_meaning_model())
    findings = review(comparison)
    inverted = [finding for finding in findings if finding.id == "WR203"]
    assert {name for finding in inverted for name in finding.tasks} == moved
    assert all(finding.exact for finding in inverted)
    assert not any("order is unchanged" in finding.message for finding in findings)


def test_such_an_exchange_is_a_review_whatever_is_critical_and_other_orders_of_critical_steps_block():
    def weights(*steps, critical=("s2",)):
        golden, candidate = (
            read_data(
                {"wfgate": "1", "steps": [{"id": f"s{place}", "name": name} for place, name in enumerate(side)]}, "p"
            ).workflow
            for side in (GOLDEN, steps)
        )
        comparison = compare(golden, candidate, StaticEmbedder(), load_meaning_model())
        return [found.weight for found in review(comparison, critical=critical) if found.id == "WR203"]

    assert weights(TESTS, PRODUCTION, STAGING, critical=()) == ["contradiction"]
    assert weights(TESTS, PRODUCTION, STAGING) == ["contradiction"]
    assert weights(STAGING, PRODUCTION, TESTS) == ["proof"]
    assert weights(TESTS, STAGING, PRODUCTION) == []
    assert weights(TESTS, "Roll out to staging", PRODUCTION, STAGING) == []  # it may run at either place
