"""Compares a candidate without the steps that own rules permit in addition to what is approved."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from wfgate.compare.alignment import Alignment
from wfgate.compare.comparison import Comparison
from wfgate.model import Link, TaskGraph, Workflow, closure, members, strongly_connected


def without_permitted(comparison: Comparison) -> Comparison:
    """Return the comparison without the permitted candidate steps that no golden step is aligned with.

    What ran before such a step then runs before what ran after it. A step with a condition, in a loop, or on an error
    path stays: without it, other steps would run in other cases.
    """
    workflow = comparison.candidate
    fixed = {end for link in workflow.links if not _is_plain(link) for end in (link.source, link.target)}
    fixed |= {own for own, times in Counter(task.id for task in workflow.tasks).items() if times > 1}
    left_out = {
        step.position
        for step in comparison.additions
        if step.is_unaligned and step.position in comparison.contract.permitted and step.task.id not in fixed
    }
    if not left_out:
        return comparison
    kept = [step for step in range(len(workflow.tasks)) if step not in left_out]
    reduced = _without(workflow, {workflow.tasks[step].id for step in left_out})
    return replace(
        comparison,
        candidate=reduced,
        candidate_graph=TaskGraph.of(reduced),
        measure=cache(lambda: comparison.similarity[:, kept]),
        alignment=_renumbered(comparison.alignment, {step: place for place, step in enumerate(kept)}),
        permitted=tuple(workflow.tasks[step] for step in sorted(left_out)),
    )


def _is_plain(link: Link) -> bool:
    return link.guard is None and link.outcome == "success" and not link.back


def _renumbered(alignment: Alignment, number: Mapping[int, int]) -> Alignment:
    """Return the alignment with other numbers of the candidate steps, all of which have one."""
    return Alignment(
        matches=tuple(each.model_copy(update={"candidate": number[each.candidate]}) for each in alignment.matches),
        merges=tuple(each.model_copy(update={"candidate": number[each.candidate]}) for each in alignment.merges),
        splits=tuple(
            each.model_copy(update={"candidate": tuple(number[step] for step in each.candidate)})
            for each in alignment.splits
        ),
    )


def _without(workflow: Workflow, gone: Collection[str]) -> Workflow:
    """Return a workflow without some steps; a path through them becomes one link, if no other path leads there.

    Cost: O(steps * links / word size). On a cycle, a link stays where another path leads to the same step.
    """
    tasks = tuple(task for task in workflow.tasks if task.id not in gone)
    links = [link for link in workflow.links if link.source not in gone and link.target not in gone]
    number = {name: place for place, name in enumerate(dict.fromkeys(_ends(workflow)))}
    names = [*number]
    lost = {number[step] for step in gone if step in number}
    through: list[list[int]] = [[] for _ in names]  # what follows the lost steps; behind them, nothing follows
    near: list[set[int]] = [set() for _ in names]
    for link in workflow.links:
        source, target = number[link.source], number[link.target]
        if source in lost:
            through[source].append(target)
        else:
            near[source].add(target)
    kept = ~sum(1 << step for step in lost)
    behind = _closure(through)
    new = {}
    for source, targets in enumerate(near):
        found = 0
        for step in targets & lost:
            found |= behind[step]
        near[source] = targets - lost
        new[source] = [target for target in members(found & kept) if target not in near[source]]
    following = [[*targets, *new[source]] for source, targets in enumerate(near)]
    reached = _closure(following)
    for source, added in new.items():
        others = 0
        for step in following[source]:
            if not reached[step] >> step & 1 and not reached[step] >> source & 1:
                others |= reached[step]
        links += [Link(source=names[source], target=names[one]) for one in added if not others >> one & 1]
    data = tuple(link for link in workflow.data_links if link.source not in gone and link.target not in gone)
    return workflow.model_copy(update={"tasks": tasks, "links": tuple(links), "data_links": data})


def _ends(workflow: Workflow) -> Iterator[str]:
    for link in workflow.links:
        yield link.source
        yield link.target


def _closure(successors: Sequence[Sequence[int]]) -> tuple[int, ...]:
    edges = ((source, target) for source, targets in enumerate(successors) for target in targets)
    components = strongly_connected(range(len(successors)), edges)
    return closure([sorted(component) for component in components], successors)
