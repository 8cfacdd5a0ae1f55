"""Suggests own rules: what all approved references of a workflow have in common."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from wfgate.language import plain_words
from wfgate.model import members
from wfgate.rules.own.evaluate import Subjected
from wfgate.rules.own.schema import NamedStep, OwnRule, Step

_SIGNS = re.compile(r"[^a-z0-9]+")
LONGEST_ID = 40
MOST_ORDERS = 1000
"""Most orders that are suggested: nobody reads more, and each is a rule to check."""


class Suggestion(NamedTuple):
    """Rules that all references keep.

    Attributes:
        rules: The rules.
        orders_left_out: Number of orders beyond `MOST_ORDERS`.
    """

    rules: list[OwnRule]
    orders_left_out: int = 0


def suggested(references: Sequence[Subjected], critical: Collection[int]) -> Suggestion:
    """Return the rules that all references keep: steps that they contain, and steps that run before others.

    A step whose name another step of the golden has is left out, because a rule could not tell them apart. An order
    that follows from two others is left out, too.

    Args:
        references: The approved references; the first is the golden, and the others find its steps.
        critical: Positions of the critical steps of the golden.
    """
    golden = references[0].workflow
    words = [plain_words(task.name) for task in golden.tasks]
    times = Counter(words)
    steps = {
        step: NamedStep(text=" ".join(task.name.split()))
        for step, task in enumerate(golden.tasks)
        if words[step] and times[words[step]] == 1
    }
    shared = {step: one for step, one in steps.items() if all(each.finder.find(one).best for each in references)}
    name_of = _Names()

    def kept(rule: OwnRule) -> bool:
        return all(next(each.breaches(rule), None) is None for each in references)

    rules: list[OwnRule] = []
    texts: dict[int, Step] = {step: one.text or "" for step, one in shared.items()}
    for step, text in texts.items():
        rules.append(OwnRule(id=name_of("has", words[step]), contains=(text,)))
        if step in critical:
            rules.append(OwnRule(id=name_of("critical", words[step]), critical=(text,)))
    orders = [*_orders(references, shared)]
    for first, second in orders[:MOST_ORDERS]:
        name = name_of(words[first], "before", words[second])
        rules.append(OwnRule(id=name, before=(texts[first], texts[second])))
    return Suggestion([rule for rule in rules if kept(rule)], len(orders[MOST_ORDERS:]))


def _orders(references: Sequence[Subjected], shared: dict[int, NamedStep]) -> Iterator[tuple[int, int]]:
    """Yield the golden steps that directly follow each other in the order that all references share.

    This order is the intersection of those of the references, as bit sets: the bits of a step are those behind it.
    """
    steps = [*shared]
    behind = [-1] * len(steps)
    for each in references:
        number = {each.finder.find(named).steps[0]: place for place, named in enumerate(shared.values())}
        known = each.graph.restricted(number, len(steps)).descendants
        behind = [both & one for both, one in zip(behind, known, strict=True)]
    for place, after in enumerate(behind):
        later = [other for other in members(after) if not behind[other] >> place & 1]  # no loop leads back
        indirect = reduce(or_, (behind[other] for other in later), 0)
        yield from ((steps[place], steps[other]) for other in later if not indirect >> other & 1)


class _Names:
    """Gives each rule an id of its own."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()

    def __call__(self, *parts: str) -> str:
        base = _SIGNS.sub("-", "-".join(parts).casefold()).strip("-")[:LONGEST_ID].strip("-") or "rule"
        name = base
        while self._times[name]:
            self._times[base] += 1
            name = f"{base}-{self._times[base]}"
        self._times[name] = 1
        return name


def rules_toml(suggestion: Suggestion, names: Sequence[str]) -> str:
    """Return rules as the text of a file of own rules.

    Args:
        suggestion: The rules.
        names: The names of the references that they come from.
    """
    lines = [f"# What {_comment(' and '.join(names))} have in common: delete what need not stay."]
    if suggestion.orders_left_out:
        lines.append(f"# {suggestion.orders_left_out} further orders are left out.")
    for rule in suggestion.rules:
        lines += ["", "[[rules]]", f"id = {_text(rule.id)}"]
        lines.append(f"{rule.kind} = [{', '.join(_text(step.text or '') for step in rule.steps)}]")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _text(text: str) -> str:
    """Return a TOML string: that of JSON, in which no character is a surrogate."""
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
