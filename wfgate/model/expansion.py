"""Expansion of composites in place: steps that move into or out of a sub-workflow can then still be compared."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wfgate.model.names import Names
from wfgate.model.workflow import END, START, DataLink, Gateway, Link, Operator, Task, Workflow

MAX_TASKS = 20_000
"""Largest number of tasks after expansion; only as many levels are expanded as fit."""
MAX_DEPTH = 50
"""Largest number of expanded levels."""
_MARKS = ("critical", "optional", "any_order")
"""Marks of a composite that hold for its steps."""
_WORD = re.compile(r"[^\s()!]+")
"""An id in a join expression, or a connective."""
_Node = TypeVar("_Node", Task, Gateway)


def expand(workflow: Workflow) -> Workflow:
    """Return the workflow with every composite replaced by the tasks of its sub-workflow.

    Ids become paths (`parent/child`). A composite stays a task if its sub-workflow is not in the file, is empty, or
    calls itself. If the result would exceed `MAX_TASKS`, only as many outer levels are expanded as fit; a level is
    expanded completely or not at all, so the result does not depend on listing order or ids. A link to a composite is
    joined with the inner links from START, a link from a composite with the inner links to END; guards and outcomes
    are kept. An implied gateway represents the inner START or END if both joined links have conditions, if the
    composite declares a join, if tokens enter or leave the composite at several steps, or if a condition decides which
    of several last steps run. Each split then keeps its own branches. A data link to or from a composite leads to or
    from the inner tasks that declare the datum; if there are none, the first or last inner tasks.

    Cost: linear in the size of the result, times its depth. If a composite with several exits is linked to a composite
    with several entries, every exit is linked to every entry.

    Example:
        >>> inner = Workflow(
        ...     name="checks",
        ...     tasks=(Task(id="scan", name="Scan"),),
        ...     links=(Link(source="START", target="scan"), Link(source="scan", target="END")),
        ... )
        >>> outer = Workflow(
        ...     tasks=(Task(id="c", name="Checks", kind="composite", workflow="checks"),),
        ...     links=(Link(source="START", target="c"), Link(source="c", target="END")),
        ...     subworkflows=(inner,),
        ... )
        >>> [(link.source, link.target) for link in expand(outer).links]
        [('START', 'c/scan'), ('c/scan', 'END')]
    """
    named = {part.name: part for part in workflow.subworkflows if part.tasks}
    if not any(task.workflow in named for task in workflow.tasks):
        return workflow
    return _opened(workflow, named, frozenset({workflow.name}), _levels(workflow, named))


def _levels(workflow: Workflow, named: dict[str, Workflow]) -> int:
    """Return how many levels can be expanded within `MAX_TASKS`. Recursive calls are counted as if expanded."""
    calls = {name: [task.workflow for task in part.tasks if task.workflow in named] for name, part in named.items()}
    called = [task.workflow for task in workflow.tasks if task.workflow in named]
    closed = len(workflow.tasks) - len(called)
    sizes = {name: len(part.tasks) for name, part in named.items()}
    for level in range(MAX_DEPTH):
        if closed + sum(sizes[name] for name in called if name) > MAX_TASKS:
            return level
        deeper = {
            name: min(
                len(part.tasks) - len(calls[name]) + sum(sizes[inner] for inner in calls[name] if inner), MAX_TASKS + 1
            )
            for name, part in named.items()
        }
        if deeper == sizes:
            break
        sizes = deeper
    return MAX_DEPTH


def _opened(workflow: Workflow, named: dict[str, Workflow], callers: frozenset[str], levels: int) -> Workflow:
    if not levels:
        return workflow
    taken = {task.id for task in workflow.tasks} | {gateway.id for gateway in workflow.gateways}
    tasks: list[Task] = []
    gateways = list(workflow.gateways)
    parts: dict[str, _Part] = {}
    for task in workflow.tasks:
        called = named.get(task.workflow or "")
        if called is None or called.name in callers:
            tasks.append(task)
            continue
        opened = _opened(called, named, callers | {called.name}, levels - 1)
        part = _Part.of(_prefixed(_bounded(opened, task, workflow), task, taken), task.join)
        parts.setdefault(task.id, part)
        tasks += part.workflow.tasks
        gateways += part.workflow.gateways
    ends = {own: part.ends for own, part in parts.items()}
    own_tasks = {task.id for task in workflow.tasks}
    tasks = [_rejoined(task, ends) if task.id in own_tasks else task for task in tasks]
    gateways = [_rejoined(gate, ends) if gate.implied else gate for gate in gateways]
    links = [*_joined(workflow.links, parts)]
    data = [*_redirected(workflow.data_links, parts)]
    for part in parts.values():
        links += part.inner
        data += part.workflow.data_links
    return workflow.model_copy(
        update={"tasks": tuple(tasks), "gateways": tuple(gateways), "links": tuple(links), "data_links": tuple(data)}
    )


def _bounded(opened: Workflow, composite: Task, outer: Workflow) -> Workflow:
    """Return the sub-workflow with a gateway at START or END if joined links would lose conditions otherwise."""
    into = [link for link in outer.links if link.target == composite.id]
    out_of = [link for link in outer.links if link.source == composite.id]
    first = [link for link in opened.links if link.source == START]
    last = [link for link in opened.links if link.target == END]
    joins = composite.join is not None and len({link.source for link in into}) > 1
    waits = composite.join == "all" or (composite.join is None and outer.semantics == "dag")
    inner_tokens, outer_tokens = opened.semantics != "dag", outer.semantics != "dag"
    # With token semantics a composite is entered once and left once, however many first or last steps it has.
    entries = outer_tokens and len({link.target for link in first}) > 1
    if first and (joins or entries or (_guarded(into) and _guarded(first))):
        opened = _with_gateway(opened, START, "AND" if waits else "XOR")
    exits = (outer_tokens or inner_tokens or _guarded(opened.links)) and len({link.source for link in last}) > 1
    if last and (exits or (_guarded(last) and _guarded(out_of))):
        opened = _with_gateway(opened, END, "OR")
    if inner_tokens == outer_tokens:
        return opened
    # Inner steps keep the default join of their own semantics.
    join = "any" if inner_tokens else "all"
    tasks = tuple(task if task.join else task.model_copy(update={"join": join}) for task in opened.tasks)
    return opened.model_copy(update={"tasks": tasks})


def _guarded(links: Iterable[Link]) -> bool:
    return any(link.guard is not None for link in links)


def _with_gateway(workflow: Workflow, end: str, op: Operator) -> Workflow:
    """Return the workflow with a join gateway between START (or END) and the steps linked with it."""
    taken = {*(task.id for task in workflow.tasks), *(gateway.id for gateway in workflow.gateways)}
    own = Names(taken).free(end.lower())
    if end == START:
        moved = [link.model_copy(update={"source": own}) if link.source == end else link for link in workflow.links]
        moved.append(Link(source=end, target=own))
    else:
        moved = [link.model_copy(update={"target": own}) if link.target == end else link for link in workflow.links]
        moved.append(Link(source=own, target=end))
    gateways = (*workflow.gateways, Gateway(id=own, op=op, role="join", implied=True))
    return workflow.model_copy(update={"links": tuple(moved), "gateways": gateways})


def _prefixed(opened: Workflow, composite: Task, taken: set[str]) -> Workflow:
    """Return the sub-workflow with ids prefixed by the composite's id."""
    own = [*(task.id for task in opened.tasks), *(gateway.id for gateway in opened.gateways)]
    prefix = f"{composite.id}/"
    while any(prefix + inner in taken for inner in own):
        prefix += "/"

    paths = {inner: [prefix + inner] for inner in own}

    def path(inner: str) -> str:
        return inner if inner in {START, END} else prefix + inner

    def moved(link: Link | DataLink) -> dict[str, str]:
        return {"source": path(link.source), "target": path(link.target)}

    tasks = [
        _rejoined(task, paths).model_copy(
            update={"id": path(task.id), **{mark: getattr(task, mark) or getattr(composite, mark) for mark in _MARKS}}
        )
        for task in opened.tasks
    ]
    return opened.model_copy(
        update={
            "tasks": tuple(tasks),
            "gateways": tuple(
                _rejoined(gate, paths).model_copy(update={"id": path(gate.id)}) for gate in opened.gateways
            ),
            "links": tuple(link.model_copy(update=moved(link)) for link in opened.links),
            "data_links": tuple(link.model_copy(update=moved(link)) for link in opened.data_links),
        }
    )


def _rejoined(node: _Node, ends: Mapping[str, Sequence[str]]) -> _Node:
    """Return a node with a new join expression: ids of expanded composites are replaced by their end nodes."""

    def named(match: re.Match[str]) -> str:
        whole, (own, _, outcome) = match[0], match[0].rpartition(".")
        if whole in ends:
            return _either("and", list(ends[whole])) if ends[whole] else whole
        if ends.get(own):
            return _either("and" if outcome == "success" else "or", [f"{end}.{outcome}" for end in ends[own]])
        return whole

    if node.join in {None, "all", "any"}:
        return node
    return node.model_copy(update={"join": _WORD.sub(named, node.join or "")})


def _either(connective: str, ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else f"({f' {connective} '.join(ways)})"


@dataclass(frozen=True)
class _Part:
    """An expanded composite, with its links by kind.

    Attributes:
        workflow: The sub-workflow with prefixed ids.
        entries: Links from START.
        exits: Links to END.
        passages: Links from START to END, which bypass all steps of the composite.
        inner: All other links.
    """

    workflow: Workflow
    entries: tuple[Link, ...]
    exits: tuple[Link, ...]
    passages: tuple[Link, ...]
    inner: tuple[Link, ...]

    @classmethod
    def of(cls, workflow: Workflow, join: str | None) -> "_Part":
        """Return the part. The implied START gateway gets the join expression of the composite."""
        kinds: dict[tuple[bool, bool], list[Link]] = {}
        for link in workflow.links:
            kinds.setdefault((link.source == START, link.target == END), []).append(link)
        order = ((True, False), (False, True), (True, True), (False, False))
        entries, exits, passages, inner = (tuple(kinds.get(kind, ())) for kind in order)
        if join not in {None, "all", "any"}:
            start = {link.target for link in entries}
            gateways = [
                gate.model_copy(update={"join": join}) if gate.implied and gate.id in start else gate
                for gate in workflow.gateways
            ]
            workflow = workflow.model_copy(update={"gateways": tuple(gateways)})
        return cls(workflow, entries, exits, passages, inner)

    @property
    def ends(self) -> list[str]:
        """Nodes with links out of the composite."""
        return list(dict.fromkeys(link.source for link in self.exits))

    def readers(self, data: str) -> list[str]:
        """Return the inner tasks that are targets of a data link to the composite."""
        named = [task.id for task in self.workflow.tasks if data in task.inputs]
        return named or self._tasks(link.target for link in self.entries)

    def writers(self, data: str) -> list[str]:
        """Return the inner tasks that are sources of a data link from the composite."""
        named = [task.id for task in self.workflow.tasks if data in task.outputs]
        return named or self._tasks(link.source for link in self.exits)

    def _tasks(self, ids: Iterable[str]) -> list[str]:
        known = {task.id for task in self.workflow.tasks}
        return [node for node in dict.fromkeys(ids) if node in known]


def _joined(links: Iterable[Link], parts: dict[str, _Part]) -> Iterator[Link]:
    """Yield the outer links; ends at expanded composites are replaced by the inner ends."""
    links = tuple(links)
    outgoing: dict[str, list[Link]] = {}
    for link in links:
        outgoing.setdefault(link.source, []).append(link)
    for link in links:
        part = parts.get(link.source)
        first = [_through(left, link) for left in part.exits] if part else [link]
        for start in first:
            pending = [start]
            skipped: set[str] = set()
            while pending:
                way = pending.pop()
                part = parts.get(way.target)
                if part is None:
                    yield way
                elif way.target not in skipped:
                    skipped.add(way.target)
                    yield from (_through(way, entry) for entry in part.entries)
                    pending += [
                        _through(_through(way, passage), on)
                        for passage in part.passages
                        for on in outgoing.get(way.target, ())
                    ]


def _through(first: Link, second: Link) -> Link:
    """Return two consecutive links as one link."""
    return Link(
        source=first.source,
        target=second.target,
        guard=first.guard or second.guard,
        outcome=second.outcome if first.outcome == "success" else first.outcome,
        back=first.back or second.back,
        span=first.span or second.span,
    )


def _redirected(links: Iterable[DataLink], parts: dict[str, _Part]) -> Iterator[DataLink]:
    for link in links:
        writer, reader = parts.get(link.source), parts.get(link.target)
        for source in writer.writers(link.data) if writer else [link.source]:
            for target in reader.readers(link.data) if reader else [link.target]:
                yield link.model_copy(update={"source": source, "target": target})
