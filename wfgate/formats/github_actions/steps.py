"""The steps of a job or of a composite action, in their order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wfgate.formats.base import MAX_LINKS, Path
from wfgate.formats.ends import check_size
from wfgate.formats.fields import Fields
from wfgate.formats.github_actions.conditions import Condition
from wfgate.formats.github_actions.entries import (
    condition_of,
    forgives,
    name_of,
    scalar_text,
    timeout_of,
    unused,
)
from wfgate.formats.github_actions.expressions import Reference, references, references_in, templates
from wfgate.formats.github_actions.notes import Notes
from wfgate.formats.github_actions.step_flow import Place, StepFlow
from wfgate.model import END, START, DataLink, SourceSpan, Task, Workflow

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


@dataclass(frozen=True)
class Step:
    """One step as written.

    Attributes:
        entry: Where it stands.
        own: Its address.
        asked: Its `if`.
        forgiven: Whether its failure counts as success.
        reads: The outputs of steps and needed jobs that it names.
    """

    entry: Fields
    own: str
    asked: Condition
    forgiven: bool
    reads: tuple[Reference, ...]


@dataclass
class StepReader:
    """Reads the steps of one job.

    Attributes:
        notes: Where to say what was seen.
        known: Outputs of needed jobs that may be read: for the address used in `needs`, what it puts out; None where
            that is not known.
        room: How many links there may still be in the file.
    """

    notes: Notes
    known: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    room: int = MAX_LINKS

    def read(self, name: str, path: Path, steps: list[Any], results: Iterable[Reference]) -> Workflow:
        """Read the steps.

        Args:
            name: What the workflow of the steps is called.
            path: Where the list of them stands.
            steps: The list.
            results: What the job puts out, by the outputs of steps that it names.

        Raises:
            FormatError: If a step is none, or there are too many links.
        """
        document = self.notes.document
        entries = [Fields(document, (*path, at), step, what="a step") for at, step in enumerate(steps)]
        taken = {scalar_text(entry.value["id"]) for entry in entries if entry.value.get("id") is not None}
        found = self._steps(entries, taken)
        first = {step.own: step for step in reversed(found)}
        linked = [step for step in found if first[step.own] is step]  # that an id is there twice is left to the checks
        flow = StepFlow([self._place(step) for step in linked], self.room)
        check_size(document, len(found), len(flow.links) + MAX_LINKS - self.room)
        for number in flow.hopeless:
            self.notes.say(
                "warning",
                "this step runs only if one before it fails, and none can",
                *linked[number].entry.path,
                "if",
                fix="remove the step or its condition",
            )
        joins = {linked[number].own: join for number, join in flow.joins.items()}
        tasks, links = self._with_data(found, joins, tuple(results))
        return Workflow(name=name, tasks=tasks, links=tuple(flow.links), data_links=links)

    def _steps(self, entries: list[Fields], taken: set[str]) -> list[Step]:
        found = []
        for number, entry in enumerate(entries, start=1):
            self.notes.unknown(entry, _KEYS)
            uses, run = entry.value.get("uses") is not None, entry.value.get("run") is not None
            if uses == run:
                said = "has both `uses` and `run`" if uses else "has neither `uses` nor `run`"
                raise entry.error(f"a step {said}", fix="a step either uses an action or runs a script")
            own = entry.word("id") if entry.value.get("id") is not None else ""
            address = unused(own, set()) if own else unused(f"step-{number}", taken)
            asked = condition_of(entry, self.notes)
            reads = dict.fromkeys(read for read in _reads(entry.value) if read[0] in {"steps", "needs"})
            found.append(Step(entry, address, asked, forgives(entry, self.notes), tuple(reads)))
        return found

    def _place(self, step: Step) -> Place:
        return Place(step.own, step.asked, step.forgiven, _span(step.entry, "if"))

    def _with_data(
        self, found: list[Step], joins: Mapping[str, str], results: tuple[Reference, ...]
    ) -> tuple[tuple[Task, ...], tuple[DataLink, ...]]:
        """Return the steps with what they read and write, and the links that say from where."""
        folded = {own.casefold(): step for step in reversed(found) if (own := scalar_text(step.entry.value.get("id")))}
        written: dict[str, dict[str, None]] = {}
        links: dict[tuple[str, str, str], DataLink] = {}

        def read(path: Reference, target: str, entry: Fields | None) -> str | None:
            span = entry.document.span(*entry.path) if entry else None
            datum = output_of(path)
            if datum is None:
                return None
            if path[0] == "needs":
                links.setdefault((START, target, datum), DataLink(source=START, target=target, data=datum, span=span))
                return datum
            producer = folded.get(path[1].casefold())
            if producer is not None:
                written.setdefault(producer.own, {})[datum] = None
                link = DataLink(source=producer.own, target=target, data=datum, span=span)
                links.setdefault((producer.own, target, datum), link)
            elif entry is not None:
                said = f"there is no step {path[1][:80]!r} in this job: what is read of it is empty"
                self.notes.say("warning", said, *entry.path, fix="correct the id")
            return datum

        inputs = []
        for step in found:
            data = dict.fromkeys(read(path, step.own, step.entry) for path in self._named(step.reads))
            inputs.append(tuple(datum for datum in data if datum is not None))
        for path in results:
            read(path, END, None)
        tasks = tuple(
            self._task(step, joins.get(step.own), inputs[number], tuple(written.get(step.own, ())))
            for number, step in enumerate(found)
        )
        return tasks, tuple(links.values())

    def _named(self, reads: Iterable[Reference]) -> Iterable[Reference]:
        """Yield what is read, `needs.build.outputs` as all that is known of it."""
        for path in reads:
            if path[0] == "needs" and len(path) == 3 and path[2] == "outputs":
                yield from ((*path, datum) for datum in self.known.get(path[1]) or ())
            else:
                yield path

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
                said = "an action without a version"
                self.notes.say("warning", f"{said}: {shown[:80]!r}", *entry.path, "uses", fix="add @ and a version")
            if ref and called is None:
                params["action ref"] = ref
        params |= self._arguments(entry)
        return Task(
            id=step.own,
            name=name_of(entry, shown_name(shown)),
            kind="task" if called is None else "composite",
            action=action,
            workflow=called,
            inputs=inputs,
            outputs=outputs,
            params=params,
            timeout=timeout_of(entry),
            join=join,
            span=entry.document.span(*entry.path),
        )

    def _arguments(self, entry: Fields) -> dict[str, Any]:
        arguments = entry.value.get("with")
        if arguments is not None and not isinstance(arguments, dict):
            raise entry.wrong("with", "a mapping", "write it as `key: value` entries")
        params = dict(arguments or {})
        for key, value in entry.value.items():
            if key not in _READ:
                params[f"step {key}" if key in params else key] = value
        if step_forgives := entry.value.get("continue-on-error"):
            params["continue-on-error"] = step_forgives
        return params


def shown_name(text: str) -> str:
    r"""Return the name under which a step without one is shown: the first line of what it runs.

    Example:
        >>> shown_name("actions/checkout@v4"), shown_name("\n  make\n  make test"), shown_name("docker://alpine:3")
        ('Run actions/checkout@v4', 'Run make', 'Run alpine:3')
    """
    first = text.removeprefix("docker://").lstrip(_BLANK).splitlines()
    return f"Run {first[0]}" if first else "Run"


def output_of(path: Reference) -> str | None:
    """Return the output that a path names: `steps.meta.outputs.tags` names `tags`.

    Example:
        >>> output_of(("needs", "build", "outputs", "image")), output_of(("needs", "build", "result"))
        ('image', None)
    """
    return path[3] if len(path) > 3 and path[2] == "outputs" and path[3] != "*" and path[1] != "*" else None


def _reads(step: Mapping[str, Any]) -> Iterable[Reference]:
    """Yield the paths that a step names; its `if` is an expression without `${{ }}` too."""
    for key, value in step.items():
        if key == "if" and isinstance(value, str) and next(templates(value), None) is None:
            yield from references(value)
        else:
            yield from references_in(value)


def _span(entry: Fields, key: str) -> SourceSpan | None:
    return entry.document.span(*entry.path, *((key,) if key in entry else ()))
