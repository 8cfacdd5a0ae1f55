"""Parts that a text lost or gained: by hand, and by leaving out words of real steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.language import (
    Prohibitions,
    added_actions,
    differing_sentences,
    keeps_words,
    parsed,
    prohibits,
    removed_parts,
)

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
        ("Run the nightly drift check", "Run the drift check", ("nightly",)),
        ("Run the drift check by cron", "Run the drift check from cron", ()),
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


SENTENCES = st.lists(
    st.sampled_from(["Power it off", "Check the load", "Never restart it", "Tell the team"]), max_size=4
)


@given(SENTENCES, SENTENCES)
def test_sentences_of_both_texts_are_left_out_unless_none_is_left(golden, candidate):
    texts = [". ".join(each) for each in (golden, candidate)]
    found = differing_sentences(*texts)
    own = [[one for one in side if one not in other] for side, other in ((golden, candidate), (candidate, golden))]
    if all(own) and set(golden) & set(candidate):
        assert [text.rstrip(".").split(". ") for text in found] == [list(dict.fromkeys(side)) for side in own]
    else:
        assert found == tuple(texts)


@given(st.permutations(WORDS), st.integers(1, 5), st.integers(2, 4))
def test_any_left_out_stretch_of_words_is_found(words, start, length):
    golden, candidate = " ".join(words), " ".join([*words[:start], *words[start + length :]])
    assert removed_parts(golden, candidate) == (" ".join(words[start : start + length]),)
    assert removed_parts(candidate, golden) == ()
    assert keeps_words(golden, candidate)
    assert keeps_words(candidate, golden)
    assert not keeps_words(golden, f"{candidate} elsewhere")


KEY = "Create a new private key on the HSM. The key must never leave the HSM."
DOWN = "Confirm that the primary is down. If it answers, stop here and escalate to the lead."


@pytest.mark.parametrize(
    ("golden", "carriers", "others", "lost"),
    [
        (KEY, ["Generate a fresh key inside the HSM"], [], "The key must never leave the HSM."),
        (KEY, ["Generate a fresh key that does not leave the HSM"], [], ""),
        (KEY, ["Generate a fresh key, which stays inside"], [], ""),
        (KEY, ["Generate a fresh key", "No key may be outside the HSM"], [], ""),
        (KEY, ["Generate a fresh key"], ["The key may not leave the module."], ""),
        (KEY, ["Generate a fresh key"], ["People may leave the room."], "The key must never leave the HSM."),
        (KEY, [], [], ""),
        ("The key must never leave the HSM.", ["Generate a fresh key"], [], ""),
        (DOWN, ["Make sure the primary is gone"], [], "If it answers, stop here and escalate to the lead."),
        (DOWN, ["Make sure the primary is gone; escalate to the lead if it is there"], [], ""),
        ("Get an extract; it must not be older than 3 months.", ["Get an extract from the registry"], [], ""),
        ("Get an extract; it must not be later than Friday.", ["Get an extract from the registry"], [], ""),
        (
            "Drain it. Never use --force: both ignore the budgets.",
            ["Drain it"],
            [],
            "Never use --force: both ignore the budgets.",
        ),
        ("Drain it. That is not hard.", ["Drain it"], [], ""),
    ],
)
def test_lost_prohibitions(golden, carriers, others, lost):
    assert Prohibitions(others).lost(golden, carriers) == ((lost,) if lost else ())


@pytest.mark.parametrize(
    ("sentence", "does"),
    [
        ("Never delete files by hand", True),
        ("Don't restart it", True),
        ("It mustn\u2019t run twice", True),
        ("This is forbidden", True),
        ("Nobody may touch it", True),
        ("Abort when a client fails", True),
        ("Stop the server", False),
        ("It is not ready", False),
        ("Not later than Friday", False),
        ("It must not run for 5 minutes", False),
    ],
)
def test_prohibits(sentence, does):
    assert prohibits(parsed(sentence)) is does


@given(st.lists(st.sampled_from([KEY, DOWN, "Build it.", "Never skip it."]), min_size=1, max_size=4))
def test_a_text_that_is_kept_loses_no_prohibition(texts):
    golden = " ".join(texts)
    assert Prohibitions([golden]).lost(golden, [golden]) == ()
    assert Prohibitions([golden]).lost(golden, ["Something else"]) == ()
