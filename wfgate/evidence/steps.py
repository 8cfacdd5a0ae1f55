"""What became of each golden step: the one answer that all reports give."""

from collections.abc import Iterable, Sequence
from typing import Literal

from wfgate.alignment import Comparison
from wfgate.alignment.supports import TIE
from wfgate.checks import Finding
from wfgate.checks.relative.meaning import MeaningChanged, significant_steps
from wfgate.evidence.gather import changed_demands, missing_steps
from wfgate.evidence.order import moved_steps
from wfgate.model.workflow import Frozen
from wfgate.texts.words import one_text

State = Literal["same", "reworded", "doubtful", "probably-changed", "changed", "missing", "left-out"]
"""What became of a golden step.

- same: the candidate has it in the same words;
- reworded: in other words, or in several steps, with the same meaning;
- doubtful: at most one in ten harmlessly rewritten steps looks like this;
- probably-changed: its meaning changed significantly (WR106);
- changed: its text is contradicted explicitly, or lost a number and WR106 does not say "probably";
- missing: no step of the candidate does it;
- left-out: it is optional, and the candidate lacks it.
"""


class StepState(Frozen):
    """What became of a golden step.

    Attributes:
        id: Id of the golden step.
        state: What became of it.
        candidate: Ids of the candidate steps that do it, or that are nearest to it.
        p_value: Share of harmlessly rewritten steps that look at least this bad, not adjusted for the number of steps;
            None if the meaning model did not compare it.
        moved: Whether it is one of the steps whose other place explains the changes of order.
        golden_text: Its text; None if its meaning is not in doubt.
        candidate_text: The text of the candidate steps; None if the meaning is not in doubt.
    """

    id: str
    state: State
    candidate: tuple[str, ...] = ()
    p_value: float | None = None
    moved: bool = False
    golden_text: str | None = None
    candidate_text: str | None = None


IN_DOUBT: tuple[State, ...] = ("doubtful", "probably-changed", "changed")
"""States of a step that the candidate has, but maybe with another meaning."""


def step_states(comparison: Comparison, findings: Iterable[Finding] = ()) -> tuple[StepState, ...]:
    """Return what became of each golden step, in the order of `comparison.golden.tasks`.

    Args:
        comparison: The aligned pair.
        findings: Its findings: a contradiction that a check proves counts, too.
    """
    golden, candidate = comparison.golden.tasks, comparison.candidate.tasks
    findings = tuple(findings)
    proven = {
        step: tuple("".join(text for text, _ in side) for side in (one.wording.golden, one.wording.candidate))
        for one in findings
        if one.id == MeaningChanged.id and one.exact and one.wording is not None
        for step in one.golden_steps
    }
    contradicted = {step for step, task in enumerate(golden) if task.id in proven}
    estimated = {
        step
        for one in findings
        if one.id == MeaningChanged.id and one.wording is not None
        for step in one.golden_steps
    } - proven.keys()
    done_by = _done_by(comparison)
    state: list[State] = [  # a state never says more than the finding about the step
        "probably-changed" if found == "changed" and task.id in estimated else found
        for found, task in zip(_states(comparison, contradicted, done_by), golden, strict=True)
    ]
    moved = moved_steps(comparison, done_by)
    p_values = {support.golden: support.p_value for support in comparison.supports if support.calibrated}
    found = []
    for step, task in enumerate(golden):
        parts = [candidate[part] for part in done_by[step]] if state[step] not in {"missing", "left-out"} else []
        texts: tuple[str | None, ...] = (None, None)
        if state[step] in IN_DOUBT:
            texts = proven.get(task.id) or (task.statement, one_text([part.statement for part in parts]))
        found.append(
            StepState(
                id=task.id,
                state=state[step],
                candidate=tuple(part.id for part in parts),
                p_value=round(p_values[step], 6) if step in p_values else None,
                moved=step in moved and bool(parts),
                golden_text=texts[0],
                candidate_text=texts[1],
            )
        )
    return tuple(found)


def _states(comparison: Comparison, proven: set[int], done_by: Sequence[Sequence[int]]) -> list[State]:
    aligned = comparison.candidate_of.keys()
    missing = {*missing_steps(comparison), *comparison.doubted.intersection(comparison.missing)} - aligned
    lost, contradicted = comparison.derived(changed_demands)
    ranked: tuple[tuple[State, set[int] | frozenset[int]], ...] = (
        ("left-out", comparison.left_out),
        ("missing", missing),
        ("changed", lost | contradicted | proven),
        ("probably-changed", {*significant_steps(comparison)}),
        ("doubtful", {support.golden for support in comparison.supports if support.doubted}),
    )
    states: list[State] = []
    for step, parts in enumerate(done_by):
        texts = {comparison.candidate.tasks[part].statement for part in parts}
        plain: State = "same" if len(parts) == 1 and texts == {comparison.golden.tasks[step].statement} else "reworded"
        states.append(next((name for name, steps in ranked if step in steps), plain if parts else "missing"))
    return states


def _done_by(comparison: Comparison) -> list[list[int]]:
    """Return the candidate steps that do each golden step, in the order of the candidate.

    These are the steps that it is aligned with, and those of its carriers that are aligned with no other step. If a
    carrier is more similar than all of them by `TIE`, these are the carriers about as similar as the best one.
    """
    aligned = comparison.alignment.partners()
    rank = {task: place for place, task in enumerate(comparison.candidate_order)}
    free = set(comparison.extra)
    found, others = [], []
    for step, place in enumerate(comparison.places):
        similar, carriers = comparison.similarity[step], place.parts or place.window[:1]
        best = max((similar[part] for part in carriers), default=0.0)
        near = {part for part in carriers if similar[part] >= best - TIE}
        own = aligned.get(step, frozenset())
        is_own = not near or any(similar[part] >= best - TIE for part in own)
        found.append(own | (near & free) if is_own else near)
        others.append(set() if is_own else own)
    claimed = set().union(*found)
    return [  # each aligned candidate step has its place
        sorted(parts | (other - claimed), key=rank.__getitem__) for parts, other in zip(found, others, strict=True)
    ]
