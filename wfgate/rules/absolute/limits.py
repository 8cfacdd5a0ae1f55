"""Findings about what the analysis could not decide."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.model import listed
from wfgate.rules.absolute.guards import opaque_terms
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject


class BudgetSpent(AbsoluteCheck):
    """The analysis of conditions reached its work limit.

    What it does:
        Reports that the conditions of a workflow are too many or too complex for the work limit. (The limit counts
        steps of the analysis, not time.) The checks of behaviour could not decide about a part of the workflow.

    Why it matters:
        In this part of the workflow, defects may be unreported.

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
        Lists the conditions that wfgate cannot analyse, such as sentences and function calls. Such a condition is
        treated as an unknown value, true or false.

    Why it matters:
        It is unknown whether two such conditions exclude each other, and whether such a condition always holds. Checks
        that depend on this report nothing.

    Golden:
        ``guard: environment == 'production'``

    Candidate:
        ``guard: the change board agrees``

    How to fix:
        Nothing needs fixing. To have the condition analysed, write it as a comparison of a parameter with a value.
    """

    id: ClassVar[str] = "WF902"
    defect: ClassVar[str] = "guard-opaque"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        texts = sorted(term.text for term in opaque_terms(subject) if term.stable)
        if texts:
            names = listed([_short(text) for text in texts])
            verb = "is" if len(texts) == 1 else "are"
            yield Observation(f"{names} {verb} not analysed", key=tuple(texts), witness=tuple(texts))


class UnstableGuard(AbsoluteCheck):
    """A condition depends on the time or a random number.

    What it does:
        Lists the conditions that read the time or a random number.

    Why it matters:
        Two runs with the same input can take different branches. A successful run does not show that the next run
        succeeds.

    Golden:
        ``guard: maintenance_window == true``, decided before the workflow starts

    Candidate:
        ``guard: now() < deadline``

    How to fix:
        Evaluate the condition once, before the workflow starts, and pass the result as a parameter.
    """

    id: ClassVar[str] = "WF903"
    defect: ClassVar[str] = "guard-unstable"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        texts = sorted(term.text for term in opaque_terms(subject) if not term.stable)
        if texts:
            names = listed([_short(text) for text in texts])
            yield Observation(
                f"{names} depend{'s' * (len(texts) == 1)} on the time or a random number",
                key=tuple(texts),
                witness=tuple(texts),
            )


def _short(text: str) -> str:
    return f"«{text if len(text) <= 80 else text[:79] + '…'}»"
