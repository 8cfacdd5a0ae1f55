"""Builds a contract from the comparisons of a golden with the further approved references."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from wfgate.alignment import Comparison, Contract
from wfgate.alignment.contract import Wording, lost_values, stated_values
from wfgate.alignment.orders import CHANGES
from wfgate.alignment.supports import DOUBTED, LEAST, TIE, wording_text
from wfgate.checks import CHECKS, review
from wfgate.checks.base import Kind
from wfgate.checks.relative.meaning import significant_steps
from wfgate.checks.relative.value_classes import Values
from wfgate.evidence.gather import link_differences, missing_steps, unmatched_steps
from wfgate.model import Task

_CONTAINED: frozenset[Kind] = frozenset({"step", "merge", "split", "text", "order", "link"})
"""Kinds of differences that the other fields of a contract contain."""


def freedoms(comparison: Comparison, is_critical: Callable[[Task], bool]) -> Contract:
    """Return what an approved reference leaves free: the differences between the golden and this reference.

    A step is optional if the reference lacks it: no step of the reference does it; or its support is doubted, and it
    is unmatched or unlike any step of the reference. A critical step is never made optional: if the reference lacks
    it, or if its meaning changed significantly there, it stays demanded in the words of the golden. If its support in
    the reference is doubted, or the reference does it together with another step, the other wording counts only word
    for word: else a candidate that keeps the rest of that step would meet it.

    Args:
        comparison: The golden, and the reference as candidate.
        is_critical: Returns whether the loss of a golden step always blocks.
    """
    golden = comparison.golden.tasks
    critical = frozenset(
        step for step, task in enumerate(golden) if is_critical(task) and step not in comparison.contract.optional
    )
    absent = frozenset(missing_steps(comparison))
    unlike = (step for step in comparison.doubted if comparison.best_similarity[step] < LEAST)
    optional = comparison.doubted.intersection(comparison.missing).union(unlike, absent) - critical
    lacking = critical & (absent | significant_steps(comparison).keys())
    verbatim = critical & (comparison.doubted | _together(comparison)) - lacking
    stated = stated_values(comparison.candidate)
    values = {
        step: frozenset(one.text for one in lost_values(text, stated))
        for step, (text, *_) in comparison.changed_texts.items()
        if step not in critical | optional
    }
    found = Contract(
        optional=optional,
        part_of_others=frozenset(unmatched_steps(comparison)) - optional - lacking,
        wordings={step: (wording,) for step, wording in _wordings(comparison) if step not in lacking | optional},
        verbatim=verbatim,
        free_values={step: numbers for step, numbers in values.items() if numbers},
        lacking=lacking,
    )
    own = replace(comparison, contract=comparison.contract | found | Contract(optional=lacking))
    kept = {golden[step].id for step in lacking}
    return replace(
        found,
        weaker=comparison.doubted & found.wordings.keys(),
        surroundings=(comparison.derived(Values).surroundings(comparison.files[1]),),
        additional=tuple(comparison.candidate.tasks[step] for step in own.surplus),
        free_orders=_pairs(
            *(
                pair
                for change in CHANGES
                for pair in comparison.changed_orders.pairs(change)
                if own.left_out.isdisjoint(pair)
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


def _together(comparison: Comparison) -> frozenset[int]:
    """Return the golden steps that have no step of the reference for themselves."""
    parts = {step: place.parts for step, place in enumerate(comparison.places)}
    used = Counter(part for each in parts.values() for part in each)
    return frozenset(step for step, each in parts.items() if not each or any(used[part] > 1 for part in each))


def _wordings(comparison: Comparison) -> Iterator[tuple[int, Wording]]:
    """Yield the changed golden steps with the steps of the reference that do them.

    These are the carriers. If the carriers alone do not support the step, but its window does, it is the window.
    Of several carriers, those count that are matched with the step; or, if the step is doubted, the most similar ones.
    Measured on references that reviewers accepted (half for fitting): of 181 other carriers, 137 do not do the step.
    """
    tasks, model, doubted = comparison.candidate.tasks, comparison.meaning_model, comparison.doubted
    aligned = comparison.alignment.partners()
    found: dict[int, tuple[Wording, Wording]] = {}
    for step in comparison.changed_texts:
        place, row = comparison.places[step], comparison.similarity[step]
        own = aligned.get(step, frozenset())
        if step in doubted:
            least = max((row[part] for part in place.parts), default=0.0) - TIE
            own = frozenset(part for part in place.parts if row[part] >= least)
        carriers = tuple(tasks[part] for part in place.parts if part in own or own.isdisjoint(place.parts))
        if carriers:
            found[step] = carriers, tuple(tasks[part] for part in place.window)
    unsure = [step for step in found if model and step not in doubted and found[step][0] != found[step][1]]
    texts = [(comparison.changed_texts[step][0], wording_text(found[step][0])) for step in unsure]
    scores = model.compare(texts) if model else []
    whole = {
        step for step, score in zip(unsure, scores, strict=True) if model and model.p_value(score.logit) <= DOUBTED
    }
    for step, (carriers, window) in found.items():
        yield step, window if step in whole else carriers
