"""The local files that a workflow file or an action calls."""

from collections.abc import Iterator
from typing import Any

from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.called import ACTION, Call, call, called_by_commands, items, value_at

_PROGRAMS = ("main", "pre", "post", "image", "entrypoint", "pre-entrypoint", "post-entrypoint")
"""Keys of `runs` that name a file in the folder of the action."""


def calls_of(document: Document, folder: str) -> Iterator[Call]:
    """Yield the calls of a workflow file or an action: `uses: ./...`, the programs of an action, and of `run`.

    The folder of an action is called with all files in it, except the top of the repository.

    Args:
        document: The file. What has another form than GitHub requires calls nothing.
        folder: The folder of the file, relative to the top of the repository.
    """
    data = document.data
    default = _folder(value_at(data, "defaults", "run", "working-directory"))
    jobs = value_at(data, "jobs")
    for name, job in jobs.items() if isinstance(jobs, dict) else ():
        if isinstance(uses := value_at(job, "uses"), str) and uses.startswith("./"):
            yield from call(uses, "", span=document.span("jobs", name, "uses"))
        own = _folder(value_at(job, "defaults", "run", "working-directory"), default)
        yield from _steps(document, ("jobs", name, "steps"), value_at(job, "steps"), own, folder)
    runs = value_at(data, "runs")
    yield from _steps(document, ("runs", "steps"), value_at(runs, "steps"), "", folder)
    for key in _PROGRAMS:
        if isinstance(program := value_at(runs, key), str):
            yield from call(program, folder, span=document.span("runs", key))


def _steps(document: Document, path: Path, steps: Any, default: str, folder: str) -> Iterator[Call]:
    for at, step in enumerate(items(steps)):
        if isinstance(uses := value_at(step, "uses"), str) and uses.startswith("./"):
            span = document.span(*path, at, "uses")
            for called in call(uses, "", span=span, folder="*"):
                yield from [Call((name,), span) for name in ACTION] if called.places == (".",) else [called]
        if isinstance(run := value_at(step, "run"), str):
            own = _folder(value_at(step, "working-directory"), default)
            yield from called_by_commands(run, own, "", folder, span=document.span(*path, at, "run"))


def _folder(value: Any, default: str = "") -> str:
    return value if isinstance(value, str) and "$" not in value else default
