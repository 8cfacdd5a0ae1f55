"""Builds a contract from the comparisons of a golden with the further approved references."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from wfgate.compare import CHANGES, DOUBTED, TIE, Comparison, Contract, Prose, Wording, positions, wording_text
from wfgate.decide.evidence.gather import link_differences
from wfgate.model import Task
from wfgate.rules import CHECKS, Kind, review

_CONTAINED: frozenset[Kind] = frozenset({"step", "merge", "split", "text", "order", "link"})
"""Kinds of differences that the other fields of a contract contain."""


def freedoms(comparison: Comparison, is_critical: Callable[[Task], bool]) -> Contract:
    """Return what an approved reference leaves free: the differences between the golden and this reference.

    A step is optional if the reference lacks it: no step of the reference does it; or its support is doubted, and it
    is unmatched or unlike any step of the reference. If another step of the reference runs its commands, a step of
    the candidate has to run them, too. A critical step is never made optional: if the reference lacks
    it, or if its meaning changed significantly there, it stays demanded in the words of the golden. If its support in
    the reference is doubted, or the reference does it together with another step, the other wording counts only word
    for word: else a candidate that keeps the rest of that step would meet it.

    Args:
        comparison: The golden, and the reference as candidate.
        is_critical: Returns whether the loss of a golden step always blocks.
    """
    golden, fates = comparison.golden.tasks, comparison.fates
    critical = positions(fate for fate in fates if is_critical(fate.task) and not fate.is_optional)
    optional = positions(fate for fate in fates if fate.is_dispensable) - critical
    joined = optional & positions(fate for fate in fates if fate.joined_into is not None)
    optional -= joined
    lacking = critical & positions(fate for fate in fates if fate.is_gone)
    doubted = positions(fate for fate in fates if fate.is_doubted)
    verbatim = critical & (doubted | positions(fate for fate in fates if fate.shares_carriers)) - lacking
    lost = lacking | optional | joined
    freed = Contract(
        optional=optional,
        joined=joined,
        part_of_others=positions(fate for fate in fates if fate.lacks_own_step) - lost,
        wordings={step: (wording,) for step, wording in _wordings(comparison) if step not in lost},
        verbatim=verbatim,
        free_values={
            fate.position: frozenset(fate.lost_values)
            for fate in fates
            if fate.lost_values and fate.position not in critical | lost
        },
        lacking=lacking,
    )
    own = replace(comparison, contract=comparison.contract | freed | Contract(optional=lacking))
    kept = {golden[step].id for step in lacking | joined}
    return replace(
        freed,
        weaker=doubted & freed.wordings.keys(),
        surroundings=(comparison.derived(Prose).surroundings(comparison.files[1]),),
        additional=tuple(step.task for step in own.additions_in_order if step.is_surplus),
        free_orders=_pairs(
            *(
                pair
                for change in CHANGES
                for pair in comparison.changed_orders.pairs(change)
                if not any(own.fates[step].is_left_out for step in pair)
            )
        ),
        free_links=_pairs(*link_differences(own)),
        approved={
            one.fingerprint: ""
            if one.severity == "info" or CHECKS[one.id].about in _CONTAINED
            else f"{one.message} [{one.id}]"
            for one in review(comparison)
            if kept.isdisjoint(one.golden_steps)
        },
    )


def _pairs(*pairs: tuple[int, int]) -> frozenset[tuple[int, int]]:
    return frozenset((min(pair), max(pair)) for pair in pairs)


def _wordings(comparison: Comparison) -> Iterator[tuple[int, Wording]]:
    """Yield the changed golden steps with the steps of the reference that do them.

    These are the carriers. If the carriers alone do not support the step, but its window does, it is the window.
    Of several carriers, those count that are matched with the step; or, if the step is doubted, the most similar ones.
    Measured on references that reviewers accepted (half for fitting): of 181 other carriers, 137 do not do the step.
    """
    tasks, model = comparison.candidate.tasks, comparison.meaning_model
    worded: dict[int, tuple[Wording, Wording]] = {}
    for fate in comparison.fates:
        if fate.asked is None:
            continue
        own, row = fate.aligned, comparison.similarity[fate.position]
        if fate.is_doubted:
            least = max((row[part] for part in fate.carriers), default=0.0) - TIE
            own = frozenset(part for part in fate.carriers if row[part] >= least)
        carriers = tuple(tasks[part] for part in fate.carriers if part in own or own.isdisjoint(fate.carriers))
        if carriers:
            worded[fate.position] = carriers, tuple(tasks[part] for part in fate.place.window)
    fates = [comparison.fates[step] for step, (carriers, window) in worded.items() if carriers != window]
    asked = {fate.position: fate.asked.demand for fate in fates if fate.asked and model and not fate.is_doubted}
    texts = [(demand, wording_text(worded[step][0])) for step, demand in asked.items()]
    scores = model.compare(texts) if model else []
    whole = {
        step
        for (step, demand), score in zip(asked.items(), scores, strict=True)
        if model and model.p_value(score.logit, len(demand.split())) <= DOUBTED
    }
    for step, (carriers, window) in worded.items():
        yield step, window if step in whole else carriers
