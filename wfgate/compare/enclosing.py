"""The composites around a step of an expanded workflow, and those of both files that belong together."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from wfgate.compare.comparison import Comparison
from wfgate.model import Task, Workflow


@dataclass(frozen=True)
class Enclosing:
    """The expanded composites of one workflow, and which steps they contain.

    Attributes:
        composites: The composites by the prefix of the ids of the steps inside.
        steps: The ids of all steps.
        parts: The sub-workflows by name.
    """

    composites: dict[str, Task]
    steps: tuple[str, ...]
    parts: dict[str, Workflow]

    @classmethod
    def of(cls, file: Workflow | None, opened: Workflow) -> "Enclosing":
        """Return the composites of a file that are expanded in `opened`."""
        steps = tuple(task.id for task in opened.tasks)
        if file is None:
            return cls({}, steps, {})
        parts = {part.name: part for part in file.subworkflows}
        composites: dict[str, Task] = {}
        around = {step[: at + 1] for step in steps for at, char in enumerate(step) if char == "/"}
        pending: list[tuple[str, Workflow]] = [("", file)]
        while pending:
            path, workflow = pending.pop()
            for task in workflow.tasks:
                part = parts.get(task.workflow or "")
                own = f"{path}{task.id}/"
                if part is not None and own not in composites and own in around:
                    composites[own] = task
                    pending.append((own, part))
        return cls(composites, steps, parts)

    def around(self, step: int) -> list[str]:
        """Return the prefixes of the composites around a step, from the inside to the outside."""
        own = self.steps[step]
        ends = [at for at, char in enumerate(own) if char == "/"]
        return [own[: end + 1] for end in reversed(ends) if own[: end + 1] in self.composites]

    def inside(self, composite: Task) -> Iterator[int]:
        """Yield the steps inside a composite."""
        prefixes = tuple(path for path, task in self.composites.items() if task is composite)
        yield from (step for step, own in enumerate(self.steps) if own.startswith(prefixes))

    def part(self, composite: Task | None) -> Workflow | None:
        """Return the sub-workflow that a composite calls; None if the file does not contain it."""
        return None if composite is None else self.parts.get(composite.workflow or "")


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
