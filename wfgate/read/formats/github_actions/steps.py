"""The steps of a job or of a composite action, in their order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wfgate.model import END, START, Names, Task, Workflow
from wfgate.read.documents.document import Path
from wfgate.read.formats.builder import MAX_LINKS, check_size
from wfgate.read.formats.github_actions import shapes
from wfgate.read.formats.github_actions.data import NeededOutputs, StepData
from wfgate.read.formats.github_actions.expressions import Reference, references_of
from wfgate.read.formats.github_actions.flow import StepFlow
from wfgate.read.formats.github_actions.parts import GithubStep, part_of
from wfgate.read.formats.notes import Notes

_RESERVED = {START.casefold(), END.casefold(), "and", "or", "not"}
_READ = {"id", "if", "name", "uses", "run", "with", "continue-on-error", "timeout-minutes"}
_BLANK = " \t\r\n"


def ids_beside(taken: Iterable[str]) -> Names:
    """Return a supply of ids for jobs or steps. It gives no id in `taken` and no keyword of a join expression."""
    return Names(taken, variant="{}-{}", reserved=_RESERVED)


@dataclass
class StepReader:
    """Reads the steps of one job.

    Attributes:
        notes: Collects the diagnostics.
        offered: The outputs of the needed jobs.
        room: The largest number of links that the file may still have.
    """

    notes: Notes
    offered: NeededOutputs = field(default_factory=NeededOutputs)
    room: int = MAX_LINKS

    def read(
        self, name: str, path: Path, steps: Sequence[shapes.StepShape], results: Mapping[str, Iterable[Reference]]
    ) -> Workflow:
        """Read the steps.

        Args:
            name: Name of the workflow of the steps.
            path: Path of the list of steps in the file.
            steps: The steps.
            results: The references of each datum that the job returns, by the name of the datum.

        Raises:
            FormatError: If a step has no action or script, or there are too many links.
        """
        document, parts = self.notes.document, self._steps(path, steps)
        first = {step.id: step for step in reversed(parts)}
        linked = [step for step in parts if first[step.id] is step]  # that an id is there twice is left to the checks
        flow = StepFlow(linked, self.room)
        check_size(document, len(parts), len(flow.links) + MAX_LINKS - self.room)
        for number in flow.unreachable:
            message = "this step never runs: it needs the failure of an earlier step, and no earlier step can fail"
            fix = "remove the step, or remove its condition"
            self.notes.say("warning", message, *linked[number].path, "if", fix=fix)
        joins = {linked[number].id: join for number, join in flow.joins.items()}
        data = StepData(parts, results, self.offered, self.notes, self.room - len(flow.links))
        tasks = tuple(
            self._task(step).model_copy(
                update={"join": joins.get(step.id), "inputs": inputs, "outputs": data.written(step)}
            )
            for step, inputs in zip(parts, data.inputs, strict=True)
        )
        return Workflow(name=name, tasks=tasks, links=tuple(flow.links), data_links=tuple(data.links.values()))

    def _steps(self, path: Path, steps: Sequence[shapes.StepShape]) -> list[GithubStep]:
        ids = ids_beside(step.id for step in steps if step.id)
        parts = []
        for at, step in enumerate(steps):
            place = (*path, at)
            self.notes.unknown(step, "a step", *place)
            if (step.uses is None) == (step.run is None):
                message = "has neither `uses` nor `run`" if step.run is None else "has both `uses` and `run`"
                fix = "write either `uses` with an action or `run` with a script"
                raise self.notes.document.error(f"a step {message}", *place, fix=fix)
            own = ids_beside(()).free(step.id) if step.id else ids.free(f"step-{at + 1}")
            part = part_of(step, own, self.notes, place)
            reads = tuple(one for one in references_of(part["raw"]) if one[0] in {"steps", "needs"})
            parts.append(GithubStep(**part, shape=step, reads=reads))
        return parts

    def _task(self, step: GithubStep) -> Task:
        """Return the task of a step, without its data and its join."""
        shape, called = step.shape, None
        params = dict(shape.with_ or {})
        kept = {key: value for key, value in step.raw.items() if key not in _READ}
        params |= {f"step {key}" if key in params else key: value for key, value in kept.items()}
        if step.raw.get("continue-on-error"):
            params["continue-on-error"] = step.raw["continue-on-error"]
        if shape.uses is None:
            action = "run"
            shown = shape.run or ""
            params = {"run": shown, **params}
        else:
            shown = shape.uses.strip()
            action, _, ref = shown.partition("@")
            if shown.startswith(("./", ".\\")):
                action = called = shown
            elif ref:
                params = {"action ref": ref, **params}
            elif not shown.startswith("docker://"):
                message = f"the action has no version: {shown[:80]!r}"
                fix = "add @ and a version after the name of the action"
                self.notes.say("warning", message, *step.path, "uses", fix=fix)
        return Task(
            id=step.id,
            name=shape.name.strip() or shown_name(shown),
            kind="task" if called is None else "composite",
            action=action,
            workflow=called,
            external=called is not None,
            params=params,
            timeout=shape.timeout_minutes,
            span=self.notes.document.span(*step.path),
            path=step.path,
        )


def shown_name(text: str) -> str:
    r"""Return the display name of a step without a name: "Run" and the first line of its action or script.

    Example:
        >>> shown_name("actions/checkout@v4"), shown_name("\n  make\n  make test"), shown_name("docker://alpine:3")
        ('Run actions/checkout@v4', 'Run make', 'Run alpine:3')
    """
    first = text.removeprefix("docker://").lstrip(_BLANK).splitlines()
    return f"Run {first[0]}" if first else "Run"
