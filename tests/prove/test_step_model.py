"""The meaning model scores a pair alike whatever is beside it, and elsewhere within one unit of the last decimal."""

import sys

import numpy as np
import pytest

from wfgate.alignment.meaning import StepModel

from .test_determinism import ROOT

sys.path.insert(0, str(ROOT / "calibration" / "prove"))
import determinism

PAIRS = determinism.changed_steps(20)
HALF = 0.01 / 2
"""Logits that are less apart than this differ by one unit of the last decimal at most once they are rounded."""


@pytest.fixture(scope="module")
def usual():
    return determinism.logits(PAIRS)


def test_logits_have_two_decimals(usual):
    assert [score.logit for score in StepModel().compare(PAIRS)] == [round(logit, 2) for logit in usual]


@pytest.mark.parametrize("size", [1, 100, 2048])
def test_batches(usual, size):
    assert determinism.difference(usual, determinism.logits(PAIRS, size)) < HALF


def test_orders(usual):
    assert determinism.difference(usual[::-1], determinism.logits(PAIRS[::-1])) < HALF


def test_threads(usual):
    assert determinism.difference(usual, determinism.logits(PAIRS, threads=2)) < HALF


def test_sums_in_another_order(usual):
    found = determinism.logits(PAIRS, optimised=False)
    assert 0 < determinism.difference(usual, found) < HALF  # they are other sums
    assert np.abs(np.round(usual, 2) - np.round(found, 2)).max() <= 0.01 + 1e-9


@pytest.mark.slow
def test_figures_are_rows():
    found = determinism.rows(4)
    assert len(found) == 3
    assert all(len(row) == 3 and all(isinstance(cell, str) for cell in row) for row in found)
