"""Amazon States Language: the state machines of AWS Step Functions, alone or inside a CloudFormation template."""

from typing import ClassVar

from wfgate.read.documents.document import Document
from wfgate.read.formats.asl.template import has_machine, machine_of
from wfgate.read.formats.base import Format, Reading

__all__ = ["AslFormat"]


class AslFormat(Format):
    """A state machine in JSON or YAML (`StartAt` and `States`), with JSONPath or JSONata.

    A state is a task; its name is the id and the name of the task. Wait states, activities and tasks that wait for a
    token are events. Map and Parallel states are composites. A task that starts another state machine is a composite
    too. A Choice state is a task, and its rules become conditions in their order. Catchers become links on failure or
    timeout. A Succeed state that does nothing and that other states only reach by `Next` is the end, as `"End": true`.

    Example:
        >>> states = {"Pay": {"Type": "Task", "Resource": "arn:pay", "Next": "Done"}, "Done": {"Type": "Succeed"}}
        >>> workflow = AslFormat().read(Document("example", data={"StartAt": "Pay", "States": states})).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'Pay'), ('Pay', 'END')]
    """

    id: ClassVar[str] = "asl"
    signature: ClassVar[str] = (
        "a mapping with `StartAt` and `States`, or a CloudFormation template with a state machine and its `Definition`"
    )
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("StartAt", "States"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the document is a state machine, or a template that contains one."""
        return has_machine(document)

    def read(self, document: Document) -> Reading:
        """Read the state machine.

        Raises:
            FormatError: If the document has no state machine or more than one, or a state is not valid.
        """
        from wfgate.read.formats.asl.ends import without_plain_ends
        from wfgate.read.formats.asl.machine import MachineReader

        machine = without_plain_ends(machine_of(document))
        workflow = MachineReader(machine.notes).read(machine.path, machine.name)
        return Reading(workflow, self.id, tuple(machine.notes.single), machine.resolved)
