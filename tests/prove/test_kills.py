"""The short form of what `calibration/prove/faults.py` does at length."""

import subprocess
import sys
from pathlib import Path

import pytest

PROVE = Path(__file__).parents[2] / "calibration" / "prove" / "faults.py"


@pytest.mark.slow
def test_a_calibration_killed_at_random_moments_ends_with_the_same_bytes():
    done = subprocess.run(
        [sys.executable, PROVE, "--times", "3", "--seed", "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("| calibration killed at random moments (seed 1) | 3 kills: ")
    assert done.stdout.endswith("profiles have the same bytes; 0 files damaged |\n")
