"""How many samples of a case lose a golden step."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import get_args

from wfgate.compare import State
from wfgate.decide.result import CaseResult, Lost

_LOST: Mapping[State, Lost] = {state: state for state in get_args(Lost)}


def lost_steps(samples: Iterable[CaseResult]) -> Counter[tuple[str, str, Lost]]:
    """Return in how many measured samples of a case each golden step is missing or changed meaning.

    The keys are id and name of the step, and what became of it.
    """
    lost: Counter[tuple[str, str, Lost]] = Counter()
    for sample in samples:
        if sample.verdict != "inconclusive":
            names = {step.id: step.name for step in sample.alignment.golden}
            for step in sample.steps:
                if state := _LOST.get(step.state):
                    lost[step.id, names.get(step.id, step.id), state] += 1
    return lost
