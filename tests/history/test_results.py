"""Recorded verdicts, decided again."""

import json

import pytest

from wfgate.decide import Pair, Policy
from wfgate.errors import CalibrationError
from wfgate.history import replay
from wfgate.run import Gate
from wfgate.show.json import JsonReporter


@pytest.fixture
def recorded(assessor, profile, make, steps, tmp_path):
    """Record one run: unchanged, two steps gone, one step changed, one unreadable."""

    def record(name="result.json", **policy):
        golden = make()
        pairs = [
            Pair("same", (golden,), golden),
            Pair("less", (golden,), make((*steps[:2], *steps[4:]))),
            Pair("other", (golden,), make((*steps[:4], "Delete the archive with the company key", *steps[5:]))),
            Pair("broken", (golden,), tmp_path / "nothing.yaml"),
        ]
        result = Gate(assessor, profile, Policy(**policy)).run(pairs, tool="test")
        path = tmp_path / name
        path.write_text(JsonReporter().render(result))
        return path, {case.id: case for case in result.cases}

    return record


def louder(profile):
    """Return the profile as if harmless changes had much higher scores."""
    tails = {
        name: tail.model_copy(update={"scores": tuple(score + 99 for score in tail.scores)})
        for name, tail in profile.null.cells.items()
    }
    return profile.model_copy(update={"null": profile.null.model_copy(update={"cells": tails})})


def test_the_same_profile_says_the_same(recorded, profile):
    path, cases = recorded()
    found = replay([path], profile)
    verdicts = {name: cases[name].verdict for name in ("same", "less", "other")}
    assert {case.case: case.after for case in found.cases} == verdicts
    for case in found.cases:
        assert case.p_value_after == pytest.approx(case.p_value_before, abs=1e-6)
    assert found.changed == ()
    assert len(found.skipped) == 1
    assert "broken: the golden and the candidate were not compared" in found.skipped[0]


def test_a_looser_profile_lets_go_what_statistics_had_blocked(recorded, profile):
    path, cases = recorded()
    assert cases["other"].verdict == cases["less"].verdict == "block"
    loud = louder(profile)
    (changed,) = replay([path], loud).changed  # whose steps are all there; few harmless candidates lack a step
    assert (changed.case, changed.before, changed.after) == ("other", "block", "pass")


def test_what_needed_no_statistics_stays(recorded, profile):
    path, cases = recorded("critical.json", critical=("run the integration*",), alpha_block=0.03, alpha_review=0.03)
    assert cases["less"].verdict == "block"
    data = path.read_text().replace(f'"p_value": {cases["less"].p_value}', '"p_value": 0.9')
    path.write_text(data)
    loud = louder(profile)
    (less,) = (case for case in replay([path], loud).cases if case.case == "less")
    assert less.after == "block"


def test_results_of_other_numbers_are_skipped(recorded, profile):
    path, _ = recorded()
    other = profile.model_copy(update={"signature": profile.signature.model_copy(update={"embedder": "new"})})
    found = replay([path], other)
    assert found.cases == ()
    assert "the result has another signature" in found.skipped[0]


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"schema": "wfgate.result/1"}'])
def test_what_is_no_result_is_an_error(tmp_path, profile, content):
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(CalibrationError, match=r"not a result of wfgate gate.*\n  fix: give a file that `wfgate gate"):
        replay([path], profile)
    with pytest.raises(CalibrationError, match="cannot be read"):
        replay([tmp_path / "missing.json"], profile)


def test_evidence_that_cannot_be_is_an_error(recorded, profile):
    path, _ = recorded()
    result = json.loads(path.read_text())
    result["cases"][1]["evidence"][0]["value"] = -2
    path.write_text(json.dumps(result))
    with pytest.raises(CalibrationError, match=r"cases\.1\.evidence\.0\.value: .* greater than or equal to 0"):
        replay([path], profile)
