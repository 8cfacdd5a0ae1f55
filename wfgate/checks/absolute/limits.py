"""What could not be decided, said aloud: nothing is passed over in silence."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.checks.absolute.guards import opaque_terms
from wfgate.checks.base import AbsoluteCheck, Observation, Severity, Subject, listed


class BudgetSpent(AbsoluteCheck):
    """The work limit was spent before everything was decided.

    What it does:
        Says when the conditions of a workflow are too many or too entangled to be worked out within the counted work
        limit, so that checks of behaviour stay silent about a part of it.

    Why it matters:
        No finding is no proof there.

    Golden:
        a workflow whose conditions speak of up to 400 values

    Candidate:
        a workflow whose conditions speak of thousands of values

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
                f"when {unknown} of the steps run could not be worked out: {subject.behaviour.spent}",
                key=("behaviour",),
            )


class OpaqueGuard(AbsoluteCheck):
    """A condition is not analysed.

    What it does:
        Names the conditions that decide something and that are sentences, calls of functions or else not understood.
        Each is taken as one condition that holds or does not.

    Why it matters:
        Whether two of them exclude each other, or one always holds, is not known: checks that ask that stay silent.

    Golden:
        ``guard: environment == 'production'``

    Candidate:
        ``guard: the change board agrees``

    How to fix:
        Nothing needs fixing; a comparison of a parameter with a value is understood better.
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
    """A condition depends on the clock or on chance.

    What it does:
        Names the conditions that read the time or a random number.

    Why it matters:
        The same input takes another branch tomorrow: no run proves that the next one goes well.

    Golden:
        ``guard: maintenance_window == true``, decided before the workflow starts

    Candidate:
        ``guard: now() < deadline``

    How to fix:
        Decide once, at the start, and pass the result as a parameter.
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
                f"{names} depend{'s' * (len(found) == 1)} on the clock or on chance",
                key=tuple(found),
                witness=tuple(found),
            )


def _short(text: str) -> str:
    return f"«{text if len(text) <= 80 else text[:79] + '…'}»"
