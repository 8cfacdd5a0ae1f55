"""The catalogue's own examples: every line of examples/seeds/answers.yaml."""

from pathlib import Path

import pytest
import yaml

from wfgate.facts import FACTS, Question, Subject, answer, grade
from wfgate.formats import read_file

SEEDS = Path(__file__).parents[2] / "examples" / "seeds"
LINES = [
    (file, line)
    for file, lines in yaml.safe_load((SEEDS / "answers.yaml").read_text("utf-8")).items()
    for line in lines
]
OWN = {"pattern", "workflow", "source", "answer", "mentions"}


def test_every_pattern_is_asked():
    assert {line["pattern"] for _, line in LINES} == {*FACTS}


@pytest.mark.parametrize(("file", "line"), LINES, ids=[f"{file}-{line['pattern']}" for file, line in LINES])
def test_the_answer_is_the_one_worked_out_by_hand(file: str, line: dict):
    subject = Subject.of(read_file(SEEDS / f"{file}.yaml").workflow, line.get("workflow"))
    question = Question(**{name: value for name, value in line.items() if name not in OWN})
    found = answer(subject, line["pattern"], question).answer
    if "mentions" in line:
        said = "\n".join(found.value or ())
        assert all(words in said for words in line["mentions"]), said
        assert bool(found.value) == bool(line["mentions"])
    elif line["answer"] == "unknown":
        assert found.value is None
        assert found.because
    else:
        assert grade(found, line["answer"]).value == 1, found
        if found.type != "list":
            assert found.value == line["answer"] or {*map(str, found.value)} == {
                str(tuple(each) if isinstance(each, list) else each) for each in line["answer"]
            }


def test_every_file_is_asked_about_and_read_without_a_word():
    assert {path.stem for path in SEEDS.glob("*.yaml")} == {file for file, _ in LINES} | {"answers"}
    for file, _ in LINES:
        assert [d for d in read_file(SEEDS / f"{file}.yaml").diagnostics if d.severity != "info"] == []
