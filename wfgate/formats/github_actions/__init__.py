"""GitHub Actions: workflow files, reusable workflows and composite actions."""

from typing import Any, ClassVar

from wfgate.documents import Document
from wfgate.errors import FormatError
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.fields import Fields
from wfgate.formats.github_actions.entries import Notes, name_of, references_in, scalar_text
from wfgate.formats.github_actions.jobs import JobReader
from wfgate.formats.github_actions.steps import StepReader
from wfgate.model import Workflow

__all__ = ["GithubActionsFormat"]

_KEYS = ("name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs")
_ACTION_KEYS = ("name", "author", "description", "inputs", "outputs", "runs", "branding")
_RUNS_KEYS = ("using", "steps")


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
    top = Fields(notes.document, (), data, what="the workflow")
    if "on" not in data:
        if "true" in data:
            message = "the key `on` became `true`; programs for YAML 1.1 convert it that way"
            raise top.error(message, "true", fix="replace `true:` by `on:`")
        raise top.error("the workflow has no `on`", fix="write under `on` which events start the workflow")
    if data["on"] is None or data["on"] in ([], {}, ""):
        raise top.error("`on` is empty", "on", fix="write under `on` which events start the workflow")
    notes.unknown(top, _KEYS)
    workflow = JobReader(notes).read(top, name_of(top, ""))
    params = {key: value for key, value in data.items() if key not in {"name", "jobs"}}
    return workflow.model_copy(update={"params": params})


def _action(data: dict[str, Any], notes: Notes) -> Workflow:
    """Read the steps of a composite action as a workflow."""
    top = Fields(notes.document, (), data, what="the action")
    notes.unknown(top, _ACTION_KEYS)
    runs = Fields(notes.document, ("runs",), data["runs"], what="`runs`")
    using = runs.text("using")
    if using != "composite":
        raise _no_steps(runs, using)
    notes.unknown(runs, _RUNS_KEYS)
    steps = runs.entries("steps")
    if not steps:
        raise runs.error("the action has no steps", fix="add `steps:`")
    check_size(notes.document, len(steps))
    outputs = data.get("outputs")
    results = {key: list(references_in(value)) for key, value in outputs.items()} if isinstance(outputs, dict) else {}
    workflow = StepReader(notes).read(name_of(top, ""), ("runs", "steps"), steps, results)
    params = {key: data[key] for key in ("inputs", "outputs") if key in data}
    description = scalar_text(data.get("description")) if not isinstance(data.get("description"), dict | list) else ""
    return workflow.model_copy(update={"params": params, "description": description})


def _no_steps(runs: Fields, using: str) -> FormatError:
    fix = "give a workflow file, or an action with `using: composite`"
    return runs.error(f"an action that uses {using[:40]!r} is a program and has no steps", "using", fix=fix)
