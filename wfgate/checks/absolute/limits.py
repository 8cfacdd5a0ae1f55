"""Findings about what the analysis could not decide."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.checks.absolute.guards import opaque_terms
from wfgate.checks.base import AbsoluteCheck, Observation, Severity, Subject, listed


class BudgetSpent(AbsoluteCheck):
    """The analysis of conditions reached its work limit.

    What it does:
        Reports that the conditions of a workflow are too many or too entangled for the work limit (a count, not a
        time), so that checks of behaviour could not decide about a part of it.

    Why it matters:
        For that part, the absence of findings proves nothing.

    Golden:
        a workflow whose conditions use up to 400 values

    Candidate:
        a workflow whose conditions use thousands of values

    How to fix:
        Split the workflow into sub-workflows with fewer conditions each.
    """

    id: ClassVar[str] = "WF901"
    defect: ClassVar[str] = "budget-spent"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        if subject.behaviour.spent:
            unknown = sum(run is None for run in subject.behaviour.runs[: subject.graph.n])
            yield Observation(
                f"wfgate could not compute in which situations {unknown} of the steps run: {subject.behaviour.spent}",
                key=("behaviour",),
            )


class OpaqueGuard(AbsoluteCheck):
    """A condition is not analysed.

    What it does:
        Names the conditions in use that are sentences, function calls or otherwise not understood. Each is treated as
        an unknown that is either true or false.

    Why it matters:
        Whether two of them exclude each other, or one always holds, is unknown; checks that depend on it report
        nothing.

    Golden:
        ``guard: environment == 'production'``

    Candidate:
        ``guard: the change board agrees``

    How to fix:
        Nothing needs fixing. A comparison of a parameter with a value can be analysed.
    """

    id: ClassVar[str] = "WF902"
    defect: ClassVar[str] = "guard-opaque"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        found = sorted(term.text for term in opaque_terms(subject) if term.stable)
        if found:
            names = listed([_short(text) for text in found])
            verb = "is" if len(found) == 1 else "are"
            yield Observation(f"{names} {verb} not analysed", key=tuple(found), witness=tuple(found))


class UnstableGuard(AbsoluteCheck):
    """A condition depends on the time or a random number.

    What it does:
        Names the conditions that read the time or a random number.

    Why it matters:
        The same input can take another branch next time, so a successful run does not predict the next one.

    Golden:
        ``guard: maintenance_window == true``, decided before the workflow starts

    Candidate:
        ``guard: now() < deadline``

    How to fix:
        Evaluate it once, at the start, and pass the result as a parameter.
    """

    id: ClassVar[str] = "WF903"
    defect: ClassVar[str] = "guard-unstable"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        found = sorted(term.text for term in opaque_terms(subject) if not term.stable)
        if found:
            names = listed([_short(text) for text in found])
            yield Observation(
                f"{names} depend{'s' * (len(found) == 1)} on the time or a random number",
                key=tuple(found),
                witness=tuple(found),
            )


def _short(text: str) -> str:
    return f"«{text if len(text) <= 80 else text[:79] + '…'}»"
