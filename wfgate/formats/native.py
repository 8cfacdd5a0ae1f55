"""The native format: named workflows in YAML or JSON, and a short form for a list of steps."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, get_args

from wfgate.documents import Diagnostic, Document, Path
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size, missing_ends
from wfgate.formats.fields import Fields, kind_of
from wfgate.formats.native_steps import TASK_KEYS, read_guard, read_steps, read_task
from wfgate.formats.native_writer import write_native
from wfgate.model import END, START, DataItem, DataLink, Gateway, Link, Task, Workflow
from wfgate.model.workflow import Operator, Outcome, Semantics

VERSION = "1"

_FULL_KEYS = ("wfgate", "main", "workflows")
_SHORT_KEYS = ("wfgate", "name", "description", "semantics", "params", "steps")
_WORKFLOW_KEYS = (
    "name",
    "description",
    "semantics",
    "params",
    "tasks",
    "gateways",
    "flow",
    "flow_complete",
    "data",
    "dataflow",
)


class NativeFormat(Format):
    """wfgate's own format: `wfgate: "1"` with named `workflows` (full form) or with a list of `steps` (short form).

    Full form: `workflows` maps keys to workflows. `main` is the key of the main workflow; it is optional if there is
    only one workflow. A workflow has `tasks`, `gateways`, `flow` (links with `from`, `to`, `guard`, `outcome`,
    `back`), `data` and `dataflow`. If no link in `flow` begins at START, every task without an incoming link is linked
    from START; END is treated in the same way. Both are reported in a diagnostic. With `flow_complete: true`, no link
    is added.

    Short form: each step is a text or a mapping. If no step has `needs`, the steps run in the order of the list. If
    any step has `needs`, only `needs` decides the order, and a step without `needs` is a first step. `needs` contains
    ids or exact names of other steps. `when` is the condition under which a step runs: an expression, or a mapping
    like `guard`. The default id of a step is its name in lower case with dashes.

    Example:
        >>> data = {"wfgate": "1", "steps": ["Build", {"name": "Test", "critical": True}]}
        >>> workflow = NativeFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'build'), ('build', 'test'), ('test', 'END')]
    """

    id: ClassVar[str] = "native"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = 'a mapping with the key `wfgate`, as in `wfgate: "1"`'

    def recognises(self, document: Document) -> bool:
        """Return whether the top level is a mapping with the version `wfgate`; a mapping is a job of GitLab."""
        return isinstance(document.data, dict) and not isinstance(document.data.get("wfgate", {}), dict)

    def read(self, document: Document) -> Reading:
        """Read the full or the short form.

        Raises:
            FormatError: On a missing or unknown version, an unknown key, or a value of the wrong type.
        """
        data = document.mapping()
        if data.get("wfgate") not in (VERSION, int(VERSION)) or isinstance(data["wfgate"], bool | float):
            shown = repr(data["wfgate"])[:40] if "wfgate" in data else "missing"
            raise document.error(
                f'the version must be "{VERSION}", not {shown}', "wfgate", fix=f'write wfgate: "{VERSION}"'
            )
        short = "steps" in data and "workflows" not in data
        both = (*_FULL_KEYS, *_SHORT_KEYS[1:])
        known = _SHORT_KEYS if short else _FULL_KEYS if "workflows" in data else both
        top = Fields(document, (), data, what="the file", known=known)
        if not short:
            return _Full(document).read(top, self.id)
        steps = top.entries("steps")
        check_size(document, len(steps))
        tasks, links, diagnostics = read_steps(document, steps)
        check_size(document, len(tasks), len(links))
        workflow = Workflow(
            name=top.text("name"),
            description=top.text("description"),
            semantics=top.choice("semantics", get_args(Semantics), "dag"),
            params=top.mapping("params"),
            tasks=tasks,
            links=links,
        )
        return Reading(workflow, self.id, diagnostics)

    def write(self, workflow: Workflow) -> str:
        """Return the full form as YAML. If it is read again, the workflow is equal, except for positions.

        Raises:
            FormatError: If two workflows have the same name, or a sub-workflow has none.
        """
        return write_native(workflow)


@dataclass
class _Full:
    """Reads the full form."""

    document: Document
    diagnostics: list[Diagnostic] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def read(self, top: Fields, format_id: str) -> Reading:
        workflows = top.mapping("workflows")
        if "workflows" not in top or not workflows:
            raise top.error("the file has no workflows", "workflows", fix="add `workflows:` or `steps:`")
        main = top.text("main") if "main" in top else ""
        if "main" not in top:
            if len(workflows) > 1:
                raise top.error(
                    "the file has several workflows, but no `main`",
                    fix="add `main:` with the key of the main workflow",
                )
            main = next(iter(workflows))
        elif main not in workflows:
            raise top.error(
                f"there is no workflow {main[:80]!r}", "main", fix=f"use one of: {', '.join(list(workflows)[:20])}"
            )
        parts = {
            key: Fields(self.document, ("workflows", key), part, what="a workflow", known=_WORKFLOW_KEYS)
            for key, part in workflows.items()
        }
        self._name(parts, main)
        check_size(
            self.document,
            sum(len(part.entries("tasks")) for part in parts.values()),
            sum(len(part.entries("flow")) + len(part.entries("dataflow")) for part in parts.values()),
        )
        read = {key: self._workflow(part, self.names[key]) for key, part in parts.items()}
        others = tuple(part for key, part in read.items() if key != main)
        workflow = read[main].model_copy(update={"subworkflows": others})
        return Reading(workflow, format_id, tuple(self.diagnostics))

    def _name(self, parts: dict[str, Fields], main: str) -> None:
        owner: dict[str, str] = {}
        for key, part in parts.items():
            name = part.text("name", key)
            if not name and key != main:
                raise part.error(
                    "a sub-workflow must not have an empty name", "name", fix="write a name, or leave `name` out"
                )
            if name in owner:
                raise part.error(
                    f"the workflows {owner[name][:80]!r} and {key[:80]!r} have the same name",
                    "name",
                    fix="give each workflow a name of its own",
                )
            owner[name] = key
            self.names[key] = name

    def _workflow(self, part: Fields, name: str) -> Workflow:
        tasks = tuple(
            self._task((*part.path, "tasks", place), value) for place, value in enumerate(part.entries("tasks"))
        )
        gateways = tuple(
            self._gateway((*part.path, "gateways", place), value)
            for place, value in enumerate(part.entries("gateways"))
        )
        links = [self._link((*part.path, "flow", place), value) for place, value in enumerate(part.entries("flow"))]
        return Workflow(
            name=name,
            description=part.text("description"),
            semantics=part.choice("semantics", get_args(Semantics), "dag"),
            params=part.mapping("params"),
            tasks=tasks,
            gateways=gateways,
            links=self._with_ends(part, tasks, gateways, links),
            data_items=tuple(
                self._data_item((*part.path, "data", place), value) for place, value in enumerate(part.entries("data"))
            ),
            data_links=tuple(
                self._data_link((*part.path, "dataflow", place), value)
                for place, value in enumerate(part.entries("dataflow"))
            ),
        )

    def _with_ends(
        self, part: Fields, tasks: tuple[Task, ...], gateways: tuple[Gateway, ...], links: list[Link]
    ) -> tuple[Link, ...]:
        nodes = [] if part.flag("flow_complete") else [*(task.id for task in tasks), *(gate.id for gate in gateways)]
        before, after = missing_ends(nodes, links)
        if nodes and all(link.source != START for link in links):
            message = f"no link starts at {START}; links from {START} to {len(before)} first nodes are added"
            self.diagnostics.append(self.document.diagnostic("info", message, *part.path, "flow"))
        if nodes and all(link.target != END for link in links):
            message = f"no link ends at {END}; links from {len(after)} last nodes to {END} are added"
            self.diagnostics.append(self.document.diagnostic("info", message, *part.path, "flow"))
        return (*before, *links, *after)

    def _task(self, path: Path, value: Any) -> Task:
        entry = Fields(self.document, path, value, what="a task", known=TASK_KEYS)
        task_id = entry.word("id")
        task = read_task(entry, task_id)
        called = task.workflow
        if called is None:
            return task
        return task.model_copy(update={"workflow": self.names.get(called, called)})

    def _gateway(self, path: Path, value: Any) -> Gateway:
        entry = Fields(self.document, path, value, what="a gateway", known=("id", "op", "role"))
        roles = get_args(Gateway.model_fields["role"].annotation)
        return Gateway(
            id=_own_id(entry),
            op=entry.choice("op", get_args(Operator)),
            role=entry.choice("role", roles, "split"),
            span=self.document.span(*path),
        )

    def _link(self, path: Path, value: Any) -> Link:
        entry = Fields(self.document, path, value, what="a flow", known=("from", "to", "guard", "outcome", "back"))
        return Link(
            source=entry.word("from"),
            target=entry.word("to"),
            guard=read_guard(entry),
            outcome=entry.choice("outcome", get_args(Outcome), "success"),
            back=entry.flag("back"),
            span=self.document.span(*path),
        )

    def _data_item(self, path: Path, value: Any) -> DataItem:
        if isinstance(value, str) and value:
            return DataItem(id=value)
        if value == "":
            raise self.document.error("'data' must not contain an empty name", *path, fix="write the name of the data")
        entry = Fields(self.document, path, value, what="a data item", known=("id", "description"))
        return DataItem(id=entry.word("id"), description=entry.text("description"))

    def _data_link(self, path: Path, value: Any) -> DataLink:
        entry = Fields(self.document, path, value, what="a data flow", known=("from", "to", "data"))
        if "data" not in entry:
            raise entry.error("a data flow has no 'data'", fix="add 'data' with the name of the data")
        if not isinstance(entry.value["data"], str):
            raise entry.error(
                f"'data' must be a text, not {kind_of(entry.value['data'])}",
                "data",
                fix="write the name of the data in quotes",
            )
        return DataLink(
            source=entry.word("from"),
            target=entry.word("to"),
            data=entry.text("data"),
            span=self.document.span(*path),
        )


def _own_id(entry: Fields) -> str:
    own = entry.word("id")
    if own in {START, END}:
        raise entry.error(f"the id {own} is reserved for a virtual node", "id", fix="choose another id")
    return own
