"""Bias of a judge (a language model that grades): how its grades depend on position and wording."""

import math
from collections.abc import Sequence

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.llm_judge import mean_and_variance, shown, task_of
from wfgate.errors import LlmAnswerError
from wfgate.llm import TEMPLATES, Client, Opinion, spelled
from wfgate.model import Frozen


class JudgeBias(Frozen):
    """Bias measures of a judge. Grades are divided by 5, so they are in [0, 1].

    Attributes:
        pairs: Number of pairs.
        identity: Mean grade of a golden against itself; 1 for an unbiased judge.
        position: Mean grade with the golden first, minus the mean grade with the candidate first; 0 for an unbiased
            judge.
        swap: Mean absolute difference of these two grades, per prompt: the effect of the position on a single grade.
        spread: Mean standard deviation of the grades between prompts: the effect of the wording of the prompt.
        unanswered: Number of questions without a usable answer. They are excluded from the measures above.
    """

    pairs: int
    identity: float | None
    position: float | None
    swap: float | None
    spread: float | None
    unanswered: int


def judge_bias(client: Client, comparisons: Sequence[Comparison]) -> JudgeBias:
    """Return the bias of a judge, from grades of each pair in both orders and of each golden against itself.

    Cost: three requests per prompt and pair.

    Raises:
        LlmServiceError: If the service cannot be reached or fails repeatedly.
    """
    questions = []
    for pair in comparisons:
        golden = spelled(shown(pair.golden, pair.golden_graph))
        candidate = spelled(shown(pair.candidate, pair.candidate_graph))
        known = task_of(pair.golden, pair.brief)
        task = spelled(known) if known else ""
        for template in TEMPLATES:
            questions += [
                template.question(golden, golden, task=task),
                template.question(golden, candidate, task=task, swapped=not template.golden_first),
                template.question(golden, candidate, task=task, swapped=template.golden_first),
            ]
    answers = client.ask_all(questions, Opinion)
    grades = [None if isinstance(each, LlmAnswerError) else each.value.score for each in answers]
    first, second = grades[1::3], grades[2::3]
    both = [one - other for one, other in zip(first, second, strict=True) if one is not None and other is not None]
    return JudgeBias(
        pairs=len(comparisons),
        identity=_mean([grade for grade in grades[::3] if grade is not None]),
        position=_mean(both),
        swap=_mean([abs(difference) for difference in both]),
        spread=_mean(_spreads(first)),
        unanswered=sum(grade is None for grade in grades),
    )


def _spreads(grades: Sequence[float | None]) -> list[float]:
    """Return the standard deviation of each pair's grades between the prompts."""
    spreads = []
    for place in range(0, len(grades), len(TEMPLATES)):
        given = [grade for grade in grades[place : place + len(TEMPLATES)] if grade is not None]
        if given:
            spreads.append(math.sqrt(mean_and_variance(given)[1]))
    return spreads


def _mean(values: Sequence[float]) -> float | None:
    return round(math.fsum(values) / len(values), 6) if values else None
