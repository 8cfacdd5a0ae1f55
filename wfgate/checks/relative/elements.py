"""Which elements of golden and candidate are compared value by value."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wfgate.alignment import Comparison
from wfgate.model import Task, Workflow, fingerprint


@dataclass(frozen=True)
class StepPair:
    """Two matched steps; `golden` and `candidate` are their positions in the expanded workflows."""

    golden: int
    candidate: int


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
    golden = _Enclosing.of(comparison.golden_file, comparison.golden)
    candidate = _Enclosing.of(comparison.candidate_file, comparison.candidate)
    seen: set[tuple[str, str]] = set()
    for position, other in comparison.pairs:
        first, second = golden.around(position), candidate.around(other)
        for level in range(max(len(first), len(second))):
            one = first[level] if level < len(first) else ""
            two = second[level] if level < len(second) else ""
            if (one, two) in seen:
                continue
            seen.add((one, two))
            tasks = golden.composites.get(one), candidate.composites.get(two)
            parts = golden.part(tasks[0]), candidate.part(tasks[1])
            yield CompositePair(*tasks, parts, position)


@dataclass(frozen=True)
class _Enclosing:
    """The expanded composites of one side.

    Attributes:
        composites: The composites by the prefix of the ids of the steps inside.
        steps: The ids of all steps.
        parts: The sub-workflows by name.
    """

    composites: dict[str, Task]
    steps: tuple[str, ...]
    parts: dict[str, Workflow]

    @classmethod
    def of(cls, file: Workflow | None, opened: Workflow) -> "_Enclosing":
        steps = tuple(task.id for task in opened.tasks)
        if file is None:
            return cls({}, steps, {})
        parts = {part.name: part for part in file.subworkflows}
        found: dict[str, Task] = {}
        around = {step[: at + 1] for step in steps for at, char in enumerate(step) if char == "/"}
        pending: list[tuple[str, Workflow]] = [("", file)]
        while pending:
            path, workflow = pending.pop()
            for task in workflow.tasks:
                part = parts.get(task.workflow or "")
                own = f"{path}{task.id}/"
                if part is not None and own not in found and own in around:
                    found[own] = task
                    pending.append((own, part))
        return cls(found, steps, parts)

    def around(self, step: int) -> list[str]:
        """Return the prefixes of the composites around a step, from the inside to the outside."""
        own = self.steps[step]
        ends = [at for at, char in enumerate(own) if char == "/"]
        return [own[: end + 1] for end in reversed(ends) if own[: end + 1] in self.composites]

    def part(self, composite: Task | None) -> Workflow | None:
        return None if composite is None else self.parts.get(composite.workflow or "")


def renamed_ids(comparison: Comparison) -> dict[str, str]:
    """Return the golden's id of each matched candidate step or composite, if exactly one golden id is matched with it.

    Ids are the last part of the path in the expanded workflow, as references in the file use them.
    """
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for position, other in comparison.pairs:
        was, now = comparison.golden.tasks[position].id, comparison.candidate.tasks[other].id
        pairs = zip(reversed(was.split("/")), reversed(now.split("/")), strict=False)
        for golden, candidate in pairs:
            found[candidate][golden] += 1
    return {candidate: next(iter(golden)) for candidate, golden in found.items() if len(golden) == 1}


def same_flow(comparison: Comparison) -> bool:
    """Return whether all steps are matched one to one, and links, conditions, data and loops are the same.

    Texts and arguments of the steps do not count.
    """
    alignment = comparison.alignment
    if comparison.missing or comparison.extra or alignment.merges or alignment.splits:
        return False
    golden = _without_texts(comparison.golden, dict(enumerate(range(len(comparison.golden.tasks)))))
    return fingerprint(golden) == fingerprint(_without_texts(comparison.candidate, comparison.golden_of))


def _without_texts(workflow: Workflow, number: dict[int, int]) -> Workflow:
    """Return a workflow with numbered steps instead of texts and arguments."""
    blank: dict[str, Any] = {
        "description": "",
        "action": None,
        "params": {},
        "timeout": None,
        "tags": (),
        "critical": False,
    }
    tasks = [
        task.model_copy(update={"name": str(number[position]), **blank})
        for position, task in enumerate(workflow.tasks)
    ]
    update = {"name": "", "description": "", "params": {}, "tasks": tuple(tasks), "subworkflows": ()}
    return workflow.model_copy(update=update)
