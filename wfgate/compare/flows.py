"""Whether two files flow alike: their conditions by what they mean, their links and data without texts."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from wfgate.compare.comparison import Comparison
from wfgate.logic import (
    DEFAULT_BUDGET,
    All,
    Answer,
    Atom,
    Behaviour,
    BudgetSpentError,
    Formula,
    GuardSyntaxError,
    Not,
    Some,
    Space,
    atoms,
    every,
    negated,
    parse,
    some,
)
from wfgate.model import DataLink, Guard, Language, Link, Task, Workflow, fingerprint

MAX_CONDITIONS = 40
"""Most different conditions that are compared logically; further ones are compared as texts."""
MAX_STEPS = 1_000_000
"""Steps of analysis for all changed conditions of a pair together; each comparison in a condition counts as a step."""
_OPERAND = re.compile(r"[^\s()!«»]+")
"""A step in a join expression."""


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
    conditions: dict[int, Formula] = {}
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
                conditions[id(flow.links[at][2])] = every([formulas[place], *map(negated, formulas[:place])])
            conditions |= {id(flow.links[at][2]): negated(some(formulas)) for at in links if guards[at].default}
    return conditions


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
            if formula is None or other is None:
                continue
            if compare_conditions(self.comparison, other, formula)[0] == "same":
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
        known = conditions.number(translated(link.guard.expr), link.guard.language)
        return link.model_copy(update={"guard": link.guard.model_copy(update={"expr": f"condition {known}"})})

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

        def with_number(match: re.Match[str]) -> str:
            own, dot, outcome = match[0].rpartition(".")
            return numbers.get(match[0]) or (f"{numbers[own]}{dot}{outcome}" if own in numbers else match[0])

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


def renamed_ids(comparison: Comparison) -> dict[str, str]:
    """Return the golden's id of each matched candidate step or composite, if exactly one golden id is matched with it.

    Ids are the last part of the path in the expanded workflow, as references in the file use them.
    """
    matched: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for position, other in comparison.pairs:
        was, now = comparison.golden.tasks[position].id, comparison.candidate.tasks[other].id
        for golden, candidate in zip(was.split("/")[::-1], now.split("/")[::-1], strict=False):
            matched[candidate][golden] += 1
    return {candidate: next(iter(golden)) for candidate, golden in matched.items() if len(golden) == 1}


class _Budget:
    """The steps of analysis that are left for all conditions of one pair."""

    def __init__(self, comparison: Comparison) -> None:
        del comparison
        self.left = MAX_STEPS


def compare_conditions(comparison: Comparison, old: Formula, new: Formula) -> tuple[str, str]:
    """Return how two conditions differ, and a situation in which they differ (empty if no situation is known).

    The first value describes the new condition: "same", "weaker", "stronger" or "different" from the old condition. It
    is "other words" if only the texts can be compared, and "too complex" if the work limit of these conditions or of
    all conditions of the pair is reached.
    """
    if _is_word(old) and _is_word(new):
        return "other words", ""
    if old == new or _unordered(old) == _unordered(new):
        return "same", ""
    work = comparison.derived(_Budget)
    work.left -= sum(1 for formula in (old, new) for _ in atoms(formula))
    given = max(0, min(DEFAULT_BUDGET, work.left))
    space = Space([old, new], budget=given)
    try:
        one, other = space.node(old), space.node(new)
        if one == other:
            return "same", ""
        weaker, stronger = space.implies(one, other), space.implies(other, one)
    except BudgetSpentError:
        return "too complex", ""
    finally:
        work.left -= given - max(0, space.budget)
    if weaker.value is None or stronger.value is None:
        # One certain implication gives the direction: `p < 0 and «x»` is never weaker than `p < 0`.
        return ("weaker" if weaker.value else "stronger" if stronger.value else "other words"), ""
    kind = "weaker" if weaker.value else "stronger" if stronger.value else "different"
    shown: Answer = stronger if weaker.value else weaker
    return kind, str(shown.situation) if shown.situation else ""


def _unordered(formula: Formula) -> object:
    """Return a value that is equal for formulas that differ in the order of their parts only."""
    match formula:
        case Not(of):
            return "not", _unordered(of)
        case All(parts) | Some(parts):
            return type(formula), frozenset(map(_unordered, parts))
    return formula


def _is_word(formula: Formula) -> bool:
    return isinstance(formula, Atom) and formula.relation == "truthy"
