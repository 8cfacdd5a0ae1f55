import itertools
import json
from math import comb

import numpy as np
import pytest

from wfgate.compare import holm
from wfgate.decide import Pair, Policy, default_profile
from wfgate.errors import CalibrationError, ProfileMismatchError
from wfgate.history import against
from wfgate.history.release import compare_releases, drop_p_value, pooled_p_value
from wfgate.run import Gate


def release(before, after, alpha=0.05):
    return compare_releases(before, after, alpha=alpha, source="old.json")


@pytest.mark.parametrize(("measured_before", "measured"), [(1, 1), (3, 5), (6, 4)])
def test_the_p_value_against_counting_all_ways_to_mix(measured_before, measured):
    total = measured_before + measured
    for passed_before, passed in itertools.product(range(measured_before + 1), range(measured + 1)):
        k = passed_before + passed
        ways = sum(comb(k, i) * comb(total - k, measured - i) for i in range(passed + 1) if measured - i <= total - k)
        found = drop_p_value((passed_before, measured_before), (passed, measured))
        assert found == pytest.approx(ways / comb(total, measured))


def test_holm_keeps_its_promise_however_many_cases_there_are():
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(300):
        draws = rng.binomial(12, 0.8, size=(2, 6))
        before, after = ({str(n): (int(k), 12) for n, k in enumerate(row)} for row in draws)
        alarms += release(before, after).verdict == "block"
    assert alarms <= 0.05 * 300 + 3 * (300 * 0.05 * 0.95) ** 0.5


def test_holm_against_its_definition():
    for p_values in ([0.001, 0.04, 0.03, 0.2], [0.5], [0.02, 0.02], [0.9, 0.01, 0.011]):
        order = sorted(p_values)
        stepwise = [max(min(1, (len(order) - i) * order[i]) for i in range(k + 1)) for k in range(len(order))]
        assert sorted(holm(p_values)) == pytest.approx(stepwise)
    assert holm([]) == []


def test_one_case_that_got_worse_is_found_among_others():
    before = {"a": (10, 10), "b": (9, 10), "c": (0, 10)}
    found = release(before, {"a": (2, 10), "b": (9, 10), "c": (1, 10)})
    assert {case.id: case.verdict for case in found.cases} == {"a": "block", "b": "pass", "c": "pass"}
    assert found.verdict == "block"
    assert release(before, before).verdict == "pass"


def test_too_few_samples_are_inconclusive_never_a_pass():
    found = release({"a": (1, 1)}, {"a": (1, 1)})
    assert (found.verdict, found.pooled.verdict, found.cases[0].detectable) == ("inconclusive", "inconclusive", False)
    assert release({"a": (5, 5)}, {"a": (5, 5)}).verdict == "pass"  # 0 of 5 would be noticed: p = 0.004
    two = {"a": (1, 1), "b": (1, 1)}
    assert release(two, two).verdict == "inconclusive"  # 0 of 2 has p = 0.25
    two = {"a": (2, 2), "b": (2, 2)}
    assert release(two, two).verdict == "pass"  # 0 of 4 has p = 0.03, and no case alone can be significant
    assert release({"a": (5, 5)}, {"a": (0, 0)}).verdict == "inconclusive"
    assert release({"a": (0, 0)}, {"a": (5, 5)}).verdict == "inconclusive"


def test_many_cases_with_few_samples_are_tested_together():
    many = {str(n): (3, 3) for n in range(8)}
    assert release(many, many).verdict == "pass"
    found = release(many, dict.fromkeys(many, (2, 3)))
    assert {case.verdict for case in found.cases} == {"pass"}
    assert not any(case.detectable for case in found.cases)
    assert (found.pooled.passed, found.pooled.measured, found.pooled.passed_before) == (16, 24, 24)
    assert found.pooled.p_value == pytest.approx(0.5**8, abs=1e-6)
    assert (found.pooled.verdict, found.verdict) == ("block", "block")
    never = {str(n): (0, 3) for n in range(8)}
    assert release(never, never).verdict == "pass"  # it cannot get worse


@pytest.mark.parametrize("counts", [[(2, 3, 3), (1, 2, 2)], [(3, 3, 2), (0, 2, 1), (2, 2, 2)], [(1, 1, 3)]])
def test_the_pooled_p_value_against_permutations_within_the_cases(counts):
    for passed in itertools.product(*(range(after + 1) for _, _, after in counts)):
        at_most, ways = 0, 0
        pools = [
            [1] * (then + now) + [0] * (of + after - then - now)
            for (then, of, after), now in zip(counts, passed, strict=True)
        ]
        for drawn in itertools.product(
            *(list(itertools.combinations(pool, after)) for pool, (_, _, after) in zip(pools, counts, strict=True))
        ):
            ways += 1
            at_most += sum(map(sum, drawn)) <= sum(passed)
        pairs = [((then, of), (now, after)) for (then, of, after), now in zip(counts, passed, strict=True)]
        assert pooled_p_value(pairs) == pytest.approx(at_most / ways)


def test_equal_samples_are_no_difference():
    found = compare_releases({"a": (1, 1)}, {"a": (1, 1)}, alpha=0.05, source="old.json", same={"a": 1})
    assert (found.verdict, found.pooled.verdict) == ("pass", "pass")
    other = compare_releases({"a": (1, 2)}, {"a": (1, 2)}, alpha=0.05, source="old.json", same={"a": 1})
    assert other.verdict == "inconclusive"


def test_a_case_that_disappeared_is_no_pass_and_a_new_one_is_named():
    found = release({"a": (9, 9), "b": (9, 9)}, {"a": (9, 9), "c": (0, 9)})
    assert (found.verdict, found.gone, found.new) == ("inconclusive", ("b",), ("c",))
    assert release({}, {"a": (1, 1)}).verdict == "inconclusive"


@pytest.fixture
def gated(assessor, make, steps, reworded):
    def run(passing, of=8, **policy):
        golden, good, bad = make(steps), make(reworded), make(steps[:3] + steps[6:])
        kinds = [good] * passing + [bad] * (of - passing)
        pairs = [Pair(f"s@{n}", (golden,), one, sample_of="s") for n, one in enumerate(kinds)]
        return Gate(assessor, default_profile(), Policy(**{"samples": "best"} | policy)).run(pairs, tool="t")

    return run


def test_a_recorded_release_decides_with(gated, tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(gated(8).to_dict()))
    same, worse = against(gated(8), path), against(gated(1), path)
    assert (same.verdict, same.exit_code, same.release.verdict) == ("pass", 0, "pass")
    assert (worse.decisions, worse.verdict, worse.exit_code) == (("review",), "block", 1)
    path.write_text(json.dumps(gated(2, of=2).to_dict()))
    few = against(gated(1, of=1), path)
    assert (few.verdict, few.exit_code) == ("inconclusive", 4)
    assert against(gated(1, of=1, inconclusive_blocks=False), path).exit_code == 0


def test_a_release_against_itself_is_no_difference(gated, tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(gated(1, of=1).to_dict()))
    itself = against(gated(1, of=1), path)
    assert (itself.verdict, itself.release.cases[0].same) == ("pass", 1)
    other = against(gated(0, of=1), path)
    assert other.release.cases[0].same == 0


def test_other_references_than_in_the_previous_release_are_noticed(gated, tmp_path):
    path, old = tmp_path / "old.json", gated(2, of=2).to_dict()
    for content, other in ((old["cases"][0]["golden_content"], False), ("c0ffee", True), (None, False)):
        for case in old["cases"]:
            case["golden_content"] = content  # None: a result of an earlier version, with the same golden steps
        path.write_text(json.dumps(old))
        assert against(gated(1, of=2), path).release.cases[0].other_references is other


def test_lost_steps_are_counted_in_both_releases(gated, tmp_path, steps):
    path = tmp_path / "old.json"
    path.write_text(json.dumps(gated(7).to_dict()))
    (case,) = against(gated(3), path).release.cases
    missing = {step.name: (step.before, step.now) for step in case.steps if step.state == "missing"}
    assert missing == dict.fromkeys(steps[3:6], (1, 5))
    assert (case.tested, case.unmeasured_before, case.unmeasured) == (True, 0, 0)
    old = gated(7).to_dict()
    for sample in old["cases"]:
        sample["steps"] = []  # as in a result of version 0.1
    path.write_text(json.dumps(old))
    assert {step.before for step in against(gated(3), path).release.cases[0].steps} == {None}


def test_what_was_judged_otherwise_is_not_compared(gated, tmp_path):
    path = tmp_path / "old.json"
    data = gated(2, of=2).to_dict()
    path.write_text(
        json.dumps(data | {"tool": data["tool"] | {"signature": data["tool"]["signature"] | {"embedder": "x"}}})
    )
    with pytest.raises(ProfileMismatchError, match=r"other settings \(signature\)"):
        against(gated(2, of=2), path)
    path.write_text(json.dumps(data))
    with pytest.raises(ProfileMismatchError, match=r"other settings \(policy\)"):
        against(gated(2, of=2, block_severity=0.5), path)
    assert against(gated(2, of=2, samples="all"), path).release is not None
    path.write_text("{}")
    with pytest.raises(CalibrationError, match="not a result of wfgate gate"):
        against(gated(2, of=2), path)


def test_tests_that_cannot_be_significant_cost_nothing():
    """Tarone: with three samples no case alone can show a drop, so only all cases together are tested."""
    before = {str(n): (3, 3) for n in range(8)}
    after = {str(n): (1 if n < 3 else 3, 3) for n in range(8)}
    found = release(before, after)
    assert found.pooled.adjusted == found.pooled.p_value
    assert {case.adjusted for case in found.cases} == {1.0}
    assert found.pooled.p_value <= 0.05
    assert found.verdict == "block"
    rng = np.random.default_rng(4)
    alarms = 0
    for _ in range(300):
        draws = rng.binomial(3, rng.uniform(0.3, 1, 8), size=(2, 8))
        alarms += release(*({str(n): (int(k), 3) for n, k in enumerate(row)} for row in draws)).verdict == "block"
    assert alarms <= 0.05 * 300 + 3 * (300 * 0.05 * 0.95) ** 0.5
