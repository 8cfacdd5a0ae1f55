"""Reads a workflow file, or a composite action."""

from typing import Any

from wfgate.model import Workflow
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.github_actions.expressions import references_in
from wfgate.read.formats.github_actions.jobs import GithubJobReader
from wfgate.read.formats.github_actions.shapes import Action, GithubFile, scalar_text
from wfgate.read.formats.github_actions.steps import StepReader
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.typed import read_shape


def read_workflow(data: dict[str, Any], notes: Notes) -> Workflow:
    """Return the workflow of a file with `on` and `jobs`."""
    error = notes.document.error
    if "on" not in data:
        if "true" in data:
            message = "the key `on` became `true`; programs for YAML 1.1 convert it that way"
            raise error(message, "true", fix="replace `true:` by `on:`")
        raise error("the workflow has no `on`", fix="write under `on` which events start the workflow")
    if data["on"] is None or data["on"] in ([], {}, ""):
        raise error("`on` is empty", "on", fix="write under `on` which events start the workflow")
    file = read_shape(GithubFile, data, notes.document, (), "the workflow")
    notes.unknown(file, "the workflow")
    params = {key: value for key, value in data.items() if key not in {"name", "jobs"}}
    return GithubJobReader(notes).read(file).model_copy(update={"params": params})


def read_action(data: dict[str, Any], notes: Notes) -> Workflow:
    """Return the steps of a composite action as a workflow."""
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
