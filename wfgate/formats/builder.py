"""What every reader needs to build a workflow: START and END where a format leaves them implicit, and limits."""

from collections.abc import Iterable, Sequence

from wfgate.documents import Document
from wfgate.errors import FormatError
from wfgate.model import END, START, Link

MAX_TASKS = 20_000
"""Most tasks, over all workflows of one file."""
MAX_LINKS = 200_000
"""Most links, over all workflows of one file."""


def link_starts(nodes: Sequence[str], links: Iterable[Link]) -> list[Link]:
    """Return a link from START to every node that nothing leads to.

    A cycle without an entry gets none: a check reports it.

    Example:
        >>> [link.target for link in link_starts(["a", "b"], [Link(source="a", target="b")])]
        ['a']
    """
    entered = {link.target for link in links}
    return [Link(source=START, target=node) for node in dict.fromkeys(nodes) if node not in entered]


def link_ends(nodes: Sequence[str], links: Iterable[Link]) -> list[Link]:
    """Return a link to END from every node that leads nowhere.

    Example:
        >>> [link.source for link in link_ends(["a", "b"], [Link(source="a", target="b")])]
        ['b']
    """
    left = {link.source for link in links}
    return [Link(source=node, target=END) for node in dict.fromkeys(nodes) if node not in left]


def with_ends(nodes: Sequence[str], links: Sequence[Link]) -> tuple[Link, ...]:
    """Return the links with START before every first node and END behind every last one."""
    return (*link_starts(nodes, links), *links, *link_ends(nodes, links))


def check_size(document: Document, tasks: int, links: int = 0) -> None:
    """Refuse a workflow that is too large to be judged.

    Raises:
        FormatError: If there are more than `MAX_TASKS` tasks or `MAX_LINKS` links.
    """
    for count, limit, what in ((tasks, MAX_TASKS, "tasks"), (links, MAX_LINKS, "links")):
        if count > limit:
            raise FormatError(
                f"{count:,} {what} are more than the limit of {limit:,}",
                path=document.name,
                fix="split the workflow",
            )
