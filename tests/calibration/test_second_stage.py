"""Prompts of the regenerations corpus without a service: no label shows, and answers come back by their hash."""

import json
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "calibration" / "regenerations"))

import second_stage as script

from wfgate.calibration import Plan, read_corpus
from wfgate.calibration.plan import planned_keys
from wfgate.calibration.reports import paper
from wfgate.calibration.sample import ScoredVariants
from wfgate.calibration.score_table import ScoreTable
from wfgate.calibration.scoring import score_corpus
from wfgate.calibration.trajectories import sensitivities, trajectories
from wfgate.compare import LlmJudge
from wfgate.llm import Client
from wfgate.llm.recording import Recording
from wfgate.run import LocalExecutor

SIZE = 15


@pytest.fixture
def reviewed(monkeypatch, tmp_path):
    """The pairs of four goldens, and an empty recording."""
    corpus = script.CORPUS
    goldens = script.lines(corpus / "goldens.jsonl")[:4]
    names = {golden["id"] for golden in goldens}
    candidates = [one for one in script.lines(corpus / "candidates.jsonl") if one["golden"] in names]
    for name, records in {"goldens": goldens, "candidates": candidates}.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    found = [*script.pairs(tmp_path)]
    monkeypatch.setattr(script, "pairs", lambda: iter(found))
    monkeypatch.setattr(script, "ANSWERS", tmp_path / "answers.jsonl")
    return found


@pytest.mark.parametrize("stage", ["quotes", "judge"])
def test_a_batch_shows_the_pairs_and_nothing_about_them(reviewed, tmp_path, stage):
    script.write_prompts(tmp_path / "prompts", stage, 5)
    text = "".join(path.read_text("utf-8") for path in sorted((tmp_path / "prompts").iterdir()))
    questions = {question for pair in reviewed for question in pair.questions(stage)}
    assert len(set(re.findall(r"^## Pair ([0-9a-f]{12})$", text, re.MULTILINE))) == len(questions)
    for pair in reviewed:
        if pair.questions(stage):
            assert f"<golden>\n{pair.sent.golden}\n</golden>" in text
            assert f"<candidate>\n{pair.sent.candidate}\n</candidate>" in text
        assert pair.labels["id"] not in text
        assert not pair.labels["why"] or pair.labels["why"] not in text


def test_answers_come_back_and_are_verified(reviewed, tmp_path, capsys):
    answering = script.recorded()
    lines = []
    for pair in reviewed:
        for question in pair.questions("quotes"):
            size = len(pair.golden.texts), len(pair.candidate.texts)
            claims = [
                {"n": n, "status": "kept", "quotes": [{"n": n, "quote": pair.candidate.texts[n - 1]}]}
                for n in range(1, size[0] + 1)
                if n <= size[1]
            ]
            added = [{"n": n, "adds": "x", "foreign": False} for n in range(size[0] + 1, size[1] + 1)]
            name = answering.key(question, script.quotes.Claims).hex()[:12]
            lines.append(json.dumps({"id": name, "golden": claims, "added": added}))
    file = tmp_path / "out.jsonl"
    file.write_text("\n".join([*lines, '{"id": "0"}', "[1]", '{"id"', ""]))
    script.collect([file], "quotes", "2026-11-22")
    assert f"{len(set(lines))} answers recorded, 3 refused; 0 prompts without one" in capsys.readouterr().out
    recorded = script.lines(script.ANSWERS)
    assert {record["date"] for record in recorded} == {"2026-11-22"}
    script.score("quotes")
    counts = re.findall(r"(\d+) pairs answered", capsys.readouterr().out)
    assert sum(map(int, counts)) == len(lines)


def grade(name):
    """Return an answer of the judge that depends on the hash of the prompt only."""
    score = int(name[:12], 16) % 6
    check = {"consistent": "Yes", "final_score": score}
    return {"ThoughtChain": "", "initial_score": score, "self_check": check, "justification": ""}


class Grading(Recording):
    """A recording that has a grade for each prompt."""

    def read(self, keys):
        return {key: json.dumps(grade(key.hex())).encode() for key in keys}


class ForTables(LocalExecutor):
    """Scores only the variants of the paper's tables."""

    def run(self, work, chunks, assessor):
        def of_tables(chunk):
            kept = {k: v for k, v in chunk.variants.items() if v.operator in paper.TABLES and not v.reworded}
            return replace(chunk, variants=kept)

        return super().run(work, map(of_tables, chunks), assessor)


@pytest.fixture
def graded(few, monkeypatch, tmp_path):
    """Two goldens, and the files of answers to the prompts of the stage "tables"."""
    monkeypatch.setattr(script, "perturbed", partial(script.perturbed, few, 2))
    monkeypatch.setattr(script, "ANSWERS", tmp_path / "answers.jsonl")
    script.write_prompts(tmp_path / "prompts", "tables", SIZE)
    for path in (tmp_path / "prompts").iterdir():
        names = re.findall(r"^## Pair ([0-9a-f]{12})$", path.read_text("utf-8"), re.MULTILINE)
        answers = [json.dumps({"id": name, **grade(name)}) + "\n" for name in names]
        path.with_suffix(".jsonl").write_text("".join(answers))
    return read_corpus(few).sample(2).goldens, sorted((tmp_path / "prompts").glob("*.jsonl"))


def test_the_tables_of_the_recorded_judge_are_those_of_a_calibration(graded, assessor, capsys):
    goldens, files = graded
    judge = LlmJudge(Client(script.MODEL, Grading(script.ANSWERS), offline=True))
    with ScoreTable(":memory:") as table:
        judging = replace(assessor, judge=judge)
        score_corpus(goldens, judging, table, seed=Plan.seed, executor=ForTables())
        points = trajectories(ScoredVariants.of(table.rows(planned_keys(goldens, Plan.seed, judging.identity))))
    expected = {
        (each.operator, each.severity): f"{each.mean:.2f} ± {each.sd:.2f} ({each.variants})"
        for each in points
        if each.metric == judge.id
    }
    slopes = {s.operator: f"{s.value:.2f}" for s in sensitivities(points) if s.metric == judge.id}
    script.collect(files, "tables", "2026-11-22")
    capsys.readouterr()
    script.score_tables()
    out = capsys.readouterr().out
    assert "2 goldens, 18 variants graded, 0 without a grade" in out
    for operator in paper.TABLES:
        cells = " | ".join(expected[operator, severity] for severity in paper.SEVERITIES)
        assert f"| {operator} | here | {cells} | {slopes[operator]} |" in out


def test_no_file_contains_a_pair_twice_and_a_pair_without_all_grades_does_not_count(graded, capsys):
    files = graded[1]
    for path in files:
        text = path.with_suffix(".txt").read_text("utf-8")
        shown = [text.count(template.instructions) for template in script.judge.TEMPLATES]
        assert sorted(shown) == [0, 0, text.count("\n## Pair ")]
        assert 0 < max(shown) <= SIZE
    _, *others = files[0].read_text().splitlines()
    files[0].write_text("\n".join(others))
    script.collect(files, "tables", "2026-11-22")
    assert "53 answers recorded, 0 refused; 1 prompts without one" in capsys.readouterr().out
    script.score_tables()
    assert "17 variants graded, 1 without a grade" in capsys.readouterr().out


@pytest.mark.slow
def test_every_recorded_answer_belongs_to_a_prompt():
    if not script.ANSWERS.exists():
        pytest.skip("nothing is recorded yet")
    answering = script.recorded()
    keys = {
        answering.key(question, kind.answer).hex()
        for stage, kind in script.STAGES.items()
        for pair in script.pairs_of(stage)
        for question in pair.questions(stage)
    }
    assert {record["prompt"] for record in script.lines(script.ANSWERS)} <= keys
