"""Somebody else who decides."""

import pytest

from wfgate.language import changed_actor


@pytest.mark.parametrize(
    ("golden", "candidate", "actors"),
    [
        (
            "Have the data owner sign the report",
            "Signed by the backup operator: the report",
            ("data owner", "operator"),
        ),
        (
            "The risk officer approves the model",
            "The model is approved by the data scientist",
            ("officer", "scientist"),
        ),
        ("Wait for approval from the finance team", "Wait for approval from the vendor", ("team", "vendor")),
    ],
)
def test_another_role_is_another_actor(golden: str, candidate: str, actors: tuple[str, str]):
    found = changed_actor(golden, candidate)
    assert found is not None
    assert found.golden_words.endswith(actors[0])
    assert found.candidate_words.endswith(actors[1])


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("The release manager approves", "Approval by the manager of the release"),
        ("The chief security officer signs", "Signed by the cso"),
        ("Mobile on-call confirms it", "Have mobile on-call confirm it"),
        ("The server checks the order", "The order is checked by the other server"),
        ("The team lead reviews it, then the owner signs", "Signed by the owner after a review by the team lead"),
    ],
)
def test_the_same_role_in_other_words_is_no_change(golden: str, candidate: str):
    assert changed_actor(golden, candidate) is None
