"""CNCF Serverless Workflow, DSL 1.0: a list of tasks that run in order, unless a task names its successor."""

from typing import Any, ClassVar

from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading

__all__ = ["ServerlessFormat"]


class ServerlessFormat(Format):
    """A workflow in the Serverless Workflow DSL 1.0, in YAML or JSON.

    `listen`, `wait` and the schedule are events. `do`, `for`, `fork` and `try` are composites, and so is a task that
    runs another workflow. Before a task with `if` there is an XOR split with a second branch that skips the task.
    Runtime expressions become conditions in wfgate's plain condition language; computed values stay text.

    Example:
        >>> data = {"document": {"dsl": "1.0.0", "name": "pay"}, "do": [{"a": {"set": {}}}, {"b": {"wait": "PT1S"}}]}
        >>> workflow = ServerlessFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'a'), ('a', 'b'), ('b', 'END')]
    """

    id: ClassVar[str] = "serverless"
    signature: ClassVar[str] = "a mapping with `document`, in it `dsl`, and a list `do`"
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("document.dsl", "do"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the document names its DSL version and has tasks."""
        data: Any = document.data
        head = data.get("document") if isinstance(data, dict) else None
        return isinstance(head, dict) and "dsl" in head and "do" in data and "wfgate" not in data

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If there are no tasks, a task is not valid, or the version of the DSL is not 1.0.
        """
        from wfgate.read.formats.serverless.flow import FlowReader

        reader = FlowReader(document)
        return Reading(reader.read(), self.id, tuple(reader.notes.single))
