"""The jobs of a workflow file. A job is a composite of its steps, or calls a reusable workflow."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from wfgate.formats.builder import MAX_LINKS, check_size
from wfgate.formats.fields import Fields
from wfgate.formats.github_actions.data import Offered, kept_apart, output_of, references_of
from wfgate.formats.github_actions.entries import (
    Notes,
    Reference,
    condition_of,
    continues_on_error,
    ids_beside,
    is_expression,
    masked,
    name_of,
    references_in,
    timeout_of,
    without_passwords,
)
from wfgate.formats.github_actions.flow import JobFlow, Needs
from wfgate.formats.github_actions.steps import StepReader
from wfgate.model import END, DataLink, Loop, SourceSpan, Task, Workflow

MAX_JOBS = 256
"""Most jobs that one matrix may make."""
MAX_CHECKED = 400_000
"""Most comparisons of a row with an entry that are made to count the rows, over all matrices of a file."""
_KEYS = (
    "name",
    "needs",
    "if",
    "runs-on",
    "permissions",
    "environment",
    "concurrency",
    "outputs",
    "env",
    "defaults",
    "steps",
    "timeout-minutes",
    "strategy",
    "continue-on-error",
    "container",
    "services",
    "uses",
    "with",
    "secrets",
    "snapshot",
)
_READ = {"name", "needs", "if", "steps", "uses", "timeout-minutes", "outputs", "secrets", "container", "services"}


def matrix_loop(matrix: Any, limit: int = MAX_CHECKED) -> Loop | None:
    """Return the loop of a matrix, which runs over the keys of the matrix; None if the value is not a matrix.

    Args:
        matrix: The matrix.
        limit: The largest number of comparisons to count the rows of the matrix.

    Example:
        >>> loop = matrix_loop({"os": ["a", "b"], "node": [1, 2], "exclude": [{"os": "a", "node": 1}]})
        >>> loop.over, loop.max
        ('node, os', 3)
        >>> matrix_loop("${{ fromJSON(needs.plan.outputs.matrix) }}").over
        '${{ fromJSON(needs.plan.outputs.matrix) }}'
    """
    if isinstance(matrix, str):
        return Loop(mode="foreach", over=matrix)
    if not isinstance(matrix, dict) or not matrix:
        return None
    vectors = {key: value for key, value in matrix.items() if key not in {"include", "exclude"}}
    included = matrix.get("include")
    keys = dict.fromkeys(vectors)
    if not keys and isinstance(included, list):
        keys = dict.fromkeys(key for entry in included if isinstance(entry, dict) for key in entry)
    return Loop(mode="foreach", over=", ".join(sorted(keys)) or str(included or ""), max=combinations(matrix, limit))


def combinations(matrix: dict[str, Any], limit: int = MAX_CHECKED) -> int | None:
    """Return the number of jobs that a matrix makes; None if the number is unknown or takes too long to count.

    Combinations in `exclude` are removed first. An entry in `include` is added to the combinations that it does not
    contradict. If it contradicts all combinations, the entry is a new combination.

    Example:
        >>> combinations(
        ...     {"fruit": ["apple", "pear"], "include": [{"fruit": "apple", "shape": "round"}, {"fruit": "fig"}]}
        ... )
        3
    """
    vectors = {key: value for key, value in matrix.items() if key not in {"include", "exclude"}}
    excluded, included = matrix.get("exclude") or [], matrix.get("include") or []
    plain = all(isinstance(value, list) for value in (*vectors.values(), excluded, included))
    if not plain or _unknown([*excluded, *included]):
        return None
    count = prod(len(values) for values in vectors.values())
    if not excluded and not included:
        return count
    if count * (1 + len(excluded) + len(included)) > limit:
        return None
    if excluded and _unknown(vectors):
        return None
    rows = [dict(zip(vectors, row, strict=True)) for row in product(*vectors.values())] if vectors else []
    rows = [row for row in rows if not any(_fits(entry, row) for entry in excluded)]
    extended = [entry for entry in included if isinstance(entry, dict)]
    more = sum(
        1
        for entry in extended
        if not any(all(key not in vectors or row[key] == value for key, value in entry.items()) for row in rows)
    )
    return len(rows) + more


def _fits(entry: Any, row: Any) -> bool:
    """Return whether a row contains every key and value of an entry in `exclude`."""
    if isinstance(entry, dict) and isinstance(row, dict):
        return all(key in row and _fits(value, row[key]) for key, value in entry.items())
    if isinstance(entry, list) and isinstance(row, list):
        return len(entry) == len(row) and all(map(_fits, entry, row))
    return bool(entry == row)


def _unknown(value: Any) -> bool:
    pending = [value]
    while pending:
        inner = pending.pop()
        if is_expression(inner):
            return True
        if isinstance(inner, dict):
            pending += inner.values()
        elif isinstance(inner, list):
            pending += inner
    return False


@dataclass(frozen=True)
class Job:
    """One job as it is written.

    Attributes:
        entry: The mapping of the job in the file.
        key: Id of the job in the file.
        own: Id of the job in the workflow.
        needs: Workflow ids of the jobs in `needs`, each with its position.
        outputs: Names of the outputs of the job; None if the job calls another file, which declares them.
    """

    entry: Fields
    key: str
    own: str
    needs: dict[str, SourceSpan | None]
    outputs: tuple[str, ...] | None


class JobReader:
    """Reads the jobs of one workflow.

    Args:
        notes: Collects the diagnostics.
    """

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.parts: dict[str, Workflow] = {}
        self.size = 0
        self.count = 0
        self.twice: set[str] = set()
        self.keys: dict[str, str] = {}
        self.by_own: dict[str, Job] = {}

    def read(self, top: Fields, name: str) -> Workflow:
        """Read the jobs. The other keys of the workflow are not read here.

        Raises:
            FormatError: If there are no jobs, or a job does not have the form of a job.
        """
        jobs = self._jobs(top)
        check_size(self.notes.document, len(jobs), sum(len(job.needs) for job in jobs))
        flow = JobFlow([self._needs(job) for job in jobs])
        self.size = len(flow.links)
        check_size(self.notes.document, len(jobs), self.size)
        self._say(flow, {job.own: job for job in jobs})
        by_key = {job.key.casefold(): job for job in jobs}
        self.by_own = {job.own: job for job in jobs}
        self.keys = {key: job.key for key, job in by_key.items()}
        reads: dict[str, dict[tuple[str, str], None]] = {}
        for job in jobs:
            reads[job.own] = self._reads(job, by_key)
            self.size += len(reads[job.own])
            check_size(self.notes.document, len(jobs), self.size)
        offered = {(key, output) for job in jobs for key, output in reads[job.own]}
        offered |= {(key, output) for key, job in by_key.items() for output in job.outputs or ()}
        owners = Counter(output for _, output in offered)
        self.twice = {output for output, count in owners.items() if count > 1}
        tasks = tuple(self._task(job, reads[job.own], flow.joins.get(job.own), name) for job in jobs)
        links = [link for job in jobs for link in self._data_links(job, by_key, reads[job.own])]
        links += self._results(top, by_key)
        return Workflow(
            name=name,
            tasks=tasks,
            links=tuple(flow.links),
            data_links=tuple(links),
            subworkflows=tuple(kept_apart(self.parts, {datum for _, datum in offered})),
        )

    def _jobs(self, top: Fields) -> list[Job]:
        document = self.notes.document
        jobs = top.mapping("jobs")
        if not jobs:
            raise top.error("the workflow has no jobs", "jobs", fix="add a job under `jobs:`")
        ids = ids_beside(())
        addresses = {key: ids.free(key) for key in jobs}
        folded = {key.casefold(): own for key, own in addresses.items()}
        found = []
        for key, value in jobs.items():
            entry = Fields(document, ("jobs", key), value, what="a job")
            self.notes.unknown(entry, _KEYS)
            if not key:
                raise entry.error("the id of a job is empty", fix="give the job an id")
            if not all(char.isalnum() or char in "_-" for char in key):
                message = f"{key[:80]!r} is not a valid id of a job"
                self.notes.say("warning", message, *entry.path, fix="use only letters, digits, _ and - in the id")
            called = entry.value.get("uses") is not None
            if called and "steps" in entry:
                raise entry.error("a job has both `uses` and `steps`", "steps", fix="delete `uses` or `steps`")
            if not called and not entry.entries("steps"):
                message = "a job has neither `steps` nor `uses`"
                raise entry.error(
                    message, *(("steps",) if "steps" in entry else ()), fix="add `steps` or `uses` to the job"
                )
            outputs = entry.mapping("outputs") if entry.value.get("outputs") is not None else {}
            needs: dict[str, SourceSpan | None] = {}
            for place, need in enumerate(entry.words("needs") if entry.value.get("needs") is not None else ()):
                span = document.span(*entry.path, "needs", place)
                needs.setdefault(addresses.get(need) or folded.get(need.casefold(), need), span)
            found.append(Job(entry, key, addresses[key], needs, None if called else tuple(outputs)))
        return found

    def _needs(self, job: Job) -> Needs:
        entry = job.entry
        span = entry.document.span(*entry.path, *(("if",) if "if" in entry else ()))
        return Needs(job.own, job.needs, condition_of(entry, self.notes), continues_on_error(entry, self.notes), span)

    def _say(self, flow: JobFlow, jobs: Mapping[str, Job]) -> None:
        for own in flow.unreachable:
            message = "this job never runs: it needs the failure of an earlier job, and no earlier job can fail"
            self.notes.say(
                "warning",
                message,
                *jobs[own].entry.path,
                "if",
                fix="add `needs` with a job that can fail, or remove the job",
            )
        for own in flow.mixed:
            message = "links cannot express how this condition combines status functions, so all outcomes are linked"
            self.notes.say("warning", message, *jobs[own].entry.path, "if")
        for own, names in flow.indirect.items():
            message = f"success() checks all earlier jobs, so this job also waits for {', '.join(names[:5])}"
            self.notes.say("info", message, *jobs[own].entry.path)

    def _reads(self, job: Job, by_key: Mapping[str, Job]) -> dict[tuple[str, str], None]:
        """Return the outputs of other jobs that a job and its steps read, as (key of the job, output)."""
        found: dict[tuple[str, str], None] = {}
        strangers: dict[str, None] = {}
        for path in (path for path in _paths(job.entry.value) if path[0] == "needs" and len(path) > 2):
            needed = by_key.get(path[1].casefold())
            if needed is None or needed.own not in job.needs:
                if path[1] != "*":
                    strangers[path[1]] = None
            elif path[2:] == ("outputs",):
                found |= {(path[1].casefold(), datum): None for datum in needed.outputs or ()}
            if datum := output_of(path):
                found[path[1].casefold(), datum] = None
        for name in strangers:
            message = f"this job reads outputs of {name[:80]!r} without `needs`, so these outputs are empty"
            self.notes.say("warning", message, *job.entry.path, fix=f"add {name[:80]!r} to `needs`")
        return found

    def _data_links(self, job: Job, by_key: Mapping[str, Job], reads: Iterable[tuple[str, str]]) -> Iterable[DataLink]:
        for key, datum in reads:
            source = by_key.get(key)
            if source is None or source.own not in job.needs:
                continue
            if source.outputs is not None and datum not in source.outputs:
                message = f"the job {source.key[:80]!r} has no output {datum[:80]!r}, so the value is empty"
                self.notes.say("warning", message, *job.entry.path, fix="add this output to `outputs` of that job")
                continue
            yield DataLink(
                source=source.own, target=job.own, data=datum, span=job.entry.document.span(*job.entry.path)
            )

    def _results(self, top: Fields, by_key: Mapping[str, Job]) -> Iterable[DataLink]:
        """Yield the outputs that a reusable workflow returns to its caller."""
        on = top.value.get("on")
        called = on.get("workflow_call") if isinstance(on, dict) else None
        outputs = called.get("outputs") if isinstance(called, dict) else None
        for path in dict.fromkeys(references_in(outputs)):
            source = by_key.get(path[1].casefold()) if path[0] == "jobs" and len(path) > 1 else None
            datum = output_of(path)
            if source is not None and datum is not None:
                span = self.notes.document.span("on", "workflow_call", "outputs")
                yield DataLink(source=source.own, target=END, data=self._datum(path[1], datum), span=span)

    def _task(self, job: Job, reads: Iterable[tuple[str, str]], join: str | None, workflow: str) -> Task:
        entry = job.entry
        params = self._params(entry)
        outputs: tuple[str, ...] = ()
        if job.outputs is None:
            calls = entry.text("uses")
        else:
            part = self._steps(job, workflow)
            calls = part.name
            handed = {link.data for link in part.data_links if link.target == END}
            outputs = tuple(datum for output in job.outputs if (datum := self._datum(job.key, output)) in handed)
            others = [output for output in job.outputs if self._datum(job.key, output) not in handed]
            if others:  # written by no step: a constant, or what the run itself knows
                params["outputs"] = {output: entry.value["outputs"][output] for output in others}
        strategy = entry.value.get("strategy")
        matrix = strategy.get("matrix") if isinstance(strategy, dict) else None
        loop = matrix_loop(matrix, MAX_CHECKED // len(self.by_own))
        if loop is not None and (loop.max or 0) > MAX_JOBS:
            message = f"the matrix creates {loop.max} jobs, but GitHub runs at most {MAX_JOBS}"
            self.notes.say("warning", message, *entry.path, "strategy", fix="make the matrix smaller")
        return Task(
            id=job.own,
            name=name_of(entry, job.key),
            kind="composite",
            workflow=calls,
            external=job.outputs is None,
            inputs=tuple(dict.fromkeys(self._datum(key, output) for key, output in reads)),
            outputs=outputs,
            params=params,
            timeout=timeout_of(entry),
            loop=loop,
            join=join,
            span=entry.document.span(*entry.path),
            path=entry.path,
        )

    def _steps(self, job: Job, workflow: str) -> Workflow:
        """Read the steps of a job as a sub-workflow."""
        entry = job.entry
        steps = entry.entries("steps")
        self.count += len(steps)
        check_size(self.notes.document, self.count)
        name = f"job {job.key}" if f"job {job.key}" != workflow else f"steps of job {job.key}"
        needed = {
            self.by_own[own].key.casefold(): self.by_own[own].outputs or () for own in job.needs if own in self.by_own
        }
        reader = StepReader(self.notes, Offered(needed, self._datum), MAX_LINKS - self.size)
        results: dict[str, Iterable[Reference]] = {}
        for path in references_in(entry.value.get("environment")):
            if output := output_of(path):
                results[output] = [path]
        for output in job.outputs or ():
            results[self._datum(job.key, output)] = list(references_in(entry.value["outputs"][output]))
        part = reader.read(name, (*entry.path, "steps"), steps, results)
        self.size += len(part.links) + len(part.data_links)
        self.parts[job.key] = part
        return part

    def _datum(self, key: str, output: str) -> str:
        """Return the datum name of an output: with the id of the job if several jobs have an output of this name."""
        return f"{self.keys.get(key.casefold(), key)}.{output}" if output in self.twice else output

    def _params(self, entry: Fields) -> dict[str, Any]:
        params = {key: value for key, value in entry.value.items() if key not in _READ}
        arguments = params.pop("with", None)
        if isinstance(arguments, dict):
            params = {**arguments, **params}
        elif arguments is not None:
            raise entry.wrong("with", "a mapping", "write a mapping with `key: value` entries")
        if "secrets" in entry:
            params["secrets"] = masked(entry.value["secrets"])
        if entry.value.get("container") is not None:
            params["container"] = without_passwords(entry.value["container"])
        if isinstance(entry.value.get("services"), dict):
            services = entry.value["services"].items()
            params["services"] = {name: without_passwords(service) for name, service in services}
        environment = params.get("environment")
        if environment is not None:
            name = environment.get("name") if isinstance(environment, dict) else environment
            shown = name if isinstance(name, str) else "?"
            if not is_expression(shown):
                message = "an environment may require an approval or a wait that the file does not show"
                self.notes.group("info", message, shown, *entry.path, "environment")
        return params


def _paths(job: Mapping[str, Any]) -> Iterable[Reference]:
    """Return the references in a job and its steps, each once."""
    found = references_of(job)
    steps = job.get("steps")
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict):
            found |= references_of({"if": step.get("if")})
    return found
