"""Queries: whether two steps can run in the same run, and whether a step can run without some other steps."""

from collections.abc import Iterable

from wfgate.logic.behaviour.run import Behaviour
from wfgate.logic.conditions.answer import NO, Answer
from wfgate.logic.conditions.space import BudgetSpentError


def can_meet(behaviour: Behaviour, first: int, second: int) -> bool:
    """Return whether it is known that two steps run in the same run in some situation.

    Two different opaque conditions, which are not analysed ("it is large", "it is small"), may exclude each other.
    Therefore the result is False for steps that depend on such conditions.
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
    """Return whether a step can run in a situation in which none of the steps `others` runs, if no step fails.

    Returns:
        Yes with the situation, no, or unknown if the answer depends on opaque conditions.
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
