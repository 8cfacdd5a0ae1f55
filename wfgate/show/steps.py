"""What became of the steps of a case: the one source of all reports. The texts are not escaped yet."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wfgate.compare import IN_DOUBT, State
from wfgate.decide import AlignedStep, CaseResult, StepState
from wfgate.language import one_text
from wfgate.model import listed
from wfgate.rules import Finding

STATES: dict[State, str] = {
    "missing": "missing",
    "changed": "changed meaning",
    "probably-changed": "probably changed meaning",
    "doubtful": "doubtful",
    "left-out": "left out (optional)",
    "reworded": "reworded",
    "same": "the same",
}
"""Names of what became of a golden step, the worst first."""
_SHOWN = 3
"""Most references that are named."""
KEPT: tuple[State, ...] = ("reworded", "same")
"""States of a step that the candidate does as approved."""
FEW = 3
"""Most plain rewordings of a passed case that are shown."""
_PLACES = {"merged": "merged", "moved": "moved"}
"""What may become of a step besides its state, with its name."""


@dataclass(frozen=True)
class Step:
    """A golden step, and what became of it.

    Attributes:
        id: Its id.
        state: What became of it.
        golden: Its text: name and description if its meaning is in doubt or its description differs, else its name.
        candidate: The text of the candidate steps that do it, or are nearest to it; empty if it is missing.
        moved: Whether it has another place in the order.
        shape: "merged" or "split" if it has no candidate step of its own, or several; "added" for a candidate step
            that does no golden step; else empty.
        p_value: P-value of the meaning model, not adjusted; 1 if it did not compare the step.
    """

    id: str
    state: State
    golden: str
    candidate: str
    moved: bool
    shape: str
    p_value: float = 1.0

    @property
    def words(self) -> str:
        """Everything that became of it.

        Example:
            >>> Step("a", "doubtful", "Build", "Build and push", True, "merged").words
            'doubtful, merged, moved'
            >>> Step("a", "same", "Build", "Build", True, "").words
            'moved'
        """
        more = [*filter(None, [self.shape, "moved" * self.moved])]
        return ", ".join(more if more and self.state == "same" else [STATES[self.state], *more])

    @property
    def is_plain(self) -> bool:
        """Whether it is done in a step of its own, in its place, and at most reworded."""
        return self.state in KEPT and not self.shape and not self.moved

    @property
    def is_harmed(self) -> bool:
        """Whether the severity counts it: it is not done as approved, has no step of its own, or has moved."""
        return self.state not in (*KEPT, "left-out") or self.shape == "merged" or self.moved


def steps_of(case: CaseResult) -> list[Step]:
    """Return the golden steps of a case, in the order of its file."""
    golden, candidate = ({step.id: step.name for step in side} for side in (case.alignment.golden, _candidate(case)))
    shapes = dict.fromkeys(merged_steps(case), "merged")
    shapes |= dict.fromkeys((split.golden.id for split in case.alignment.split), "split")
    return [
        Step(
            id=one.id,
            state=one.state,
            golden=one.golden_text or golden.get(one.id, one.id),
            candidate=one.candidate_text or one_text([candidate.get(part, part) for part in one.candidate]),
            moved=one.moved,
            shape=shapes.get(one.id, "") if one.candidate else "",
            p_value=1.0 if one.p_value is None else one.p_value,
        )
        for one in _states(case)
    ]


def texts_of(case: CaseResult, finding: Finding | None) -> tuple[str, str] | None:
    """Return the texts of golden and candidate that a finding is about; None if it is not about a text.

    For a step in doubt they are the same in all reports; a contradiction has those in which it was found.
    """
    if finding is None or finding.wording is None:
        return None
    golden, candidate = (
        "".join(text for text, _ in side) for side in (finding.wording.golden, finding.wording.candidate)
    )
    known = {step.id: step for step in case.steps if step.state in IN_DOUBT and not finding.exact}
    step = known.get(finding.golden_steps[0]) if finding.golden_steps else None
    if step is None or step.golden_text is None or step.candidate_text is None:
        return golden, candidate
    return step.golden_text, step.candidate_text


def unnamed_steps(case: CaseResult) -> list[Step]:
    """Return the steps that are not plainly kept and that no reason names, the worst first and added steps last.

    These are the steps in doubt, and those that were left out, merged, split, moved or added. Steps that were merged
    into the same step are one entry.
    """
    named = [finding for finding in map(case.finding_of, case.reasons) if finding is not None]
    texts = {step for finding in named if finding.wording is not None for step in finding.golden_steps}
    every = {step for finding in named for step in finding.golden_steps}
    new = {step for finding in named if not finding.golden_steps for step in finding.candidate_steps}
    unsure = {one.name for reason in case.reasons if reason.rule == "critical-unsure" for one in reason.mentions[:1]}
    unsure_ids = {step.id for step in case.alignment.golden if step.name in unsure}
    found = [
        step
        for step in steps_of(case)
        if not step.is_plain
        and step.state != "missing"
        and step.id not in (texts if step.state in IN_DOUBT else every)
        and step.id not in unsure_ids
    ]
    rank = list(STATES)
    found = sorted(_merged_together(found), key=lambda step: (rank.index(step.state), step.p_value))
    added = (step for step in added_steps(case) if step.id not in new)
    return [*found, *(Step(one.id, "same", "", one.name, moved=False, shape="added") for one in added)]


def few_rewordings(case: CaseResult) -> list[Step]:
    """Return the plainly reworded steps of a passed case; none if there are more than `FEW`.

    A rewritten workflow is compared with `wfgate diff`.
    """
    plainly = [step for step in steps_of(case) if step.is_plain and step.state != "same"]
    return plainly if case.verdict == "pass" and len(plainly) <= FEW else []


def _merged_together(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the steps; those that were merged into the same step become one, in the worst state of them."""
    groups: dict[tuple[str, str], list[Step]] = {}
    for step in steps:
        groups.setdefault((step.shape, step.candidate) if step.shape == "merged" else (step.id, ""), []).append(step)
    rank = list(STATES)
    for group in groups.values():
        worst = min(group, key=lambda step: rank.index(step.state))
        whole = one_text([step.golden for step in group])
        yield replace(worst, golden=whole, moved=any(step.moved for step in group))


def added_steps(case: CaseResult) -> list[AlignedStep]:
    """Return the candidate steps that do no golden step."""
    used = {part for step in _states(case) for part in step.candidate}
    return [step for step in dict.fromkeys(_candidate(case)) if step.id not in used]


def step_rows(case: CaseResult) -> list[tuple[str, str, str]]:
    """Return rows about all golden steps and the added ones: what became of it, golden text, candidate text."""
    rows = [(step.words, step.golden, step.candidate) for step in steps_of(case)]
    return [*rows, *(("added", "", step.name) for step in added_steps(case))]


def counts(case: CaseResult, without: Collection[State] = ()) -> list[tuple[int, str]]:
    """Return the numbers of steps with the names of what became of them, the worst first, without zeros.

    Each golden step counts once, for the worst; see `counted_twice`.
    """
    steps = _states(case)
    counted = Counter(next(_names(step)) for step in steps_of(case))
    named = {STATES[state]: words for state, words in (STATES | {"left-out": _left_out(steps)}).items()}
    kept = {STATES[state]: STATES[state] for state in KEPT}
    order = {**{name: words for name, words in named.items() if name not in kept}, **_PLACES, **kept}
    left_out = {STATES[state] for state in without}
    found = [(counted[name], words) for name, words in order.items() if name not in left_out]
    found.append((len(added_steps(case)), "added"))
    return [(number, name) for number, name in found if number]


def counted_twice(case: CaseResult) -> list[tuple[int, str]]:
    """Return how many golden steps that `counts` counts for something worse are merged or moved, too."""
    more = Counter(name for step in steps_of(case) for name in [*_names(step)][1:] if name in _PLACES)
    return [(more[name], name) for name in _PLACES if more[name]]


def _names(step: Step) -> Iterator[str]:
    """Yield everything for which a golden step may be counted, the worst first."""
    if step.state not in KEPT:
        yield STATES[step.state]
    if step.shape == "merged":
        yield "merged"
    if step.moved:
        yield "moved"
    if step.state in KEPT:
        yield STATES[step.state]


def _left_out(steps: Sequence[StepState]) -> str:
    """Return the words for steps that were left out, with the references because of which they may be."""
    names = dict.fromkeys(Path(name).name for step in steps for name in step.lacking)
    return f"left out (optional: not in {listed(list(names), _SHOWN)})" if names else STATES["left-out"]


def merged_steps(case: CaseResult) -> frozenset[str]:
    """Return the ids of the golden steps that share a candidate step with others and are done all the same."""
    done = {step.id for step in _states(case) if step.candidate}
    return frozenset(step.id for merge in case.alignment.merged for step in merge.golden) & done


def _states(case: CaseResult) -> Sequence[StepState]:
    """Return what became of the golden steps; in a result of an earlier version, what the alignment says."""
    return case.steps or list(_aligned(case))


def _aligned(case: CaseResult) -> Iterator[StepState]:
    found = case.alignment
    for pair in found.matched:
        state: State = "same" if pair.golden.name == pair.candidate.name else "reworded"
        yield StepState(id=pair.golden.id, state=state, candidate=(pair.candidate.id,))
    known = {pair.golden.id for pair in found.matched}
    for merge in found.merged:
        parts = (merge.candidate.id,)
        own = [one for one in merge.golden if one.id not in known]
        yield from (StepState(id=one.id, state="reworded", candidate=parts) for one in own)
    for split in found.split:
        if split.golden.id not in known:
            yield StepState(id=split.golden.id, state="reworded", candidate=tuple(one.id for one in split.candidate))
    yield from (StepState(id=one.id, state="missing") for one in found.missing)


def _candidate(case: CaseResult) -> Iterator[AlignedStep]:
    found = case.alignment
    yield from (pair.candidate for pair in found.matched)
    yield from found.extra
    yield from (merge.candidate for merge in found.merged)
    yield from (step for split in found.split for step in split.candidate)
