"""Check of sub-workflows that no step calls; their steps are not compared."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.compare import Comparison
from wfgate.model import Workflow, fingerprint
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity


class UncalledChanged(RelativeCheck):
    """A sub-workflow that nothing calls is new, changed or gone.

    What it does:
        Reports a sub-workflow that the main workflow does not call, directly or indirectly. Not reported if the golden
        has a sub-workflow with the same name and content. The steps of such sub-workflows are not compared. One that
        is gone is information.

    Why it matters:
        A user can start the sub-workflow by its name. Then steps run that nobody approved.

    Golden:
        ``workflows: {release: ..., checks: ...}``, where ``release`` calls ``checks``

    Candidate:
        ``workflows: {release: ..., checks: ..., clean-up: ...}``, where nothing calls ``clean-up``

    How to fix:
        Delete the sub-workflow, or approve the candidate.
    """

    id: ClassVar[str] = "WR503"
    defect: ClassVar[str] = "uncalled-changed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "value"
    rank: ClassVar[int] = 44
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per sub-workflow."""
        if comparison.golden_file is None or comparison.candidate_file is None:
            return
        golden = {part.name: part for part in comparison.golden_file.subworkflows}
        for part in _uncalled(comparison.candidate_file):
            known = golden.get(part.name)
            if known is not None and fingerprint(known) == fingerprint(part) and _data(known) == _data(part):
                continue
            change = "is new" if known is None else "has changed"
            yield Observation(
                f"the sub-workflow '{part.name}' {change}; nothing calls it, so its steps are not compared",
                key=(part.name, "new" if known is None else "not what it was"),
                location=next((task.span for task in part.tasks if task.span), None),
            )
        kept = {part.name for part in comparison.candidate_file.subworkflows}
        for part in _uncalled(comparison.golden_file):
            if part.name not in kept:
                yield Observation(
                    f"the sub-workflow '{part.name}' is gone; nothing called it",
                    key=(part.name, "gone"),
                    severity="info",
                    golden_location=next((task.span for task in part.tasks if task.span), None),
                )


def _uncalled(file: Workflow) -> Iterator[Workflow]:
    parts = {part.name: part for part in file.subworkflows}
    called: set[str] = set()
    pending = [file]
    while pending:
        names = {task.workflow for task in pending.pop().tasks if task.workflow in parts} - called
        called |= names
        pending += [parts[name] for name in sorted(names)]
    return (part for name, part in sorted(parts.items()) if name not in called)


def _data(part: Workflow) -> list[object]:
    return [element.raw for element in part.elements]
