"""Signs of a weaker demand: they are there where something was lost, and not in the same demand in other words."""

import pytest

from wfgate.language.signs import SIGNS, signs

TABLE = {
    "part": (
        "Test every release on all devices",
        "Test most releases on all devices",
        "Test all devices in each release",
    ),
    "approval": (
        "The owner approves the change",
        "The owner is notified of the change",
        "The owner agrees to the change",
    ),
    "pair": (
        "Two engineers check the plan",
        "An engineer checks the plan",
        "The plan is checked by one engineer and another",
    ),
    "precision": ("Wait 30 minutes", "Wait roughly 30 minutes", "Wait for half an hour"),
}


def test_every_sign_is_tried():
    assert TABLE.keys() == {sign.name for sign in SIGNS}


@pytest.mark.parametrize("name", TABLE)
def test_a_sign_is_in_the_weaker_text_only(name):
    golden, weaker, same = TABLE[name]
    assert name in signs(golden, weaker)
    assert name not in signs(golden, same)
    assert not signs(golden, golden)
    assert name not in signs(weaker, golden)
