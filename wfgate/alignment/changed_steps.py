"""Meaning scores and p-values of changed steps."""

from collections.abc import Sequence
from dataclasses import dataclass

from wfgate.alignment.alignment import Alignment
from wfgate.alignment.meaning import MeaningModel, MeaningScore, TextPair, same_words, unnumbered
from wfgate.model import Workflow
from wfgate.texts.characters import READ


@dataclass(frozen=True)
class StepMeaning:
    """The meaning score and p-value of a changed step.

    For a split, the golden step is compared with the joined text of the candidate steps. For a merge, the joined text
    of the golden steps is compared with the candidate step.

    Attributes:
        golden: Positions in the golden, in topological order; several positions for a merge.
        candidate: Positions in the candidate, in topological order; several positions for a split.
        score: The score of the meaning model.
        p_value: Share of harmless rewordings whose logit is at most the logit of this step, in (0, 1].
        doubt: -log10 of the p-value. Below the smallest measured p-value it is extrapolated.
        adjusted: 10**-doubt, Holm-adjusted for the number of changed steps, at most 1. It is computed from the doubt,
            because in a large workflow even the smallest measured p-value is not significant after the adjustment.
        calibrated: Whether the p-values are measured rates. Otherwise they only rank steps.
    """

    golden: tuple[int, ...]
    candidate: tuple[int, ...]
    score: MeaningScore
    p_value: float
    doubt: float
    adjusted: float
    calibrated: bool

    @property
    def rate(self) -> float | None:
        """The adjusted p-value, but at least the smallest measured p-value; None without calibration."""
        return round(max(self.p_value, self.adjusted), 9) if self.calibrated else None


Steps = tuple[tuple[int, ...], tuple[int, ...]]
"""Positions in the golden and in the candidate."""
ChangedTexts = dict[Steps, TextPair]


def changed_texts(
    golden: Workflow, candidate: Workflow, alignment: Alignment, orders: tuple[Sequence[int], Sequence[int]]
) -> ChangedTexts:
    """Return the aligned steps whose words differ, with both texts. Unchanged steps are not tested.

    Args:
        golden: The golden, composites expanded.
        candidate: The candidate, composites expanded.
        alignment: The alignment of golden and candidate.
        orders: The golden and candidate steps in an order that does not depend on the listing; merged texts are joined
            in this order.

    Returns:
        The texts by the positions of the steps, in the listing order of the golden.
    """
    ours, theirs = ({step: place for place, step in enumerate(order)} for order in orders)
    merged = {merge.candidate: tuple(sorted(merge.golden, key=ours.__getitem__)) for merge in alignment.merges}
    split = {part.golden: tuple(sorted(part.candidate, key=theirs.__getitem__)) for part in alignment.splits}
    steps = {
        (merged.get(match.candidate, (match.golden,)), split.get(match.golden, (match.candidate,))): None
        for match in alignment.matches
    }
    texts = {step: _texts(golden, candidate, *step) for step in steps}
    return {step: pair for step, pair in texts.items() if not same_words(*pair)}


def step_meanings(changed: ChangedTexts, meaning_model: MeaningModel) -> tuple[StepMeaning, ...]:
    """Return scores and p-values of changed steps. The p-values are Holm-adjusted for the number of these steps.

    Args:
        changed: The steps with their texts.
        meaning_model: The model for scores, p-values and doubts.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6: the family-wise error over the changed steps.
    """
    scores = meaning_model.compare(list(changed.values()))
    doubts = [meaning_model.doubt(score.logit) for score in scores]
    adjusted = holm([10**-doubt for doubt in doubts])
    return tuple(
        StepMeaning(*step, score, meaning_model.p_value(score.logit), doubt, adjusted_p, meaning_model.calibrated)
        for step, score, doubt, adjusted_p in zip(changed, scores, doubts, adjusted, strict=True)
    )


def _texts(golden: Workflow, candidate: Workflow, ours: Sequence[int], theirs: Sequence[int]) -> TextPair:
    return (
        ". ".join(unnumbered(golden.tasks[step].statement[:READ]).rstrip(". ") for step in ours),
        ". ".join(unnumbered(candidate.tasks[step].statement[:READ]).rstrip(". ") for step in theirs),
    )


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
