"""The catalogue's own examples: every line of examples/seeds/answers.yaml."""

from pathlib import Path

import pytest
import yaml

from wfgate.catalogue import FACTS, FactSubject, Question, answer
from wfgate.catalogue.facts.grading import grade
from wfgate.read import read_file

SEEDS = Path(__file__).parents[3] / "examples" / "seeds"
ANSWERS = yaml.safe_load((SEEDS / "answers.yaml").read_text("utf-8"))
OWN = {"pattern", "workflow", "source", "answer", "mentions"}


def test_every_pattern_is_asked():
    assert {line["pattern"] for lines in ANSWERS.values() for line in lines} == {*FACTS}


@pytest.mark.parametrize("file", ANSWERS)
def test_the_answers_are_those_worked_out_by_hand(file: str):
    workflow = read_file(SEEDS / f"{file}.yaml").workflow
    for line in ANSWERS[file]:
        check(FactSubject.of(workflow, line.get("workflow")), line)


def check(subject: FactSubject, line: dict):
    question = Question(**{name: value for name, value in line.items() if name not in OWN})
    found = answer(subject, line["pattern"], question).answer
    if "mentions" in line:
        said = "\n".join(found.value or ())
        assert all(words in said for words in line["mentions"]), (line, said)
        assert bool(found.value) == bool(line["mentions"])
    elif line["answer"] == "unknown":
        assert found.value is None, line
        assert found.because
    else:
        assert grade(found, line["answer"]).value == 1, (line, found)
        if found.type != "list":
            assert found.value == line["answer"] or {*map(str, found.value)} == {
                str(tuple(each) if isinstance(each, list) else each) for each in line["answer"]
            }


def test_every_file_is_asked_about_and_read_without_a_word():
    assert {path.stem for path in SEEDS.glob("*.yaml")} == {*ANSWERS, "answers"}
    for file in ANSWERS:
        assert [d for d in read_file(SEEDS / f"{file}.yaml").diagnostics if d.severity != "info"] == []
