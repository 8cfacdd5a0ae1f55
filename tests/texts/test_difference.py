"""Which words of two texts differ."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.texts.difference import MOST_WORDS, marked

from ..hypothesis_examples import examples


def said(pieces):
    return "".join(f"[{text}]" if changed else text for text, changed in pieces)


@pytest.mark.parametrize(
    ("golden", "candidate", "expected"),
    [
        (
            "Deploy to staging now",
            "Deploy to production now",
            ("Deploy to [staging ]now", "Deploy to [production ]now"),
        ),
        ("Copy a to b", "Copy b to a", ("Copy a [to b]", "Copy [b to ]a")),
        ("Enable it.", "enable It!", ("Enable it.", "enable It!")),
        ("Drop the table", "Drop the old table", ("Drop the table", "Drop the [old ]table")),
        ("", "Sign", ("", "Sign")),
    ],
)
def test_words_that_differ_are_marked(golden, candidate, expected):
    assert tuple(map(said, marked(golden, candidate))) == expected


def test_in_free_rewordings_only_what_contradicts_is_marked():
    golden, candidate = "Roll the build out to staging", "Production is where it has to go live"
    assert tuple(map(said, marked(golden, candidate))) == (golden, candidate)
    found = marked(golden, candidate, ["staging", "Production"])
    assert tuple(map(said, found)) == ("Roll the build out to [staging]", "[Production ]is where it has to go live")


def test_endless_texts_are_shown_unmarked():
    text = "word " * (MOST_WORDS + 1)
    assert marked(text, "other") == (((text.strip(), False),), (("other", False),))


@settings(max_examples=examples(200))
@given(st.text(max_size=60), st.text(max_size=60))
def test_pieces_joined_are_the_text(golden, candidate):
    for text, pieces in zip((golden, candidate), marked(golden, candidate), strict=True):
        assert "".join(piece for piece, _ in pieces) == text.strip()
        assert all(one[1] != other[1] for one, other in pairwise(pieces))


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(["a", "b", "c", "d."]), max_size=12))
def test_nothing_is_marked_where_nothing_differs(words):
    text = " ".join(words)
    assert not any(changed for side in marked(text, text.upper()) for _, changed in side)
