"""The section `ablation` of `make bench`: a rule that is switched off changes exactly the verdicts that it makes."""

import sys
from pathlib import Path

import pytest

from wfgate.decide import Pair

BENCH = Path(__file__).parents[2] / "calibration" / "bench"
STEPS = ("Back up the customer database", "Deploy the release to staging")
"""Too few steps for statistics: the findings decide."""


@pytest.mark.slow
def test_each_rule_is_switched_off_alone(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCH)])
    import ablation  # noqa: PLC0415 - a benchmark, no package

    golden = {"wfgate": "1", "steps": list(STEPS)}
    other = {"wfgate": "1", "steps": [step.replace("staging", "production") for step in STEPS]}
    samples = [ablation.Sample("pairs", Pair("pair", (golden,), one), None) for one in (golden, other)]
    same, changed = ablation.results(samples, jobs=1)
    assert (same.verdict, same.mattered) == ("pass", frozenset())
    assert changed.verdict == "block"
    families = ("all contradictions", "contradictions: category")
    assert dict(changed.others) == {
        "WR106": "pass",
        **dict.fromkeys((f"families of text rules: {name}" for name in families), "review"),
        "contradictions: opposed": "review",  # one witness is left: the meaning model
        **dict.fromkeys(("decision: weight: exact", "decision: weight: confirmed"), "review"),
    }
    assert {name for name in changed.mattered if name.startswith("contradictions: ")} == {"contradictions: opposed"}
