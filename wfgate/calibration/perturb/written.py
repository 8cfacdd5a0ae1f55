"""Variants written by a language model: the requests, and the validation of the answers.

Only the form of the answers is validated: counts, numbers, ids, order, changed and unchanged words. The gate is not
used for the validation. Otherwise the variants that the gate misjudges would be missing in the corpus, and the
measured error rates of the gate would be too low.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, get_args

from wfgate.calibration.perturb.base import Golden, affected_count
from wfgate.calibration.perturb.compressed import contracted, neighbours
from wfgate.calibration.perturb.texts import DriftText, ExtraText, MergeText, StepTexts, VagueText
from wfgate.errors import WritingRejected
from wfgate.llm import ChangedStep, Kind, PlannedStep, Step, Written
from wfgate.model import END, START, TaskGraph

KINDS: tuple[Kind, ...] = get_args(Kind)
SEVERITIES: dict[Kind, tuple[float, ...]] = {
    "description": (1.0,),
    "regeneration": (1.0,),
    "missing": (0.1, 0.3, 0.5),
    "compressed": (0.1, 0.3, 0.5),
    "drift": (0.5,),
    "vague": (0.5,),
    "extra": (0.5,),
}
"""Requested shares of steps. Texts per step also serve smaller shares: the operators select among them."""


@dataclass(frozen=True)
class Assignment:
    """A variant that the model has to write: the kind of change, and the share of steps."""

    kind: Kind
    severity: float

    def k(self, golden: Golden) -> int:
        """Return the number of affected steps."""
        return affected_count(self.severity, golden.n)


def assignments(golden: Golden, kinds: Iterable[Kind] = KINDS) -> tuple[Assignment, ...]:
    """Return the possible assignments: no duplicates, no empty variants, no regeneration of a golden with cycles."""
    wanted: dict[tuple[Kind, int], Assignment] = {}
    for kind in dict.fromkeys(kinds):
        for severity in SEVERITIES[kind]:
            one = Assignment(kind, severity)
            k = one.k(golden)
            shrinks = kind in {"missing", "compressed"}
            if k < golden.n or (golden.n and not shrinks and not (kind == "regeneration" and golden.graph.cycles)):
                wanted.setdefault((kind, k), one)
    return tuple(wanted.values())


def shown(golden: Golden) -> dict[str, Any]:
    """Return the golden as sent to the language model."""
    steps = [
        {"number": place + 1, "text": task.text, "after": [step + 1 for step in golden.graph.predecessors[place]]}
        for place, task in enumerate(golden.workflow.tasks)
    ]
    return {"name": golden.workflow.name, "steps": steps} if golden.workflow.name else {"steps": steps}


def texts_of(golden: Golden, assignment: Assignment, answer: Written) -> StepTexts:
    """Return the texts to record from an answer.

    Cost: linear, plus one search for cycles for merges and regenerations.

    Raises:
        WritingRejected: If the answer is not as requested. The message of the error is written for the model.
    """
    steps = answer.steps
    _check_numbers(golden, steps)
    return _READERS[assignment.kind](_NumberedAnswer(golden, assignment, steps))


@dataclass(frozen=True)
class _NumberedAnswer:
    """An answer with valid step numbers."""

    golden: Golden
    assignment: Assignment
    steps: Sequence[Step]

    @property
    def k(self) -> int:
        return self.assignment.k(self.golden)

    def own(self, step: int) -> str:
        """Return the text of a step of the golden."""
        return self.golden.workflow.tasks[step].text

    def check_count(self, expected: int) -> None:
        if len(self.steps) != expected:
            n, change = self.golden.n, abs(expected - self.golden.n)
            asked = f"{change} {'fewer' if expected < n else 'more'} than {n}" if change else "as many as there were"
            raise WritingRejected(
                "step count", f"Your output had {len(self.steps)} steps instead of {expected}, {asked}."
            )

    def check_single(self, steps: Iterable[Step]) -> None:
        for place, step in enumerate(steps, start=1):
            if len(step.of) != 1:
                raise WritingRejected("step numbers", f'Step {place} has {len(step.of)} numbers in "of" instead of 1.')

    def check_complete(self) -> None:
        gone = set(range(1, self.golden.n + 1)) - {number for step in self.steps for number in step.of}
        if gone:
            raise WritingRejected("step numbers", f"{_listed(gone)} of the workflow {_are(gone)} not in your output.")

    def check_all_there(self, steps: Iterable[Step]) -> None:
        """Check that each step of the answer is one golden step, and that no golden step is left out."""
        self.check_single(steps)
        self.check_complete()

    def check_order(self) -> None:
        numbers = [step.of[0] for step in self.steps if step.of]
        if numbers != sorted(numbers):
            raise WritingRejected("order", "Your output lists steps in another order than the workflow.")

    def check_copied(self, steps: Iterable[Step]) -> None:
        changed = {step.of[0] for step in steps if step.text.split() != self.own(step.of[0] - 1).split()}
        if changed:
            raise WritingRejected("other steps changed", f"{_listed(changed)} must be copied letter by letter.")

    def changed(self, expected: int) -> list[tuple[int, str]]:
        """Return the `expected` changed steps (positions from 0) with their texts. All other steps must be copied."""
        self.check_count(self.golden.n)
        self.check_all_there(self.steps)
        self.check_order()
        changed = [step for step in self.steps if not _same_words(step.text, self.own(step.of[0] - 1))]
        if len(changed) != expected:
            raise WritingRejected("changed steps", f"You changed {len(changed)} steps instead of {expected}.")
        self.check_copied(step for step in self.steps if step not in changed)
        return [(step.of[0] - 1, _tidy(step.text)) for step in changed]


def _missing(answer: _NumberedAnswer) -> StepTexts:
    left = answer.golden.n - answer.k
    answer.check_count(left)
    answer.check_single(answer.steps)
    answer.check_order()
    answer.check_copied(answer.steps)
    kept = {step.of[0] - 1 for step in answer.steps}
    return StepTexts(omissions=(tuple(step for step in range(answer.golden.n) if step not in kept),))


def _compressed(answer: _NumberedAnswer) -> StepTexts:
    golden = answer.golden
    answer.check_count(golden.n - answer.k)
    merged = [step for step in answer.steps if len(step.of) != 1]
    if any(not step.of for step in merged):
        raise WritingRejected("step numbers", 'A step has no number in "of": steps were added.')
    singles = [step for step in answer.steps if len(step.of) == 1]
    answer.check_complete()
    answer.check_copied(singles)
    groups = [tuple(sorted(number - 1 for number in step.of)) for step in merged]
    for step, group in zip(merged, groups, strict=True):
        if not _together(golden, group):
            raise WritingRejected(
                "not consecutive", f"{_listed(step.of)} are not consecutive, so no merge is possible."
            )
        if any(_same_words(step.text, answer.own(one)) for one in group):
            raise WritingRejected(
                "merged step", f"The step for {_listed(step.of).lower()} says only what one of them says."
            )
    if not contracted(golden, groups):
        raise WritingRejected("cycle", "With these merges a step would come before itself.")
    return StepTexts(
        merges=tuple(MergeText(steps=group, text=_tidy(step.text)) for step, group in zip(merged, groups, strict=True))
    )


def _description(answer: _NumberedAnswer) -> StepTexts:
    return StepTexts(rewordings=(tuple(text for _, text in answer.changed(answer.golden.n)),))


def _regeneration(answer: _NumberedAnswer) -> StepTexts:
    golden = answer.golden
    answer.check_count(golden.n)
    answer.check_all_there(answer.steps)
    same = {step.of[0] for step in answer.steps if _same_words(step.text, answer.own(step.of[0] - 1))}
    if same:
        raise WritingRejected("changed steps", f"{_listed(same)} {_are(same)} not in other words.")
    steps = [step for step in answer.steps if isinstance(step, PlannedStep)]
    places = {step.id: step.of[0] - 1 for step in steps}
    if len(places) != golden.n or {START, END, ""} & set(places):
        raise WritingRejected("ids", "Each step needs an id of its own, other than START and END.")
    unknown = {name for step in steps for name in step.after} - set(places)
    if unknown:
        raise WritingRejected("ids", '"after" names ids that no step has.')
    edges = frozenset((places[name], places[step.id]) for step in steps for name in step.after)
    written = TaskGraph(n=golden.n, edges=edges, back_edges=frozenset(), starts=(), ends=())
    if any(written.precedes(step, step) for step in range(golden.n)):
        raise WritingRejected("cycle", "In your output a step comes before itself.")
    both = product(range(golden.n), repeat=2)
    wrong = {step + 1 for other, step in both if written.precedes(other, step) != golden.graph.precedes(other, step)}
    if wrong:
        raise WritingRejected(
            "order", f"{_listed(wrong)} no longer {'comes' if len(wrong) == 1 else 'come'} after the same steps."
        )
    texts = {step.of[0] - 1: _tidy(step.text) for step in steps}
    return StepTexts(rewordings=(tuple(texts[step] for step in range(golden.n)),))


def _drift(answer: _NumberedAnswer) -> StepTexts:
    changes = {step.of[0] - 1: step.change for step in answer.steps if isinstance(step, ChangedStep) and step.of}
    drifted = answer.changed(answer.k)
    steps = {step for step, _ in drifted}
    odd = {step + 1 for step, change in changes.items() if (change == "none") is (step in steps)}
    if odd:
        raise WritingRejected("kind of change", f'"change" of {_listed(odd).lower()} does not say what was done.')
    return StepTexts(drifts=tuple(DriftText(step=step, kind=changes[step], text=text) for step, text in drifted))


def _vague(answer: _NumberedAnswer) -> StepTexts:
    return StepTexts(vague=tuple(VagueText(step=step, text=text) for step, text in answer.changed(answer.k)))


def _extra(answer: _NumberedAnswer) -> StepTexts:
    answer.check_count(answer.golden.n + answer.k)
    kept = [step for step in answer.steps if step.of]
    answer.check_all_there(kept)
    answer.check_order()
    answer.check_copied(kept)
    extras, after = [], -1
    for step in answer.steps:
        if step.of:
            after = step.of[0] - 1
        else:
            extras.append(ExtraText(after=after, text=_tidy(step.text)))
    texts = [item.text for item in extras] + [answer.own(step) for step in range(answer.golden.n)]
    counted = Counter(_words(text) for text in texts)
    if any(counted[_words(item.text)] > 1 for item in extras):
        raise WritingRejected("changed steps", "A step that you added says what another step says.")
    return StepTexts(extras=tuple(extras))


_READERS: dict[Kind, Callable[[_NumberedAnswer], StepTexts]] = {
    "description": _description,
    "regeneration": _regeneration,
    "missing": _missing,
    "compressed": _compressed,
    "drift": _drift,
    "vague": _vague,
    "extra": _extra,
}


def _check_numbers(golden: Golden, steps: Sequence[Step]) -> None:
    counted = Counter(number for step in steps for number in step.of)
    unknown = {number for number in counted if not 1 <= number <= golden.n}
    if unknown:
        raise WritingRejected(
            "step numbers", f"The workflow has no {_listed(unknown).lower()}: it has {golden.n} steps."
        )
    twice = {number for number, times in counted.items() if times > 1}
    if twice:
        raise WritingRejected("step numbers", f"{_listed(twice)} {_are(twice)} there more than once.")
    for place, step in enumerate(steps, start=1):
        if not step.text.strip():
            raise WritingRejected("empty step", f"Step {place} of your output says nothing.")


def _together(golden: Golden, group: tuple[int, ...]) -> bool:
    """Return whether a group of steps is connected by pairs of neighbours inside the group."""
    pairs = [pair for pair in neighbours(golden) if set(pair) <= set(group)]
    reached = {group[0]}
    for _ in group:
        reached |= {step for pair in pairs if reached & set(pair) for step in pair}
    return reached == set(group)


def _words(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text without case and punctuation."""
    return tuple(re.findall(r"\w+|[^\w\s.,;:!?'\"()]", text.casefold()))


def _tidy(text: str) -> str:
    return " ".join(text.split())


def _same_words(one: str, two: str) -> bool:
    return _words(one) == _words(two)


def _listed(numbers: Iterable[int]) -> str:
    ordered = sorted(numbers)
    return f"Step{'s' * (len(ordered) > 1)} {', '.join(map(str, ordered))}"


def _are(numbers: set[int]) -> str:
    return "is" if len(numbers) == 1 else "are"
