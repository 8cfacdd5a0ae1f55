"""GitLab CI: the jobs of a `.gitlab-ci.yml`."""

from collections.abc import Iterator
from typing import Any, ClassVar

from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.called import Call
from wfgate.read.formats.gitlab_ci.effective import Configuration, is_job, written
from wfgate.read.formats.notes import Notes

__all__ = ["GitlabCiFormat"]

_FOREIGN = frozenset(
    {
        *("wfgate", "on", "jobs", "runs", "apiVersion", "kind", "StartAt", "States", "document", "do", "workflows"),
        *("nodes", "edges", "links", "connections", "steps", "tasks", "plan", "plans", "task_nodes"),
    }
)
"""Keys at the top level of other formats; a job may have such a name."""


class GitlabCiFormat(Format):
    """A pipeline of GitLab CI (`.gitlab-ci.yml`): jobs with `script`, `run`, `trigger` or `extends`.

    A job is a task. Jobs wait for all jobs of the earlier stages, or for the jobs in `needs`. `rules`, `only` and
    `except` become the guard (the condition) of the incoming links, in the plain language. `when: on_failure` and
    `when: always` become the outcomes of these links; an allowed failure counts as success. A manual job for which
    the pipeline does not wait has a condition, because nobody may start it. `parallel` is a loop. A job with `trigger`
    is a composite whose pipeline is in another file. `needs` and `dependencies` become data links from jobs with
    `artifacts`; that a job reads the artifacts of all earlier stages by default is not shown.

    Jobs are read, and compared value by value, as GitLab runs them: with their templates (`extends`, `!reference`) and
    with `default`. A template is no element of the workflow, so moving values into a template is no change. Local
    files in `include` are read from the checkout, without their `rules`; others are not fetched: a diagnostic says so.

    Example:
        >>> jobs = {"compile": {"stage": "build", "script": "make"}, "unit": {"extends": ".t", "needs": ["compile"]}}
        >>> data = {".t": {"script": ["make test"]}} | jobs
        >>> reading = GitlabCiFormat().read(Document("example", data=data))
        >>> [(link.source, link.target) for link in reading.workflow.links]
        [('START', 'compile'), ('compile', 'unit'), ('unit', 'END')]
        >>> reading.workflow.tasks[1].params
        {'script': ['make test']}
    """

    id: ClassVar[str] = "gitlab-ci"
    signature: ClassVar[str] = "a mapping of jobs with `script`, `run`, `trigger` or `extends`"

    def recognises(self, document: Document) -> bool:
        """Return whether the top level has a job, and no key that belongs to another format."""
        data = written(document).data
        if not isinstance(data, dict):
            return False
        jobs = {key for key, value in data.items() if is_job(key, value) and _runs(value)}
        return bool(jobs) and _FOREIGN.isdisjoint(data.keys() - jobs)

    def read(self, document: Document) -> Reading:
        """Read the jobs.

        Raises:
            FormatError: If there are no jobs, a job does not have the form that GitLab requires, or templates form a
                cycle.
        """
        from wfgate.read.formats.gitlab_ci.jobs import GitlabJobReader

        document, complete = written(document), False
        warnings, unread = tuple[Diagnostic, ...](), frozenset[str]()
        if isinstance(document.data, dict) and document.data.get("include") is not None:
            from wfgate.read.formats.gitlab_ci.included import with_included

            document, files, complete = with_included(document)
            warnings, unread = tuple(files.notes), frozenset(files.unread)
        notes = Notes(document)
        configuration = Configuration(document, notes, complete)
        effective = configuration.effective()
        workflow, effective = GitlabJobReader(effective, notes, configuration.included).read()
        if configuration.included:
            message = "included files are not fetched: their jobs, templates and defaults are not in the workflow"
            notes.say("info", message, "include")
        return Reading(workflow, self.id, (*notes.all(), *warnings), effective, unread=unread)

    def calls(self, document: Document, folder: str) -> Iterator[Call]:
        """Yield the calls of included files, of child pipelines and of programs."""
        from wfgate.read.formats.gitlab_ci.calls import calls_of

        return calls_of(written(document), folder)


def _runs(job: dict[str, Any]) -> bool:
    return (
        isinstance(job.get("script"), str | list)
        or isinstance(job.get("run"), list)
        or isinstance(job.get("trigger"), str | dict)
        or isinstance(job.get("extends"), str | list)
    )
