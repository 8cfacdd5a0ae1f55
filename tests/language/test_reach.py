"""A part that is demanded instead of a whole."""

import pytest

from wfgate.language import narrowed_reach


@pytest.mark.parametrize(
    ("golden", "candidate", "now"),
    [
        ("Compare row counts of every table", "For the largest tables, row counts are compared", "largest tables"),
        ("If any smoke test fails, fail back", "If most smoke tests do not pass, fail back", "most smoke"),
        ("Restore the volumes if a disk fails twice", "Volumes are restored in case all disks fail", "all disks"),
        ("Deploy if all tests pass", "Deploy if any test passes", "any test"),
        ("Go on only if every test passes", "Go on if most tests pass", "most tests"),
        ("Two reviewers of the team approve the plan", "A reviewer of the team approves the plan", "a reviewer"),
        ("Check both regions", "Check a region", "a region"),
    ],
)
def test_a_part_of_a_whole_is_less(golden: str, candidate: str, now: str):
    found = narrowed_reach(golden, candidate)
    assert found is not None
    assert found.candidate_words == now
    assert narrowed_reach(golden, golden) is None


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Check every host", "All hosts are checked"),
        ("Revoke all refresh tokens and API keys", "Withdraw every API key and refresh token"),
        ("Count the rows of each nation", "Count the rows per nation, to find the most common nation"),
        ("Stop if any test fails", "Go on only if all tests pass"),  # the same, the other way round
        ("Combine two audio files", "A pair of audio files is combined into a single audio file"),
        ("Check all key tables", "The key tables are checked"),
        ("Two reviewers approve", "A reviewer approves, then another reviewer approves"),
    ],
)
def test_other_words_for_the_whole_are_no_change(golden: str, candidate: str):
    assert narrowed_reach(golden, candidate) is None
