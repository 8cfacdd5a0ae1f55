"""Sub-workflows that nothing calls, and that are therefore compared with nothing."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.alignment import Comparison
from wfgate.checks.base import Observation, RelativeCheck, Severity
from wfgate.model import Workflow, fingerprint


class UncalledChanged(RelativeCheck):
    """A sub-workflow that nothing calls is new, or not what it was.

    What it does:
        Reports sub-workflows of the file that are not called from its main workflow, however far down, if the golden
        has no such one of the same name and content. Their steps are compared with nothing.

    Why it matters:
        Whoever starts it by its name runs what nobody approved.

    Golden:
        ``workflows: {release: ..., checks: ...}``, where ``release`` calls ``checks``

    Candidate:
        ``workflows: {release: ..., checks: ..., clean-up: ...}``, where nothing calls ``clean-up``

    How to fix:
        Delete it, or approve the candidate.
    """

    id: ClassVar[str] = "WR503"
    defect: ClassVar[str] = "uncalled-changed"
    severity: ClassVar[Severity] = "warning"
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per sub-workflow."""
        if comparison.golden_file is None or comparison.candidate_file is None:
            return
        golden = {part.name: part for part in comparison.golden_file.subworkflows}
        for part in _uncalled(comparison.candidate_file):
            known = golden.get(part.name)
            if known is not None and fingerprint(known) == fingerprint(part):
                continue
            what = "new" if known is None else "not what it was"
            yield Observation(
                f"the sub-workflow '{part.name}' is {what}; nothing calls it, so its steps are compared with nothing",
                key=(part.name, what),
                location=next((task.span for task in part.tasks if task.span), None),
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
