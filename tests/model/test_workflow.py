import pytest
from pydantic import ValidationError

from wfgate.model import LONGEST_TEXT, Frozen, Task


class Part(Frozen):
    type: str
    counts: tuple[int, ...] = ()


class Whole(Frozen):
    parts: tuple[Part, ...]
    others: frozenset[int] = frozenset()


def wrong(text: str) -> list[tuple[tuple[int | str, ...], str]]:
    with pytest.raises(ValidationError) as raised:
        Whole.from_json(text)
    return [(error["loc"], error["type"]) for error in raised.value.errors()]


def test_what_was_written_is_read():
    whole = Whole(parts=(Part(type="a", counts=(1, 2)),), others=frozenset({3}))
    assert Whole.from_json(whole.model_dump_json()) == whole
    assert Whole.from_json(whole.model_dump_json().encode()) == whole


def test_a_list_ends_at_its_first_error():
    assert wrong('{"parts": [{}, {}, 1]}') == [(("parts", 0, "type"), "missing")]
    assert wrong('{"parts": [{"type": "a", "counts": ["x", "y"]}], "others": ["z", "w"]}') == [
        (("parts", 0, "counts", 0), "int_parsing"),
        (("others", 0), "int_parsing"),
    ]


def test_what_is_no_number_is_named():
    assert wrong('{"parts": [], "others": [NaN]}') == [(("others", 0), "finite_number")]


@pytest.mark.parametrize("text", ["", "{", "[" * 10_000, '"\\ud800"', "{} {}"])
def test_what_is_no_json_is_invalid(text):
    assert wrong(text) == [((), "json_invalid")]


@pytest.mark.parametrize("part", ["name", "description", "params"])
def test_a_text_of_megabytes_is_cut_and_stays_itself(part):
    """Equal texts stay equal and different ones different, wherever they differ; texts up to the limit are whole."""

    def text(words):
        return Task(**{"id": "a", "name": "Go", part: {"x": words} if part == "params" else words}).text

    room = LONGEST_TEXT - len(text("")) - 4
    assert text("x" * room).endswith("x" * room)
    long = ["x" * 50_000, "x" * 50_001, "x" * 49_999 + "y", "y" + "x" * 49_999]
    assert len({text(words) for words in long}) == len(long)
    assert text(long[0]) == text(long[0])
    assert all(len(text(words)) == LONGEST_TEXT + 65 for words in long)
