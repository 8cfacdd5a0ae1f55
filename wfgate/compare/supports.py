"""Supports: where the candidate does what each golden step demands.

A golden step is supported if steps of the candidate do what it demands: one step, several (it was split), or a part of
one (it was merged with others). The meaning model therefore reads the golden step with its *partner* (the step aligned
with it, or the most similar one) and, if that does not surely meet the demand, with its *window*: the most similar
candidate steps (at most three), in the order of the candidate. Its *carriers* are the steps of the window that are
about as similar as the best one, and the steps aligned with it: where in the candidate the golden step is done. A step
without a partner has no window and no carriers in partners of other steps that have none of its words.

Source: Tang, Laban and Durrett (2024), MiniCheck, arXiv:2404.10774: a claim is checked against several sentences of a
document together, because its facts may be spread over them.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wfgate.base import READ
from wfgate.compare.alignment import Alignment
from wfgate.language import (
    SAME,
    MeaningModel,
    MeaningScore,
    TextPair,
    differing_sentences,
    parsed,
    plain_words,
    unnumbered,
)
from wfgate.model import Task, Workflow

WINDOW = 3
"""Most candidate steps that the meaning model reads with a golden step."""
SPREAD = 0.3
"""Largest difference in similarity between a step of the window and the most similar one.

Windows contain all steps that reviewers named as the support for 98.1 % of 9,021 golden steps (regenerations, half for
fitting), with 1.6 steps on average; the three most similar steps contain them for 98.5 %.
"""
TIE = 0.15
"""Largest difference in similarity between a carrier and the most similar step."""
LEAST = 0.4
"""Smallest similarity of a carrier that is not aligned; 6 of 1,000 recorded rewordings are below."""
SURE = 1.5
"""Log-odds from which the partner alone meets the demand: three in four recorded rewordings."""
DOUBTED = 0.1
"""Largest unadjusted p-value of a step whose demand may not be met."""
BETWEEN = " | "
"""Separates the steps of a window."""


@dataclass(frozen=True)
class DoneAt:
    """The place of a golden step in the candidate.

    Attributes:
        carriers: Candidate steps that do what the step demands, as far as similarity and alignment say.
        window: Candidate steps that the meaning model reads, in the order of the candidate.
        partner: The aligned step of the window, or its most similar one; None if the window is empty.
    """

    carriers: frozenset[int]
    window: tuple[int, ...]
    partner: int | None = None

    @property
    def parts(self) -> tuple[int, ...]:
        """The carriers, in the order of the candidate."""
        return tuple(step for step in self.window if step in self.carriers)


class AskedTexts(NamedTuple):
    """The texts of one question to the meaning model: is the demand met?

    Attributes:
        demand: Text of the golden step.
        window: Text of its window.
        partner: Text of its partner.
    """

    demand: str
    window: str
    partner: str

    @property
    def alone(self) -> TextPair:
        """What the model reads of demand and partner: the sentences that differ."""
        return differing_sentences(self.demand, self.partner)

    @property
    def together(self) -> TextPair:
        """What the model reads of demand and window: the sentences that differ."""
        return differing_sentences(self.demand, self.window)

    @property
    def words(self) -> int:
        """Number of words that are read of the demand."""
        return len(self.alone[0].split())


@dataclass(frozen=True)
class Support:
    """The meaning score of a golden step whose words are nowhere in the candidate, against its window.

    Attributes:
        golden: Position of the golden step.
        candidate: Its carriers, in the order of the candidate; the most similar step if there are none.
        score: The score of the meaning model: is the demand still met?
        p_value: Share of harmlessly rewritten steps whose logit is at most the logit of this step, in (0, 1].
        doubt: -log10 of the p-value. Below the smallest measured p-value it is extrapolated.
        adjusted: 10**-doubt, Holm-adjusted for the number of changed steps, at most 1. It is computed from the doubt,
            because in a large workflow even the smallest measured p-value is not significant after the adjustment.
        calibrated: Whether the p-values are measured rates. Otherwise they only rank steps.
    """

    golden: int
    candidate: tuple[int, ...]
    score: MeaningScore
    p_value: float
    doubt: float
    adjusted: float
    calibrated: bool

    @property
    def doubted(self) -> bool:
        """Whether at most one in ten harmlessly rewritten steps looks like this (`DOUBTED`)."""
        return self.p_value <= DOUBTED

    @property
    def rate(self) -> float | None:
        """The adjusted p-value, but at least the smallest measured p-value; None without calibration."""
        return round(max(self.p_value, self.adjusted), 9) if self.calibrated else None


ChangedTexts = dict[int, AskedTexts]
"""The texts of golden steps with those of their windows, by position of the golden step."""


def places(
    similarity: Callable[[int], NDArray[np.float64]],
    alignment: Alignment,
    order: Sequence[int],
    same: NDArray[np.bool_],
    wordless: NDArray[np.bool_],
    foreign: Mapping[int, NDArray[np.bool_]] | None = None,
) -> tuple[DoneAt, ...]:
    """Return the place of each golden step.

    The place of a step that is aligned with a step of the same words is that step alone. A candidate step that is word
    for word a golden step does nothing else; other golden steps have no place there, and none in a step without words.

    Args:
        similarity: Returns the text similarity of a golden step to the candidate steps, shape (n_candidate,).
        alignment: The alignment of golden and candidate.
        order: The candidate steps in an order that does not depend on the listing.
        same: Whether both steps have the same words, shape (n_golden, n_candidate).
        wordless: Whether the candidate step has no words, shape (n_candidate,).
        foreign: The steps that do the work of others and not that of a golden step (`foreign_steps`), by its position.
    """
    foreign = foreign or {}
    nothing = np.zeros(len(order), dtype=np.bool_)
    aligned = {
        golden: {step for step in steps if not wordless[step]} for golden, steps in alignment.partners().items()
    }
    rank, taken = ranks(order), same.any(axis=0) | wordless
    verbatim = {match.golden: match.candidate for match in alignment.matches if same[match.golden, match.candidate]}
    return tuple(
        DoneAt(frozenset({verbatim[golden]}), (verbatim[golden],), verbatim[golden])
        if golden in verbatim
        else nearest_place(
            similarity(golden), rank, (same[golden] | ~taken) & ~foreign.get(golden, nothing), aligned.get(golden, ())
        )
        for golden in range(len(same))
    )


def foreign_steps(
    statement: str, vocabularies: Sequence[frozenset[str]], partners: Collection[int]
) -> NDArray[np.bool_]:
    """Return which candidate steps do not do the work of an unmatched golden step, shape (n_candidate,).

    These are the partners of other golden steps that have none of its words: a step that does another one, and says
    nothing about this one, does not do both. Similarity alone credits such steps, as all steps of a workflow are about
    the same subject.

    Args:
        statement: The golden step, or another wording of it.
        vocabularies: The `vocabulary` of each candidate step.
        partners: The candidate steps that are matched with a golden step.
    """
    words = vocabulary(statement)
    foreign = np.zeros(len(vocabularies), dtype=np.bool_)
    foreign[[step for step in partners if words.isdisjoint(vocabularies[step])]] = True
    return foreign


def vocabulary(text: str) -> frozenset[str]:
    """Return the content words of a step, as stems and lemmas, and its numbers, but not that of a list item."""
    return parsed(_read(text)).vocabulary


def ranks(order: Sequence[int]) -> NDArray[np.intp]:
    """Return the position of each step in an order of all steps."""
    rank = np.empty(len(order), dtype=np.intp)
    rank[list(order)] = np.arange(len(order))
    return rank


def nearest_place(
    row: NDArray[np.float64], rank: NDArray[np.intp], free: NDArray[np.bool_], aligned: Collection[int] = ()
) -> DoneAt:
    """Return the place of a step.

    Args:
        row: Similarity of the step to each step of the other workflow.
        rank: Position of each step of the other workflow in an order that does not depend on the listing.
        free: Which steps of the other workflow may be part of the place.
        aligned: The steps of the other workflow that are aligned with the step; they are part of the place, too.
    """
    free = free.copy()
    free[list(aligned)] = True
    read = [step for step in nearest(np.where(free, row, 0.0), rank) if free[step]]
    near = {step for step in read if row[step] >= max(LEAST, row[read[0]] - TIE)}
    partner = max(aligned, key=lambda step: (row[step], -rank[step]), default=read[0] if read else None)
    return DoneAt(frozenset({*near, *aligned}), tuple(sorted({*read, *aligned}, key=rank.__getitem__)), partner)


def nearest(row: NDArray[np.float64], rank: NDArray[np.intp]) -> list[int]:
    """Return the most similar steps, best first: at most `WINDOW`, and none that is less similar by `SPREAD`.

    Args:
        row: Similarity of a step to each step of the other workflow.
        rank: Position of each step in an order that does not depend on the listing; it decides between equals.
    """
    near = np.arange(len(row))
    if len(row) > WINDOW:  # only these are sorted: a row has thousands of steps
        near = np.flatnonzero(row >= np.partition(row, -WINDOW)[-WINDOW])
    ranked = near[np.lexsort((rank[near], -row[near]))[:WINDOW]]
    return [int(step) for step in ranked if row[step] >= row[ranked[0]] - SPREAD]


def window_text(texts: Sequence[str]) -> str:
    """Return the text of a window, from the texts of its steps."""
    return BETWEEN.join(text.rstrip(". ") for text in texts)


def wording_text(tasks: Sequence[Task]) -> str:
    """Return the text that the meaning model reads for a step, or for several steps."""
    return window_text([_read(task.statement) for task in tasks])


def changed_texts(golden: Workflow, candidate: Workflow, done_at: Sequence[DoneAt]) -> ChangedTexts:
    """Return the golden steps whose words no candidate step has, with the texts of step and window.

    Args:
        golden: The golden, composites expanded.
        candidate: The candidate, composites expanded.
        done_at: The place of each golden step.
    """
    kept = {plain_words(task.statement) for task in candidate.tasks}
    texts = {}
    for step, place in enumerate(done_at):
        statement = golden.tasks[step].statement
        if plain_words(statement) not in kept:
            texts[step] = asked_of(_read(statement), place, candidate.tasks)
    return texts


def asked_of(demand: str, place: DoneAt, tasks: Sequence[Task]) -> AskedTexts:
    """Return the texts of the question whether a place meets a demand.

    Args:
        demand: Text of the demand.
        place: Where the demand may be met.
        tasks: The steps that the place is about.
    """
    partner = [] if place.partner is None else [tasks[place.partner]]
    return AskedTexts(demand, wording_text([tasks[part] for part in place.window]), wording_text(partner))


def demand_scores(asked: Sequence[AskedTexts], meaning_model: MeaningModel) -> list[MeaningScore]:
    """Return for each question the score of the partner, or its mean with the score of the window.

    The neighbours in a window may hide that a step changed; a partner alone may lack what a neighbour does. Measured
    on goldens that trained nothing (changed steps found at 1 % of the rewordings): windows alone 59 % (vague ones
    82 %), this mean 68 % (97 %); for workflows written anew, both rank accepted and refused ones alike.
    """
    alone = meaning_model.compare([one.alone for one in asked])
    unsure = [
        place
        for place, (one, score) in enumerate(zip(asked, alone, strict=True))
        if one.window != one.partner and score.logit < SURE
    ]
    together = meaning_model.compare([asked[place].together for place in unsure])
    for place, score in zip(unsure, together, strict=True):
        alone[place] = replace(alone[place], logit=joint(alone[place].logit, score.logit))
    return alone


def joint(partner: float, window: float) -> float:
    """Return the score of a demand from the log-odds of its partner and of its window."""
    return partner if partner >= SURE else round((partner + window) / 2, 3)


def supports(
    changed: ChangedTexts,
    done_at: Sequence[DoneAt],
    meaning_model: MeaningModel,
    others: Mapping[int, Sequence[AskedTexts]] | None = None,
    met: Collection[int] = (),
) -> tuple[Support, ...]:
    """Return scores and p-values of changed steps. The p-values are Holm-adjusted for the number of these steps.

    Args:
        changed: The steps with their texts.
        done_at: The place of each golden step.
        meaning_model: The model for scores, p-values and doubts.
        others: Other wordings of the steps, each with the text of its window; the best score of a step counts.
        met: Steps whose demand is met without a test, by the contract.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6: the family-wise error over the changed steps.
    """
    asked = [(step, texts) for step, first in changed.items() for texts in (first, *(others or {}).get(step, ()))]
    asked = [each for each in asked if each[0] not in met]
    best = dict.fromkeys(met, SAME)
    for (step, _), score in zip(asked, demand_scores([texts for _, texts in asked], meaning_model), strict=True):
        best[step] = max(best.get(step, score), score, key=lambda one: one.logit)
    scores = [best[step] for step in changed]
    words = [texts.words for texts in changed.values()]
    doubts = [meaning_model.doubt(score.logit, length) for score, length in zip(scores, words, strict=True)]
    adjusted = holm([10**-doubt for doubt in doubts])
    return tuple(
        Support(
            step,
            done_at[step].parts or done_at[step].window[:1],
            score,
            meaning_model.p_value(score.logit, length),
            doubt,
            adjusted_p,
            meaning_model.calibrated,
        )
        for step, score, length, doubt, adjusted_p in zip(changed, scores, words, doubts, adjusted, strict=True)
    )


def _read(statement: str) -> str:
    return unnumbered(statement[:READ])


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the Holm-adjusted p-values, in the given order.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.2, 0.03])]
        [0.03, 0.2, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted
