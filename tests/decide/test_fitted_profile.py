"""The profile that these tests keep is the one that a calibration of today gives."""

import numpy as np
import pytest

from .fit_profile import fitted


@pytest.mark.slow
def test_a_calibration_of_today_gives_the_kept_profile(profile):
    fresh = fitted()
    assert (fresh.signature, fresh.corpus) == (profile.signature, profile.corpus), "run fit_profile.py"
    for ours, kept in (
        *((fresh.block.cells[name].weights, model.weights) for name, model in profile.block.cells.items()),
        *((fresh.null.cells[name].scores, null.scores) for name, null in profile.null.cells.items() if null.mass),
        (fresh.severity.margins, profile.severity.margins),
    ):  # another processor rounds other last digits, which moves single scores by up to 5 %
        assert len(ours) == len(kept)
        assert np.mean(np.abs(np.subtract(ours, kept))) < 0.02
