"""The profile that these tests keep is the one that a calibration of today gives."""

import pytest

from .fit_profile import fitted


@pytest.mark.slow
def test_a_calibration_of_today_gives_the_kept_profile(profile):
    fresh = fitted()
    assert (fresh.signature, fresh.corpus) == (profile.signature, profile.corpus), "run fit_profile.py"
    for ours, kept in (
        (fresh.block.weights, profile.block.weights),
        (fresh.null.scores, profile.null.scores),
        (fresh.severity.weights, profile.severity.weights),
    ):  # another processor rounds other last digits
        assert ours == pytest.approx(kept, rel=0.02, abs=0.01)
