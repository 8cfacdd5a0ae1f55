"""What became of the meaning of the steps that were changed at all."""

from collections.abc import Sequence
from dataclasses import dataclass

from wfgate.alignment.alignment import Alignment
from wfgate.alignment.meaning import MeaningModel, MeaningScore, TextPair, same_words, unnumbered
from wfgate.model import Workflow
from wfgate.texts.characters import READ


@dataclass(frozen=True)
class StepMeaning:
    """A changed step, judged.

    A golden step that was split is judged against all its parts together, steps that were merged together against what
    they were merged into.

    Attributes:
        golden: Positions in the golden, in its order; more than one where steps were merged.
        candidate: Positions in the candidate, in its order; more than one where a step was split.
        score: What the judge says.
        p_value: How often a harmless rewording of one step is believed as little, in (0, 1].
        doubt: -log10 of the p-value, finer where that is at its floor.
        adjusted: 10 to the -doubt, among all changed steps of this workflow (Holm); at most 1. By the p-value itself
            no step of a large workflow could ever be established.
        calibrated: Whether these are rates, or only an order.
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
        """How often a harmless rewording among so many looks as different, no less than measured; None if unknown."""
        return round(max(self.p_value, self.adjusted), 9) if self.calibrated else None


Steps = tuple[tuple[int, ...], tuple[int, ...]]
"""Positions in the golden and in the candidate."""
ChangedTexts = dict[Steps, TextPair]


def changed_texts(
    golden: Workflow, candidate: Workflow, alignment: Alignment, orders: tuple[Sequence[int], Sequence[int]]
) -> ChangedTexts:
    """Return the aligned steps whose words were changed, with both texts. Unchanged steps are not tested.

    Args:
        golden: The golden, composites opened.
        candidate: The candidate, composites opened.
        alignment: Which step is which.
        orders: The steps of both in an order that does not depend on their listing: merged steps are read in it.

    Returns:
        The texts by the positions of the steps, in the golden's listing order.
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
    """Return what the meaning model says about changed steps; p-values are Holm-adjusted for their number.

    Args:
        changed: The steps with their texts.
        meaning_model: Scores them; its p-values and doubts are used.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6: the family-wise error over the changed steps.
    """
    scores = meaning_model.compare(list(changed.values()))
    doubts = [meaning_model.doubt(score.logit) for score in scores]
    adjusted = holm([10**-doubt for doubt in doubts])
    return tuple(
        StepMeaning(*step, score, meaning_model.p_value(score.logit), doubt, least, meaning_model.calibrated)
        for step, score, doubt, least in zip(changed, scores, doubts, adjusted, strict=True)
    )


def _texts(golden: Workflow, candidate: Workflow, ours: Sequence[int], theirs: Sequence[int]) -> TextPair:
    return (
        ". ".join(unnumbered(golden.tasks[step].statement[:READ]).rstrip(". ") for step in ours),
        ". ".join(unnumbered(candidate.tasks[step].statement[:READ]).rstrip(". ") for step in theirs),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted so that the smallest of all is right about the whole family.

    Example:
        >>> [round(p, 3) for p in holm([0.01, 0.2, 0.03])]
        [0.03, 0.2, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = least
    return adjusted
