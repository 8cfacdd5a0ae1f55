"""The flow of data between the steps of a job: the source and the name of each value that a step reads."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wfgate.model import END, START, DataLink, Workflow
from wfgate.read.documents.document import Path
from wfgate.read.formats.builder import MAX_LINKS, check_size
from wfgate.read.formats.github_actions.expressions import Reference, output_of
from wfgate.read.formats.github_actions.parts import GithubStep
from wfgate.read.formats.notes import Notes

_Uses = Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class NeededOutputs:
    """The outputs of the needed jobs.

    Attributes:
        outputs: The known outputs of each needed job, by the id of the job.
        name: Returns the datum name of an output, from the id of the job and the name of the output.
    """

    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    name: Callable[[str, str], str] = lambda _, output: output


class StepData:
    """Collects the data that steps read and write.

    If two steps of a job have an output with the same name, the datum name contains the id of the step.

    Args:
        steps: The steps.
        results: The references of each datum that the job returns, by the name of the datum.
        offered: The outputs of the needed jobs.
        notes: Collects the diagnostics.
        room: The largest number of data links that the file may still have.

    Raises:
        FormatError: If there are more data links than `room`.
    """

    def __init__(
        self,
        steps: Sequence[GithubStep],
        results: Mapping[str, Iterable[Reference]],
        offered: NeededOutputs,
        notes: Notes,
        room: int = MAX_LINKS,
    ) -> None:
        self.offered = offered
        self.document = notes.document
        self.producers = {step.shape.id.casefold(): step for step in reversed(steps) if step.shape.id}
        self.twice = self._twice(steps)
        self.inputs: list[tuple[str, ...]] = []
        self.links: dict[tuple[str, str, str], DataLink] = {}
        self._written: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for step in steps:
            data: dict[str, None] = {}
            for path in self._named(step.reads):
                if path[0] == "steps" and path[1].casefold() not in self.producers:
                    message = f"this job has no step {path[1][:80]!r}, so the outputs of that step are empty"
                    notes.say("warning", message, *step.path, fix="correct the id of the step")
                data[self._read(path, step)] = None
            self.inputs.append(tuple(data))
            check_size(notes.document, 0, len(self.links) + MAX_LINKS - room)
        for datum, paths in results.items():
            for path in self._named(paths):
                producer = self.producers.get(path[1].casefold()) if path[0] == "steps" else None
                if producer is not None:
                    self._written[producer.id][datum] = None
                    self._link(producer.id, END, datum, producer.path)

    def written(self, step: GithubStep) -> tuple[str, ...]:
        """Return the outputs of a step that something reads; other outputs of a step are not known."""
        return tuple(self._written.get(step.id, ()))

    def _read(self, path: Reference, reader: GithubStep) -> str:
        output = output_of(path) or ""
        source = START
        if path[0] == "needs":
            datum = self.offered.name(path[1], output)
        else:
            producer = self.producers.get(path[1].casefold())
            datum = f"{path[1]}.{output}" if output in self.twice else output
            if producer is None:
                return datum
            source = producer.id
            self._written[source][datum] = None
        self._link(source, reader.id, datum, reader.path)
        return datum

    def _link(self, source: str, target: str, datum: str, path: Path) -> None:
        link = DataLink(source=source, target=target, data=datum, span=self.document.span(*path))
        self.links.setdefault((source, target, datum), link)

    def _named(self, reads: Iterable[Reference]) -> Iterable[Reference]:
        """Yield the outputs that are read; `needs.build.outputs` means all known outputs of the job."""
        for path in reads:
            if path[0] == "needs" and len(path) == 3 and path[2] == "outputs":
                yield from ((*path, output) for output in self.offered.outputs.get(path[1].casefold(), ()))
            elif output_of(path) is not None:
                yield path

    def _twice(self, steps: Sequence[GithubStep]) -> set[str]:
        owners: defaultdict[str, set[str]] = defaultdict(set)
        for path in (path for step in steps for path in step.reads if path[0] == "steps"):
            if (output := output_of(path)) is not None:
                owners[output].add(path[1].casefold())
        return {output for output, steps_with in owners.items() if len(steps_with) > 1}


def kept_apart(parts: Mapping[str, Workflow], outside: set[str]) -> list[Workflow]:
    """Return the steps of the jobs with different names for the data of different jobs.

    The outputs of a step are visible only inside its job. If two jobs have a datum `tags`, these are two data, and
    neither is an output of its job. Such a datum gets the id of its job as a prefix.

    Args:
        parts: The steps of each job, by the id of the job.
        outside: The names of the data between jobs.

    Returns:
        The parts in their order. Cost: linear in the data links.

    Example:
        >>> from wfgate.model import DataLink, Task
        >>> meta, push = Task(id="meta", name="m", outputs=("tags",)), Task(id="push", name="p", inputs=("tags",))
        >>> job = Workflow(tasks=(meta, push), data_links=(DataLink(source="meta", target="push", data="tags"),))
        >>> [part.tasks[1].inputs for part in kept_apart({"api": job, "web": job}, set())]
        [('api/tags',), ('web/tags',)]
    """
    known = {key: (inside_of(part), _handed(part)) for key, part in parts.items()}
    owners = Counter(datum for inside, _ in known.values() for datum in {datum for _, datum in inside})
    apart = []
    for key, part in parts.items():
        inside, handed = known[key]
        taken = outside | {datum for _, datum in handed}
        renamed = {
            (source, datum): f"{key}/{datum}" for source, datum in inside if owners[datum] > 1 or datum in taken
        }
        apart.append(_renamed(part, renamed) if renamed else part)
    return apart


def inside_of(part: Workflow) -> set[tuple[str, str]]:
    """Return the data that only other steps read, as (step, datum)."""
    between = {(link.source, link.data) for link in part.data_links if link.source != START and link.target != END}
    return between - _handed(part)


def _handed(part: Workflow) -> set[tuple[str, str]]:
    """Return the data that the steps return as outputs of the job, as (step, datum)."""
    return {(link.source, link.data) for link in part.data_links if link.target == END}


def _renamed(part: Workflow, names: _Uses) -> Workflow:
    links = tuple(
        link.model_copy(update={"data": names.get((link.source, link.data), link.data)}) for link in part.data_links
    )
    read: dict[tuple[str, str], dict[str, None]] = {}
    for before, link in zip(part.data_links, links, strict=True):
        read.setdefault((before.target, before.data), {})[link.data] = None
    tasks = []
    for task in part.tasks:
        inputs = [name for datum in task.inputs for name in read.get((task.id, datum), {datum: None})]
        outputs = [names.get((task.id, datum), datum) for datum in task.outputs]
        tasks.append(task.model_copy(update={"inputs": tuple(inputs), "outputs": tuple(outputs)}))
    return part.model_copy(update={"tasks": tuple(tasks), "data_links": links})
