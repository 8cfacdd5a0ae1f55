"""The steps of a job or of a composite action, in their order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wfgate.documents import Path
from wfgate.formats.builder import MAX_LINKS, check_size
from wfgate.formats.fields import Fields
from wfgate.formats.github_actions.data import Offered, Step, StepData, references_of
from wfgate.formats.github_actions.entries import (
    Notes,
    Reference,
    condition_of,
    continues_on_error,
    ids_beside,
    name_of,
    scalar_text,
    timeout_of,
)
from wfgate.formats.github_actions.flow import LinkedStep, StepFlow
from wfgate.model import Names, SourceSpan, Task, Workflow

_KEYS = (
    "id",
    "if",
    "name",
    "uses",
    "run",
    "with",
    "env",
    "shell",
    "working-directory",
    "continue-on-error",
    "timeout-minutes",
)
_READ = {"id", "if", "name", "uses", "run", "with", "continue-on-error", "timeout-minutes"}
_BLANK = " \t\r\n"


@dataclass
class StepReader:
    """Reads the steps of one job.

    Attributes:
        notes: Collects the diagnostics.
        offered: The outputs of the needed jobs.
        room: The largest number of links that the file may still have.
    """

    notes: Notes
    offered: Offered = field(default_factory=Offered)
    room: int = MAX_LINKS

    def read(self, name: str, path: Path, steps: list[Any], results: Mapping[str, Iterable[Reference]]) -> Workflow:
        """Read the steps.

        Args:
            name: Name of the workflow of the steps.
            path: Path of the list of steps in the file.
            steps: The list of steps.
            results: The references of each datum that the job returns, by the name of the datum.

        Raises:
            FormatError: If a step does not have the form of a step, or there are too many links.
        """
        document = self.notes.document
        entries = [Fields(document, (*path, at), step, what="a step") for at, step in enumerate(steps)]
        taken = {scalar_text(entry.value["id"]) for entry in entries if entry.value.get("id") is not None}
        found = self._steps(entries, ids_beside(taken))
        first = {step.own: step for step in reversed(found)}
        linked = [step for step in found if first[step.own] is step]  # that an id is there twice is left to the checks
        flow = StepFlow([self._place(step) for step in linked], self.room)
        check_size(document, len(found), len(flow.links) + MAX_LINKS - self.room)
        for number in flow.unreachable:
            self.notes.say(
                "warning",
                "this step never runs: it needs the failure of an earlier step, and no earlier step can fail",
                *linked[number].entry.path,
                "if",
                fix="remove the step, or remove its condition",
            )
        joins = {linked[number].own: join for number, join in flow.joins.items()}
        data = StepData(found, results, self.offered, self.notes, self.room - len(flow.links))
        tasks = tuple(
            self._task(step, joins.get(step.own), inputs, data.written(step))
            for step, inputs in zip(found, data.inputs, strict=True)
        )
        return Workflow(name=name, tasks=tasks, links=tuple(flow.links), data_links=tuple(data.links.values()))

    def _steps(self, entries: list[Fields], ids: Names) -> list[Step]:
        found = []
        for number, entry in enumerate(entries, start=1):
            self.notes.unknown(entry, _KEYS)
            uses, run = entry.value.get("uses") is not None, entry.value.get("run") is not None
            if uses == run:
                message = "has both `uses` and `run`" if uses else "has neither `uses` nor `run`"
                raise entry.error(f"a step {message}", fix="write either `uses` with an action or `run` with a script")
            own = entry.word("id") if entry.value.get("id") is not None else ""
            address = ids_beside(()).free(own) if own else ids.free(f"step-{number}")
            condition = condition_of(entry, self.notes)
            reads = tuple(path for path in references_of(entry.value) if path[0] in {"steps", "needs"})
            found.append(Step(entry, address, condition, continues_on_error(entry, self.notes), reads))
        return found

    def _place(self, step: Step) -> LinkedStep:
        return LinkedStep(step.own, step.condition, step.continues, _span(step.entry, "if"))

    def _task(self, step: Step, join: str | None, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Task:
        entry = step.entry
        params: dict[str, Any] = {}
        if entry.value.get("run") is not None:
            script = entry.value["run"]
            if isinstance(script, dict | list):
                raise entry.wrong("run", "a text", "write the script as a text")
            action, called, script = "run", None, scalar_text(script)
            shown = script
            params["run"] = script
        else:
            shown = entry.text("uses").strip()
            action, _, ref = shown.partition("@")
            called = shown if shown.startswith(("./", ".\\")) else None
            if called is not None:
                action = shown
            elif not ref and not shown.startswith("docker://"):
                message = "the action has no version"
                self.notes.say(
                    "warning",
                    f"{message}: {shown[:80]!r}",
                    *entry.path,
                    "uses",
                    fix="add @ and a version after the name of the action",
                )
            if ref and called is None:
                params["action ref"] = ref
        params |= self._arguments(entry)
        return Task(
            id=step.own,
            name=name_of(entry, shown_name(shown)),
            kind="task" if called is None else "composite",
            action=action,
            workflow=called,
            external=called is not None,
            inputs=inputs,
            outputs=outputs,
            params=params,
            timeout=timeout_of(entry),
            join=join,
            span=entry.document.span(*entry.path),
            path=entry.path,
        )

    def _arguments(self, entry: Fields) -> dict[str, Any]:
        arguments = entry.value.get("with")
        if arguments is not None and not isinstance(arguments, dict):
            raise entry.wrong("with", "a mapping", "write a mapping with `key: value` entries")
        params = dict(arguments or {})
        for key, value in entry.value.items():
            if key not in _READ:
                params[f"step {key}" if key in params else key] = value
        if step_forgives := entry.value.get("continue-on-error"):
            params["continue-on-error"] = step_forgives
        return params


def shown_name(text: str) -> str:
    r"""Return the display name of a step without a name: "Run" and the first line of its action or script.

    Example:
        >>> shown_name("actions/checkout@v4"), shown_name("\n  make\n  make test"), shown_name("docker://alpine:3")
        ('Run actions/checkout@v4', 'Run make', 'Run alpine:3')
    """
    first = text.removeprefix("docker://").lstrip(_BLANK).splitlines()
    return f"Run {first[0]}" if first else "Run"


def _span(entry: Fields, key: str) -> SourceSpan | None:
    return entry.document.span(*entry.path, *((key,) if key in entry else ()))
