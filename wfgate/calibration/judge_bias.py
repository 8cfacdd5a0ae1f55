"""Bias of a judge (a language model that grades): how its grades depend on position and wording."""

import math
from collections.abc import Sequence

from wfgate.compare import Comparison, mean_and_variance, shown, task_of
from wfgate.decide import JudgeBias
from wfgate.errors import LlmAnswerError
from wfgate.llm import TEMPLATES, Client, Opinion, spelled


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
