"""Whether two steps can run in the same run, and whether a step can run without others."""

from collections.abc import Iterable

from wfgate.behaviour.run import Behaviour
from wfgate.conditions import Answer, BudgetSpentError
from wfgate.conditions.answer import NO


def can_meet(behaviour: Behaviour, first: int, second: int) -> bool:
    """Return whether two steps are known to run in the same run in some situation.

    Two different opaque conditions ("it is large", "it is small") may exclude each other, so steps that depend on
    them are assumed not to meet.
    """
    one, other = behaviour.runs[first], behaviour.runs[second]
    if one is None or other is None:
        return False
    try:
        together = behaviour.space.both(one, other)
        return together in {one, other} or behaviour.space.sometimes(together).value is True
    except BudgetSpentError:
        return False


def can_miss(behaviour: Behaviour, task: int, others: Iterable[int]) -> Answer:
    """Return whether a step can run while none of the others does, provided that no step fails.

    Returns:
        True with the situation; unknown if it depends on opaque conditions.
    """
    own = behaviour.runs[task]
    rest = [behaviour.runs[other] for other in others]
    if own is None or None in rest:
        return Answer(value=None, because="the conditions are unknown")
    try:
        some = behaviour.space.some(node for node in rest if node is not None)
        missing = behaviour.space.both(own, behaviour.space.contrary(some))
        if not missing:
            return NO
        return behaviour.space.sometimes(behaviour.space.given(missing, behaviour.selections.normal))
    except BudgetSpentError as problem:
        return Answer(value=None, because=str(problem))
