"""Links between tasks, with gateways contracted, and their properties."""

from collections.abc import Iterable
from dataclasses import dataclass

from wfgate.model import Link, Workflow, task_numbers

LINK_PROPERTIES = {
    "conditional": "a condition, or the branch that is taken when no condition holds",
    "default": "the branch that is taken when no condition holds",
    "exceptional": "taken after a failure or a timeout",
    "event": "taken when an event occurs",
    "loop": "the back edge of a loop",
}
"""Properties of links with their descriptions."""


@dataclass(frozen=True)
class Ways:
    """The properties of paths between two nodes that are linked directly or through gateways.

    Attributes:
        properties: For each (source, target): one set per path, with the properties of the path's links. Keys are ids
            of tasks, START and END.
    """

    properties: dict[tuple[str, str], frozenset[frozenset[str]]]

    @classmethod
    def of(cls, workflow: Workflow) -> "Ways":
        """Return the paths of a workflow. Cost: links times gateways on a chain, times at most 2^5 kinds of paths."""
        tasks = task_numbers(workflow)
        gateways = {gateway.id for gateway in workflow.gateways} - tasks.keys()
        outgoing: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for link in workflow.links:
            outgoing.setdefault(link.source, []).append((link.target, properties_of(link)))
        between: dict[tuple[str, str], set[frozenset[str]]] = {}
        for source in outgoing:
            if source in gateways:
                continue
            pending = [(source, frozenset[str]())]
            seen = set(pending)
            for node, passed in pending:
                for target, own in outgoing.get(node, ()):
                    step = (target, passed | own)
                    if target not in gateways:
                        between.setdefault((source, target), set()).add(step[1])
                    elif step not in seen:
                        seen.add(step)
                        pending.append(step)
        return cls({ends: frozenset(ways) for ends, ways in between.items()})

    def has(self, source: str, target: str, wanted: str | None) -> bool:
        """Return whether a path leads from source to target, and, with `wanted`, whether a path has this property."""
        ways: Iterable[frozenset[str]] = self.properties.get((source, target), ())
        return any(wanted is None or wanted in way for way in ways)


def properties_of(link: Link) -> frozenset[str]:
    """Return the properties of one link."""
    properties = set()
    guard = link.guard
    if guard is not None and (guard.expr is not None or guard.default):
        properties.add("conditional")
    if guard is not None and guard.default:
        properties.add("default")
    if link.outcome in {"failure", "timeout"}:
        properties.add("exceptional")
    if link.outcome == "event":
        properties.add("event")
    if link.back:
        properties.add("loop")
    return frozenset(properties)
