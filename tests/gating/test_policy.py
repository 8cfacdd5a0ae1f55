from itertools import product

import pytest
from pydantic import ValidationError

from wfgate.errors import ConfigError, ProfileMismatchError
from wfgate.gating import Gate, Policy
from wfgate.gating.policy import ORDER, worst
from wfgate.model import Task


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
    least = 1 / (profile.null.goldens + 1)
    Gate(assessor, profile, Policy(alpha_block=least))
    with pytest.raises(ConfigError, match="would never block") as error:
        Gate(assessor, profile, Policy(alpha_block=least * 0.99))
    assert "more goldens" in error.value.fix


def test_a_profile_of_other_numbers_is_refused(assessor, profile):
    other = profile.model_copy(update={"signature": profile.signature.model_copy(update={"embedder": "other"})})
    with pytest.raises(ProfileMismatchError):
        Gate(assessor, other, Policy())
