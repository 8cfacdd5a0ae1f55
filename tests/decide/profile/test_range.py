"""The range of a calibration: its own goldens are inside, other sizes and languages are outside, in words."""

import pytest

from wfgate.calibration import read_corpus
from wfgate.decide import CalibratedRange, median_words
from wfgate.decide.profile.range import latin_share
from wfgate.model import Task, Workflow

from ...calibration.conftest import CORPORA

RANGE = CalibratedRange(steps=(3, 25), words=(2.0, 14.0), latin=0.9)


def steps(*names):
    return Workflow(tasks=tuple(Task(id=str(place), name=name) for place, name in enumerate(names)))


INSIDE = steps(*["Scan the image for vulnerabilities"] * 5)


@pytest.mark.parametrize(
    ("golden", "candidate", "said"),
    [
        (steps(*["Scan the image"] * 61), INSIDE, "61 steps, calibrated on 3 to 25"),
        (steps("Scan the image", "Deploy it"), INSIDE, "2 steps, calibrated on 3 to 25"),
        (steps(*["Lint"] * 5), INSIDE, "1 word in a typical step name of the golden, calibrated on 2 to 14"),
        (
            steps(*["Lint"] * 5),
            steps(*["Test"] * 5),
            "1 word in a typical step name of the golden and the candidate, calibrated on 2 to 14",
        ),
        (INSIDE, steps(*["扫描镜像 然后 发布"] * 5), "0 % Latin letters in the candidate, calibrated on 90 % or more"),
    ],
)
def test_what_is_outside_is_said(golden, candidate, said):
    assert RANGE.outside(golden, candidate) == (said,)


def test_a_candidate_may_have_any_number_of_steps_and_some_other_letters():
    assert RANGE.outside(INSIDE, steps(*["Warte 5 µs auf größere Schlüssel"] * 90)) == ()
    assert RANGE.outside(INSIDE, Workflow()) == ()


def test_the_goldens_of_a_calibration_are_inside_up_to_the_percentiles():
    goldens = [golden.workflow for golden in read_corpus([CORPORA / "ops"]).goldens]
    bounds = CalibratedRange.of(goldens)
    outside = [golden for golden in goldens if bounds.outside(golden, golden)]
    assert len(outside) <= 0.03 * len(goldens)
    assert bounds.steps == (min(len(g.tasks) for g in goldens), max(len(g.tasks) for g in goldens))
    joined = bounds.joined(RANGE)
    assert not [golden for golden in [*goldens, INSIDE] if golden not in outside and joined.outside(golden, golden)]


def test_measures_of_a_workflow():
    assert (median_words(steps("Lint", "Scan the image", "Go on")), median_words(Workflow())) == (2.0, 0.0)
    assert (latin_share(steps("Ærø 12", "Ωμ")), latin_share(steps("12"))) == (0.6, 1.0)
