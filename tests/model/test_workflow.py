import pytest
from pydantic import ValidationError

from wfgate.model.workflow import Frozen


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
