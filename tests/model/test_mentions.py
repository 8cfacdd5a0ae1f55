"""Marked names in messages, and where they stand once the marks are off."""

from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.model import Mention, listed, named, read, rewording

from ..hypothesis_examples import examples

TEXTS = st.text(alphabet="ab ',()…", max_size=12)
MARKED = st.text(alphabet="a'1 \udb80\udb81\udb82\udb83\udb84", max_size=30)


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=4), TEXTS)
def test_names_are_found_where_they_were_written(parts, end):
    said = read("".join(before + named(shown, name) for before, shown, name in parts) + end)
    text, mentions = "", []
    for before, shown, name in parts:
        start = len(text + before)
        text += f"{before}'{shown}'"
        mentions.append(Mention(kind="name", start=start, end=len(text), name=name))
    assert said == (text + end, tuple(mentions))


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=7), st.integers(1, 5))
def test_an_enumeration_of_names_is_one_mention_that_counts_them(names, limit):
    items = [named(name, name) + rewording(named("now", "now")) * reworded for name, reworded in names]
    text, mentions = read(listed(items, limit))
    assert text == listed([f"'{name}'" + " (now 'now')" * reworded for name, reworded in names], limit)
    whole = Mention(kind="list", start=0, end=len(text), steps=len(names))
    assert [one for one in mentions if one.kind == "list"] == [whole] * (len(names) > 1)
    shown = [
        part
        for name, reworded in names[: limit if len(names) > limit + 1 else None]
        for part in (f"'{name}'", *(" (now 'now')", "'now'") * reworded)
    ]
    assert [text[one.start : one.end] for one in mentions if one.kind != "list"] == shown


def test_an_enumeration_with_anything_beside_names_is_no_mention():
    for items in (["'a'", "'b'", "'c'"], [named("a", "a"), "a gateway"], [f"{named(one, one)} if x" for one in "ab"]):
        assert {one.kind for one in read(listed(items)).mentions} <= {"name"}


@settings(max_examples=examples(500))
@given(MARKED, MARKED)
def test_no_mark_is_left_whatever_was_marked(text, name):
    """Also of texts that no file contains, and of messages that were cut."""
    for message in (text, f"{text}{named(text, name)}", named(text, name)[:-2]):
        said = read(message)
        values = (said.text, *(one.name for one in said.mentions))
        assert not any("\udb80" <= character <= "\udb84" for value in values for character in value)
        assert all(0 <= one.start <= one.end <= len(said.text) for one in said.mentions)
    assert len(read(named(text, name)).mentions) == 1
