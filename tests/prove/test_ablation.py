"""The section `ablation` of `make bench`: a rule that is switched off changes exactly the verdicts that it makes."""

import sys
from pathlib import Path

import pytest

from wfgate.gating import Pair

BENCH = Path(__file__).parents[2] / "calibration" / "bench"
STEPS = (
    "Back up the customer database",
    "Deploy the release to staging",
    "Run the smoke tests against it",
    "Ask the release manager for approval",
    "Send the report to the team",
)


@pytest.mark.slow
def test_each_rule_is_switched_off_alone(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCH)])
    import ablation  # noqa: PLC0415 - a benchmark, no package

    golden = {"wfgate": "1", "steps": list(STEPS)}
    other = {"wfgate": "1", "steps": [step.replace("staging", "production") for step in STEPS]}
    samples = [ablation.Sample("pairs", Pair("pair", (golden,), one), None) for one in (golden, other)]
    same, changed = ablation.results(samples, jobs=1)
    assert (same.verdict, same.others) == ("pass", ())
    without = dict(changed.others)
    assert changed.verdict != "pass"
    assert without["WR106"] == "pass"
    assert {name for name in changed.mattered if name.startswith("contradictions: ")} == {"contradictions: opposed"}
