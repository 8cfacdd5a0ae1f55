"""The jobs of a workflow file. A job is a composite of its steps, or calls a reusable workflow."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from wfgate.model import END, DataLink, SourceSpan, Task, Workflow
from wfgate.read.documents.document import Path
from wfgate.read.formats.builder import MAX_LINKS, check_size
from wfgate.read.formats.github_actions import shapes
from wfgate.read.formats.github_actions.data import NeededOutputs, kept_apart
from wfgate.read.formats.github_actions.expressions import (
    Reference,
    is_expression,
    masked,
    output_of,
    references_in,
    references_of,
    without_passwords,
)
from wfgate.read.formats.github_actions.flow import JobFlow
from wfgate.read.formats.github_actions.matrix import MAX_CHECKED, MAX_JOBS, matrix_loop
from wfgate.read.formats.github_actions.parts import GithubJob, part_of
from wfgate.read.formats.github_actions.steps import StepReader, ids_beside
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.typed import read_shape

_READ = {"name", "needs", "if", "steps", "uses", "timeout-minutes", "outputs", "secrets", "container", "services"}


class GithubJobReader:
    """Reads the jobs of one workflow.

    Args:
        notes: Collects the diagnostics.
    """

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.document = notes.document
        self.parts: dict[str, Workflow] = {}
        self.size = 0
        self.count = 0
        self.twice: set[str] = set()
        self.by_key: dict[str, GithubJob] = {}
        self.by_own: dict[str, GithubJob] = {}

    def read(self, file: shapes.GithubFile) -> Workflow:
        """Read the jobs. The other keys of the workflow are not read here.

        Raises:
            FormatError: If there are no jobs, or a job does not have the form of a job.
        """
        name, jobs = file.name.strip(), self._jobs(file.jobs)
        check_size(self.document, len(jobs), sum(len(job.needs) for job in jobs))
        flow = JobFlow(jobs)
        self.size = len(flow.links)
        check_size(self.document, len(jobs), self.size)
        self.by_own = {job.id: job for job in jobs}
        self.by_key = {job.key.casefold(): job for job in jobs}
        self._say(flow)
        reads: dict[str, dict[tuple[str, str], None]] = {}
        for job in jobs:
            reads[job.id] = self._reads(job)
            self.size += len(reads[job.id])
            check_size(self.document, len(jobs), self.size)
        offered = {pair for pairs in reads.values() for pair in pairs}
        offered |= {(key, output) for key, job in self.by_key.items() for output in job.outputs or ()}
        owners = Counter(output for _, output in offered)
        self.twice = {output for output, count in owners.items() if count > 1}
        tasks = tuple(self._task(job, reads[job.id], flow.joins.get(job.id), name) for job in jobs)
        links = [link for job in jobs for link in self._data_links(job, reads[job.id])]
        return Workflow(
            name=name,
            tasks=tasks,
            links=tuple(flow.links),
            data_links=(*links, *self._results(file.results)),
            subworkflows=tuple(kept_apart(self.parts, {datum for _, datum in offered})),
        )

    def _jobs(self, jobs: dict[str, Any]) -> list[GithubJob]:
        error = self.document.error
        if not jobs:
            raise error("the workflow has no jobs", "jobs", fix="add a job under `jobs:`")
        ids = ids_beside(())
        addresses = {key: ids.free(key) for key in jobs}
        folded = {key.casefold(): own for key, own in addresses.items()}
        parts = []
        for key, raw in jobs.items():
            path: Path = ("jobs", key)
            shape = read_shape(shapes.JobShape, raw, self.document, path, f"the job {key[:80]!r}")
            self.notes.unknown(shape, "a job", *path)
            if not key:
                raise error("the id of a job is empty", *path, fix="give the job an id")
            if not all(char.isalnum() or char in "_-" for char in key):
                message = f"{key[:80]!r} is not a valid id of a job"
                self.notes.say("warning", message, *path, fix="use only letters, digits, _ and - in the id")
            if shape.uses is not None and "steps" in raw:
                message = "a job has both `uses` and `steps`"
                raise error(message, *path, "steps", fix="delete `uses` or `steps`")
            if shape.uses is None and not shape.steps:
                place = (*path, "steps") if "steps" in raw else path
                raise error("a job has neither `steps` nor `uses`", *place, fix="add `steps` or `uses` to the job")
            needs: dict[str, SourceSpan | None] = {}
            for at, need in enumerate(shape.needs):
                own = addresses.get(need) or folded.get(need.casefold(), need)
                needs.setdefault(own, self.document.span(*path, "needs", at))
            parts.append(
                GithubJob(**part_of(shape, addresses[key], self.notes, path), shape=shape, key=key, needs=needs)
            )
        return parts

    def _say(self, flow: JobFlow) -> None:
        for own in flow.unreachable:
            message = "this job never runs: it needs the failure of an earlier job, and no earlier job can fail"
            fix = "add `needs` with a job that can fail, or remove the job"
            self.notes.say("warning", message, *self.by_own[own].path, "if", fix=fix)
        for own in flow.mixed:
            message = "links cannot express how this condition combines status functions, so all outcomes are linked"
            self.notes.say("warning", message, *self.by_own[own].path, "if")
        for own, names in flow.indirect.items():
            message = f"success() checks all earlier jobs, so this job also waits for {', '.join(names[:5])}"
            self.notes.say("info", message, *self.by_own[own].path)

    def _reads(self, job: GithubJob) -> dict[tuple[str, str], None]:
        """Return the outputs of other jobs that a job and its steps read, as (key of the job, output)."""
        paths = references_of(job.raw)
        for step in job.raw["steps"] if job.shape.steps else ():
            paths |= references_of({"if": step.get("if")})
        outputs: dict[tuple[str, str], None] = {}
        strangers: dict[str, None] = {}
        for path in (path for path in paths if path[0] == "needs" and len(path) > 2):
            needed = self.by_key.get(path[1].casefold())
            if needed is None or needed.id not in job.needs:
                if path[1] != "*":
                    strangers[path[1]] = None
            elif path[2:] == ("outputs",):
                outputs |= {(path[1].casefold(), datum): None for datum in needed.outputs or ()}
            if datum := output_of(path):
                outputs[path[1].casefold(), datum] = None
        for name in strangers:
            message = f"this job reads outputs of {name[:80]!r} without `needs`, so these outputs are empty"
            self.notes.say("warning", message, *job.path, fix=f"add {name[:80]!r} to `needs`")
        return outputs

    def _data_links(self, job: GithubJob, reads: Iterable[tuple[str, str]]) -> Iterable[DataLink]:
        for key, datum in reads:
            source = self.by_key.get(key)
            if source is None or source.id not in job.needs:
                continue
            if source.outputs is not None and datum not in source.outputs:
                message = f"the job {source.key[:80]!r} has no output {datum[:80]!r}, so the value is empty"
                self.notes.say("warning", message, *job.path, fix="add this output to `outputs` of that job")
                continue
            yield DataLink(source=source.id, target=job.id, data=datum, span=self.document.span(*job.path))

    def _results(self, outputs: Any) -> Iterable[DataLink]:
        """Yield the outputs that a reusable workflow returns to its caller."""
        span = self.document.span("on", "workflow_call", "outputs")
        for path in dict.fromkeys(references_in(outputs)):
            source = self.by_key.get(path[1].casefold()) if path[0] == "jobs" and len(path) > 1 else None
            datum = output_of(path)
            if source is not None and datum is not None:
                yield DataLink(source=source.id, target=END, data=self._datum(path[1], datum), span=span)

    def _task(self, job: GithubJob, reads: Iterable[tuple[str, str]], join: str | None, workflow: str) -> Task:
        shape, params = job.shape, self._params(job)
        outputs: tuple[str, ...] = ()
        calls = shape.uses
        if job.outputs is not None:
            part = self._steps(job, workflow)
            calls = part.name
            handed = {link.data for link in part.data_links if link.target == END}
            named = {output: self._datum(job.key, output) for output in job.outputs}
            outputs = tuple(datum for datum in named.values() if datum in handed)
            # written by no step: a constant, or what the run itself knows
            others = {output: job.outputs[output] for output, datum in named.items() if datum not in handed}
            params |= {"outputs": others} if others else {}
        matrix = shape.strategy.get("matrix") if isinstance(shape.strategy, dict) else None
        loop = matrix_loop(matrix, MAX_CHECKED // len(self.by_own))
        if loop is not None and (loop.max or 0) > MAX_JOBS:
            message = f"the matrix creates {loop.max} jobs, but GitHub runs at most {MAX_JOBS}"
            self.notes.say("warning", message, *job.path, "strategy", fix="make the matrix smaller")
        return Task(
            id=job.id,
            name=shape.name.strip() or job.key,
            kind="composite",
            workflow=calls,
            external=job.outputs is None,
            inputs=tuple(dict.fromkeys(self._datum(key, output) for key, output in reads)),
            outputs=outputs,
            params=params,
            timeout=shape.timeout_minutes,
            loop=loop,
            join=join,
            span=self.document.span(*job.path),
            path=job.path,
        )

    def _steps(self, job: GithubJob, workflow: str) -> Workflow:
        """Read the steps of a job as a sub-workflow."""
        self.count += len(job.shape.steps)
        check_size(self.document, self.count)
        name = f"job {job.key}" if f"job {job.key}" != workflow else f"steps of job {job.key}"
        needed = [self.by_own[own] for own in job.needs if own in self.by_own]
        offered = NeededOutputs({each.key.casefold(): list(each.outputs or ()) for each in needed}, self._datum)
        results: dict[str, Iterable[Reference]] = {
            output: [path] for path in references_in(job.shape.environment) if (output := output_of(path))
        }
        for output, value in (job.outputs or {}).items():
            results[self._datum(job.key, output)] = list(references_in(value))
        reader = StepReader(self.notes, offered, MAX_LINKS - self.size)
        part = reader.read(name, (*job.path, "steps"), job.shape.steps, results)
        self.size += len(part.links) + len(part.data_links)
        self.parts[job.key] = part
        return part

    def _datum(self, key: str, output: str) -> str:
        """Return the datum name of an output: with the id of the job if several jobs have an output of this name."""
        if output not in self.twice:
            return output
        job = self.by_key.get(key.casefold())
        return f"{job.key if job else key}.{output}"

    def _params(self, job: GithubJob) -> dict[str, Any]:
        shape = job.shape
        kept = {key: value for key, value in job.raw.items() if key not in _READ and key != "with"}
        params = {**(shape.with_ or {}), **kept}
        if "secrets" in job.raw:
            params["secrets"] = masked(shape.secrets)
        if shape.container is not None:
            params["container"] = without_passwords(shape.container)
        if isinstance(shape.services, dict):
            params["services"] = {name: without_passwords(service) for name, service in shape.services.items()}
        named = shape.environment.get("name") if isinstance(shape.environment, dict) else shape.environment
        shown = named if isinstance(named, str) else "?"
        if shape.environment is not None and not is_expression(shown):
            message = "an environment may require an approval or a wait that the file does not show"
            self.notes.group("info", message, shown, *job.path, "environment")
        return params
