"""The benchmark on regenerations: its cases are what they are called, its rankings agree with counting pairs."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from wfgate.calibration import available

sys.path.insert(0, str(Path(__file__).parents[2] / "calibration" / "bench"))

import regenerations as bench


@pytest.fixture(scope="module", params=["fit", "test"])
def cases(request):
    return list(bench.cases(request.param))


def names(workflow):
    return [step["name"] for step in workflow["steps"]]


def structure(workflow):
    """Return the number of each step with the numbers of the steps that it needs."""
    place = {step["id"]: number for number, step in enumerate(workflow["steps"])}
    return [sorted(place[need] for need in step["needs"]) for step in workflow["steps"]]


def of(cases, population):
    return {case.regeneration["id"]: case for case in cases if case.population == population}


def test_every_regeneration_of_a_half_is_compared_once(cases):
    (half,) = {case.golden["half"] for case in cases}
    ids = [case.regeneration["id"] for case in cases if case.population == "one reference"]
    wanted = {golden["id"] for golden in bench.records(bench.FOLDER / "goldens.jsonl") if golden["half"] == half}
    known = [one["id"] for one in bench.records(bench.FOLDER / "candidates.jsonl") if one["golden"] in wanted]
    assert sorted(ids) == sorted(known)


def test_three_references_are_the_golden_and_two_approved_regenerations_but_the_candidate(cases):
    found = of(cases, "three references").values()
    approved = {
        case.golden["id"]: [
            one.candidate
            for one in of(cases, "one reference").values()
            if one.golden["id"] == case.golden["id"] and one.regeneration["label"] == "accept"
        ]
        for case in found
    }
    for case in found:
        golden, *others = case.references
        assert names(golden) == case.golden["steps"]
        assert len(others) == 2
        assert all(other in approved[case.golden["id"]] for other in others)
        assert len({tuple(names(one)) for one in (*others, case.candidate)}) == len(others) + 1
    assert min(sum(case.accepted is accepted for case in found) for accepted in (True, False)) >= 200


def test_renamed_goldens_keep_their_links_and_changed_ones_differ_in_one_step_more(cases):
    renamed = of(cases, "renamed")
    made = [case for case in cases if case.population in {"renamed", "changed", "altered", "same"}]
    assert {case.golden["half"] for case in cases} == {"fit"} or not of(cases, "altered") | of(cases, "same")
    for case in made:
        assert case.golden["short"]
        assert case.accepted == (case.population != "changed")
        assert structure(case.candidate) == structure(case.references[0])
        if case.population in {"altered", "same"}:
            before = names(renamed[case.regeneration["id"]].candidate)
            assert sum(one != other for one, other in zip(before, names(case.candidate), strict=True)) == 1
    for case in of(cases, "changed").values():
        given = bench.names_given(case.golden, case.regeneration)
        (lost,) = (step for step, (status, _) in given.items() if status != "kept")
        assert names(case.candidate)[lost - 1] == given[lost][1]
    other = [names(case.candidate) != case.golden["steps"] for case in renamed.values()]
    assert np.mean(other) > 0.9


def test_only_the_marks_of_critical_steps_differ(cases):
    plain, marked = of(cases, "one reference"), of(cases, "critical steps marked")
    assert marked
    for name, case in marked.items():
        steps = case.references[0]["steps"]
        assert [number for number, step in enumerate(steps, 1) if step["critical"]] == sorted(case.golden["critical"])
        assert [step | {"critical": False} for step in steps] == plain[name].references[0]["steps"]


def made_up(seed, count=60):
    """Return outcomes with one score of few values, so that many are equal."""
    rng = np.random.default_rng(seed)
    found = []
    for place in range(count):
        accepted = bool(rng.random() < 0.6)
        regeneration = {"id": str(place), "label": "accept" if accepted else "reject"}
        case = bench.Case("one reference", {"id": f"g{rng.integers(9)}"}, regeneration, (), {})
        found.append(bench.Outcome(case, "pass", {"score": int(rng.integers(0, 8)) + 2 * accepted}))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_a_ranking_agrees_with_counting_pairs(seed):
    found = made_up(seed)
    ranking = bench.Ranking.of("score", found)
    accepted = [one.scores["score"] for one in found if one.case.accepted]
    rejected = [one.scores["score"] for one in found if not one.case.accepted]
    assert ranking.counts == (len(accepted), len(rejected))
    right = np.mean([(a > r) + (a == r) / 2 for a, r in product(accepted, rejected)])
    assert ranking.auc == pytest.approx(right)
    x, y = ranking.curve
    assert np.trapezoid(y, x) == pytest.approx(right)
    for blocked in (0.0, 0.05, 0.1, 0.5):
        limits = [t for t in range(-1, 11) if np.mean([a <= t for a in accepted]) <= blocked]
        assert ranking.found(blocked) == pytest.approx(np.mean([r <= max(limits) for r in rejected]))
    low, high = ranking.interval()
    assert low <= ranking.auc <= high
    assert high - low < 0.5


def test_workflows_without_a_score_are_left_out():
    found = [*made_up(0), bench.Outcome(made_up(1)[0].case, "pass", {"score": None})]
    assert sum(bench.Ranking.of("score", found).counts) == len(found) - 1
    assert bench.Ranking.of("other", found).counts == (0, 0)


@pytest.mark.slow
def test_all_tables_are_printed(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "fresh_verdict", lambda: 0.02)
    bench.regenerations("fit", 2, tmp_path if available() else None)
    printed = capsys.readouterr().out
    assert printed.count("\n| --- |") == 4
    for said in (
        "accepted, one reference: blocked / passing",
        "WorFEval, chain",
        "author: ",
        "20 ms",
        "three references",
    ):
        assert said in printed
    assert "nan" not in printed
    assert not available() or (tmp_path / "roc.svg").read_text("utf-8").count(bench.GATE) == 1
