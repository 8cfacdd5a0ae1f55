"""The composites around a step of an expanded workflow."""

from collections.abc import Iterator
from dataclasses import dataclass

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

    def inside(self, composite: Task) -> Iterator[int]:
        """Yield the steps inside a composite."""
        prefixes = tuple(path for path, task in self.composites.items() if task is composite)
        yield from (step for step, own in enumerate(self.steps) if own.startswith(prefixes))

    def part(self, composite: Task | None) -> Workflow | None:
        """Return the sub-workflow that a composite calls; None if the file does not contain it."""
        return None if composite is None else self.parts.get(composite.workflow or "")
