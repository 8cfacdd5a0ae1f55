"""Critical steps: a missing one blocks, one in doubt is reviewed, and a further one never makes a verdict milder."""

import json
from pathlib import Path

import pytest

from wfgate.compare import DOUBTED
from wfgate.decide import ORDER, Assessor, Decider, Policy, default_profile
from wfgate.language import MeaningModel, MeaningScore, StaticEmbedder
from wfgate.model import Link, Task, Workflow

from .conftest import REWORDED, STEPS, flow
from .damage import damaged, goldens

CORPUS = Path(__file__).parents[2] / "calibration" / "corpora" / "regenerations"
PAIRS = 100
ADJUSTED = {"new_a_02#4", "new_a_18#0", "new_a_30#1", "new_b_03#0", "new_b_07#5", "opsx_b_14#2", "opsx_d_12#4"}
"""Pairs that were blocked with the critical steps of the golden, and not with all steps critical: the p-values were
adjusted for the number of critical steps."""


def records(name):
    return [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]


def pairs():
    goldens = {record["id"]: record for record in records("goldens.jsonl")}
    candidates = records("candidates.jsonl")
    every = len(candidates) // (PAIRS - len(ADJUSTED))
    chosen = [one for n, one in enumerate(candidates) if one["id"] in ADJUSTED or n % every == 0]
    for one in chosen:
        golden = goldens[one["golden"]]
        numbered = list(enumerate(golden["steps"], start=1))
        steps = tuple(Task(id=f"s{n}", name=text, critical=n in golden["critical"]) for n, text in numbered)
        links = tuple(Link(source=f"s{a}", target=f"s{b}") for a, b in golden["edges"])
        tasks = [Task(id=step["id"], name=step["name"]) for step in one["steps"]]
        needs = [Link(source=need, target=step["id"]) for step in one["steps"] for need in step.get("needs", ())]
        yield one["id"], Workflow(tasks=steps, links=links), Workflow(tasks=tuple(tasks), links=tuple(needs))


@pytest.mark.slow
def test_a_further_critical_step_never_makes_a_verdict_milder(assessor):
    profile = default_profile()
    own, every = Decider(profile, Policy()), Decider(profile, Policy(critical=("*",)))
    milder, chosen = [], list(pairs())
    assert len(chosen) >= PAIRS
    for name, golden, candidate in chosen:
        plain = golden.model_copy(
            update={"tasks": tuple(task.model_copy(update={"critical": False}) for task in golden.tasks)}
        )
        verdicts = [
            decider.decide(assessor.assess(approved, candidate), case=name, golden="g", candidate="c").verdict
            for decider, approved in ((own, plain), (own, golden), (every, golden))
        ]
        milder += [(name, verdicts)] if verdicts != sorted(verdicts, key=ORDER.index) else []
    assert milder == []


CRITICAL = 4
GONE = (*STEPS[:CRITICAL], *STEPS[CRITICAL + 1 :])
REWORDED_GONE = (*REWORDED[:CRITICAL], *REWORDED[CRITICAL + 1 :])
MERGED = (*STEPS[: CRITICAL - 1], f"{STEPS[CRITICAL - 1]} and then {STEPS[CRITICAL].lower()}", *STEPS[CRITICAL + 1 :])


def with_step(texts, text):
    """Return the texts with another critical step."""
    return (*texts[:CRITICAL], text, *texts[CRITICAL + 1 :])


@pytest.mark.parametrize("texts", [GONE, REWORDED_GONE], ids=["verbatim", "reworded"])
@pytest.mark.parametrize("policy", [{}, {"block_severity": 1.0}, {"min_steps": 99}], ids=["plain", "severe", "small"])
def test_a_missing_critical_step_blocks_in_any_style(judged, texts, policy):
    result = judged(flow(critical=[CRITICAL]), flow(texts), **policy)
    assert (result.verdict, result.proven) == ("block", "block")
    assert result.reasons[0].message == f"the critical step '{STEPS[CRITICAL]}' is missing"


def test_of_every_golden_a_missing_critical_step_blocks_and_a_merged_one_is_reviewed(assessor, profile):
    """A step whose words another step has may look merged; this happens to one of 24."""
    decider = Decider(profile, Policy(alpha_block=0.05, alpha_review=0.1, critical=("*",)))
    verdicts = {}
    for golden in goldens():
        for reworded in (False, True):
            assessment = assessor.assess(golden.workflow, damaged(golden, "missing", 0.1, reworded=reworded))
            found = decider.decide(assessment, case=golden.id, golden="g", candidate="c")
            missing = any(step.state == "missing" for step in found.steps)
            verdicts[golden.id, reworded] = missing, found.verdict, found.reasons[0].lost_critical
    assert len(verdicts) == 24
    blocked = [one for one in verdicts.values() if one == (True, "block", True)]
    others = {verdict for missing, verdict, _ in verdicts.values() if not missing}
    assert len(blocked) >= 23
    assert others <= {"review", "block"}
    assert len(blocked) + sum(not missing for missing, *_ in verdicts.values()) == 24


@pytest.mark.parametrize("texts", [STEPS, REWORDED], ids=["verbatim", "reworded"])
def test_a_critical_step_that_is_kept_passes(judged, texts):
    result = judged(flow(critical=range(len(STEPS))), flow(texts))
    assert (result.verdict, result.reasons) == ("pass", ())


WEAK = ("Sign the archive if there is time", "Check whether the archive is signed", "Take care of the archive")


@pytest.mark.parametrize("texts", [STEPS, REWORDED], ids=["verbatim", "reworded"])
@pytest.mark.parametrize("weak", WEAK)
def test_a_critical_step_in_doubt_is_at_least_reviewed_and_named(judged, texts, weak):
    result = judged(flow(critical=[CRITICAL]), flow(with_step(texts, weak)))
    assert result.verdict in {"review", "block"}
    assert STEPS[CRITICAL] in result.reasons[0].message


ASK = "Ask the release manager to approve the rollout"


@pytest.mark.parametrize("texts", [STEPS, REWORDED], ids=["verbatim", "reworded"])
@pytest.mark.parametrize(
    ("now", "critical", "verdicts"),
    [
        ("Tell the release manager about the rollout", True, {"block"}),
        ("Tell the release manager about the rollout", False, {"review", "block"}),
        ("Inform support", True, {"review", "block"}),
        ("Get the approval of the release manager for the rollout", True, {"pass"}),
    ],
)
def test_a_step_that_only_informs_has_lost_its_authority(judged, texts, now, critical, verdicts):
    golden = flow(with_step(STEPS, ASK), critical=[CRITICAL] if critical else [])
    assert judged(golden, flow(with_step(texts, now))).verdict in verdicts


def test_a_merged_critical_step_is_at_least_reviewed(judged):
    result = judged(flow(critical=[CRITICAL]), flow(MERGED))
    assert result.verdict in {"review", "block"}
    assert any(STEPS[CRITICAL] in reason.message and "critical" in reason.message for reason in result.reasons)


class Unsure(MeaningModel):
    """A calibrated model with one p-value for the critical step; all other texts surely mean the same."""

    id = "unsure"
    fingerprint = "0" * 64
    calibrated = True

    def __init__(self, p_value):
        self.value = p_value

    def _compare(self, pairs):
        return [MeaningScore(-1.0 if golden == STEPS[CRITICAL] else 5.0) for golden, _ in pairs]

    def p_value(self, logit, words=10):  # noqa: ARG002 - the interface
        return self.value if logit < 0 else 1.0


@pytest.mark.parametrize(("p_value", "verdict"), [(DOUBTED, "review"), (DOUBTED + 0.01, "pass")])
def test_a_critical_step_needs_a_review_up_to_the_p_value_at_which_it_is_doubted(profile, p_value, verdict):
    """Without statistics (min_steps), so that only the critical step decides."""
    decider = Decider(profile, Policy(alpha_block=0.05, alpha_review=0.1, min_steps=99))
    assessment = Assessor(StaticEmbedder(), Unsure(p_value)).assess(flow(critical=[CRITICAL]), flow(REWORDED))
    result = decider.decide(assessment, case="x", golden="g", candidate="c")
    assert result.verdict == verdict
    assert [reason.rule for reason in result.reasons] == ["critical-unsure"] * (verdict == "review")
    plain = decider.decide(
        Assessor(StaticEmbedder(), Unsure(p_value)).assess(flow(), flow(REWORDED)), case="x", golden="g", candidate="c"
    )
    assert plain.verdict == "pass"
