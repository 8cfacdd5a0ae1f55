"""The file of computed values: bounded, shared, and never in the way."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.base import Store, key_of

from ..hypothesis_examples import examples


def filled(path, count):
    store = Store(path)
    for number in range(count):
        store.write({key_of(str(number)): str(number).encode()})
    return store


def kept(store, count):
    found = store.read([key_of(str(number)) for number in range(count)])
    return [number for number in range(count) if found.get(key_of(str(number))) == str(number).encode()]


def test_what_was_written_is_read(tmp_path):
    store = Store(tmp_path / "deep" / "er" / "store.sqlite")
    assert store.read([b"a"]) == {}
    store.write({})
    assert not store.path.exists()
    store.write({b"a": b"1", b"b": b""})
    assert Store(store.path).read([b"a", b"b", b"c"]) == {b"a": b"1", b"b": b""}
    many = {key_of(str(number)): b"x" for number in range(1700)}
    store.write(many)
    assert store.read(list(many)) == many


def test_the_oldest_goes_when_there_are_too_many(tmp_path):
    store = Store(tmp_path / "store.sqlite", capacity=200_000)
    for number in range(300):
        store.write({key_of(str(number)): bytes(5000)})
    found = store.read([key_of(str(number)) for number in range(300)])
    left = [number for number in range(300) if key_of(str(number)) in found]
    assert left == list(range(left[0], 300))
    assert 25 <= len(left) <= 40
    assert store.path.stat().st_size < 400_000


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 400, b"SQLite format 3\x00" + b"\x07" * 5000])
def test_a_damaged_file_is_made_anew(tmp_path, damage):
    store = filled(tmp_path / "store.sqlite", 5)
    for path in tmp_path.iterdir():
        path.unlink()
    store.path.write_bytes(damage)
    assert store.read([key_of("1")]) == {}
    store.write({b"a": b"1"})
    assert store.read([b"a"]) == {b"a": b"1"}


@settings(max_examples=examples(40))
@given(place=st.floats(0, 1), noise=st.binary(min_size=1, max_size=300))
def test_bytes_spoiled_anywhere_harm_nobody(tmp_path_factory, place, noise):
    store = filled(tmp_path_factory.mktemp("spoiled") / "store.sqlite", 3)
    data = bytearray(store.path.read_bytes())
    start = int(place * (len(data) - 1))
    data[start : start + len(noise)] = noise
    store.path.write_bytes(data)
    assert store.read([key_of("1")]) in ({}, {key_of("1"): b"1"})
    store.write({b"a": b"1"})
    assert store.read([b"a"]) in ({}, {b"a": b"1"})


def test_another_table_or_other_types_are_no_values(tmp_path):
    import sqlite3  # noqa: PLC0415 - only here

    store = Store(tmp_path / "store.sqlite")
    with sqlite3.connect(store.path) as connection:
        connection.execute("CREATE TABLE known (key BLOB UNIQUE, value BLOB)")
        connection.execute("INSERT INTO known VALUES (?, ?)", (b"a", None))
    assert store.read([b"a"]) == {}
    store.write({b"b": b"1"})
    assert store.read([b"b"]) == {b"b": b"1"}


def test_a_spoiled_value_is_no_value(tmp_path):
    import sqlite3  # noqa: PLC0415 - only here

    store = Store(tmp_path / "store.sqlite")
    store.write({b"a": b"3.21", b"b": b"1"})
    with sqlite3.connect(store.path) as connection:
        (kept,) = connection.execute("SELECT value FROM known WHERE key = ?", (b"a",)).fetchone()
        connection.execute("UPDATE known SET value = ? WHERE key = ?", (kept[:-4] + b"-.21", b"a"))
    assert store.read([b"a", b"b"]) == {b"b": b"1"}
    store.write({b"a": b"3.21"})
    assert store.read([b"a"]) == {b"a": b"3.21"}


def test_a_path_that_no_file_can_have_is_no_reason_to_fail(tmp_path):
    store = Store(tmp_path / ("x" * 5000) / "store.sqlite")
    store.write({b"a": b"1"})
    assert store.read([b"a"]) == {}


def test_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "store.sqlite")
    store.write({b"a": b"1"})
    assert store.read([b"a"]) == {}
    Store(tmp_path).write({b"a": b"1"})
    assert Store(tmp_path).read([b"a"]) == {}


def test_many_processes_share_one_file(tmp_path):
    code = (
        "import sys; from pathlib import Path; from wfgate.base import Store, key_of\n"
        "store = Store(Path(sys.argv[1]))\n"
        "for n in range(60):\n"
        "    store.write({key_of(sys.argv[2], str(n)): sys.argv[2].encode()})\n"
        "    store.read([key_of('x')])\n"
    )
    path = tmp_path / "store.sqlite"
    started = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "abcd"]
    assert [process.wait(120) for process in started] == [0] * 4
    keys = {name: [key_of(name, str(n)) for n in range(60)] for name in "abcd"}
    for name, mine in keys.items():
        assert set(Store(path).read(mine).values()) == {name.encode()}
        assert len(Store(path).read(mine)) == 60


def test_keys_tell_where_one_text_ends():
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("abc", "")}) == 4
    assert len(key_of("half \ud83d")) == 16
