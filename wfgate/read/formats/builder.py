"""Helpers of the readers: START and END, parallel branches, ids, limits."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, KeysView, Mapping, Sequence
from typing import TypeVar

from wfgate.errors import FormatError
from wfgate.model import END, START, Gateway, Link, Names, SourceSpan, Workflow
from wfgate.read.documents.document import Document

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

MAX_TASKS = 20_000
"""Most tasks, over all workflows of one file."""
MAX_LINKS = 200_000
"""Most links, over all workflows of one file."""

_GENERATED = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9]{10,17}")


def link_starts(nodes: Sequence[str], links: Iterable[Link]) -> list[Link]:
    """Return a link from START to every node without an incoming link.

    A cycle without an incoming link from outside gets no link; a check reports it.

    Example:
        >>> [link.target for link in link_starts(["a", "b"], [Link(source="a", target="b")])]
        ['a']
    """
    entered = {link.target for link in links}
    return [Link(source=START, target=node) for node in dict.fromkeys(nodes) if node not in entered]


def link_ends(nodes: Sequence[str], links: Iterable[Link]) -> list[Link]:
    """Return a link to END from every node without an outgoing link.

    Example:
        >>> [link.source for link in link_ends(["a", "b"], [Link(source="a", target="b")])]
        ['b']
    """
    left = {link.source for link in links}
    return [Link(source=node, target=END) for node in dict.fromkeys(nodes) if node not in left]


def with_ends(nodes: Sequence[str], links: Sequence[Link]) -> tuple[Link, ...]:
    """Return the links, with a link from START to every first node and a link to END from every last node."""
    return (*link_starts(nodes, links), *links, *link_ends(nodes, links))


def missing_ends(nodes: Sequence[str], links: Sequence[Link]) -> tuple[list[Link], list[Link]]:
    """Return the missing links from START and to END; none from START if the file has some, and the same for END."""
    starts = [] if any(link.source == START for link in links) else link_starts(nodes, links)
    ends = [] if any(link.target == END for link in links) else link_ends(nodes, links)
    return starts, ends


def check_size(document: Document, tasks: int, links: int = 0) -> None:
    """Check that a workflow is not too large.

    Raises:
        FormatError: If there are more than `MAX_TASKS` tasks or `MAX_LINKS` links.
    """
    for count, limit, what in ((tasks, MAX_TASKS, "tasks"), (links, MAX_LINKS, "links")):
        if count > limit:
            raise FormatError(
                f"the workflow has {count:,} {what}; the limit is {limit:,}",
                path=document.name,
                fix="split the workflow into smaller workflows",
            )


def side_by_side(
    branches: Sequence[Sequence[Link]], taken: Collection[str], span: SourceSpan | None = None, *, waits: bool = True
) -> tuple[list[Gateway], list[Link]]:
    """Return gateways and links that start all branches in parallel and wait for all of them.

    Args:
        branches: The links of each branch, including the links from START and to END.
        taken: Ids that the gateways may not use.
        span: Position of the block of branches.
        waits: Whether the next step waits for all branches; otherwise each branch leads to END separately.

    Returns:
        The gateways and all links. If a branch has several links to END, a separate gateway joins them.

    Example:
        >>> links = [[Link(source=START, target=task), Link(source=task, target=END)] for task in "ab"]
        >>> gateways, links = side_by_side(links, ["a", "b"])
        >>> [(link.source, link.target) for link in links]  # doctest: +NORMALIZE_WHITESPACE
        [('START', 'split'), ('split', 'a'), ('a', 'join'), ('split', 'b'), ('b', 'join'), ('join', 'END')]
    """
    names = Names((*taken, START, END))
    split = Gateway(id=names.free("split"), op="AND", role="split", span=span)
    join = Gateway(id=names.free("join"), op="AND", role="join", span=span)
    gateways = [split, join] if waits else [split]
    whole = [Link(source=START, target=split.id, span=span)]
    whole_end = join.id if waits else END
    for number, links in enumerate(branches, start=1):
        end = whole_end
        if sum(link.target == END for link in links) > 1:
            end = names.free(f"end of branch {number}")
            gateways.append(Gateway(id=end, op="XOR", role="join", span=span))
        for link in links:
            source = split.id if link.source == START else link.source
            target = end if link.target == END else link.target
            whole.append(link.model_copy(update={"source": source, "target": target}))
        if end != whole_end:
            whole.append(Link(source=end, target=whole_end, span=span))
    return gateways, [*whole, Link(source=join.id, target=END, span=span)] if waits else whole


def reachable(starts: Iterable[str], after: Mapping[str, Iterable[str]]) -> KeysView[str]:
    """Return all names that can be reached from some names, including these names, in a fixed order.

    Example:
        >>> [*reachable(["a"], {"a": ["b"], "b": ["a"], "c": ["a"]})]
        ['a', 'b']
    """
    seen = dict.fromkeys(starts)
    pending = list(seen)
    while pending:
        new = [name for name in after.get(pending.pop(), ()) if name not in seen]
        seen |= dict.fromkeys(new)
        pending += dict.fromkeys(new)
    return seen.keys()


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> defaultdict[_Key, list[_Value]]:
    """Return the values by their key, in the order of the pairs.

    Example:
        >>> dict(grouped([("a", 1), ("b", 2), ("a", 3)]))
        {'a': [1, 3], 'b': [2]}
    """
    groups: defaultdict[_Key, list[_Value]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return groups


def in_parallel(branches: Sequence[Workflow], span: SourceSpan | None = None, *, waits: bool = True) -> Workflow:
    """Return a workflow that runs all branches in parallel, see `side_by_side`; a single branch as it is.

    Example:
        >>> link = Link(source=START, target="a")
        >>> in_parallel([Workflow(links=(link,)), Workflow()], waits=False).links[-1].source
        'split'
    """
    if len(branches) == 1:
        return branches[0]
    tasks = [task for branch in branches for task in branch.tasks]
    inner = [gateway for branch in branches for gateway in branch.gateways]
    taken = [*(task.id for task in tasks), *(gateway.id for gateway in inner)]
    gateways, links = side_by_side([branch.links for branch in branches], taken, span, waits=waits)
    return Workflow(
        semantics=branches[0].semantics,
        tasks=tuple(tasks),
        gateways=(*inner, *gateways),
        links=tuple(links),
        data_items=tuple({item.id: item for branch in branches for item in branch.data_items}.values()),
        data_links=tuple(link for branch in branches for link in branch.data_links),
    )


def is_generated(value: object) -> bool:
    """Return whether a value is a generated id: a UUID, or a time in seconds or smaller units.

    Example:
        >>> [is_generated(value) for value in ("0b83f901-f97c-428f-8954-c4b772509bb2", "1715846546749", "orders")]
        [True, True, False]
    """
    return isinstance(value, str) and _GENERATED.fullmatch(value) is not None
