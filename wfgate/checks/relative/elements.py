"""Which elements of golden and candidate are compared value by value."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from wfgate.alignment import Comparison
from wfgate.alignment.enclosing import Enclosing
from wfgate.checks.conditions import compared
from wfgate.conditions import Formula
from wfgate.conditions.languages import GuardSyntaxError, parse
from wfgate.model import DataLink, Link, Task, Workflow, fingerprint
from wfgate.model.workflow import Language

MAX_CONDITIONS = 40
"""Most different conditions that are compared logically; further ones are compared as texts."""


@dataclass(frozen=True)
class CompositePair:
    """Two composites that contain matched steps; None if a matched step is inside a composite on one side only.

    Attributes:
        golden: The composite in the golden.
        candidate: The composite in the candidate.
        parts: The sub-workflows that the two composites call; None if the composite is None.
        step: Position of a matched step inside, in the golden.
    """

    golden: Task | None
    candidate: Task | None
    parts: tuple[Workflow | None, Workflow | None]
    step: int


def composite_pairs(comparison: Comparison) -> Iterator[CompositePair]:
    """Yield each pair of composites in which two matched steps are, once, in the order of the golden.

    The composites around a step are paired from the inside to the outside. So the settings under which a step runs
    are compared wherever it moves.
    """
    golden = Enclosing.of(comparison.golden_file, comparison.golden)
    candidate = Enclosing.of(comparison.candidate_file, comparison.candidate)
    seen: set[tuple[str, str]] = set()
    for position, other in comparison.pairs:
        for one, two in zip_longest(golden.around(position), candidate.around(other), fillvalue=""):
            if (one, two) not in seen:
                seen.add((one, two))
                tasks = golden.composites.get(one), candidate.composites.get(two)
                yield CompositePair(*tasks, (golden.part(tasks[0]), candidate.part(tasks[1])), position)


def renamed_ids(comparison: Comparison) -> dict[str, str]:
    """Return the golden's id of each matched candidate step or composite, if exactly one golden id is matched with it.

    Ids are the last part of the path in the expanded workflow, as references in the file use them.
    """
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for position, other in comparison.pairs:
        was, now = comparison.golden.tasks[position].id, comparison.candidate.tasks[other].id
        for golden, candidate in zip(was.split("/")[::-1], now.split("/")[::-1], strict=False):
            found[candidate][golden] += 1
    return {candidate: next(iter(golden)) for candidate, golden in found.items() if len(golden) == 1}


def one_to_one(comparison: Comparison) -> bool:
    """Return whether every step of both workflows is matched with exactly one step."""
    alone = not any(fate.is_unaligned or fate.is_merged or fate.is_split for fate in comparison.fates)
    return alone and not any(step.is_unaligned for step in comparison.additions)


def same_flow(comparison: Comparison, translated: Callable[[str], str]) -> bool:
    """Return whether links, conditions, data and loops are the same; for steps that are matched one to one.

    Texts and arguments of the steps do not count. Logically equivalent conditions are the same.

    Args:
        comparison: The comparison.
        translated: Returns a text of the candidate with the golden's ids in its references.
    """
    known = _Conditions()
    numbers = dict(enumerate(range(len(comparison.golden.tasks))))
    golden = _without_texts(comparison.golden, numbers, known, lambda text: text)
    return fingerprint(golden) == fingerprint(
        _without_texts(comparison.candidate, comparison.golden_of, known, translated)
    )


class _Conditions:
    """Different conditions, each with a number; logically equivalent conditions have the same number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.formulas: list[Formula | None] = []

    def number(self, text: str, language: Language) -> int:
        """Return the number of a condition."""
        if text not in self.numbers:
            formula = None
            if len(self.formulas) < MAX_CONDITIONS:
                with suppress(GuardSyntaxError):
                    formula = parse(text, language)
            self.numbers[text] = self._place(formula)
        return self.numbers[text]

    def _place(self, formula: Formula | None) -> int:
        """Return the position of an equivalent formula, or the end, where the formula is added."""
        for place, other in enumerate(self.formulas):
            if formula is not None and other is not None and compared(other, formula)[0] == "same":
                return place
        self.formulas.append(formula)
        return len(self.formulas) - 1


def _without_texts(
    workflow: Workflow, number: dict[int, int], conditions: _Conditions, translated: Callable[[str], str]
) -> Workflow:
    """Return a workflow with numbered steps and conditions instead of texts and arguments."""

    def numbered(link: Link) -> Link:
        if link.guard is None or link.guard.expr is None:
            return link
        found = conditions.number(translated(link.guard.expr), link.guard.language)
        return link.model_copy(update={"guard": link.guard.model_copy(update={"expr": f"condition {found}"})})

    names = {task.id: (task.name, task.id) for task in workflow.tasks}

    def unsourced(link: DataLink) -> DataLink:
        """Return a data link whose datum does not repeat the name of the step that writes it."""
        name = next((name for name in names.get(link.source, ()) if f"{link.data}.".startswith(f"{name}.")), None)
        return link if name is None else link.model_copy(update={"data": link.data[len(name) :]})

    blank: dict[str, Any] = {"description": "", "action": None, "params": {}, "timeout": None, "tags": ()}
    marks = {"critical": False, "optional": False, "any_order": False}
    tasks = [
        task.model_copy(update={"name": str(number[position]), **marks, **blank})
        for position, task in enumerate(workflow.tasks)
    ]
    update: dict[str, Any] = {"name": "", "description": "", "params": {}, "tasks": tuple(tasks), "subworkflows": ()}
    update["links"] = tuple(map(numbered, workflow.links))
    update["data_links"] = tuple(map(unsourced, workflow.data_links))
    return workflow.model_copy(update=update)
