"""The jobs of a configuration: their ids, stages and needs, as tasks, links and data links."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from pydantic import Field

from wfgate.model import END, START, DataLink, Loop, Names, Task, Workflow
from wfgate.read.documents.document import Document, Severity
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.gitlab_ci.conditions import ways_of
from wfgate.read.formats.gitlab_ci.effective import GLOBAL, is_job
from wfgate.read.formats.gitlab_ci.flow import Before, Placed, StageFlow
from wfgate.read.formats.gitlab_ci.shapes import GitlabJob, Parallel, Trigger
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.typed import Texts, Written, listed, read_shape

STAGES = ("build", "test", "deploy")
"""The stages of a file without `stages`."""
_READ = {"stage", "needs", "dependencies", "rules", "only", "except", "when", "timeout", "parallel", "start_in"}
_RESERVED = {START.casefold(), END.casefold(), "and", "or", "not"}
_NOT_IN_IDS = re.compile(r"[\s()!«»]+")
"""What separates words in a join expression."""
_FILES = ("local", "file", "artifact", "template", "component")
"""How a file of a child pipeline is named."""
_INPUT = re.compile(r"\$\[\[\s*inputs\.([\w-]+)\s*\]\]")
"""An input of a component, for which the reader takes the default as the name of a stage."""
_MARK = "job:"
"""Before each id in the effective data that refers to a job; see `references` in the table of consequences."""


class GitlabInput(Written):
    """An input of a component."""

    default: Any = None


class Header(Written):
    """The header of a component."""

    inputs: dict[str, GitlabInput | None] = Field(default_factory=dict)


class GitlabTop(Written):
    """The top level."""

    stages: Texts | None = None
    workflow: dict[str, Any] = Field(default_factory=dict)
    spec: Header = Header()


@dataclass
class GitlabJobReader:
    """Reads the jobs.

    Attributes:
        document: The effective document; see `Configuration`.
        notes: The diagnostics.
        included: Whether the file includes other files, so that stages, needed jobs and templates may be there.
    """

    document: Document
    notes: Notes
    included: bool = False

    def read(self) -> tuple[Workflow, Document]:
        """Return the workflow, and the document with one spelling of all references to jobs.

        Raises:
            FormatError: If there are no jobs, a job does not have the form of a job, or there are too many jobs.
        """
        data = self.document.data
        top = read_shape(GitlabTop, data, self.document, (), "the configuration")
        keys = [key for key in data if is_job(key, data[key])]
        if not keys:
            raise self.document.error("the file has no jobs", fix="add a job with `script`")
        check_size(self.document, len(keys))
        self.jobs = {
            key: read_shape(GitlabJob, data[key], self.document, (key,), f"the job {key[:80]!r}") for key in keys
        }
        names = Names(variant="{}-{}", reserved=_RESERVED)
        self.ids = {key: names.free(_NOT_IN_IDS.sub("-", key) or "job") for key in keys}
        self.inputs = {name: str(each.default) for name, each in top.spec.inputs.items() if each and each.default}
        stages = STAGES if top.stages is None else top.stages
        self.stages = {name: at for at, name in reversed([*enumerate([".pre", *stages, ".post"])])}
        check_size(self.document, len(keys), sum(len(job.needs or ()) for job in self.jobs.values()))
        flow = StageFlow([self._placed(key) for key in keys], names)
        unreachable = set(flow.unreachable)
        for key in keys:
            if self.ids[key] in unreachable:
                self.notes.say("warning", "this job never runs", key, fix="correct its `rules`, or delete the job")
        written = self._written_artifacts()
        workflow = Workflow(
            name=str(top.workflow.get("name") or ""),
            params={key: value for key, value in data.items() if key in GLOBAL - {"stages"}},
            tasks=tuple(self._task(key, written, all_=self.ids[key] in flow.joins) for key in keys),
            gateways=tuple(flow.gateways),
            links=tuple(flow.links),
            data_links=tuple(self._data_links(written)),
        )
        return workflow, replace(self.document, data=data | {key: self._normal(key) for key in keys})

    def _placed(self, key: str) -> Placed:
        job, raw = self.jobs[key], self.document.data[key]
        self.notes.unknown(job, "a job", key)
        if not (job.script or job.run or job.trigger):
            severity: Severity = "info" if self.included or "extends" in raw else "warning"
            fix = "add `script`, `run` or `trigger`"
            self.notes.say(severity, f"the job {key[:80]!r} has no script in this file", key, fix=fix)
        stage = self._stage(job)
        if stage not in self.stages:
            severity = "info" if self.included else "warning"
            message = f"the stage {stage[:80]!r} is not in `stages`, so the job is read as one of the last stage"
            self.notes.say(severity, message, key, "stage", fix="add the stage to `stages`")
        if any(rule.needs is not None for rule in job.rules or ()):
            self.notes.say("info", "`needs` of single rules are compared as settings, not as links", key, "rules")
        return Placed(
            self.ids[key],
            self.stages.get(stage, len(self.stages) + 1),
            None if job.needs is None else tuple(self._needs(key, job)),
            ways_of(job),
            job.allow_failure is True or (job.allow_failure is None and job.when == "manual" and job.rules is None),
            self.document.span(key, "rules" if "rules" in raw else "needs"),
        )

    def _stage(self, job: GitlabJob) -> str:
        return _INPUT.sub(lambda match: self.inputs.get(match[1], match[0]), job.stage)

    def _needs(self, key: str, job: GitlabJob) -> Iterable[Before]:
        """Yield the needed jobs, each once. Jobs of other files and pipelines are not linked."""
        seen: set[str] = set()
        for at, need in enumerate(job.needs or ()):
            if need.job is None or need.project or need.pipeline:
                message = "a job of another project or pipeline is needed; it has no link"
                self.notes.say("info", message, key, "needs", at)
            elif need.job not in self.ids and (self.included or need.optional):
                self.notes.say("info", f"the needed job {need.job[:80]!r} is not in this file", key, "needs", at)
            elif need.job not in seen:
                seen.add(need.job)
                yield Before(self.ids.get(need.job, need.job), need.optional)

    def _task(self, key: str, written: Mapping[str, str], *, all_: bool) -> Task:
        job, raw = self.jobs[key], self.document.data[key]
        return Task(
            id=self.ids[key],
            name=key,
            kind="task" if job.trigger is None else "composite",
            workflow=None if job.trigger is None else _called(job.trigger),
            external=job.trigger is not None,
            inputs=tuple(dict.fromkeys(written[source] for source in self._sources(job) if source in written)),
            outputs=(written[key],) if key in written else (),
            params={name: value for name, value in raw.items() if name not in _READ},
            timeout=job.timeout,
            loop=None if job.parallel is None else _loop(job.parallel),
            join="all" if all_ else None,
            span=self.document.span(key),
            path=(key,),
        )

    def _written_artifacts(self) -> dict[str, str]:
        """Return the name of the artifacts of each job that has some: their files, which say more than the job."""
        artifacts = {}
        for key, job in self.jobs.items():
            reports = [str(path) for each in job.artifacts.reports.values() for path in _texts(each)]
            if files := dict.fromkeys([*job.artifacts.paths, *reports]):
                artifacts[key] = ", ".join(files)
        count = Counter(artifacts.values())
        return {key: name if count[name] == 1 else f"{key}: {name}" for key, name in artifacts.items()}

    def _sources(self, job: GitlabJob) -> Sequence[str]:
        """Return the jobs whose artifacts a job names: in `dependencies`, otherwise in `needs`."""
        needed = [need.job for need in job.needs or () if need.job and need.artifacts and not need.project]
        if job.dependencies is None:
            return list(dict.fromkeys(needed))
        return [key for key in dict.fromkeys(job.dependencies) if job.needs is None or key in set(needed)]

    def _data_links(self, written: Mapping[str, str]) -> Iterable[DataLink]:
        for key, job in self.jobs.items():
            for source in self._sources(job):
                if source in written:
                    span = self.document.span(key, "dependencies" if job.dependencies is not None else "needs")
                    yield DataLink(source=self.ids[source], target=self.ids[key], data=written[source], span=span)

    def _normal(self, key: str) -> dict[str, Any]:
        """Return a job with one spelling of `needs`, and a mark before the ids that refer to other jobs.

        Stages and needed jobs that are not in this file have other keys, because no link expresses them.
        """
        job, raw = self.jobs[key], dict(self.document.data[key])
        if self._stage(job) not in self.stages:
            raw["stage elsewhere"] = raw.pop("stage", None)
        if job.needs is not None:
            raw["needs"] = [self._normal_need(need) for need in listed(raw["needs"])]
        if job.dependencies is not None:
            raw["dependencies"] = [self._marked(name) for name in job.dependencies]
        for part, name in (("environment", "on_stop"), ("trigger", "include")):
            inner = raw.get(part)
            if isinstance(inner, dict) and name in inner:
                raw[part] = inner | {name: self._marked(inner[name])}
        return raw

    def _normal_need(self, need: Any) -> Any:
        need = need if isinstance(need, dict) else {"job": str(need)}
        local = need.get("job") in self.ids and not {"project", "pipeline"} & need.keys()
        return need if local else {("job elsewhere" if key == "job" else key): value for key, value in need.items()}

    def _marked(self, value: Any) -> Any:
        """Return a reference with its mark; in the files of a child pipeline, the references to jobs."""
        if isinstance(value, list):
            return [self._marked(inner) if isinstance(inner, dict) else inner for inner in value]
        if isinstance(value, dict):
            return {key: self._marked(inner) if key == "job" else inner for key, inner in value.items()}
        return f"{_MARK}{self.ids[value]}" if isinstance(value, str) and value in self.ids else value


def _called(trigger: Trigger) -> str:
    """Return the name of a pipeline: of its project, or of its files."""
    if trigger.project:
        return trigger.project
    first = next(iter(trigger.include), "")
    if isinstance(first, dict):
        first = next((first[name] for name in _FILES if name in first), "")
    return first if isinstance(first, str) and first else "child pipeline"


def _loop(parallel: Parallel) -> Loop:
    """Return the loop of `parallel`: over the variables of the matrix, or over the number of each copy.

    Example:
        >>> loop = _loop(Parallel(matrix=({"OS": ["linux", "mac"], "ARCH": ["x86", "arm"]}, {"OS": "bsd"})))
        >>> loop.over, loop.max
        ('OS, ARCH', 5)
    """
    if not parallel.matrix:
        return Loop(mode="foreach", over="the number of the copy", max=parallel.number)
    rows = [prod(len(listed(values)) for values in row.values()) for row in parallel.matrix]
    names = dict.fromkeys(name for row in parallel.matrix for name in row)
    return Loop(mode="foreach", over=", ".join(names), max=sum(rows))


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        value = value.get("path")
    return [item for item in listed(value) if isinstance(item, str)]
