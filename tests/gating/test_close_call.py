"""A verdict that rests on the last digit of a judgement is marked, on both sides of the threshold, and no other is."""

from dataclasses import replace

import pytest

from wfgate.alignment import StaticEmbedder
from wfgate.alignment.meaning import Judgement, MovedEquivalence, StepEquivalence
from wfgate.evidence import Assessor
from wfgate.gating import Gate, Judge, Pair, Policy
from wfgate.gating.result import CaseResult
from wfgate.model import Workflow
from wfgate.profile import default_profile
from wfgate.report import REPORTERS

PROFILE = default_profile()
EMBEDDER = StaticEmbedder()
STEPS = ("Fetch the records", "Clean the records", "Draw a chart", "Ask the lead to approve", "Publish the report")
CHANGED = "Publish the report about the quarter"
OTHER = "Ж"  # so unlike any step that only a judge can match it
DIGIT = 0.01


class Saying(StepEquivalence):
    """The shipped judge's rates for judgements that a test chooses, one for all pairs or by the candidate's text."""

    def __init__(self, said: float | dict[str, float]) -> None:
        super().__init__()
        self.said = said

    def _judge(self, pairs):
        said = self.said if isinstance(self.said, dict) else {}
        return [Judgement(float(said.get(text, -30.0) if said else self.said)) for _, text in pairs]


def line(*steps: str, critical: int | None = None) -> Workflow:
    """Make a chain of steps."""
    ids = [f"s{place}" for place in range(len(steps))]
    return Workflow.model_validate(
        {
            "tasks": [
                {"id": name, "name": text, "critical": place == critical}
                for place, (name, text) in enumerate(zip(ids, steps, strict=True))
            ],
            "links": [
                {"source": source, "target": target}
                for source, target in zip(["START", *ids], [*ids, "END"], strict=True)
            ],
        }
    )


def judged(said, *goldens: Workflow, candidate: Workflow, **policy) -> CaseResult:
    gate = Gate(Assessor(EMBEDDER, Saying(said)), PROFILE, Policy(**policy))
    return gate.judge(Pair("case", goldens, candidate))


def calls(case: CaseResult) -> list[str]:
    return [finding.witness[0] for finding in case.findings if finding.id == "WP003"]


def tip(verdict, low: int, high: int) -> int:
    """Return the largest number of hundredths in [low, high) whose verdict is that of `low`."""
    first = verdict(low)
    assert verdict(high) != first
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if verdict(middle) == first else (low, middle)
    return low


@pytest.mark.parametrize(("policy", "critical"), [({}, None), ({"block_severity": 1.0}, None), ({}, 4)])
def test_both_sides_of_a_threshold_are_marked_and_nothing_else(policy, critical):
    golden, candidate = line(*STEPS, critical=critical), line(*STEPS[:-1], CHANGED)

    def at(hundredths: int) -> CaseResult:
        return judged(hundredths / 100, golden, candidate=candidate, **policy)

    edge = tip(lambda place: at(place).verdict, -2000, 400)
    stricter, milder = at(edge), at(edge + 1)
    assert stricter.verdict != milder.verdict
    assert (calls(stricter), calls(milder)) == ([milder.verdict], [stricter.verdict])
    assert (calls(at(edge - 1)), calls(at(edge + 2))) == ([], [])
    unmarked = stricter.model_copy(update={"findings": tuple(f for f in stricter.findings if f.id != "WP003")})
    assessment = Assessor(EMBEDDER, Saying(edge / 100)).assess(golden, candidate)
    named = {"case": stricter.id, "golden": stricter.golden, "candidate": stricter.candidate}
    assert Judge(PROFILE, Policy(**policy)).decide(assessment, **named) == unmarked  # the mark is all that it adds


def test_a_partner_that_hangs_on_the_last_digit():
    golden, candidate = line(*STEPS), line(*STEPS[:-1], OTHER)
    lost, found = (judged(said, golden, candidate=candidate) for said in (0.0, DIGIT))
    assert not any(pair.candidate.name == OTHER for pair in lost.alignment.matched)
    assert any(pair.candidate.name == OTHER for pair in found.alignment.matched)
    assert lost.verdict != found.verdict
    assert (calls(lost), calls(found)) == ([found.verdict], [lost.verdict])
    assert calls(judged(2 * DIGIT, golden, candidate=candidate)) == []
    assert calls(judged(-DIGIT, golden, candidate=candidate)) == []


def test_the_reference_that_another_processor_would_prefer():
    candidate = line(*STEPS[:-1], CHANGED)
    near, far = line(*STEPS), line("Sell the building", "Paint the walls", "Feed the cat")
    edge = tip(lambda place: judged(place / 100, near, candidate=candidate).verdict, -2000, 400)
    both = judged(edge / 100, near, far, candidate=candidate)
    alone = judged(edge / 100, near, candidate=candidate)
    assert calls(both) == calls(alone) != []
    assert calls(judged(edge / 100, far, near, candidate=candidate)) == calls(alone)


def test_an_exact_judge_and_an_identical_candidate_have_no_close_calls():
    golden, candidate = line(*STEPS), line(*STEPS[:-1], CHANGED)
    assessor = Assessor(EMBEDDER, Saying(0.0))
    assert len(assessor.ends(assessor.assess(golden, candidate))) == 2
    assert assessor.ends(assessor.assess(golden, golden)) == ()
    exact = replace(assessor, equivalence=Saying(0.0))
    exact.equivalence.tolerance = 0.0
    assert exact.ends(exact.assess(golden, candidate)) == ()


def test_what_is_moved_is_what_would_be_assessed_with_moved_judgements():
    golden = line(*STEPS, "Archive the report")
    candidate = line("Get the records", "Tidy the records", *STEPS[2:-1], CHANGED, "Archive the report")
    said = {"Get the records": -3.1, "Tidy the records": 0.4, CHANGED: -5.88}
    assessor = Assessor(EMBEDDER, Saying(said))
    for end, by in zip(assessor.ends(assessor.assess(golden, candidate)), (-DIGIT, DIGIT), strict=True):
        anew = replace(assessor, equivalence=MovedEquivalence(Saying(said), by)).assess(golden, candidate)
        assert end.comparison.meanings == anew.comparison.meanings
        assert end.evidence == anew.evidence
        assert end.comparison.alignment == anew.comparison.alignment


def test_the_mark_is_seen():
    golden, candidate = line(*STEPS), line(*STEPS[:-1], OTHER)
    gate = Gate(Assessor(EMBEDDER, Saying(0.0)), PROFILE, Policy())
    result = gate.run([Pair("case", (golden,), candidate)], tool="test", source="default")
    (verdict,) = calls(result.cases[0])
    for reporter in ("text", "markdown", "html", "sarif", "json"):
        assert "WP003" in REPORTERS[reporter].render(result), reporter
    assert f"warning: a close call: another processor may come to '{verdict}'" in " ".join(
        REPORTERS["text"].render(result).split()
    )
