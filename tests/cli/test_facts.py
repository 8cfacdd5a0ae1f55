"""`wfgate facts`: what it prints, for people and for programs."""

import pytest
from jsonschema import Draft202012Validator

from wfgate.catalogue import FACTS

from .conftest import ROOT, inline, is_error, once

SEEDS = ROOT / "examples" / "seeds"
MAIN = SEEDS / "main-workflow.yaml"
TRAINING = SEEDS / "ml-training-and-evaluation.yaml"


def test_the_overview_of_a_workflow():
    run = once("facts", TRAINING)
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines()[0] == "Workflow 'MLTrainingAndEvaluation': 3 tasks"
    assert "  list-of-tasks: FeatureExtraction, MLModelTraining, MLModelEvaluation" in run.out.splitlines()
    assert "  data-production (data 'MLModel'): MLModelTraining" in run.out.splitlines()
    assert "Tasks:" in run.out


def test_the_same_for_programs():
    data = inline("facts", TRAINING, "--format", "json").data
    assert data["schema"] == "wfgate.facts/1"
    assert {each["id"] for each in data["facts"]} <= {*FACTS}
    start = next(each for each in data["facts"] if each["id"] == "flow-start")
    assert start["answer"] == {
        "exact": True,
        "because": None,
        "witness": [],
        "type": "task",
        "value": "FeatureExtraction",
    }
    assert (start["metric"], start["version"], start["question"]) == ("correctness", 1, {})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["-p", "next-tasks", "--task", "Task2"], "next-tasks (task 'Task2'): Task1, Task3"),
        (["-p", "next-tasks,flow-end", "--task", "Task2"], None),
        (["-p", "flow-end,flow-cycle"], "flow-end: Task4\nflow-cycle (whether the flow has a cycle): no"),
        (
            ["-p", "order-of-all", "--sequence", "Task2, Task1"],
            "'Task1'; whether tasks can run in a given order, without conditions): yes",
        ),
        (["--workflow", "Workflow3", "-p", "task-order-conditional", "--situation", "p=0"], "Task7, Task8"),
        (["--workflow", "Workflow3", "-p", "trace", "--sequence", "Task6", "--situation", "p=0"], "no ("),
        (["--workflow", "Overlapping", "-p", "mutually-exclusive", "--task", "Task10"], "both be chosen: 0 < p < 10"),
        (["-p", "link-existence", "--first", "Task1", "--second", "Task4"], "yes"),
        (["-p", "link-existence", "--first", "Task1", "--second", "Task4", "--flow", "data"], "no"),
        (["-p", "next-tasks"], "next-tasks (task 'Task4'): none"),
        (["-p", "describe-workflow"], "tasks: Task2, Task1, Task3, Task4"),
    ],
)
def test_questions(asked, said):
    run = inline("facts", MAIN, *asked)
    if said is None:
        assert is_error(run, 2, "flow-end does not take task")
    else:
        assert (run.code, run.err) == (0, "")
        assert said in run.out


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["-p", "nothing"], "unknown fact 'nothing'"),
        (["-p", "next-tasks", "--task", "Tsk2"], "did you mean Task2"),
        (["-p", "order-of-two", "--first", "Task2"], "give --second"),
        (["-p", "order-of-two"], "give --first, --second"),
        (["--task", "Task2"], "give --pattern ID"),
        (["--workflow", "Workflow4"], "did you mean Workflow3"),
        (["-p", "task-order-conditional", "--situation", "p"], "has no value"),
        (["-p", "task-order-conditional", "--situation", "q=1"], "no condition reads 'q'"),
    ],
)
def test_what_cannot_be_asked(asked, said):
    assert is_error(inline("facts", MAIN, *asked), 2, said)


def test_a_file_that_cannot_be_read(tmp_path):
    assert inline("facts", tmp_path / "none.yaml").code == 3


def test_names_cannot_command_a_terminal(tmp_path):
    file = tmp_path / "evil.yaml"
    file.write_text('wfgate: "1"\nname: "a\\u001b[31m"\nsteps: ["Red \\u001b[31m", "\\n::error::x", "##[error]y"]\n')
    for asked in ([], ["-p", "task-order"], ["-p", "describe-workflow"]):
        out = inline("facts", file, *asked).out
        assert "\x1b" not in out
        assert "##[" not in out
        assert not any(line.strip().startswith("::") for line in out.splitlines())


def test_the_report_validates_against_the_published_schema():
    schema = inline("schema", "facts").data
    Draft202012Validator.check_schema(schema)
    asked = ["-p", "task-order-conditional", "--workflow", "Workflow3", "--situation", "p=0"]
    for args in ([TRAINING], [MAIN, *asked]):
        Draft202012Validator(schema).validate(inline("facts", *args, "--format", "json").data)
    assert not Draft202012Validator(schema).is_valid({"schema": "wfgate.facts/1"})


def test_facts_are_listed_and_explained():
    listed = inline("list", "facts").out.splitlines()
    assert [line.split()[0] for line in listed] == [*FACTS]
    for name in FACTS:
        run = inline("explain", name)
        assert run.code == 0
        assert "Question:" in run.out
        assert "Definition:" in run.out
