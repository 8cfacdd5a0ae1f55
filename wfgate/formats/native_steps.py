"""The short form of the native format (a list of steps), and the fields of a step."""

from itertools import pairwise
from typing import Any, get_args

from wfgate.documents import Diagnostic, Document
from wfgate.formats.builder import with_ends
from wfgate.formats.fields import Fields
from wfgate.model import END, START, Guard, Link, Loop, Names, Task
from wfgate.model.workflow import Language, TaskKind

TASK_KEYS = (
    "id",
    "name",
    "description",
    "kind",
    "action",
    "workflow",
    "external",
    "inputs",
    "outputs",
    "params",
    "critical",
    "tags",
    "timeout",
    "loop",
    "join",
)
"""Keys of a task; each is the field of the model with the same name."""

_LOOP_MODES = get_args(Loop.model_fields["mode"].annotation)
STEP_KEYS = (*TASK_KEYS, "needs", "when")
"""Keys of a step."""
_LONGEST_SLUG = 60


def read_task(entry: Fields, task_id: str) -> Task:
    """Read a task under the given id. Its default name is the id. A task that calls a workflow is a composite.

    Raises:
        FormatError: If a value has the wrong type.
    """
    if task_id in {START, END}:
        raise entry.error(f"the id {task_id} is reserved for a virtual node", "id", fix="choose another id")
    called = entry.optional_text("workflow")
    return Task(
        id=task_id,
        name=entry.text("name", task_id),
        description=entry.text("description"),
        kind=entry.choice("kind", get_args(TaskKind), "task" if called is None else "composite"),
        action=entry.optional_text("action"),
        workflow=called,
        external=entry.flag("external"),
        inputs=entry.texts("inputs"),
        outputs=entry.texts("outputs"),
        params=entry.mapping("params"),
        critical=entry.flag("critical"),
        tags=entry.texts("tags"),
        timeout=entry.optional_text("timeout"),
        loop=_read_loop(entry),
        join=entry.optional_text("join"),
        span=entry.document.span(*entry.path),
    )


def read_guard(entry: Fields, key: str = "guard") -> Guard | None:
    """Read a guard (the condition of a link): an expression, or `expr`, `language`, `order` and `default`.

    Raises:
        FormatError: If the guard is neither a text nor a mapping.
    """
    if key not in entry:
        return None
    value = entry.value[key]
    if isinstance(value, str):
        return Guard(expr=value)
    guard = Fields(
        entry.document, (*entry.path, key), value, what="a guard", known=("expr", "language", "order", "default")
    )
    return Guard(
        expr=guard.optional_text("expr"),
        language=guard.choice("language", get_args(Language), "plain"),
        order=guard.whole_number("order"),
        default=guard.flag("default"),
    )


def _read_loop(entry: Fields) -> Loop | None:
    if "loop" not in entry:
        return None
    loop = Fields(
        entry.document,
        (*entry.path, "loop"),
        entry.value["loop"],
        what="a loop",
        known=("mode", "condition", "language", "over", "max"),
    )
    return Loop(
        mode=loop.choice("mode", _LOOP_MODES),
        condition=loop.optional_text("condition"),
        language=loop.choice("language", get_args(Language), "plain"),
        over=loop.optional_text("over"),
        max=loop.whole_number("max"),
    )


def read_steps(
    document: Document, steps: list[Any]
) -> tuple[tuple[Task, ...], tuple[Link, ...], tuple[Diagnostic, ...]]:
    """Read the list under `steps`; the `when` of a step becomes the guard of all its incoming links.

    Returns:
        Tasks in list order, links with START and END, and diagnostics.

    Raises:
        FormatError: If a step is neither a text nor a mapping, or a value in a step has the wrong type.

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
                message = f"several steps have the name {need[:80]!r}; the first is used"
                diagnostics.append(
                    document.diagnostic(
                        "warning", message, *path, fix="give these steps ids, and use an id in `needs`"
                    )
                )
            source = need if need in ids else by_name.get(need, need)
            links.append(Link(source=source, target=task.id, span=document.span(*path)))
    return links


def _slug(name: str) -> str:
    """Return the name in lower case, with a dash for every character that is neither a letter nor a digit."""
    spaced = "".join(char if char.isalnum() else " " for char in name.lower()[: 4 * _LONGEST_SLUG])
    return "-".join(spaced.split())[:_LONGEST_SLUG].rstrip("-")
