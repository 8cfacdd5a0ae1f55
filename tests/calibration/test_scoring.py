"""Filling the table: the same rows whatever the number of processes, and nothing twice."""

import pytest

from wfgate.calibration import read_corpus, scoring
from wfgate.calibration.plan import planned_keys, planned_variants
from wfgate.calibration.score_table import ScoreTable
from wfgate.calibration.scoring import DECIMALS, score_corpus
from wfgate.run import LocalExecutor


@pytest.fixture(scope="module")
def goldens(few):
    return read_corpus(few).sample(3).goldens


@pytest.fixture(scope="module")
def keys_of(assessor):
    """The keys of all variants of some goldens, in the order of a fit."""

    def keys(goldens, seed=0):
        return list(planned_keys(goldens, seed, assessor.identity))

    return keys


@pytest.fixture(scope="module")
def scored(goldens, assessor, keys_of):
    with ScoreTable(":memory:") as table:
        fresh = score_corpus(goldens, assessor, table, seed=0)
        keys = keys_of(goldens)
        return keys, fresh, list(table.rows(keys))


def test_every_planned_variant_has_a_row(goldens, scored):
    keys, fresh, rows = scored
    planned = [variant for golden in goldens for variant in planned_variants(golden)]
    assert fresh == len(set(keys)) == len(keys) == len(rows) == len(planned)
    assert [row.key for row in rows] == keys
    assert [(row.operator, row.severity) for row in rows] == [(p.operator, p.severity) for p in planned]


@pytest.mark.slow
def test_two_processes_give_the_same_rows(goldens, assessor, scored, tmp_path):
    with ScoreTable(tmp_path / "two.db") as table:
        assert score_corpus(goldens, assessor, table, seed=0, executor=LocalExecutor(2)) == scored[1]
        assert list(table.rows(scored[0])) == scored[2]


def test_variants_scored_one_by_one_give_the_same_rows(goldens, assessor, scored, monkeypatch):
    monkeypatch.setattr(scoring, "CELLS", 1)
    with ScoreTable(":memory:") as table:
        score_corpus(goldens[:1], assessor, table, seed=0)
        assert list(table.rows(scored[0])) == [row for row in scored[2] if row.golden == goldens[0].id]


def test_goldens_are_planned_when_their_turn_comes(goldens, assessor, monkeypatch):
    planned, ahead = [], []
    known = ScoreTable.known
    monkeypatch.setattr(ScoreTable, "known", lambda table, keys: planned.append(keys) or known(table, keys))
    monkeypatch.setattr(scoring, "_score_chunk", lambda *_: ([], {}))
    with ScoreTable(":memory:") as table:
        score_corpus(goldens, assessor, table, seed=0, progress=lambda *_: ahead.append(len(planned) - len(ahead)))
    assert len(planned) == len(goldens)
    assert max(ahead) <= 2


def test_a_second_run_computes_nothing_and_a_larger_one_only_what_is_new(
    goldens, assessor, keys_of, tmp_path, monkeypatch
):
    seen = []
    keys = keys_of(goldens)
    with ScoreTable(tmp_path / "scores.db") as table:
        first = score_corpus(goldens[:1], assessor, table, seed=0)
    with ScoreTable(tmp_path / "scores.db") as table:
        more = score_corpus(
            goldens, assessor, table, seed=0, progress=lambda done, planned: seen.append((done, planned))
        )
    assert first + more == len(keys)
    assert [planned for _, planned in seen] == [len(keys)] * 2
    assert seen[0][0] > first
    assert seen[-1][0] == len(keys)
    monkeypatch.setattr(type(assessor), "assess_all", None)
    with ScoreTable(tmp_path / "scores.db") as table:
        assert score_corpus(goldens, assessor, table, seed=0) == 0
        assert len(table.known(keys)) == len(keys)


def test_other_seed_is_computed_anew(goldens, assessor, keys_of, scored):
    with ScoreTable(":memory:") as table:
        fresh = score_corpus(goldens[:1], assessor, table, seed=1)
    keys = keys_of(goldens[:1], seed=1)
    assert fresh == len(keys)
    assert not set(keys) & set(scored[0])


def test_harmless_variants_that_change_nothing_score_perfectly(scored):
    rows = [row for row in scored[2] if row.operator in {"identity", "relisted"} and row.rejected is None]
    assert rows
    for row in rows:
        assert {value for name, value in row.evidence.items() if name != "short-names"} == {0.0}
        assert row.affected in {0, row.steps}


def test_scores_are_rounded(scored):
    for row in scored[2]:
        values = [value for value in (*row.evidence.values(), *row.metrics.values()) if value is not None]
        assert values == [round(value, DECIMALS) for value in values]
