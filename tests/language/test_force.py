"""Demands with less force, prohibitions that are ordered, and reversed preferences."""

import pytest

from wfgate.language import lifted_prohibition, reversed_preference, weakened_force


@pytest.mark.parametrize(
    ("golden", "candidate", "words"),
    [
        ("Never revert changes you did not make", "Avoid reverting changes you did not make", ("Never", "Avoid")),
        ("You MUST include a transcript", "You can include a transcript", ("MUST", "can")),
        ("A PR must include a transcript", "The PR should ideally contain the transcript", ("must", "should")),
        ("Always update the README", "Sometimes update the README", ("Always", "Sometimes")),
        ("Always recommend the extension", "Sometimes recommend the extension", ("Always", "Sometimes")),
        ("Review is required for the schema", "Review of the schema is recommended", ("required", "recommended")),
        ("Take only critical fixes", "Take mostly critical fixes", ("only", "mostly")),
        ("Do not create branches", "Creating branches is usually not needed", ("Do not", "not needed")),
        ("Names should be singular", "Names can be singular", ("should", "can")),
        ("Follow each step exactly", "Follow each step roughly", ("exactly", "roughly")),
    ],
)
def test_less_force_is_found_and_more_force_is_not(golden: str, candidate: str, words: tuple[str, str]):
    weakened = weakened_force(golden, candidate)
    assert weakened is not None
    assert (weakened.kind, weakened.golden_words, weakened.candidate_words) == ("weakened", *words)
    assert weakened_force(candidate, golden) is None
    assert weakened_force(golden, golden) is None


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Prefer named exports", "Exports should preferably be named"),
        ("Do not push to main", "Never push to main"),
        ("Never push to main", "Do not push to main"),
        ("Make sure that all tests pass", "Ensure that all tests pass"),
        ("You must sign the commit", "Sign the commit, so that others can trust it"),
        ("You must sign the commit", "The commit has to be signed"),
        ("Only admins approve a refund", "A refund can be approved by nobody but admins"),
        ("The build must never be skipped", "Builds can not be skipped"),
        ("Don't delete a single file by hand", "Not one file may be deleted by hand"),
        ("Switch it off so it can't accept writes", "Switch it off so no writes can land on it"),
        ("No review is required for docs", "Reviews of docs are optional"),
        ("Count blind: do not show the book quantities", "Count blind where they normally work, no book quantities"),
        ("You must lock the account", "Recommend a dentist where you like"),
    ],
)
def test_the_same_force_in_other_words_is_no_change(golden: str, candidate: str):
    assert weakened_force(golden, candidate) is None


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Use tabs rather than spaces", "Use spaces rather than tabs"),
        ("Ask for clarification rather than guessing", "Guess rather than asking for clarification"),
        ("Prefer active voice over passive voice", "Prefer passive voice to active voice"),
        ("Use `macos/build.nu`, do not use `zig build`", "Build with `zig build` and not with `macos/build.nu`"),
        ("Instead of copying code, write a function", "Copy code; do not write a function"),
    ],
)
def test_a_reversed_preference_is_found_in_both_directions(golden: str, candidate: str):
    for one, other in ((golden, candidate), (candidate, golden)):
        reversed_ = reversed_preference(one, other)
        assert reversed_ is not None
        assert reversed_.kind == "exchanged"


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Ask for clarification rather than guessing", "Do not guess; ask for clarification"),
        ("Prefer active voice over passive voice", "Prefer the active voice to the passive voice"),
        ("Use tabs instead of spaces", "Replace spaces with tabs"),
        ("Use `macos/build.nu`, do not use `zig build`", "Build with `macos/build.nu` and not with `zig build`"),
        ("Run the linter, do not skip it", "Run it, never skip the linter"),
    ],
)
def test_the_same_preference_in_other_words_is_no_change(golden: str, candidate: str):
    assert reversed_preference(golden, candidate) is None


@pytest.mark.parametrize(
    ("golden", "candidate", "lifted"),
    [
        ("Avoid dynamic allocation in interrupts", "Memory is allocated dynamically in interrupts", True),
        ("Never commit generated files", "Commit the generated files", True),
        ("Never commit generated files", "Committing generated files is forbidden", False),
        ("Never commit generated files", "Generated files stay out of commits", False),
        ("Never commit generated files", "Generated code has a header", False),
        ("Do not deploy until all tests pass", "Let all tests pass, then deploy", False),
        ("Commit generated files", "Commit the files that are generated", False),
    ],
)
def test_a_prohibition_that_is_ordered_is_found(golden: str, candidate: str, lifted: bool):  # noqa: FBT001
    assert (lifted_prohibition(golden, candidate) is not None) is lifted
