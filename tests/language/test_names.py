"""Paths, files and packages that are replaced by others of the same kind."""

import pytest

from wfgate.language import folded, replaced_name


@pytest.mark.parametrize(
    ("golden", "candidate", "names"),
    [
        (
            "Read examples/faq.md for answers",
            "For answers, read examples/incident.md",
            ("examples/faq.md", "incident.md"),
        ),
        (
            "Keep tokens with @shop/secure-storage",
            "Tokens are kept with @shop/settings",
            ("@shop/secure", "@shop/settings"),
        ),
    ],
)
def test_another_name_of_the_same_kind_is_found(golden: str, candidate: str, names: tuple[str, str]):
    replaced = replaced_name(golden, candidate)
    assert replaced is not None
    assert names[0] in replaced.golden_words
    assert names[1] in replaced.candidate_words
    wholes = folded(golden), folded(f"{candidate} {golden}")
    assert replaced_name(golden, candidate, wholes) is None  # the name is at another place


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Read docs/a.md and/or ask", "Ask or read docs/a.md"),
        ("Read docs/a.md", "Read docs/a.md and docs/b.md"),
        ("Read docs/a.md", "Look at the page on errors"),
        ("Restart the worker of shop/api", "Write the report to out/list.csv"),
    ],
)
def test_other_differences_of_names_are_no_replacement(golden: str, candidate: str):
    assert replaced_name(golden, candidate) is None
