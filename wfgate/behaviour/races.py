"""Whether two steps can meet in one run, and whether a step can run without others."""

from collections.abc import Iterable

from wfgate.behaviour.run import Behaviour
from wfgate.conditions import Answer, BudgetSpentError
from wfgate.conditions.answer import NO


def can_meet(behaviour: Behaviour, first: int, second: int) -> bool:
    """Return whether two steps can run in one run, as far as their conditions tell.

    Where that takes two different conditions of which nobody knows the values ("it is large", "it is small"), the
    two may well exclude each other: then they are taken not to meet.
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
    """Return whether a step can run in a run in which none of the others does, as long as no step fails.

    Returns:
        A yes carries the situation; unknown where conditions decide it of which nobody knows the values.
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
