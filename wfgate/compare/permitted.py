"""Compares a candidate without the steps that own rules permit in addition to what is approved."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache

from wfgate.compare.alignment import Alignment
from wfgate.compare.comparison import Comparison
from wfgate.model import Link, TaskGraph, Workflow, reach


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
    """Return a workflow without some steps; a path through them becomes one link, if no other path leads there."""
    before: defaultdict[str, dict[str, Link]] = defaultdict(dict)
    after: defaultdict[str, dict[str, Link]] = defaultdict(dict)
    for link in workflow.links:
        if link.source in gone or link.target in gone:
            before[link.target].setdefault(link.source, link)
        after[link.source].setdefault(link.target, link)
    new: list[Link] = []
    for step in (task.id for task in workflow.tasks if task.id in gone):
        sources, targets = before.pop(step, {}), after.pop(step, {})
        for source in sources:
            after[source].pop(step, None)
        for target in targets:
            before[target].pop(step, None)
        for source in sources:
            for target in targets:
                if target not in reach([source], lambda near: after[near]):
                    link = Link(source=source, target=target)
                    after[source][target] = link
                    if target in gone:
                        before[target][source] = link
                    new.append(link)
    ends = {(link.source, link.target) for links in after.values() for link in links.values()}
    links = [link for link in (*workflow.links, *new) if (link.source, link.target) in ends]
    data = tuple(link for link in workflow.data_links if link.source not in gone and link.target not in gone)
    tasks = tuple(task for task in workflow.tasks if task.id not in gone)
    return workflow.model_copy(update={"tasks": tasks, "links": tuple(links), "data_links": data})
