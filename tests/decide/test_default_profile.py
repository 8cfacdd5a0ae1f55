"""The shipped profile: it loads, fits what runs, and decides alike in small and large workflows."""

import json
from pathlib import Path

import pytest

from wfgate.decide import EVIDENCE, Assessor, Pair, Policy, default_profile
from wfgate.language import load_embedder, load_meaning_model
from wfgate.run import Gate

STEPS = Path(__file__).parents[2] / "calibration" / "corpora" / "steps" / "variants.jsonl"
REGENERATIONS = STEPS.parents[1] / "regenerations"


@pytest.fixture(scope="module")
def gate():
    return Gate(Assessor(load_embedder(), load_meaning_model()), default_profile(), Policy())


@pytest.fixture(scope="module")
def texts():
    found = [step for line in STEPS.read_text(encoding="utf-8").splitlines() for step in json.loads(line)["steps"]]
    return list(dict.fromkeys(found))[100:400]


def workflow(steps):
    return {"wfgate": "1", "steps": list(steps)}


@pytest.mark.parametrize("n", [3, 5, 12, 40, 100, 300])
def test_one_lost_step_blocks_whatever_the_size(gate, texts, n):
    golden = texts[:n]
    result = gate.decide(Pair("x", (workflow(golden),), workflow(golden[: n // 2] + golden[n // 2 + 1 :])))
    assert result.verdict == "block"
    assert result.severity.low <= 1 / n <= result.severity.high


@pytest.mark.parametrize("n", [3, 12, 100, 300])
def test_two_exchanged_steps_block_whatever_the_size(gate, texts, n):
    moved = texts[:n]
    moved[n // 2], moved[n // 2 - 1] = moved[n // 2 - 1], moved[n // 2]
    assert gate.decide(Pair("x", (workflow(texts[:n]),), workflow(moved))).verdict == "block"


@pytest.mark.parametrize(
    ("step", "verdict"),
    [
        ("Redact documents, then Bates-stamp pages", "review"),
        ("Redact documents; Bates-stamp the pages", "review"),
        ("Redact and stamp pages", "block"),
        ("Redact documents", "block"),
    ],
)
def test_steps_that_are_joined_word_for_word_are_reviewed_and_squeezed_ones_block(gate, step, verdict):
    names = ["Collect invoices", "Match with orders", "Remove duplicates", "Post to ledger", "Export bank file"]
    golden = workflow([*names, "Redact documents", "Bates-stamp pages", "Send to counsel"])
    result = gate.decide(Pair("x", (golden,), workflow([*names, step, "Send to counsel"])))
    assert result.verdict == verdict
    rules = [reason.rule for reason in result.reasons]
    assert verdict == "block" or (rules[0] == "WR104" and "WR106" not in rules)


def test_weights_rest_on_absolute_evidence_alone():
    block = default_profile().block
    for weights in (model.weights for model in block.cells.values()):
        assert any(weights)
        assert all(weight == 0 for piece, weight in zip(EVIDENCE, weights, strict=True) if not piece.absolute)


def test_the_promise_holds_out_of_sample():
    promise = default_profile().promise
    assert promise.false_block.low <= promise.alpha_block
    assert promise.false_review.low <= promise.alpha_review


def test_a_reference_that_joins_a_critical_step_with_another_does_not_free_it(gate):
    """A recorded golden, a regeneration that joins two steps as further reference, another one as candidate."""
    goldens, candidates = (
        [json.loads(line) for line in (REGENERATIONS / name).read_text(encoding="utf-8").splitlines()]
        for name in ("goldens.jsonl", "candidates.jsonl")
    )
    golden = workflow(next(line["steps"] for line in goldens if line["id"] == "new_b_36"))
    found = {line["brief"]: line["steps"] for line in candidates if line["golden"] == "new_b_36"}
    joined, whole = (workflow([step["name"] for step in found[brief]]) for brief in ("full1", "full2"))
    less = workflow([step for step in whole["steps"] if "Resolve deviations" not in step])
    assert any("recomputes five random stations; deviations" in step for step in joined["steps"])
    assert len(less["steps"]) == len(whole["steps"]) - 1
    strict = Gate(gate.assessor, gate.profile, Policy(critical=("resolve every deviation*",)))
    lost = strict.decide(Pair("less", (golden, joined), less))
    assert lost.verdict == "block"
    assert any("resolve every deviation" in reason.message.casefold() for reason in lost.reasons)
    assert strict.decide(Pair("joined", (golden, joined), joined)).verdict == "pass"  # as it is approved
