"""Examples of what gets through: made again, and readable."""

import pytest

from wfgate.calibration import PERTURBATIONS
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.misses import EXAMPLES, SHOWN, misses


@pytest.fixture(scope="module")
def found(quick):
    """Everything missed: no p-value reaches an alpha of nothing."""
    done, _ = quick
    goldens = {golden.id: golden for golden in done.corpus.goldens}
    return misses(done.held_out, goldens, 0, 0.0), goldens


def test_every_operator_has_its_examples(found, quick):
    examples, _ = found
    operators = [miss.operator for miss in examples]
    assert max(map(operators.count, operators)) == EXAMPLES
    made = {setting[0] for setting, _ in quick[0].held_out.sample.settings()}
    assert set(operators) == {name for name in made if PERTURBATIONS[name].label == "degraded"}


def test_examples_show_what_became_of_the_golden(found):
    examples, goldens = found
    for miss in examples:
        texts = {task.text for task in goldens[miss.golden].workflow.tasks}
        assert 0 < len(miss.changes) <= SHOWN
        for before, after in miss.changes:
            assert before != after
            assert not before or " → " in before or before in texts
    gone = next(miss for miss in examples if miss.operator == "missing")
    assert any(after == "" for _, after in gone.changes)
    added = next(miss for miss in examples if miss.operator == "extra")
    assert any(before == "" for before, _ in added.changes)


def test_nothing_missed_no_examples(quick):
    done, _ = quick
    held = done.held_out
    sure = HeldOut(held.sample, held.scores, held.p_values * 0, held.severities, held.covered, held.kinds)
    assert misses(sure, {}, 0, 0.01) == ()
