"""More damage of the same kind never gives a milder verdict or a smaller severity."""

import sys
from itertools import pairwise

import pytest

from wfgate.decide import ORDER, Decider, Policy, default_profile

from .damage import DAMAGE, SIZES, damaged, goldens

P_VALUE, SEVERITY = 1e-6, 1e-6
"""Differences below these are those of rounding."""


@pytest.fixture(scope="module")
def decider():
    return Decider(default_profile(), Policy())


def judged(assessor, decider, golden, operator, *, reworded):
    """Return the results for damage of growing size."""
    found = []
    for size in SIZES:
        candidate = damaged(golden, operator, size, reworded=reworded)
        if candidate is not None:
            assessment = assessor.assess(golden.workflow, candidate)
            found.append((size, decider.decide(assessment, case=golden.id, golden="g", candidate="c")))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("reworded", [False, True], ids=["verbatim", "reworded"])
@pytest.mark.parametrize("operator", DAMAGE)
def test_more_damage_is_never_judged_milder(assessor, decider, operator, reworded):
    """Growing p-values are printed (`pytest -rP`): below the rates of the policy they change no verdict."""
    milder, smaller, surer, compared = [], [], [], 0
    for golden in goldens():
        results = judged(assessor, decider, golden, operator, reworded=reworded)
        for (size, less), (more_size, more) in pairwise(results):
            compared += 1
            which = f"{golden.id} {size:g} -> {more_size:g}"
            if ORDER.index(more.verdict) < ORDER.index(less.verdict):
                milder.append(f"{which}: {less.verdict} -> {more.verdict}")
            if more.severity.estimate < less.severity.estimate - SEVERITY:
                smaller.append(f"{which}: {less.severity.estimate:.3f} -> {more.severity.estimate:.3f}")
            if more.p_value > less.p_value + P_VALUE:
                surer.append(f"{which}: {less.p_value:.4f} -> {more.p_value:.4f}")
    name = f"{operator}-{'reworded' if reworded else 'verbatim'}"
    sys.stdout.write("\n  ".join([f"{name}: {len(surer)} of {compared} p-values grow", *surer]) + "\n")
    assert compared >= len(goldens())
    assert milder == []
    assert smaller == []
