import sqlite3

import pytest

from wfgate.calibration.score_table import ScoreRow, ScoreTable
from wfgate.errors import CalibrationError


def row(key, **changes):
    settings = {"golden": "g", "operator": "missing", "severity": 0.1, "reworded": True, "repeat": 2, "steps": 9}
    return ScoreRow(key=key, **{**settings, **changes})


ROWS = [
    row("b", affected=1, metrics={"bleu": None, "chain-f1": 0.123456789}, evidence={"missing-steps": 1.0}),
    row("a", rejected="too few steps; 'quoted'", reworded=False, golden="Gölden\n"),
]


def test_rows_come_back_equal_in_the_order_asked_for(tmp_path):
    with ScoreTable(tmp_path / "scores.db") as table:
        table.add(ROWS)
    with ScoreTable(tmp_path / "scores.db") as table:
        assert list(table.rows(["a", "absent", "b"])) == ROWS[::-1]
        assert table.known(["a", "absent", "b"]) == {"a", "b"}


def test_adding_twice_keeps_the_last(tmp_path):
    with ScoreTable(tmp_path / "scores.db") as table:
        table.add([row("a", affected=1)])
        table.add([row("a", affected=2)])
        assert [found.affected for found in table.rows(["a"])] == [2]


def test_a_transaction_that_fails_leaves_nothing(tmp_path):
    with ScoreTable(tmp_path / "scores.db") as table, pytest.raises((sqlite3.Error, CalibrationError)):
        table.add([row("a"), row("b", golden=object())])
    with ScoreTable(tmp_path / "scores.db") as table:
        assert table.known(["a", "b"]) == set()


def test_memory_keeps_nothing():
    with ScoreTable(":memory:") as table:
        table.add(ROWS)
        assert table.known(["a"]) == {"a"}
    with ScoreTable(":memory:") as table:
        assert table.known(["a"]) == set()


def test_a_file_that_is_no_table_is_an_error_with_a_fix(tmp_path):
    path = tmp_path / "scores.db"
    path.write_bytes(b"this is no SQLite file at all" * 100)
    with pytest.raises(CalibrationError, match=r"scores\.db: not a usable score table") as error:
        ScoreTable(path)
    assert "delete the file" in error.value.fix


def test_damage_behind_the_header_is_the_same_error(tmp_path):
    path = tmp_path / "scores.db"
    keys = [f"key {number}" for number in range(3000)]
    with ScoreTable(path) as table:
        table.add(row(key) for key in keys)
    content = bytearray(path.read_bytes())
    content[3 * 4096 :] = b"\xff" * (len(content) - 3 * 4096)
    path.write_bytes(content)
    with ScoreTable(path) as table:
        for read in (table.known, lambda some: list(table.rows(some))):
            with pytest.raises(CalibrationError, match="not a usable score table") as error:
                read(keys)
            assert "delete the file" in error.value.fix
        with pytest.raises(CalibrationError, match="not a usable score table"):
            table.add(row(f"new {key}") for key in keys)


@pytest.mark.parametrize("place", ["absent/scores.db", "."])
def test_a_place_that_cannot_be_written_is_an_error_that_says_so(tmp_path, place):
    with pytest.raises(CalibrationError, match="cannot be used: unable to open") as error:
        ScoreTable(tmp_path / place)
    assert "can be written" in error.value.fix


def test_a_table_that_another_run_holds_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "scores.db"
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda where: connect(where, timeout=0.01))
    with ScoreTable(path) as table:
        other = connect(path)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CalibrationError, match="locked") as error:
            table.add(ROWS)
        assert "no other run" in error.value.fix
        other.close()
        table.add(ROWS)
        assert table.known(["a"]) == {"a"}


def test_another_version_is_refused(tmp_path):
    path = tmp_path / "scores.db"
    with ScoreTable(path):
        pass
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE meta SET value = '0' WHERE name = 'schema'")
    connection.close()
    with pytest.raises(CalibrationError, match="another version") as error:
        ScoreTable(path)
    assert "delete the file" in error.value.fix
