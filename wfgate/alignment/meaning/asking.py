"""Computations that ask a judge on their way, and how the questions of many are put together."""

from collections.abc import Generator, Iterable
from itertools import islice
from typing import TypeVar

from wfgate.alignment.meaning.base import Equivalence, Judgement, TextPair

Result = TypeVar("Result")

Asking = Generator[list[TextPair], list[Judgement], Result]
"""Yields pairs to be judged, is sent a judgement for each, and returns its result in the end."""


def answered(askings: Iterable[Asking[Result]], equivalence: Equivalence | None) -> list[Result]:
    """Run computations side by side; what all of them ask in a round is one question to the judge.

    Many pairs in one call cost little more than half of what they cost in calls of their own, and a judgement does not
    depend on the others.

    Args:
        askings: The computations.
        equivalence: The judge; None where nothing is asked.

    Returns:
        The results, in order.
    """
    running = list(askings)
    results: dict[int, Result] = {}
    answers: dict[int, list[Judgement] | None] = dict.fromkeys(range(len(running)))
    while answers:
        asked: dict[int, list[TextPair]] = {}
        for place, answer in answers.items():
            try:
                asked[place] = next(running[place]) if answer is None else running[place].send(answer)
            except StopIteration as end:
                results[place] = end.value
        questions = [pair for pairs in asked.values() for pair in pairs]
        judged = iter(equivalence.judge(questions) if equivalence else ())
        answers = {place: list(islice(judged, len(pairs))) for place, pairs in asked.items()}
    return [results[place] for place in range(len(running))]
