"""The price list in CONTRIBUTING has every check."""

import re
from pathlib import Path

from wfgate.rules import CHECKS
from wfgate.rules.checks import OWN

PRICES = Path(__file__).parents[2] / "calibration" / "bench" / "results" / "prices.md"


def test_every_check_has_a_price():
    """Except that of own rules: its verdicts are those of a team's rules, and no corpus has any."""
    rows = re.findall(r"(?m)^\| `[^|]*` \| ([^|]*) \|", PRICES.read_text("utf-8"))
    listed = [name for row in rows for name in row.split(", ") if re.fullmatch(r"W[FR]\d{3}", name)]
    assert sorted([*listed, *OWN]) == sorted(CHECKS)  # a new one: python calibration/bench/run.py --save prices
