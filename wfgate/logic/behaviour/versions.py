"""Versions of values that steps overwrite: a guard before a write and a guard after it read different values."""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

from wfgate.logic.behaviour.flow import Flow
from wfgate.logic.conditions.formula import Formula, Term, renamed, terms

Written = frozenset[int]
"""The possible last writers of a value; START for an initial value."""


def versioned(flow: Flow, guards: Sequence[Formula | None]) -> tuple[Formula | None, ...]:
    """Return the guards with a separate term for each version of a value.

    "status == 'failed'" before a repair step and "status == 'ok'" after it do not contradict each other. Two guards
    read the same version of a value if the same steps may have written the value last (reaching definitions: Aho, Lam,
    Sethi and Ullman, Compilers, 2006, section 9.2.4). If guards read a value in only one version, its term is
    unchanged. Otherwise each term contains the names of the last writers.

    Args:
        flow: The flow.
        guards: The guard of each link; None for links without one.

    Cost: for each name that steps output and guards read: linear in the links, times the number of steps that output
    the name.
    """
    writers: defaultdict[str, set[int]] = defaultdict(set)
    for place, task in enumerate(flow.workflow.tasks):
        for name in task.outputs:
            writers[name].add(place)
    if not writers:
        return tuple(guards)
    readers: defaultdict[str, dict[int, list[Term]]] = defaultdict(dict)
    for link, guard in enumerate(guards):
        for term in terms(guard) if guard is not None else ():
            name = term.text if term.text in writers else term.text.partition(".")[0]
            if name in writers:
                readers[name].setdefault(link, []).append(term)
    new: defaultdict[int, dict[Term, Term]] = defaultdict(dict)
    for name, by_link in readers.items():
        reaching = _reaching(flow, writers[name])
        versions = {link: reaching[flow.links[link][0]] for link in by_link}
        if len(set(versions.values())) > 1:
            for link, read in by_link.items():
                new[link] |= {term: _version(flow, term, versions[link]) for term in read}
    return tuple(_renamed(guard, new[link]) if link in new else guard for link, guard in enumerate(guards))


def _renamed(guard: Formula | None, new: Mapping[Term, Term]) -> Formula | None:
    return None if guard is None else renamed(guard, new)


def _reaching(flow: Flow, writers: set[int]) -> list[Written]:
    """Return for each node the steps that may have written the value last when the node has run."""
    out: list[Written] = [frozenset()] * flow.n
    for writer in (*writers, flow.start):
        out[writer] = frozenset([writer])
    pending = deque((*sorted(writers), flow.start))
    while pending:
        node = pending.popleft()
        for link in flow.outgoing[node]:
            target = flow.links[link][1]
            if target not in writers and not out[node] <= out[target]:
                out[target] |= out[node]
                pending.append(target)
    return out


def _version(flow: Flow, term: Term, written: Written) -> Term:
    steps = sorted(flow.labels[step] for step in written if step != flow.start)
    if not steps:
        return term
    before = ["before"] if flow.start in written else []
    return Term(f"{term.text} (as of {' or '.join([*before, *steps])})", term.values, term.opaque, term.stable)
