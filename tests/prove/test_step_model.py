"""The meaning model scores a pair alike whatever is beside it, and elsewhere nearly alike."""

import sys

import pytest

from wfgate.language.meaning.step_model import StepModel

from .test_determinism import ROOT

sys.path.insert(0, str(ROOT / "calibration" / "prove"))
import determinism

CLOSE = 0.2
"""Largest accepted difference of logits with another order of summation; logits range from about -8 to 8. Measured
with 20 pairs: 0.12."""


@pytest.fixture(scope="module")
def pairs():
    return determinism.changed_steps(20)


@pytest.fixture(scope="module")
def usual(pairs):
    return determinism.logits(pairs)


def test_logits_have_two_decimals(pairs, usual):
    assert [score.logit for score in StepModel().compare(pairs)] == [round(logit, 2) for logit in usual]


def test_orders(pairs, usual):
    assert (usual[::-1] == determinism.logits(pairs[::-1])).all()


@pytest.mark.slow
def test_threads(pairs, usual):
    assert (usual == determinism.logits(pairs, threads=2)).all()


def test_sums_in_another_order(pairs, usual):
    """The activations between the integer products are in single precision: they are close, not equal."""
    assert 0 < determinism.difference(usual, determinism.logits(pairs, optimised=False)) < CLOSE


@pytest.mark.slow
def test_figures_are_rows():
    found = determinism.rows(4)
    assert len(found) == 3
    assert all(len(row) == 3 and all(isinstance(cell, str) for cell in row) for row in found)
