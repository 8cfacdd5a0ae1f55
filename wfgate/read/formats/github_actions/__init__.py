"""GitHub Actions: workflow files, reusable workflows and composite actions."""

from collections.abc import Iterator
from typing import Any, ClassVar

from wfgate.model import Task, Workflow
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.called import Call
from wfgate.read.formats.notes import Notes

__all__ = ["GithubActionsFormat"]


class GithubActionsFormat(Format):
    """A workflow file (keys `on` and `jobs`) or a composite action (key `runs` with `using: composite`).

    A job is a composite of its steps, or of the reusable workflow that the job calls. A reusable workflow or composite
    action of the checkout (`uses: ./...`) is read with its steps; another one is one step. A job waits for all jobs in
    `needs`. The `if` of a job or step becomes the guard (the condition) of its incoming links. The status functions in
    the `if` (`success()`, `failure()`, `always()`) become the outcomes of these links. An `if` without a status
    function means that all earlier jobs or steps succeeded. `cancelled()` stays in the guard. If a step is skipped,
    the following steps still run.

    A matrix is a loop. The settings of a job (`environment`, `permissions`) are parameters of the job. The settings of
    the file (`on`, `env`) are parameters of the workflow. The values of `secrets` and `credentials` are masked.

    Example:
        >>> steps = [{"run": "make"}]
        >>> jobs = {
        ...     "build": {"runs-on": "x", "steps": steps},
        ...     "ship": {"needs": "build", "runs-on": "x", "steps": steps},
        ... }
        >>> reading = GithubActionsFormat().read(Document("example", data={"on": "push", "jobs": jobs}))
        >>> [(link.source, link.target) for link in reading.workflow.links]
        [('START', 'build'), ('build', 'ship'), ('ship', 'END')]
        >>> reading.workflow.subworkflows[0].tasks[0].name
        'Run make'
    """

    id: ClassVar[str] = "github-actions"
    signature: ClassVar[str] = "a mapping with `on` and `jobs`, or with `runs` and `using` in it"
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("on", "jobs"), ("runs.using", "runs.steps"))

    def recognises(self, document: Document) -> bool:
        """Return whether the document has the keys `on` and `jobs`, or `runs` with the key `using`."""
        data = document.data
        if not isinstance(data, dict) or "wfgate" in data:
            return False
        return ("jobs" in data and ("on" in data or "true" in data)) or _is_action(data)

    def read(self, document: Document) -> Reading:
        """Read the workflow or the action.

        Raises:
            FormatError: If there are no jobs or steps, or a job or step does not have the form that GitHub Actions
                requires.
        """
        notes = Notes(document)
        workflow = _read_one(document, notes)
        if not any(is_local(task) for part in (workflow, *workflow.subworkflows) for task in part.tasks):
            return Reading(workflow, self.id, notes.all())
        from wfgate.read.formats.github_actions.called_files import CalledReader

        called = CalledReader(document, _read_one)
        workflow = called.read(workflow)
        diagnostics = (*notes.all(), *called.files.notes)
        return Reading(workflow, self.id, diagnostics, called.effective, unread=frozenset(called.files.unread))

    def calls(self, document: Document, folder: str) -> Iterator[Call]:
        """Yield the calls of local actions, reusable workflows and programs."""
        from wfgate.read.formats.github_actions.calls import calls_of

        return calls_of(document, folder)


def _read_one(document: Document, notes: Notes) -> Workflow:
    """Return the workflow of one file, without the files that it calls."""
    from wfgate.read.formats.github_actions.reader import read_action, read_workflow

    data = document.mapping()
    return read_action(data, notes) if _is_action(data) and "jobs" not in data else read_workflow(data, notes)


def is_local(task: Task) -> bool:
    """Return whether a job or step calls a local file."""
    return task.external and task.workflow is not None and task.workflow.startswith("./")


def _is_action(data: dict[str, Any]) -> bool:
    return isinstance(data.get("runs"), dict) and "using" in data["runs"]
