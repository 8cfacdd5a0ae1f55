"""CNCF Serverless Workflow, DSL 1.0: a list of tasks that run one after the other unless they say otherwise."""

from typing import Any, ClassVar

from wfgate.documents import Document
from wfgate.formats.base import Format, Reading
from wfgate.formats.fields import Fields
from wfgate.formats.serverless.flow import FlowReader

__all__ = ["ServerlessFormat"]


class ServerlessFormat(Format):
    """A workflow of the Serverless Workflow DSL 1.0, in YAML or JSON.

    `listen` and `wait` are events, as is the schedule. `do`, `for`, `fork` and `try` are composites, as is the run of
    another workflow. A task with `if` stands behind a split that goes around it. Runtime expressions become conditions
    of the plain language; what computes stays text.

    Example:
        >>> data = {"document": {"dsl": "1.0.0", "name": "pay"}, "do": [{"a": {"set": {}}}, {"b": {"wait": "PT1S"}}]}
        >>> workflow = ServerlessFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'a'), ('a', 'b'), ('b', 'END')]
    """

    id: ClassVar[str] = "serverless"
    signature: ClassVar[str] = "a mapping with `document`, in it `dsl`, and a list `do`"

    def recognises(self, document: Document) -> bool:
        """Return whether it says which DSL it is written in, and has tasks."""
        data: Any = document.data
        head = data.get("document") if isinstance(data, dict) else None
        return isinstance(head, dict) and "dsl" in head and "do" in data and "wfgate" not in data

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If there are no tasks, a task is none, or it is another version of the DSL.
        """
        entry = Fields(document, (), document.mapping(), what="the workflow")
        if "document" not in entry:
            raise entry.error(
                "the workflow has no 'document'", fix="add 'document' with 'dsl', 'namespace' and 'name'"
            )
        head = Fields(document, ("document",), entry.value["document"], what="'document'")
        version = str(head.value.get("dsl", ""))
        if version.partition(".")[0] != "1":
            raise head.error(
                f"the version {version[:20]!r} of the DSL is not supported",
                "dsl",
                fix="write the workflow in version 1.0 of the DSL",
            )
        reader = FlowReader(document, entry)
        return Reading(reader.read(head), self.id, tuple(reader.diagnostics))
