"""Suggests own rules: what all approved references of a workflow have in common."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from wfgate.language import plain_words
from wfgate.model import TaskGraph, Workflow
from wfgate.rules.own.evaluate import Subjected
from wfgate.rules.own.schema import NamedStep, OwnRule, Step
from wfgate.rules.own.steps import Models, StepFinder

_SIGNS = re.compile(r"[^a-z0-9]+")
LONGEST_ID = 40


def suggested(references: Sequence[Workflow], models: Models, critical: Collection[int]) -> list[OwnRule]:
    """Return the rules that all references keep: steps that they contain, and steps that run before others.

    A step whose name another step of the golden has is left out, because a rule could not tell them apart.

    Args:
        references: The approved references, composites expanded; the first is the golden.
        models: The models.
        critical: Positions of the critical steps of the golden.
    """
    golden = references[0]
    subjects = [Subjected(StepFinder(each, models)) for each in references]
    words = [plain_words(task.name) for task in golden.tasks]
    times = Counter(words)
    names = ((step, NamedStep(text=task.name)) for step, task in enumerate(golden.tasks) if times[words[step]] == 1)
    shared = [step for step, named in names if words[step] and all(each.finder.find(named).best for each in subjects)]
    rules = _rules(golden, words, shared, critical)
    return [rule for rule in rules if all(not [*each.breaches(rule)] for each in subjects)]


def _rules(
    golden: Workflow, words: Sequence[str], shared: Sequence[int], critical: Collection[int]
) -> Iterator[OwnRule]:
    """Yield the rules about the steps that all references have."""
    ids: set[str] = set()

    def name_of(*parts: str) -> str:
        base = _SIGNS.sub("-", "-".join(parts).casefold()).strip("-")[:LONGEST_ID].strip("-") or "rule"
        name = next(name for name in (base, *(f"{base}-{n}" for n in range(2, 100_000))) if name not in ids)
        ids.add(name)
        return name

    texts: dict[int, Step] = {step: " ".join(golden.tasks[step].name.split()) for step in shared}
    for step, text in texts.items():
        yield OwnRule(id=name_of("has", words[step]), contains=(text,))
        if step in critical:
            yield OwnRule(id=name_of("critical", words[step]), critical=(text,))
    graph = TaskGraph.of(golden).restricted({step: step for step in shared}, len(golden.tasks))
    for first, second in sorted(graph.edges):
        if first != second and not any(
            graph.precedes(first, near) for near in graph.predecessors[second] if near != first
        ):
            yield OwnRule(id=name_of(words[first], "before", words[second]), before=(texts[first], texts[second]))


def rules_toml(rules: Sequence[OwnRule], names: Sequence[str]) -> str:
    """Return rules as the text of a file of own rules.

    Args:
        rules: The rules.
        names: The names of the references that they come from.
    """
    lines = [f"# What {_comment(' and '.join(names))} have in common: delete what need not stay."]
    for rule in rules:
        lines += ["", "[[rules]]", f"id = {_text(rule.id)}"]
        lines.append(f"{rule.kind} = [{', '.join(_text(step.text or '') for step in rule.steps)}]")
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _text(text: str) -> str:
    """Return a TOML string: that of JSON, in which no character is a surrogate."""
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
