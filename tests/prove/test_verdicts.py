"""The recorded verdicts: what keeps the behaviour keeps them; who changes one on purpose renews the record."""

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "calibration" / "bench"


@pytest.mark.slow
@pytest.mark.parametrize("population", ["pairs", "formats", "regenerations"])
def test_the_recorded_verdicts_are_still_given(population, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(BENCH)])
    import verdicts  # noqa: PLC0415 - a benchmark, no package

    recorded = verdicts.record(BENCH / "verdicts.jsonl.gz", [population])
    assert recorded
    assert {result["id"]: result for result in verdicts.results([population])} == recorded
