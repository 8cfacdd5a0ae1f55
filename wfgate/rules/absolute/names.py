"""Check of names and descriptions that contradict each other."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.language import disagreements, other_topics
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject, quoted, shortened


class NameDisagrees(AbsoluteCheck):
    """A name and a description contradict each other.

    What it does:
        Compares the name and the description of each step and of the workflow. Reports opposites (enable, disable),
        different kinds (binary classification, regression) and different numbers. Also reports steps whose topic
        contradicts the topic of the workflow. Advisory: only explicit contradictions are detected, and most
        disagreements are not explicit.

    Why it matters:
        Either the name or the description is wrong. A reader or a generator may follow the wrong one.

    Golden:
        BinaryClassificationModelTraining: "Training of a binary classifier"

    Candidate:
        BinaryClassificationModelTraining: "Training of a regression ML model"

    How to fix:
        Correct the name or the description.
    """

    id: ClassVar[str] = "WF601"
    defect: ClassVar[str] = "name-disagrees"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step, and one for the workflow."""
        workflow = subject.workflow
        for item in disagreements(workflow.name, workflow.description)[:1]:
            called = shortened(workflow.name)
            message = f"the workflow is named '{called}', but its description says '{item.candidate_words}'"
            yield Observation(message, key=("workflow",))
        about = f"{workflow.name}. {workflow.description}"
        for task in subject.order:
            step = subject.tasks[task]
            for item in disagreements(step.name, step.description)[:1]:
                message = f"the description of {quoted(step)} says '{item.candidate_words}'"
                yield Observation(f"{message}, but its name says '{item.golden_words}'", (task,), key=("step",))
            for item in other_topics(about, f"{step.name}. {step.description}")[:1]:
                message = (
                    f"{quoted(step)} is about '{item.candidate_words}', but the workflow about '{item.golden_words}'"
                )
                yield Observation(message, (task,), key=("topic",))
