from itertools import product

import pytest
from pydantic import ValidationError

from wfgate.decide import ORDER, Pair, Policy, worst
from wfgate.errors import ConfigError, ProfileMismatchError
from wfgate.model import Task
from wfgate.run import Gate


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha_block": 0},
        {"alpha_block": 1},
        {"alpha_review": -0.1},
        {"alpha_review": float("nan")},
        {"block_severity": 1.1},
        {"block_severity": -0.1},
        {"min_steps": 0},
        {"critical": "deploy*"},
        {"alpha": 0.05},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValidationError):
        Policy.model_validate(wrong)


def test_worst_is_the_maximum_and_nothing_is_inconclusive():
    for verdicts in product(ORDER, repeat=3):
        assert worst(verdicts) == max(verdicts, key=ORDER.index)
    assert worst(()) == "inconclusive"
    assert ORDER == ("pass", "review", "inconclusive", "block")


@pytest.mark.parametrize(
    ("glob", "task", "hit"),
    [
        ("deploy*", Task(id="1", name="Deploy to staging"), True),
        ("DEPLOY*", Task(id="1", name="deploy to staging"), True),
        ("deploy", Task(id="1", name="Deploy to staging"), False),
        ("*key*", Task(id="1", name="Use the company KEY"), True),
        ("sign-?", Task(id="sign-1", name="anything"), True),
        ("[ds]*", Task(id="1", name="Sign"), True),
        ("straße*", Task(id="1", name="STRASSE fegen"), True),
        ("*", Task(id="", name=""), True),
        ("", Task(id="1", name="Sign"), False),
    ],
)
def test_globs_over_names_and_ids(glob, task, hit):
    assert Policy(critical=("never", glob)).is_critical(task) is hit
    assert not Policy().is_critical(task)


def test_a_tagged_step_is_critical_without_any_glob():
    assert Policy().is_critical(Task(id="1", name="Sign", critical=True))


def test_an_alpha_that_could_never_block_is_refused(assessor, profile):
    least = profile.scorer.nulls.smaller.least
    Gate(assessor, profile, Policy(alpha_block=least))
    with pytest.raises(ConfigError, match="would never block") as error:
        Gate(assessor, profile, Policy(alpha_block=least * 0.99))
    assert "more goldens" in error.value.fix


def test_a_profile_of_other_numbers_is_refused(assessor, profile):
    other = profile.model_copy(update={"signature": profile.signature.model_copy(update={"embedder": "other"})})
    with pytest.raises(ProfileMismatchError):
        Gate(assessor, other, Policy())


def test_rates_per_run_are_divided_among_its_cases(assessor, profile, make):
    policy = Policy(alpha_block=0.2, alpha_review=0.4, alpha_per="run")
    result = Gate(assessor, profile, policy).run([Pair(str(n), (make(),), make()) for n in range(4)], tool="test")
    assert (result.promise.alpha_block, result.promise.alpha_review) == (0.05, 0.1)
    assert policy.alphas(profile.promise) == (0.2, 0.4)
    assert Policy(alpha_block=0.2).alphas(profile.promise, 4)[0] == 0.2


def test_rates_per_run_that_the_profile_cannot_reach_are_refused(assessor, profile, make):
    gate = Gate(assessor, profile, Policy(alpha_block=0.05, alpha_per="run"))
    with pytest.raises(ConfigError, match="of 50 cases, would never block") as error:
        gate.run([Pair(str(n), (make(),), make()) for n in range(50)], tool="test")
    assert f"{50 * profile.scorer.nulls.smaller.least:.2g}" in error.value.fix
