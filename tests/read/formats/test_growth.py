"""What reading a hostile document costs must not grow faster than the document: function calls are counted, not time.

How long documents of 1 MB take is printed by `make bench` (section readers).
"""

import contextlib
import cProfile
from collections.abc import Iterator

import pytest

from wfgate.errors import FormatError
from wfgate.read import FORMATS, read_text

from .format_hostile import Make, again_and_again, aliases, graphs, long_texts, much_of_anything

SMALL, LARGE = 4_000, 16_000
STEEPEST = 8
"""For four times the characters: 4 is linear, 16 quadratic."""
FEW = 20_000
"""Calls that nobody need count."""


def calls(text: str, format_id: str | None) -> int:
    """How many functions are called to read a document, whatever comes of it."""
    profile = cProfile.Profile()
    with contextlib.suppress(FormatError), profile:
        read_text(text, "x", format_id)
    return sum(each.callcount for each in profile.getstats())


def grows(make: Make, format_id: str | None) -> bool:
    large = calls(make(LARGE), format_id)
    return large > FEW and large > STEEPEST * calls(make(SMALL), format_id)


def steep(found: Iterator[tuple[str, Make]], format_id: str | None) -> list[str]:
    """Names of documents that cost too much, twice: the first one of a process also imports and compiles."""
    return [name for name, make in found if grows(make, format_id) and grows(make, format_id)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [graphs, long_texts, much_of_anything, again_and_again])
@pytest.mark.parametrize("format_id", FORMATS)
def test_reading_costs_as_much_as_there_is(format_id, kind):
    assert not steep(kind(format_id), format_id)


@pytest.mark.slow
def test_detection_costs_as_much_as_there_is():
    assert not steep(again_and_again(None), None)


@pytest.mark.slow
@pytest.mark.parametrize("format_id", [None, *FORMATS])
def test_aliases_that_blow_up_are_refused(format_id):
    for name, make in aliases(format_id):
        text = make(0)
        assert calls(text, format_id) < 1_000_000 + 8 * len(text), name
