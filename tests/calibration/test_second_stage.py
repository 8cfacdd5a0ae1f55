"""Prompts of the regenerations corpus without a service: no label shows, and answers come back by their hash."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "calibration" / "regenerations"))

import second_stage as script


@pytest.fixture
def few(monkeypatch, tmp_path):
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
def test_a_batch_shows_the_pairs_and_nothing_about_them(few, tmp_path, stage):
    script.write_prompts(tmp_path / "prompts", stage, 5)
    text = "".join(path.read_text("utf-8") for path in sorted((tmp_path / "prompts").iterdir()))
    questions = {question for pair in few for question in pair.questions(stage)}
    assert len(set(re.findall(r"^## Pair ([0-9a-f]{12})$", text, re.MULTILINE))) == len(questions)
    for pair in few:
        if pair.questions(stage):
            assert f"<golden>\n{pair.sent.golden}\n</golden>" in text
            assert f"<candidate>\n{pair.sent.candidate}\n</candidate>" in text
        assert pair.labels["id"] not in text
        assert not pair.labels["why"] or pair.labels["why"] not in text


def test_answers_come_back_and_are_verified(few, tmp_path, capsys):
    answering = script.recorded()
    lines = []
    for pair in few:
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


@pytest.mark.slow
def test_every_recorded_answer_belongs_to_a_prompt():
    if not script.ANSWERS.exists():
        pytest.skip("nothing is recorded yet")
    answering = script.recorded()
    keys = {
        answering.key(question, kind.answer).hex()
        for pair in script.pairs()
        for stage, kind in script.STAGES.items()
        for question in pair.questions(stage)
    }
    assert {record["prompt"] for record in script.lines(script.ANSWERS)} <= keys
