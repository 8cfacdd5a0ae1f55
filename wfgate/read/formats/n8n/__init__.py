"""n8n: nodes, and connections between nodes by name."""

from typing import Any, ClassVar

from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.base import Format, Reading


class N8nFormat(Format):
    """A workflow that n8n exports: a mapping with `nodes` and `connections`, or a list with one such workflow.

    An answer of n8n's API with one workflow (`{"data": ...}`) is read as this workflow.
    The name of a node is the id of its step, because connections and expressions use the name. Triggers follow START;
    if there are several, exactly one of them starts the workflow. The outputs of If, Filter, Switch and classifier
    nodes have guards (the conditions of the links). An output without a target leads to END. A Merge node waits for
    its inputs. Models, memories and tools of an AI node are parameters of the AI node. Disabled nodes are left out,
    and their predecessors are linked with their successors. Branches run one after the other, with the execution order
    "v1" by the position of their first nodes on the canvas (from top to bottom, then from left to right).

    Example:
        >>> nodes = [{"name": "Daily", "type": "x.scheduleTrigger"}, {"name": "Fetch", "type": "x.httpRequest"}]
        >>> data = {"nodes": nodes, "connections": {"Daily": {"main": [[{"node": "Fetch"}]]}}}
        >>> workflow = N8nFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'Daily'), ('Daily', 'Fetch'), ('Fetch', 'END')]
    """

    id: ClassVar[str] = "n8n"
    signature: ClassVar[str] = "a mapping with a list `nodes` and a mapping `connections`"
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("nodes", "connections"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the document contains the nodes and connections of n8n."""
        return bool(_workflows_in(_without_envelope(document)))

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If there is no workflow or several, or a node or connection does not have the form that n8n
                writes.
        """
        if document.problem is not None:
            raise document.problem
        document = _without_envelope(document)
        workflows = _workflows_in(document)
        if not workflows:
            raise document.error(
                "the file has no workflow with `nodes` and `connections`", fix="give a workflow that n8n exported"
            )
        if len(workflows) > 1:
            message = f"the file contains {len(workflows)} workflows"
            raise document.error(message, *[*workflows][1], fix="keep only one workflow in the file")
        from wfgate.read.formats.n8n.reader import read_workflow

        return read_workflow(document, *workflows.popitem())


def _without_envelope(document: Document) -> Document:
    """Return the document without what the server writes around one workflow.

    That is a list (`n8n export:workflow --all`) or a mapping with the only key `data` (an answer of the API), maybe
    with an empty cursor beside it.
    """
    data = document.data
    answer = isinstance(data, dict) and "data" in data and data.keys() <= {"data", "nextCursor"}
    if answer and not data.get("nextCursor"):
        document = document.inside("data")
    return document.only_item()


def _workflows_in(document: Document) -> dict[Path, dict[str, Any]]:
    """Return the workflows of a document by path: the document, a workflow inside it, or a list of workflows."""
    several = isinstance(document.data, list)
    workflows = {}
    for place, entry in enumerate(document.data if several else [document.data]):
        at: Path = (place,) if several else ()
        if _is_workflow(entry):
            workflows[at] = entry
        elif isinstance(entry, dict) and _is_workflow(entry.get("workflow")):
            workflows[*at, "workflow"] = entry["workflow"]
    return workflows


def _is_workflow(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys().isdisjoint({"wfgate", "edges"})
        and isinstance(value.get("nodes"), list)
        and isinstance(value.get("connections"), dict)
    )
