"""What became of each golden step: the one answer that all reports give."""

from wfgate.compare import IN_DOUBT, LOST, Comparison, Fate, Levels, State
from wfgate.language import one_text
from wfgate.model import Frozen


class StepState(Frozen):
    """What became of a golden step.

    Attributes:
        id: Id of the golden step.
        state: What became of it.
        candidate: Ids of the candidate steps that do it, or that are nearest to it.
        p_value: Share of harmlessly rewritten steps that look at least this bad, not adjusted for the number of steps;
            None if the meaning model did not compare it.
        moved: Whether it is one of the steps whose other place explains the changes of order.
        golden_text: Its name and description; None if the candidate steps have the same description and its meaning
            is not in doubt.
        candidate_text: The text of the candidate steps; None if `golden_text` is.
        lacking: Names of the further references that lack it, if it was left out; the gate sets them.
    """

    id: str
    state: State
    candidate: tuple[str, ...] = ()
    p_value: float | None = None
    moved: bool = False
    golden_text: str | None = None
    candidate_text: str | None = None
    lacking: tuple[str, ...] = ()


def step_states(comparison: Comparison, levels: Levels | None = None) -> tuple[StepState, ...]:
    """Return the fate of each golden step, by ids and texts, in the order of `comparison.golden.tasks`.

    Args:
        comparison: The aligned pair.
        levels: Significance levels of the words; None for those of a case that is blocked.
    """
    return tuple(_step_state(fate, fate.state(levels or Levels())) for fate in comparison.fates)


def _step_state(fate: Fate, state: State) -> StepState:
    tasks = fate.comparison.candidate.tasks
    parts = [tasks[part] for part in fate.done_by] if state not in LOST else []
    texts: tuple[str | None, ...] = (None, None)
    whole = one_text([part.statement for part in parts])
    if state in IN_DOUBT:  # a contradiction is shown in the text in which it was found
        texts = (fate.task.statement, fate.changed_text if fate.exact_changes else whole)
    elif state == "reworded" and parts and [part.description for part in parts] != [fate.task.description]:
        texts = (fate.task.statement, whole)
    measured = fate.support is not None and fate.support.calibrated
    return StepState(
        id=fate.task.id,
        state=state,
        candidate=tuple(part.id for part in parts),
        p_value=round(fate.support.p_value, 6) if fate.support and measured else None,
        moved=fate.has_moved,
        golden_text=texts[0],
        candidate_text=texts[1],
    )
