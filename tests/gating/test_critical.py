"""A further critical step never makes a verdict milder: real pairs, with no, some and all steps critical."""

import json
from pathlib import Path

import pytest

from wfgate.gating import Policy
from wfgate.gating.decision import Decider
from wfgate.gating.policy import ORDER
from wfgate.model import Link, Task, Workflow
from wfgate.profile import default_profile

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
