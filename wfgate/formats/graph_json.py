"""Reads graphs in JSON or YAML: node and edge lists, TaskBench records, plans, dependency lists, numbered steps."""

import json
from typing import Any, ClassVar

from wfgate.documents import Document, check_plain
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.graph_dialects import DIALECTS, GraphParts
from wfgate.formats.worfbench import refuse_beyond_plain_links
from wfgate.model import Task, Workflow

_TASK_FIELDS = {"name", "description", "action", "params", "critical"}


class GraphJsonFormat(Format):
    """A record of nodes and links in JSON or YAML, as benchmarks, agents and graph libraries write it.

    Five kinds are read: `task_nodes` and `task_links` (TaskBench, ProcessTBench); `plans` of tools that refer to each
    other as `<Tool>`; `nodes` and `edges` (for example LangGraph's export); `tasks` with `dependencies` or `needs`
    (Task Master); `steps` and `edges` with numbers from 1. A node without a successor is linked to END, and a node
    without a predecessor is linked from START, unless the record has such links itself.

    Example:
        >>> data = {"nodes": [{"id": 1, "name": "Build"}, {"id": 2, "name": "Test"}], "edges": [[1, 2]]}
        >>> workflow = GraphJsonFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', '1'), ('1', '2'), ('2', 'END')]
    """

    id: ClassVar[str] = "graph-json"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = (
        "a mapping with `nodes` and `edges`, `task_nodes`, `plans`, `steps` and `edges`, "
        "or a list `tasks` with `dependencies` or `needs`"
    )

    def recognises(self, document: Document) -> bool:
        """Return whether the record has the keys of one of these kinds, with values of the right type."""
        data = document.data
        return isinstance(data, dict) and "wfgate" not in data and any(fits(data) for _, fits, _ in DIALECTS)

    def read(self, document: Document) -> Reading:
        """Read the record as the first kind that fits.

        Raises:
            FormatError: If no kind fits, or a node or link is not valid.
        """
        data = document.mapping()
        fitting = next((dialect for dialect in DIALECTS if dialect[1](data)), None)
        if fitting is None:
            raise document.error("the file has no list of nodes", fix=f"write {self.signature}")
        dialect, _, reader = fitting
        parts = reader(document, data)
        check_size(document, len(parts.tasks), len(parts.links) + len(parts.data_links))
        return Reading(_workflow(parts, data), self.id, tuple(parts.diagnostics), dialect=dialect)

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


def _node(task: Task) -> dict[str, Any]:
    return {"id": task.id, "name": task.name} | task.model_dump(
        mode="json", include=_TASK_FIELDS - {"name"}, exclude_defaults=True
    )


def _workflow(parts: GraphParts, data: dict[str, Any]) -> Workflow:
    described = [data[key] for key in ("description", "user_request", "task") if isinstance(data.get(key), str)]
    return Workflow(
        name=data["name"] if isinstance(data.get("name"), str) else "",
        description=described[0] if described else "",
        tasks=tuple(parts.tasks),
        links=tuple(parts.links),
        data_links=tuple(parts.data_links),
    )
