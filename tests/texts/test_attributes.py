"""Lost attributes."""

import pytest

from wfgate.texts.attributes import lost_attribute, stated_attributes


@pytest.mark.parametrize(
    ("golden", "candidate", "lost"),
    [
        ("Run the read-only acceptance tests", "Execute the acceptance tests", "read-only"),
        ("Restore it to the isolated host", "Restore it on the host", "isolated"),
        ("Send it through the encrypted portal", "Use the portal to send it", "encrypted"),
        ("Deploy the approved image", "Roll out the image", "approved"),
        ("Run the full regression suite", "Execute the smoke tests", "full"),
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
        ("Tell the tested hosts apart", "Tell the hosts that passed apart"),
        ("Select the full name of the maker", "Select the name of the maker"),
        ("Use what was reviewed by the owner", "Use what the owner has seen"),
    ],
)
def test_other_words_for_an_attribute_keep_it(golden: str, candidate: str):
    assert lost_attribute(golden, candidate) is None


def test_another_step_may_state_what_this_one_no_longer_names():
    golden, candidate = "Restore the backup into the isolated network", "Restore the backup there"
    assert lost_attribute(golden, candidate) is not None
    assert lost_attribute(golden, candidate, stated_attributes("Make an isolated network")) is None
    assert lost_attribute(golden, "Restore it into the network", stated_attributes("Make an isolated network"))
