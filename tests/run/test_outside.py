"""A pair outside of the calibrated range has a note in its result, and no rate in any report."""

import pytest

from wfgate.decide import Pair, Policy
from wfgate.run import Gate
from wfgate.show import REPORTERS

NOTE = "12 steps, calibrated on 3 to 10"


@pytest.fixture
def result(assessor, profile, make, steps):
    bounds = profile.corpus.range.model_copy(update={"steps": (3, 10), "words": (1.0, 99.0)})
    narrow = profile.model_copy(update={"corpus": profile.corpus.model_copy(update={"range": bounds})})
    golden = make([f"{step} {number}" for number in range(2) for step in steps[:6]])
    candidate = make([task.name for task in golden.tasks[:9]])
    return Gate(assessor, narrow, Policy()).run([Pair("big", (golden,), candidate)], tool="test")


def test_the_note_is_in_the_result(result, judged, make, steps):
    assert result.cases[0].outside == (NOTE,)
    assert judged(make(), make(steps[:-1])).outside == ()


@pytest.mark.parametrize("reporter", ["text", "markdown", "html", "junit", "json"])
def test_every_report_says_it_instead_of_a_rate(result, reporter):
    report = " ".join(REPORTERS[reporter].render(result).split())
    assert NOTE in report
    assert "harmless rewrites differ at least as much" not in report
    assert "the smallest p-value of this profile" not in report
