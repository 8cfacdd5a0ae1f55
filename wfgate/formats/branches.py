"""Branches that run side by side, for formats in which a block says so and no operator does."""

from collections.abc import Collection, Sequence

from wfgate.model import END, START, Gateway, Link, Names, SourceSpan


def side_by_side(
    branches: Sequence[Sequence[Link]], taken: Collection[str], span: SourceSpan | None = None, *, waits: bool = True
) -> tuple[list[Gateway], list[Link]]:
    """Return the gateways and links that start all branches and wait for all of them.

    Args:
        branches: The links of each branch, from START and to END.
        taken: Ids that the gateways must not have.
        span: Where the block stands.
        waits: Whether what comes next waits for all branches; otherwise each goes on to END by itself.

    Returns:
        The gateways and all links. A branch with several ends has a gateway of its own that merges them.

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
    found = [Link(source=START, target=split.id, span=span)]
    whole_end = join.id if waits else END
    for number, links in enumerate(branches, start=1):
        end = whole_end
        if sum(link.target == END for link in links) > 1:
            end = names.free(f"end of branch {number}")
            gateways.append(Gateway(id=end, op="XOR", role="join", span=span))
        for link in links:
            source = split.id if link.source == START else link.source
            target = end if link.target == END else link.target
            found.append(link.model_copy(update={"source": source, "target": target}))
        if end != whole_end:
            found.append(Link(source=end, target=whole_end, span=span))
    return gateways, [*found, Link(source=join.id, target=END, span=span)] if waits else found
