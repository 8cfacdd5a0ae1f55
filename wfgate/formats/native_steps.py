"""The short form of the native format: a list of steps with `needs`."""

from itertools import pairwise
from typing import Any

from wfgate.documents import Diagnostic, Document
from wfgate.formats.builder import with_ends
from wfgate.formats.fields import Fields
from wfgate.formats.native_tasks import TASK_KEYS, read_guard, read_task
from wfgate.model import Link, Names, Task

STEP_KEYS = (*TASK_KEYS, "needs", "when")
"""Keys of a step."""

_LONGEST_SLUG = 60


def read_steps(
    document: Document, steps: list[Any]
) -> tuple[tuple[Task, ...], tuple[Link, ...], tuple[Diagnostic, ...]]:
    """Read the list under `steps`; `when` guards every link into its step.

    Returns:
        Tasks in list order, links with START and END, and diagnostics.

    Raises:
        FormatError: If a step is neither a text nor a mapping, or a value in it has the wrong type.

    Example:
        >>> _, links, _ = read_steps(Document("example"), ["Build", "Test"])
        >>> [(link.source, link.target) for link in links]
        [('START', 'build'), ('build', 'test'), ('test', 'END')]
    """
    entries = [_entry(document, place, step) for place, step in enumerate(steps)]
    ids = Names((entry.word("id") for entry in entries if "id" in entry), variant="{}-{}")
    tasks: list[Task] = []
    for place, entry in enumerate(entries):
        if "id" in entry:
            own = entry.word("id")
        else:
            if not entry.text("name").strip():
                raise entry.error("a step has neither a name nor an id", fix="add `name: ...`")
            own = ids.free(_slug(entry.text("name")) or f"step-{place + 1}")
        tasks.append(read_task(entry, own))
    diagnostics: list[Diagnostic] = []
    if any("needs" in entry for entry in entries):
        links = _needed(document, entries, tasks, diagnostics)
    else:
        links = [Link(source=before.id, target=after.id, span=after.span) for before, after in pairwise(tasks)]
    guards = {task.id: read_guard(entry, "when") for entry, task in zip(entries, tasks, strict=True)}
    linked = (
        link if guards.get(link.target) is None else link.model_copy(update={"guard": guards[link.target]})
        for link in with_ends([task.id for task in tasks], links)
    )
    return tuple(tasks), tuple(linked), tuple(diagnostics)


def _entry(document: Document, place: int, step: object) -> Fields:
    value = {"name": step} if isinstance(step, str) else step
    return Fields(document, ("steps", place), value, what="a step", known=STEP_KEYS)


def _needed(document: Document, entries: list[Fields], tasks: list[Task], diagnostics: list[Diagnostic]) -> list[Link]:
    ids = {task.id for task in tasks}
    by_name: dict[str, str] = {}
    repeated: set[str] = set()
    for task in tasks:
        if by_name.setdefault(task.name, task.id) != task.id:
            repeated.add(task.name)
    links: list[Link] = []
    for entry, task in zip(entries, tasks, strict=True):
        single = not isinstance(entry.value.get("needs"), list)
        for place, need in enumerate(entry.words("needs")):
            path = (*entry.path, "needs") if single else (*entry.path, "needs", place)
            if need not in ids and need in repeated:
                said = f"several steps are called {need[:80]!r}: the first is taken"
                diagnostics.append(document.diagnostic("warning", said, *path, fix="give the steps ids"))
            source = need if need in ids else by_name.get(need, need)
            links.append(Link(source=source, target=task.id, span=document.span(*path)))
    return links


def _slug(name: str) -> str:
    """Return the name in lower case, with a dash for everything that is neither letter nor digit."""
    spaced = "".join(char if char.isalnum() else " " for char in name.lower()[: 4 * _LONGEST_SLUG])
    return "-".join(spaced.split())[:_LONGEST_SLUG].rstrip("-")
