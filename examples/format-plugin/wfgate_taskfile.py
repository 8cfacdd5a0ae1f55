"""Taskfiles (https://taskfile.dev) as workflows: a third-party format for wfgate."""

from typing import Any, ClassVar

from wfgate.model import Link, Task, Workflow
from wfgate.read import Diagnostic, Document, Format, Reading, with_ends

NOT_READ = ("includes", "for", "preconditions", "status", "sources", "if", "platforms")
"""Keys that control whether or how often something runs; this reader ignores them with a warning."""


class TaskfileFormat(Format):
    """A Taskfile: `version` and a mapping of `tasks`, with their `deps` and the tasks that they call.

    The dependencies of a task, and the tasks that it calls in its `cmds`, end before the task ends. Both become links
    to the task.

    Example:
        >>> data = {"version": "3", "tasks": {"build": "go build", "ship": {"deps": ["build"]}}}
        >>> workflow = TaskfileFormat().read(Document("Taskfile.yml", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'build'), ('build', 'ship'), ('ship', 'END')]
    """

    id: ClassVar[str] = "taskfile"
    signature: ClassVar[str] = "a mapping with `version` and a mapping of `tasks`"

    def recognises(self, document: Document) -> bool:
        """Return whether the content looks like a Taskfile. Called for every file, so it must be fast."""
        data = document.data
        return isinstance(data, dict) and "version" in data and isinstance(data.get("tasks"), dict)

    def read(self, document: Document) -> Reading:
        """Read the tasks.

        Raises:
            FormatError: If no workflow can be read. A missing dependency is not an error here; the checks report it.
        """
        data = document.mapping()
        entries = data.get("tasks")
        if not isinstance(entries, dict):
            raise document.error("`tasks` must be a mapping", "tasks", fix="write `name: {cmds: [...]}` entries")
        diagnostics = [self._unread(document, key) for key in NOT_READ if key in data]
        tasks: list[Task] = []
        links: list[Link] = []
        for name, value in entries.items():
            path = ("tasks", name)
            entry = self._entry(document, path, value)
            tasks.append(self._task(document, path, entry))
            for key in ("deps", "cmds"):
                for index, item in enumerate(entry.get(key) or []):
                    before = self._called(item, key)
                    if before is not None:
                        links.append(Link(source=before, target=name, span=document.span(*path, key, index)))
                    if isinstance(item, dict):
                        diagnostics += [
                            self._unread(document, *path, key, index, ignored)
                            for ignored in NOT_READ
                            if ignored in item
                        ]
            diagnostics += [self._unread(document, *path, key) for key in NOT_READ if key in entry]
        workflow = Workflow(
            name=document.name.rsplit("/", 1)[-1].split(".")[0],
            tasks=tuple(tasks),
            links=with_ends([task.id for task in tasks], links),
        )
        return Reading(workflow, self.id, tuple(diagnostics))

    def _entry(self, document: Document, path: tuple[str, ...], value: Any) -> dict[str, Any]:
        """Return a task as a mapping; the short forms are one command or a list of commands."""
        if isinstance(value, str | list):
            value = {"cmds": [value] if isinstance(value, str) else value}
        if not isinstance(value, dict):
            raise document.error("a task must be a command, a list of commands or a mapping", *path, fix="add `cmds:`")
        for key in ("deps", "cmds"):
            if not isinstance(value.get(key) or [], list):
                raise document.error(f"`{key}` must be a list", *path, key, fix="write one `- ` per item")
        return value

    def _task(self, document: Document, path: tuple[str, ...], entry: dict[str, Any]) -> Task:
        commands = [item for item in entry.get("cmds") or [] if self._called(item, "cmds") is None]
        return Task(
            id=path[-1],
            name=str(entry.get("desc") or path[-1]),
            description=str(entry.get("summary") or ""),
            params={"cmds": commands} if commands else {},
            span=document.span(*path),
        )

    def _called(self, item: Any, key: str) -> str | None:
        """Return the task that an entry of `deps` or `cmds` names."""
        if isinstance(item, dict):
            return str(item["task"]) if "task" in item else None
        return str(item) if key == "deps" else None

    def _unread(self, document: Document, *path: str | int) -> Diagnostic:
        return document.diagnostic(
            "warning", f"`{path[-1]}` is not supported; the steps are read as if they run without it", *path
        )
