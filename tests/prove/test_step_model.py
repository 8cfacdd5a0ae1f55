"""The meaning model scores a pair alike whatever is beside it, and elsewhere within one unit of the last decimal."""

import sys

import numpy as np
import pytest

from wfgate.alignment.meaning import StepModel

from .test_determinism import ROOT

sys.path.insert(0, str(ROOT / "calibration" / "prove"))
import determinism

HALF = 0.01 / 2
"""Logits that are less apart than this differ by one unit of the last decimal at most once they are rounded."""


@pytest.fixture(scope="module")
def pairs():
    return determinism.changed_steps(20)


@pytest.fixture(scope="module")
def usual(pairs):
    return determinism.logits(pairs)


def test_logits_have_two_decimals(pairs, usual):
    assert [score.logit for score in StepModel().compare(pairs)] == [round(logit, 2) for logit in usual]


@pytest.mark.parametrize("size", [1, *(pytest.param(size, marks=pytest.mark.slow) for size in (100, 2048))])
def test_batches(pairs, usual, size):
    assert determinism.difference(usual, determinism.logits(pairs, size)) < HALF


@pytest.mark.slow
def test_orders(pairs, usual):
    assert determinism.difference(usual[::-1], determinism.logits(pairs[::-1])) < HALF


@pytest.mark.slow
def test_threads(pairs, usual):
    assert determinism.difference(usual, determinism.logits(pairs, threads=2)) < HALF


def test_sums_in_another_order(pairs, usual):
    found = determinism.logits(pairs, optimised=False)
    assert 0 < determinism.difference(usual, found) < HALF  # they are other sums
    assert np.abs(np.round(usual, 2) - np.round(found, 2)).max() <= 0.01 + 1e-9


@pytest.mark.slow
def test_figures_are_rows():
    found = determinism.rows(4)
    assert len(found) == 3
    assert all(len(row) == 3 and all(isinstance(cell, str) for cell in row) for row in found)
