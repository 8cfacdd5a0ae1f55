"""Meaning and descriptions, also of tasks in sub-workflows."""

from wfgate.catalogue import FactSubject, Question, answer
from wfgate.model import Link, Task, Workflow

REGRESSION = Workflow(
    name="MLTrainingAndEvaluation",
    description="Training and evaluation of the regression ML model",
    tasks=(
        Task(id="t", name="ModelTraining", description="Training of the regression ML model"),
        Task(id="d", name="Deeper", kind="composite", workflow="Deeper"),
    ),
)
DEEPER = Workflow(
    name="Deeper",
    tasks=(
        Task(id="e", name="ModelEvaluation", description="Evaluation of the regression ML model"),
        Task(id="again", name="Again", kind="composite", workflow="FailurePrediction"),
    ),
)
MAIN = Workflow(
    name="FailurePrediction",
    description="Predict machine failures (binary classification).",
    tasks=(
        Task(id="r", name="DataRetrieval", description="Retrieve the input data"),
        Task(id="m", name="MLTrainingAndEvaluation", kind="composite", workflow="MLTrainingAndEvaluation"),
    ),
    subworkflows=(REGRESSION, DEEPER),
)


def test_tasks_in_sub_workflows_are_compared_with_the_main_description():
    """The instance of the catalogue's own package: binary classification outside, regression inside."""
    found = answer(FactSubject.of(MAIN), "inconsistent-descriptions").answer.value
    assert [line.partition(":")[0] for line in found] == [
        "sub-workflow 'MLTrainingAndEvaluation'",
        "'ModelTraining' in 'MLTrainingAndEvaluation'",
        "'ModelEvaluation' in 'Deeper'",
    ]
    assert all("'binary classification', the text 'regression'" in line for line in found)


def test_sub_workflows_about_the_same_topic_are_consistent():
    same = MAIN.model_copy(update={"description": "Predict the wear of a machine (regression)."})
    assert answer(FactSubject.of(same), "inconsistent-descriptions").answer.value == ()


def test_the_meaning_of_the_tasks_after_a_task():
    row = Workflow(
        tasks=(Task(id="a", name="Fetch", tags=("input",)), Task(id="b", name="Sort"), Task(id="c", name="Print")),
        links=(Link(source="a", target="b"), Link(source="b", target="c")),
    )
    subject = FactSubject.of(row)

    def holds(task: str, word: str, *, after: bool) -> bool:
        asked = Question(task=task, property=word, after=after)
        return answer(subject, "meaning-of-preceding-task", asked).answer.value

    assert holds("Sort", "print", after=True)
    assert not holds("Sort", "print", after=False)
    assert holds("Sort", "input", after=False)
    assert not holds("Sort", "input", after=True)
    circle = row.model_copy(update={"links": (*row.links, Link(source="c", target="a"))})
    asked = Question(task="Sort", property="print", after=True)
    assert not answer(FactSubject.of(circle), "meaning-of-preceding-task", asked).answer.value
