"""Filling the table: the same rows whatever the number of processes, and nothing twice."""

import pytest

from wfgate.calibration.plan import planned_variants
from wfgate.calibration.score_table import ScoreTable
from wfgate.calibration.scoring import DECIMALS, score_corpus


@pytest.fixture(scope="module")
def goldens(corpus):
    return corpus.sample(4).goldens


@pytest.fixture(scope="module")
def scored(goldens, assessor):
    with ScoreTable(":memory:") as table:
        keys, fresh = score_corpus(goldens, assessor, table, seed=0)
        return keys, fresh, list(table.rows(keys))


def test_every_planned_variant_has_a_row(goldens, scored):
    keys, fresh, rows = scored
    planned = [variant for golden in goldens for variant in planned_variants(golden)]
    assert fresh == len(keys) == len(rows) == len(planned)
    assert [row.key for row in rows] == keys
    assert [(row.operator, row.severity) for row in rows] == [(p.operator, p.severity) for p in planned]


def test_two_processes_give_the_same_rows(goldens, assessor, scored, tmp_path):
    with ScoreTable(tmp_path / "two.db") as table:
        keys, _ = score_corpus(goldens, assessor, table, seed=0, jobs=2)
        assert (keys, list(table.rows(keys))) == (scored[0], scored[2])


def test_a_second_run_computes_nothing_and_a_larger_one_only_what_is_new(goldens, assessor, tmp_path, monkeypatch):
    seen = []
    with ScoreTable(tmp_path / "scores.db") as table:
        _, first = score_corpus(goldens[:2], assessor, table, seed=0)
    with ScoreTable(tmp_path / "scores.db") as table:
        keys, more = score_corpus(
            goldens, assessor, table, seed=0, progress=lambda done, planned: seen.append((done, planned))
        )
    assert first + more == len(keys)
    assert [planned for _, planned in seen] == [len(keys)] * 2
    assert seen[0][0] > first
    assert seen[-1][0] == len(keys)
    monkeypatch.setattr(type(assessor), "assess", None)
    with ScoreTable(tmp_path / "scores.db") as table:
        assert score_corpus(goldens, assessor, table, seed=0) == (keys, 0)


def test_other_seed_is_computed_anew(goldens, assessor, scored):
    with ScoreTable(":memory:") as table:
        keys, fresh = score_corpus(goldens[:1], assessor, table, seed=1)
    assert fresh == len(keys)
    assert not set(keys) & set(scored[0])


def test_harmless_variants_that_change_nothing_score_perfectly(scored):
    rows = [row for row in scored[2] if row.operator in {"identity", "relisted"} and row.rejected is None]
    assert rows
    for row in rows:
        assert set(row.evidence.values()) == {0.0}
        assert row.affected in {0, row.steps}


def test_scores_are_rounded(scored):
    for row in scored[2]:
        values = [value for value in (*row.evidence.values(), *row.metrics.values()) if value is not None]
        assert values == [round(value, DECIMALS) for value in values]
