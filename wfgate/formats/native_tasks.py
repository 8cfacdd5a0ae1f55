"""Tasks and guards as the native format writes them, in both of its forms."""

from typing import get_args

from wfgate.formats.fields import Fields
from wfgate.model import END, START, Guard, Loop, Task
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


def read_task(entry: Fields, task_id: str) -> Task:
    """Read a task under the given id; its name defaults to the id, and to call a workflow makes it a composite.

    Raises:
        FormatError: If a value has the wrong type.
    """
    if task_id in {START, END}:
        raise entry.error(f"{task_id} is the virtual node, no task", "id", fix="choose another id")
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
    """Read the guard of a link: an expression, or a mapping with `expr`, `language`, `order` and `default`.

    Raises:
        FormatError: If it is neither.
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
