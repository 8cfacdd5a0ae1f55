"""Parts that a text lost or gained: by hand, and by leaving out words of real steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.texts.parts import added_actions, keeps_words, removed_parts

WORDS = ["scan", "image", "registry", "tag", "deploy", "cluster", "verify", "backup", "rotate", "key"]


@pytest.mark.parametrize(
    ("golden", "candidate", "gone"),
    [
        ("Remove the key 90 minutes after the switch.", "Remove the key.", ("90 minutes after the switch",)),
        (
            "After publication, send the link to all subscribers",
            "Send the link to all subscribers",
            ("After publication",),
        ),
        ("Run the drift check", "Drift check", ()),
        ("Delete the subnet, and stop if one is used", "Delete a subnet", ("and stop if one is used",)),
        ("Delete the subnet, and stop if one is used", "Remove the subnet", ()),
        ("Delete the subnet", "Delete the subnet", ()),
        ("Delete the subnet", "", ()),
    ],
)
def test_removed_parts(golden, candidate, gone):
    assert removed_parts(golden, candidate) == gone


@pytest.mark.parametrize(
    ("golden", "candidate", "new"),
    [
        ("Deploy to staging.", "Deploy to staging and disable the alarms.", ("and disable the alarms",)),
        ("Deploy to staging", "Deploy to staging. Then drop the old tables", ("Then drop the old tables",)),
        ("Deploy to staging", "Deploy to staging without the load test", ("without the load test",)),
        ("Deploy to staging", "Deploy to staging with the usual script", ()),
        ("Deploy to staging", "Deploy to staging and wait", ()),
        ("Deploy to staging", "Ship to staging and drop the old tables", ()),
    ],
)
def test_added_actions(golden, candidate, new):
    assert added_actions(golden, candidate) == new


@given(st.permutations(WORDS), st.integers(1, 5), st.integers(2, 4))
def test_any_left_out_stretch_of_words_is_found(words, start, length):
    golden, candidate = " ".join(words), " ".join([*words[:start], *words[start + length :]])
    assert removed_parts(golden, candidate) == (" ".join(words[start : start + length]),)
    assert removed_parts(candidate, golden) == ()
    assert keeps_words(golden, candidate)
    assert keeps_words(candidate, golden)
    assert not keeps_words(golden, f"{candidate} elsewhere")
