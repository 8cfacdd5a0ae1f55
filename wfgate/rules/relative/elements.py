"""Which elements of golden and candidate are compared value by value."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from wfgate.compare import Comparison, Enclosing
from wfgate.logic import Behaviour, Formula, GuardSyntaxError, every, negated, parse, some
from wfgate.model import DataLink, Guard, Language, Link, Task, Workflow, fingerprint
from wfgate.rules.conditions import compared

MAX_CONDITIONS = 40
"""Most different conditions that are compared logically; further ones are compared as texts."""
_OPERAND = re.compile(r"[^\s()!«»]+")
"""A step in a join expression."""


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
    known = _Conditions(comparison)
    numbers = dict(enumerate(range(len(comparison.golden.tasks))))
    golden = _without_texts(comparison.golden_behaviour, numbers, known, lambda text: text)
    return fingerprint(golden) == fingerprint(
        _without_texts(comparison.candidate_behaviour, comparison.golden_of, known, translated)
    )


def _decided(behaviour: Behaviour, translated: Callable[[str], str]) -> dict[int, Formula]:
    """Return the condition under which each branch of a choice by first match is taken, by the identity of its link.

    So `x > 9: A, else B` and `x <= 9: B, else A` are the same choice. Left out are choices with a branch without a
    condition, with a condition that is not analysed, or with references to renamed steps.
    """
    flow, selections = behaviour.flow, behaviour.selections
    found: dict[int, Formula] = {}
    for node in range(flow.n):
        for links in selections.siblings(node):
            written = [(flow.links[at][2].guard, at) for at in links]
            guards = {at: guard for guard, at in written if guard is not None}
            rules = sorted((guard.order or 0, at) for at, guard in guards.items() if not guard.default)
            ordered = len({order for order, _ in rules}) == len(rules) and all(order for order, _ in rules)
            plain = all(guard.expr is None or translated(guard.expr) == guard.expr for guard in guards.values())
            if len(guards) < len(links) or not ordered or not plain or selections.broken.keys() & set(links):
                continue
            holds = [selections.guards[at] for _, at in rules]
            formulas = [formula for formula in holds if formula is not None]
            if len(formulas) < len(rules) or len(rules) + 1 < len(links) or selections.named(node, links):
                continue
            for place, (_, at) in enumerate(rules):
                found[id(flow.links[at][2])] = every([formulas[place], *map(negated, formulas[:place])])
            found |= {id(flow.links[at][2]): negated(some(formulas)) for at in links if guards[at].default}
    return found


class _Conditions:
    """Different conditions, each with a number; logically equivalent conditions have the same number."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
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

    def number_of(self, formula: Formula) -> int:
        """Return the number of a condition that is not written as it is."""
        return self._place(formula if len(self.formulas) < MAX_CONDITIONS else None)

    def _place(self, formula: Formula | None) -> int:
        """Return the position of an equivalent formula, or the end, where the formula is added."""
        for place, other in enumerate(self.formulas):
            if formula is not None and other is not None and compared(self.comparison, other, formula)[0] == "same":
                return place
        self.formulas.append(formula)
        return len(self.formulas) - 1


def _without_texts(
    behaviour: Behaviour, number: Mapping[int, int], conditions: _Conditions, translated: Callable[[str], str]
) -> Workflow:
    """Return a workflow with numbered steps and conditions instead of texts and arguments."""
    workflow = behaviour.flow.workflow
    decided = _decided(behaviour, translated)

    def numbered(link: Link) -> Link:
        if id(link) in decided:
            return link.model_copy(
                update={"guard": Guard(expr=f"condition {conditions.number_of(decided[id(link)])}")}
            )
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
    unnamed = {
        (end, link.data): unsourced(link).data for link in workflow.data_links for end in (link.source, link.target)
    }

    def data(task: Task) -> dict[str, Any]:
        """Return the data that a task reads and writes, with the names that they have on the links."""
        both = ("inputs", task.inputs), ("outputs", task.outputs)
        return {field: tuple(unnamed.get((task.id, name), name) for name in names) for field, names in both}

    numbers = {task.id: str(number[position]) for position, task in enumerate(workflow.tasks)}

    def join(text: str | None) -> str | None:
        """Return a join expression with the numbers of the steps instead of their ids (`build.success or scan`)."""

        def with_number(found: re.Match[str]) -> str:
            own, dot, outcome = found[0].rpartition(".")
            return numbers.get(found[0]) or (f"{numbers[own]}{dot}{outcome}" if own in numbers else found[0])

        return None if text is None else _OPERAND.sub(with_number, text)

    tasks = [
        task.model_copy(
            update={"name": str(number[position]), **marks, **blank, **data(task), "join": join(task.join)}
        )
        for position, task in enumerate(workflow.tasks)
    ]
    update: dict[str, Any] = {"name": "", "description": "", "params": {}, "tasks": tuple(tasks), "subworkflows": ()}
    update["links"] = tuple(map(numbered, workflow.links))
    update["data_links"] = tuple(map(unsourced, workflow.data_links))
    return workflow.model_copy(update=update)
