"""How often alignment is right on texts that a language model wrote.

Measured, and held as a bar: none of 472 full rewordings is misaligned; 285 of 561 recorded merges and 40 of 52 split
steps of acceptable regenerations are recognised, and none of 112 unrelated extra steps is taken for part of a split.
What is not recognised is reported as a missing or an extra step, which is cautious and not wrong.
"""

import numpy as np
import pytest

from wfgate.calibration import PERTURBATIONS, Golden, StepTexts

MISALIGNED = 0
MERGES = 280
SPLITS = 36


def test_full_rewordings(recorded, tools):
    wrong, total = [], 0
    for goldens in recorded.values():
        for golden in goldens:
            for number, texts in enumerate(golden.texts.rewordings):
                result = tools.compare(golden.workflow, golden.reworded(texts).workflow)
                total += 1
                if result.candidate_of != {step: step for step in range(golden.n)}:
                    wrong.append((golden.id, number))
    assert total >= 472
    assert len(wrong) <= MISALIGNED, wrong


def merged(golden, merge, rng):
    """Return the golden with this one merge and nothing else, or None where it would close a cycle."""
    only = Golden(golden.id, golden.workflow, StepTexts(merges=(merge,)))
    folded = len(merge.steps) - 1
    variant = PERTURBATIONS["compressed"].perturb(only, folded / golden.n, rng)
    return variant.workflow if variant.affected == tuple(sorted(merge.steps)) else None


@pytest.mark.slow
def test_recorded_merges(recorded, tools):
    right, wrong = 0, 0
    for golden in (golden for goldens in recorded.values() for golden in goldens):
        for merge in golden.texts.merges:
            candidate = merged(golden, merge, np.random.default_rng(0))
            if candidate is None:
                continue
            found = tools.compare(golden.workflow, candidate).alignment.merges
            right += [group.golden for group in found] == [tuple(sorted(merge.steps))]
            wrong += any(not set(group.golden) <= set(merge.steps) for group in found)
    assert right >= MERGES
    assert wrong <= 5  # other steps are hardly ever drawn in


def test_regenerations_split_one_step(tools):
    split = explained = 0
    for record in tools.records("ops/ops.jsonl"):
        result = tools.compare(tools.read(record), tools.read(record["regeneration"]))
        split += bool(result.alignment.splits)
        explained += not tools.unaligned(result)[1]
    assert split >= SPLITS
    assert explained >= SPLITS


def test_unrelated_extra_steps_are_no_split(recorded, tools):
    taken = total = 0
    for golden in recorded["ops"] + recorded["worfbench"][:60]:
        variant = PERTURBATIONS["extra"].perturb(golden, 0.1, np.random.default_rng(1))
        taken += bool(tools.compare(golden.workflow, variant.workflow).alignment.splits)
        total += 1
    assert taken <= 0.05 * total


def test_by_hand(tools):
    golden = tools.line("Log in to the server", "Stop the old service", "Copy the new build", "Tell the team")
    one = tools.line("Log in to the server", "Stop the old service and copy the new build", "Tell the team")
    merge = tools.compare(golden, one).alignment.merges[0]
    assert (merge.golden, merge.candidate) == ((1, 2), 1)
    split = tools.compare(one, golden).alignment.splits[0]
    assert (split.golden, split.candidate) == (1, (1, 2))
    assert tools.unaligned(tools.compare(golden, one))[0] == tools.unaligned(tools.compare(one, golden))[1] == ()


def test_a_step_that_says_the_same_as_before_took_nothing_over(tools):
    golden, kept = tools.line("Tap Edit.", "Tap ALLOW."), tools.line("Tap Edit.")
    lost = tools.compare(golden, kept)
    assert (tools.unaligned(lost)[0], lost.alignment.merges) == ((1,), ())
    golden, more = tools.line("Test the service"), tools.line("Test the service", "Test the service under load")
    added = tools.compare(golden, more)
    assert (tools.unaligned(added)[1], added.alignment.splits) == ((1,), ())
