"""The profile that these tests keep is the one that a calibration of today gives."""

import numpy as np
import pytest

from .fit_profile import fitted


@pytest.mark.slow
def test_a_calibration_of_today_gives_the_kept_profile(profile):
    fresh = fitted()
    assert (fresh.signature, fresh.corpus) == (profile.signature, profile.corpus), "run fit_profile.py"
    for ours, kept in (
        (fresh.block.edited.weights, profile.block.edited.weights),
        (fresh.block.rewritten.weights, profile.block.rewritten.weights),
        (fresh.null.edited.scores, profile.null.edited.scores),
        (fresh.null.rewritten.scores, profile.null.rewritten.scores),
        (fresh.severity.margins, profile.severity.margins),
    ):  # another processor rounds other last digits, which moves single scores by up to 5 %
        assert len(ours) == len(kept)
        assert np.mean(np.abs(np.subtract(ours, kept))) < 0.02
