"""The conditions of steps as they are written. The links of a workflow may state only a part of them."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from wfgate.compare import Comparison, ElementData, Enclosing, compare_conditions, composite_pairs, text_of
from wfgate.logic import Formula, GuardSyntaxError, every, parse
from wfgate.model import START, Task, Workflow
from wfgate.read import Consequences
from wfgate.rules.base import reworded


@dataclass(frozen=True)
class ConditionChange:
    """A written condition that differs.

    Attributes:
        steps: The golden step; of a composite, all golden steps inside, the first matched one first.
        name: Name of the step or composite in messages.
        kind: How the new condition differs, see `compared`.
        situation: A situation in which the two differ; empty if none is known.
        golden: The condition as written in the golden; empty for none.
        candidate: The condition as written in the candidate; empty for none.
        formulas: What the two conditions mean; None if a text has a syntax error.
    """

    steps: tuple[int, ...]
    name: str
    kind: str
    situation: str
    golden: str
    candidate: str
    formulas: tuple[Formula, Formula] | None


def condition_changes(comparison: Comparison) -> Iterator[ConditionChange]:
    """Yield the matched steps, and the composites around them, whose written conditions are not equivalent.

    Before the first step of a workflow nothing has failed, so all that its condition implies holds. Nothing is yielded
    for two formats, or without data: there the links state what is known of the conditions.
    """
    data = comparison.derived(ElementData)
    if not data.written or not data.table.conditions:
        return
    golden, candidate = (_Reader(file, data.table) for file in comparison.files)
    for was, now, steps in _pairs(comparison):
        texts = golden.texts(was), candidate.texts(now)
        translated = {key: data.translated(text) for key, text in texts[1].items()}
        if texts[0] == translated:
            continue
        old, new = golden.formula(was, texts[0]), candidate.formula(now, translated)
        both = None if old is None or new is None else (old, new)
        kind, situation = compare_conditions(comparison, *both) if both else ("other words", "")
        if kind != "same":
            shown = [" and ".join(filter(None, written.values())) for written in texts]
            yield ConditionChange(steps, reworded(was, now), kind, situation, shown[0], shown[1], both)


def _pairs(comparison: Comparison) -> Iterator[tuple[Task, Task, tuple[int, ...]]]:
    """Yield the matched steps and the composites around them, each with the golden steps that it is or contains."""
    for one, other in comparison.pairs:
        yield comparison.golden.tasks[one], comparison.candidate.tasks[other], (one,)
    around = Enclosing.of(comparison.golden_file, comparison.golden)
    for pair in composite_pairs(comparison):
        if pair.golden is not None and pair.candidate is not None:
            yield pair.golden, pair.candidate, (pair.step, *around.inside(pair.golden))


class _Reader:
    """Reads the written conditions of the steps of one file."""

    def __init__(self, file: Workflow, table: Consequences) -> None:
        self.table = table
        parts = (file, *file.subworkflows)
        after = {(part.name, link.target) for part in parts for link in part.links if link.source != START}
        self.first = {task.path for part in parts for task in part.tasks if (part.name, task.id) not in after}

    def texts(self, task: Task) -> dict[str, str]:
        """Return the conditions of a step by key, empty for none."""
        raw = task.raw if isinstance(task.raw, dict) else {}
        values = {key: raw.get(key) for key, _ in self.table.conditions_in(task.path or ())}
        return {key: "" if isinstance(value, dict | list | None) else text_of(value) for key, value in values.items()}

    def formula(self, task: Task, texts: Mapping[str, str]) -> Formula | None:
        """Return what the conditions of a step mean together; None if one has a syntax error."""
        parts = []
        for key, syntax in self.table.conditions_in(task.path or ()):
            parts += [(part, syntax.language) for part in syntax.parts(texts[key])]
            parts += [(syntax.implied, syntax.language)] if syntax.implied and task.path in self.first else []
        with suppress(GuardSyntaxError):
            return every([parse(*part) for part in parts])
        return None
