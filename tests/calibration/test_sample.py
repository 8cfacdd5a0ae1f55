"""Columns say what the rows say."""

from dataclasses import replace

import numpy as np
import pytest

from wfgate.calibration import PERTURBATIONS
from wfgate.calibration.sample import FOLDS, OPERATORS, ScoredVariants, fold_of
from wfgate.decide import EVIDENCE


@pytest.fixture(scope="module")
def rows(rows_of):
    return rows_of(3, steps=7)


@pytest.fixture(scope="module")
def sample(rows):
    return ScoredVariants.of(rows)


def test_every_row_is_there_in_its_order(rows, sample):
    assert len(sample) == len(rows)
    assert [sample.names[golden] for golden in sample.golden] == [row.golden for row in rows]
    assert [OPERATORS[operator] for operator in sample.operator] == [row.operator for row in rows]
    assert sample.nominal.tolist() == [row.severity for row in rows]
    assert sample.steps.tolist() == [7] * len(rows)
    for place, piece in enumerate(EVIDENCE):
        assert sample.evidence[:, place].tolist() == [row.evidence[piece.id] for row in rows]


def test_an_undefined_metric_is_nan_and_a_late_one_too(rows):
    late = [*rows[:2], replace(rows[2], metrics={"new": 0.5})]
    sample = ScoredVariants.of(late)
    assert np.isnan(sample.metrics["bleu"]).all()
    assert np.isnan(sample.metrics["new"][:2]).all()
    assert sample.metrics["new"][2] == 0.5


def test_refusals_are_counted_by_operator_and_reason(rows, sample):
    refused = [replace(row, rejected="no", metrics={}, evidence={}) for row in rows[:5]]
    again = ScoredVariants.of([*refused, *rows])
    assert sum(again.rejected.values()) == 5
    assert set(again.rejected) == {(row.operator, "no") for row in rows[:5]}
    assert np.array_equal(again.evidence, sample.evidence)


def test_nothing_is_nothing():
    empty = ScoredVariants.of([])
    assert len(empty) == 0
    assert empty.features.shape == (0, len(EVIDENCE))
    assert list(empty.settings()) == []


def test_folds_keep_a_golden_together_and_do_not_depend_on_the_corpus(rows, sample):
    assert [int(fold) for fold in sample.folds] == [fold_of(row.golden) for row in rows]
    assert {fold_of(f"golden {n}") for n in range(100)} == set(range(FOLDS))
    assert fold_of("a\ud800") in range(FOLDS)


def test_true_severity_is_what_the_operator_was_asked_for(rows, sample):
    for row, severity in zip(rows, sample.severity, strict=True):
        expected = 0 if PERTURBATIONS[row.operator].label == "benign" else {0.1: 1, 0.3: 3, 0.5: 4}[row.severity] / 7
        assert severity == pytest.approx(expected)


def test_some_of_it_is_the_same_of_some(rows, sample):
    among = sample.of_goldens(lambda name: name != "golden 1")
    some = sample.where(among)
    kept = [row for row in rows if row.golden != "golden 1"]
    assert [some.names[golden] for golden in some.golden] == [row.golden for row in kept]
    assert np.array_equal(some.evidence, ScoredVariants.of(kept).evidence)
    assert np.array_equal(some.features, sample.features[among])


def test_settings_part_the_variants(rows, sample):
    seen = np.zeros(len(sample), dtype=int)
    for (operator, reworded, severity), members in sample.settings():
        seen += members
        for place in np.flatnonzero(members):
            row = rows[place]
            assert (row.operator, row.reworded, row.severity) == (operator, reworded, severity)
            planned = sample.planned(int(place))
            assert (planned.operator, planned.severity, planned.repeat) == (operator, severity, row.repeat)
    assert (seen == 1).all()
