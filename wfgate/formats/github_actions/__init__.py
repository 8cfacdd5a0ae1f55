"""GitHub Actions: workflow files, reusable workflows and composite actions."""

from typing import Any, ClassVar

from wfgate.documents import Document
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.github_actions.expressions import references_in
from wfgate.formats.github_actions.jobs import JobReader
from wfgate.formats.github_actions.shapes import Action, File, scalar_text
from wfgate.formats.github_actions.steps import StepReader
from wfgate.formats.notes import Notes
from wfgate.formats.typed import read_shape
from wfgate.model import Workflow

__all__ = ["GithubActionsFormat"]


class GithubActionsFormat(Format):
    """A workflow file (keys `on` and `jobs`) or a composite action (key `runs` with `using: composite`).

    A job is a composite of its steps, or of the reusable workflow that the job calls. A job waits for all jobs in
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
        data = document.mapping()
        notes = Notes(document)
        workflow = _action(data, notes) if _is_action(data) and "jobs" not in data else _workflow(data, notes)
        return Reading(workflow, self.id, notes.all())


def _is_action(data: dict[str, Any]) -> bool:
    return isinstance(data.get("runs"), dict) and "using" in data["runs"]


def _workflow(data: dict[str, Any], notes: Notes) -> Workflow:
    error = notes.document.error
    if "on" not in data:
        if "true" in data:
            message = "the key `on` became `true`; programs for YAML 1.1 convert it that way"
            raise error(message, "true", fix="replace `true:` by `on:`")
        raise error("the workflow has no `on`", fix="write under `on` which events start the workflow")
    if data["on"] is None or data["on"] in ([], {}, ""):
        raise error("`on` is empty", "on", fix="write under `on` which events start the workflow")
    file = read_shape(File, data, notes.document, (), "the workflow")
    notes.unknown(file, "the workflow")
    params = {key: value for key, value in data.items() if key not in {"name", "jobs"}}
    return JobReader(notes).read(file).model_copy(update={"params": params})


def _action(data: dict[str, Any], notes: Notes) -> Workflow:
    """Read the steps of a composite action as a workflow."""
    action = read_shape(Action, data, notes.document, (), "the action")
    runs, error = action.runs, notes.document.error
    notes.unknown(action, "the action")
    if runs.using != "composite":
        message = f"an action that uses {runs.using[:40]!r} is a program and has no steps"
        fix = "give a workflow file, or an action with `using: composite`"
        raise error(message, "runs", "using", fix=fix)
    notes.unknown(runs, "`runs`", "runs")
    if not runs.steps:
        raise error("the action has no steps", "runs", fix="add `steps:`")
    check_size(notes.document, len(runs.steps))
    outputs = action.outputs if isinstance(action.outputs, dict) else {}
    results = {key: list(references_in(value)) for key, value in outputs.items()}
    workflow = StepReader(notes).read(action.name.strip(), ("runs", "steps"), runs.steps, results)
    params = {key: data[key] for key in ("inputs", "outputs") if key in data}
    description = "" if isinstance(action.description, dict | list) else scalar_text(action.description)
    return workflow.model_copy(update={"params": params, "description": description})
