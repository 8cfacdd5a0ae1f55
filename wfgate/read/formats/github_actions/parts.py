"""Jobs and steps: what the file says, and what that means for their links."""

from dataclasses import dataclass
from typing import Any

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Path
from wfgate.read.formats.github_actions import shapes
from wfgate.read.formats.github_actions.conditions import GithubCondition, read_condition
from wfgate.read.formats.github_actions.expressions import Reference
from wfgate.read.formats.notes import Notes


@dataclass(frozen=True)
class GithubPart:
    """A job or step.

    Attributes:
        id: Id in the workflow.
        path: Position in the file.
        raw: The job or step as it is written.
        condition: The `if`.
        continues: Whether a failure counts as success.
        span: Position of the `if`; position of the job or step if it has no `if`.
    """

    id: str
    path: Path
    raw: dict[str, Any]
    condition: GithubCondition
    continues: bool
    span: SourceSpan | None


@dataclass(frozen=True)
class GithubStep(GithubPart):
    """A step.

    Attributes:
        shape: What the step says.
        reads: References in the step to outputs of other steps and of needed jobs.
    """

    shape: shapes.StepShape
    reads: tuple[Reference, ...]


@dataclass(frozen=True)
class GithubJob(GithubPart):
    """A job.

    Attributes:
        shape: What the job says.
        key: Id of the job in the file.
        needs: Workflow ids of the jobs in `needs`, each with its position. A job in `needs` may not exist.
    """

    shape: shapes.JobShape
    key: str
    needs: dict[str, SourceSpan | None]

    @property
    def outputs(self) -> dict[str, Any] | None:
        """The outputs of the job; None if the job calls another file, which declares them."""
        return None if self.shape.uses is not None else self.shape.outputs or {}


def part_of(shape: shapes.Runnable, own: str, notes: Notes, path: Path) -> dict[str, Any]:
    """Return the attributes of `GithubPart` for a job or step, and report what links cannot express."""
    document, place = notes.document, (*path, "if")
    condition = read_condition(shape.if_)
    if condition.loose:
        message = "the text outside ${{ }} makes this condition a string, and a non-empty string is always true"
        notes.say("warning", message, *place, fix="put the whole condition inside one ${{ }}")
    if condition.unread:
        message = "a status function is an argument of another function, so all outcomes are linked"
        notes.say("warning", message, *place)
    if condition.reduced:
        message = "status functions are read as outcomes of links; the rest of the condition is read as their guard"
        notes.group("info", message, shape.if_, *place)
    continues = shape.continue_on_error
    if isinstance(continues, str):
        message = "`continue-on-error` is an expression, so wfgate assumes that a failure is not ignored"
        notes.group("info", message, continues, *path, "continue-on-error")
    return {
        "id": own,
        "path": path,
        "raw": document.at(*path),
        "condition": condition,
        "continues": continues is True,
        "span": document.span(*place),
    }
