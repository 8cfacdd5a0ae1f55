"""Reads graphs and lists of steps in JSON or YAML: node and edge lists, TaskBench records, plans, dependency lists."""

import json
from typing import Any, ClassVar

from wfgate.errors import FormatError
from wfgate.model import Task, Workflow
from wfgate.read.documents.document import Document
from wfgate.read.documents.values import check_plain
from wfgate.read.formats.base import Format, Part, Reading
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.graph_dialects import DIALECTS, STEP, GraphParts, is_sequence, lack, read_graph
from wfgate.read.formats.hints import may_be_run
from wfgate.read.formats.node_red import flow_as_graph
from wfgate.read.formats.other_tools import other_tool
from wfgate.read.formats.plan_spellings import LISTS, list_key, respelled
from wfgate.read.formats.worfbench import refuse_beyond_plain_links

_DESCRIBED = ("description", "user_request", "task", "goal")
_TASK_FIELDS = {"name", "description", "action", "params", "critical"}


class GraphJsonFormat(Format):
    """Steps and links in JSON or YAML, as people, language models, benchmarks and graph libraries write them.

    Five kinds are read: `task_nodes` and `task_links` (TaskBench, ProcessTBench); `plans` of tools that refer to each
    other as `<Tool>`; a list `steps`, `tasks`, `plan` or `nodes` with `edges` or with dependencies in the steps
    (`depends_on`, `needs`, `after`, ...; for example LangGraph's export and Task Master); the same list without edges
    and dependencies, or only the list: its steps run in this order; `steps` and `edges` with numbers from 1. The list
    may be inside one outer key, such as `workflow`.

    A step is a text or a mapping. Its name is under `name`, `title`, `task`, `action`, `step`, `description` or a
    similar key; its id is under `id`, `task_id`, `number` or a similar key, and is never compared if there is a name
    or a description. Its condition is under `if`, `when`, `condition`, `only_if` or `run_if`; that of an edge may also
    be under `guard`, `on`, `case`, `expression`, `outcome` or `conditional`, or be its `label`. Dependencies are ids,
    names or, if no step has an id, numbers from 1. If one step has dependencies, only dependencies decide the order.
    A step without a successor is linked to END, and a step without a predecessor is linked from START, unless the
    record has such links itself.

    Mappings under `subtasks` of a step (Task Master) are steps inside it. They may depend on each other, as `2` or
    `5.2`. A dependency on a step inside another step is read as one on this whole step, with a warning.

    What language models write instead is read, too, and compares equal:

    - the list under `workflow`, `actions`, `activities`, `subtasks`, `stages`, `phases`, `jobs` (a list), `procedure`,
      or `states` beside `transitions`; as a mapping of ids to steps; or as `{"step1": ..., "step2": ...}`
    - the flows of Node-RED without subflows: nodes with `wires`
    - the tasks of CrewAI (`tasks.yaml`), each with `description`, `expected_output` and maybe `context`,
      or under `tasks` beside `agents`
    - the record inside `workflow`, `plan`, `result`, `output`, `response`, `data`, `answer`, `pipeline`, `process` or
      `dag`, beside plain values such as a name
    - groups: `phases: [{name, steps: [...]}]`, one after the other; the name of the group becomes a value of its steps
    - the name under `step_name`, `task_name`, `activity`, `tool`, `function` or `data.node.display_name` (Langflow)
    - dependencies under `upstream`, `upstream_task_ids`, `requires`, `predecessors`, `parents`, `depends` or `dep`,
      and successors under `next`, `next_steps`, `downstream`, `downstream_task_ids` or `successors` (a mapping of
      conditions to ids is a branch), if their values are steps; `none` is no step, `"a, b"` are two
    - links under `connections`, `transitions`, `dependencies`, `relationships` or `flow`, as pairs, mappings
      (`source_id`, `from_step`, ...) or texts (`Build -> Test`)
    - choices under `conditional_edges` or `branches`: each with its source, what decides, and the steps by the answer,
      such as `{source: a, path: approved, path_map: {"true": b, "false": c}}` (LangGraph); the first and the last step
      under `entry_point` and `finish_point`

    Other lists and mappings beside the edges that name steps are not read, which a warning says: with a new warning, a
    candidate is at least reviewed. How far the work is (`status: pending`, `in_progress`, `done`; `done: true`) is
    left out if at least half of the steps say it; `cancelled` and `deferred` are compared.

    Of several such lists, a candidate is read from the one under the key that was read in its golden, with a warning.

    In prose, JSON on lines of its own is read also without a fence. So are the `todos` in the front matter of a
    Markdown file (Cursor); the text below is compared as one value. Files of other tools with such lists are refused
    by name (`wfgate/data/other_tools.toml`).

    Example:
        >>> data = {"nodes": [{"id": 1, "name": "Build"}, {"id": 2, "name": "Test"}], "edges": [[1, 2]]}
        >>> workflow = GraphJsonFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', '1'), ('1', '2'), ('2', 'END')]
    """

    id: ClassVar[str] = "graph-json"
    title: ClassVar[str] = "a graph"  # also of YAML
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = (
        "a list of steps with names, alone or under `steps`, `tasks` or `plan`; `nodes` and `edges`; `task_nodes`; "
        "`plans`"
    )
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("[]",),
        ("steps",),
        ("tasks",),
        ("plan",),
        ("plans",),
        ("nodes", "edges"),
        ("task_nodes", "task_links"),
    )

    def recognises(self, document: Document) -> bool:
        """Return whether the record has the keys of one of these kinds, with values of the right type."""
        data = _respelled(document).data
        if isinstance(data, list):
            is_graph = document.kind != "text" and is_sequence(data, pairs=True)
        else:
            is_graph = isinstance(data, dict) and "wfgate" not in data and any(fits(data) for _, fits, _ in DIALECTS)
        return is_graph and other_tool(flow_as_graph(document)) is None and not _is_run(document)

    def read(self, document: Document) -> Reading:
        """Read the record as the first kind that fits.

        Raises:
            FormatError: If no kind fits, or a node or link is not valid.
        """
        return self._read(document, "")

    def read_like(self, document: Document, golden: Part) -> Reading:
        """Read the record from the list under the golden's key, if it has several lists and one under this key."""
        return self._read(document, next((key for key in LISTS if golden.kind == _listed(key)), ""))

    def _read(self, document: Document, golden: str) -> Reading:
        document = _respelled(document, golden)
        data: Any = document.data if isinstance(document.data, list) else document.mapping()
        fitting = ((name, reader) for name, fits, reader in DIALECTS if isinstance(data, dict) and fits(data))
        dialect, reader = next(fitting, ("graph", read_graph))
        parts = reader(document, data) if reader is not read_graph else read_graph(document, data, golden)
        record = parts.record or (data if isinstance(data, dict) else {})
        part = _part(parts)
        if part and not part.only and (own := list_key(parts.record, STEP.needs)) and part.kind != _listed(own):
            message = f"its {_listed(own)} is not read, because the steps of the golden are its {part.kind}"
            parts.say("warning", message, *parts.path[:-1], own)
        workflow = _workflow(parts, record)
        lists = (workflow, *workflow.subworkflows)
        links = sum(len(each.links) + len(each.data_links) for each in lists)
        check_size(document, sum(len(each.tasks) for each in lists), links)
        return Reading(workflow, self.id, tuple(parts.diagnostics), document, dialect, part)

    def lack(self, document: Document) -> FormatError | None:
        """Return the first step that has no name, or the key of a list of steps that is not known."""
        document = _respelled(document)
        return None if document.kind == "text" else lack(document, document.data)

    def write(self, workflow: Workflow) -> str:
        """Return the workflow as `nodes` and `edges`, including the links from START and to END.

        The record contains the name and description of the workflow, and the id, name, description, action, params and
        critical mark of each task. The other attributes and the flow of data are left out.

        Raises:
            FormatError: If there are gateways, sub-workflows, loops, or links with a guard or an outcome.

        Example:
            >>> print(GraphJsonFormat().write(Workflow(tasks=(Task(id="a", name="Build"),))), end="")
            {
              "nodes": [
                {
                  "id": "a",
                  "name": "Build"
                }
              ],
              "edges": []
            }
        """
        refuse_beyond_plain_links(workflow, self.id)
        record: dict[str, Any] = {}
        if workflow.name:
            record["name"] = workflow.name
        if workflow.description:
            record["description"] = workflow.description
        record["nodes"] = [_node(task) for task in workflow.tasks]
        record["edges"] = [{"source": link.source, "target": link.target} for link in workflow.links]
        check_plain(record, workflow.name or "workflow")
        return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _is_run(document: Document) -> bool:
    """Return whether a document is the record of a run: a list of runs with names."""
    if not may_be_run(document):
        return False
    from wfgate.read.formats.recorded_runs import RecordedRunFormat  # noqa: PLC0415 - most graphs do not need it

    return RecordedRunFormat().recognises(document)


def _listed(key: str) -> str:
    return f"list `{key}`"


def _part(parts: GraphParts) -> Part | None:
    """Return which list of a record was read; None without a record."""
    if not parts.path:
        return None
    key, span = str(parts.path[-1]), parts.document.span(*parts.path)
    others = any(isinstance(parts.record.get(other), list) for other in LISTS if other != key)
    return Part(_listed(key), span.line if span else None, only=not others)


def _respelled(document: Document, golden: str = "") -> Document:
    """Return the document with the keys that this reader knows, if its data is no record of a benchmark."""
    document = flow_as_graph(document)
    data = document.data
    if document.kind == "text" or (
        isinstance(data, dict) and ("wfgate" in data or {"task_nodes", "plans"} & data.keys())
    ):
        return document
    return respelled(document, STEP, is_sequence, golden)


def _node(task: Task) -> dict[str, Any]:
    return {"id": task.id, "name": task.name} | task.model_dump(
        mode="json", include=_TASK_FIELDS - {"name"}, exclude_defaults=True
    )


def _workflow(parts: GraphParts, data: dict[str, Any]) -> Workflow:
    described = [data[key] for key in _DESCRIBED if isinstance(data.get(key), str)]
    return Workflow(
        name=data["name"] if isinstance(data.get("name"), str) else "",
        description=described[0] if described else "",
        tasks=tuple(parts.tasks),
        links=tuple(parts.links),
        data_links=tuple(parts.data_links),
        subworkflows=tuple(parts.subworkflows),
    )
