"""What became of the steps of a case: the one source of all reports. The texts are not escaped yet."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

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
class ShownStep:
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
            >>> ShownStep("a", "doubtful", "Build", "Build and push", True, "merged").words
            'doubtful, merged, moved'
            >>> ShownStep("a", "same", "Build", "Build", True, "").words
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


@dataclass(frozen=True)
class Steps:
    """What became of all steps of a case.

    Attributes:
        golden: The golden steps, in the order of their file.
        added: The candidate steps that do no golden step.
        left_out: The words for golden steps that were left out, with the references because of which they may be.
    """

    golden: tuple[ShownStep, ...]
    added: tuple[AlignedStep, ...]
    left_out: str

    @classmethod
    def of(cls, case: CaseResult) -> Self:
        """Return the steps of a case."""
        states = case.steps or list(_aligned(case))
        candidate = dict.fromkeys(_candidate(case))
        golden_names, names = ({step.id: step.name for step in side} for side in (case.alignment.golden, candidate))
        shapes = {step.id: "merged" for merge in case.alignment.merged for step in merge.golden}
        shapes |= dict.fromkeys((split.golden.id for split in case.alignment.split), "split")
        golden = (
            ShownStep(
                id=one.id,
                state=one.state,
                golden=one.golden_text or golden_names.get(one.id, one.id),
                candidate=one.candidate_text or one_text([names.get(part, part) for part in one.candidate]),
                moved=one.moved,
                shape=shapes.get(one.id, "") if one.candidate else "",
                p_value=1.0 if one.p_value is None else one.p_value,
            )
            for one in states
        )
        used = {part for step in states for part in step.candidate}
        lacking = list(dict.fromkeys(Path(name).name for step in states for name in step.lacking))
        return cls(
            golden=tuple(golden),
            added=tuple(step for step in candidate if step.id not in used),
            left_out=f"left out (optional: not in {listed(lacking, _SHOWN)})" if lacking else STATES["left-out"],
        )

    @property
    def all_same(self) -> bool:
        """Whether each golden step is the same, and none was added."""
        return all(step.words == STATES["same"] for step in self.golden) and not self.added

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Rows about all golden steps and the added ones: what became of it, golden text, candidate text."""
        rows = [(step.words, step.golden, step.candidate) for step in self.golden]
        return [*rows, *(("added", "", step.name) for step in self.added)]

    def counts(self, without: Collection[State] = ()) -> list[tuple[int, str]]:
        """Return the numbers of steps with the names of what became of them, the worst first, without zeros.

        Each golden step counts once, for the worst; see `counted_twice`.
        """
        counted = Counter(next(_names(step)) for step in self.golden)
        order = {state: STATES[state] for state in STATES if state not in KEPT} | {"left-out": self.left_out}
        words = (
            {STATES[state]: said for state, said in order.items()}
            | _PLACES
            | {STATES[one]: STATES[one] for one in KEPT}
        )
        hidden = {STATES[state] for state in without}
        numbers = [(counted[name], said) for name, said in words.items() if name not in hidden]
        return [(number, said) for number, said in (*numbers, (len(self.added), "added")) if number]

    @property
    def counted_twice(self) -> list[tuple[int, str]]:
        """How many golden steps that `counts` counts for something worse are merged or moved, too."""
        more = Counter(name for step in self.golden for name in [*_names(step)][1:] if name in _PLACES)
        return [(more[name], name) for name in _PLACES if more[name]]


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


def unnamed_steps(case: CaseResult, steps: Steps) -> list[ShownStep]:
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
    left = [
        step
        for step in steps.golden
        if not step.is_plain
        and step.state != "missing"
        and step.id not in (texts if step.state in IN_DOUBT else every)
        and step.id not in unsure_ids
    ]
    rank = list(STATES)
    left = sorted(_merged_together(left), key=lambda step: (rank.index(step.state), step.p_value))
    added = (step for step in steps.added if step.id not in new)
    return [*left, *(ShownStep(one.id, "same", "", one.name, moved=False, shape="added") for one in added)]


def _merged_together(steps: Sequence[ShownStep]) -> Iterator[ShownStep]:
    """Yield the steps; those that were merged into the same step become one, in the worst state of them."""
    groups: dict[tuple[str, str], list[ShownStep]] = {}
    for step in steps:
        groups.setdefault((step.shape, step.candidate) if step.shape == "merged" else (step.id, ""), []).append(step)
    rank = list(STATES)
    for group in groups.values():
        worst = min(group, key=lambda step: rank.index(step.state))
        whole = one_text([step.golden for step in group])
        yield replace(worst, golden=whole, moved=any(step.moved for step in group))


def _names(step: ShownStep) -> Iterator[str]:
    """Yield everything for which a golden step may be counted, the worst first."""
    if step.state not in KEPT:
        yield STATES[step.state]
    if step.shape == "merged":
        yield "merged"
    if step.moved:
        yield "moved"
    if step.state in KEPT:
        yield STATES[step.state]


def _aligned(case: CaseResult) -> Iterator[StepState]:
    alignment = case.alignment
    for pair in alignment.matched:
        state: State = "same" if pair.golden.name == pair.candidate.name else "reworded"
        yield StepState(id=pair.golden.id, state=state, candidate=(pair.candidate.id,))
    known = {pair.golden.id for pair in alignment.matched}
    for merge in alignment.merged:
        parts = (merge.candidate.id,)
        own = [one for one in merge.golden if one.id not in known]
        yield from (StepState(id=one.id, state="reworded", candidate=parts) for one in own)
    for split in alignment.split:
        if split.golden.id not in known:
            yield StepState(id=split.golden.id, state="reworded", candidate=tuple(one.id for one in split.candidate))
    yield from (StepState(id=one.id, state="missing") for one in alignment.missing)


def _candidate(case: CaseResult) -> Iterator[AlignedStep]:
    alignment = case.alignment
    yield from (pair.candidate for pair in alignment.matched)
    yield from alignment.extra
    yield from (merge.candidate for merge in alignment.merged)
    yield from (step for split in alignment.split for step in split.candidate)
