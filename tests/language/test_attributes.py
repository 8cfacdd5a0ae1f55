"""Lost attributes."""

import pytest

from wfgate.language import lost_attribute, opposed_attribute, stated_attributes


@pytest.mark.parametrize(
    ("golden", "candidate", "lost"),
    [
        ("Run the read-only acceptance tests", "Execute the acceptance tests", "read-only"),
        ("Restore it to the isolated host", "Restore it on the host", "isolated"),
        ("Send it through the encrypted portal", "Use the portal to send it", "encrypted"),
        ("Run the full regression suite", "Execute the smoke tests", "full"),
        ("Back up the configuration of the service", "Look at the configuration of the service", "Back up"),
        ("Revoke all tokens of the person", "List all tokens of the person", "Revoke"),
    ],
)
def test_an_attribute_without_any_word_for_it_is_lost(golden: str, candidate: str, lost: str):
    found = lost_attribute(golden, candidate)
    assert found is not None
    assert found.golden_words == lost


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Copy it to an encrypted drive", "Copy it to a drive, and encrypt that"),
        ("Restore it on an isolated host", "Restore it where nothing can reach production"),
        ("Verify that no broker leads more", "Leave no broker with more"),
        ("Select the full name of the maker", "Select the name of the maker"),
        ("Back up the configuration", "config_backed_up"),
        ("Verify the address", "Make sure that the address is right"),
    ],
)
def test_other_words_for_an_attribute_keep_it(golden: str, candidate: str):
    assert lost_attribute(golden, candidate) is None


def test_another_step_may_state_what_this_one_no_longer_names():
    golden, candidate = "Restore the backup into the isolated network", "Restore the backup there"
    assert lost_attribute(golden, candidate) is not None
    assert lost_attribute(golden, candidate, stated_attributes("Make an isolated network")) is None
    assert lost_attribute(golden, "Restore it into the network", stated_attributes("Make an isolated network"))


@pytest.mark.parametrize(
    ("golden", "candidate", "now"),
    [
        ("Point the record to the new primary", "The record must point to the former primary", "former primary"),
        ("Revoke the old key", "Revoke the new key", "new key"),
        ("Load the external address list", "Load the internal address list", "internal address"),
    ],
)
def test_the_opposite_attribute_of_the_same_noun(golden: str, candidate: str, now: str):
    found = opposed_attribute(golden, candidate)
    assert found is not None
    assert found.candidate_words == now


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Compare the new servers with the old ones", "Compare the old servers and the new ones"),
        ("Start the new server", "The fresh server is started"),
        ("Keep the old key for 14 days", "Make a new key for the host. Keep the old key for 14 days"),
    ],
)
def test_both_sides_named_are_no_change(golden: str, candidate: str):
    assert opposed_attribute(golden, candidate) is None
