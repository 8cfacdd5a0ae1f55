"""What became of the meaning of the steps that were changed at all."""

from collections.abc import Sequence
from dataclasses import dataclass

from wfgate.matching.alignment import Alignment
from wfgate.matching.equivalence import Equivalence, Judgement, TextPair, same_words
from wfgate.model import Workflow


@dataclass(frozen=True)
class StepMeaning:
    """A changed step, judged.

    A golden step that was split is judged against all its parts together, steps that were merged together against what
    they were merged into.

    Attributes:
        golden: Positions in the golden, ascending; more than one where steps were merged.
        candidate: Positions in the candidate, ascending; more than one where a step was split.
        judgement: What the judge says.
        p_value: How often a harmless rewording of one step is believed as little, in (0, 1].
        adjusted: The same among all changed steps of this workflow (Holm); at most 1.
        doubt: -log10 of the p-value, finer where that is at its floor.
    """

    golden: tuple[int, ...]
    candidate: tuple[int, ...]
    judgement: Judgement
    p_value: float
    adjusted: float
    doubt: float


def changed_meanings(
    golden: Workflow, candidate: Workflow, alignment: Alignment, equivalence: Equivalence
) -> tuple[StepMeaning, ...]:
    """Judge each aligned step whose words were changed; a verbatim step is no test.

    Args:
        golden: The golden, composites opened.
        candidate: The candidate, composites opened.
        alignment: Which step is which.
        equivalence: Judges pairs of texts.

    Returns:
        The changed steps in the golden's listing order.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6: the family-wise error over the changed steps.
    """
    merged = {merge.candidate: merge.golden for merge in alignment.merges}
    split = {part.golden: part.candidate for part in alignment.splits}
    steps = {
        (merged.get(match.candidate, (match.golden,)), split.get(match.golden, (match.candidate,))): None
        for match in alignment.matches
    }
    texts = {step: _texts(golden, candidate, *step) for step in steps}
    changed = [step for step in steps if not same_words(*texts[step])]
    judged = equivalence.judge([texts[step] for step in changed])
    p_values = [equivalence.p_value(judgement.logit) for judgement in judged]
    return tuple(
        StepMeaning(*step, judgement, p_value, adjusted, equivalence.doubt(judgement.logit))
        for step, judgement, p_value, adjusted in zip(changed, judged, p_values, holm(p_values), strict=True)
    )


def _texts(golden: Workflow, candidate: Workflow, ours: Sequence[int], theirs: Sequence[int]) -> TextPair:
    return (
        ". ".join(golden.tasks[step].statement.rstrip(". ") for step in ours),
        ". ".join(candidate.tasks[step].statement.rstrip(". ") for step in theirs),
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
