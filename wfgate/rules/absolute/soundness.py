"""Checks of soundness, for token semantics: deadlocks, missing synchronisation, no option to complete.

These checks skip a workflow if a step is not on a path from START to END (WF101-106 and WF310 report such steps). If
soundness cannot be decided, these checks report nothing; the reason is in `Subject.soundness.because`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from wfgate.model import listed
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject

if TYPE_CHECKING:
    from wfgate.logic import Defect

CHECK_OF_DEFECT: "dict[Defect, str]" = {
    "deadlock": "WF201",
    "lack-of-synchronisation": "WF202",
    "no-option-to-complete": "WF203",
}
"""The id of the check that reports each soundness defect."""


class Deadlock(AbsoluteCheck):
    """A join waits for branches that are not all taken.

    What it does:
        Applies to token semantics. Reports a join that waits for several branches (an AND join, or a step that waits
        for all links), if some of these branches may not be taken. The usual cause is a choice before the join that
        takes only one branch. The witness lists the steps that run before the workflow hangs. If there are several
        such joins, the first one in flow order is reported.

    Why it matters:
        The workflow hangs without an error.

    Golden:
        An XOR split to ``pick`` and ``invoice``, an XOR join before ``ship``

    Candidate:
        An XOR split to ``pick`` and ``invoice``, an AND join before ``ship``

    How to fix:
        If one branch should run, end the choice with an XOR join. If both branches should run, start them with an AND
        split.
    """

    id: ClassVar[str] = "WF201"
    defect: ClassVar[str] = "deadlock"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        yield from _soundness_defect(subject, "deadlock")


class LackOfSynchronisation(AbsoluteCheck):
    """Parallel branches are merged without synchronisation.

    What it does:
        Applies to token semantics. Reports a step (or END) that two parallel branches reach in one run without a join.
        The step then runs once for each branch. Also reports steps that a cycle starts again while they may still run.
        Several links to END are not a merge.

    Why it matters:
        All steps after the merge run twice: two shipments, two payments.

    Golden:
        An AND split to ``pick`` and ``invoice``, an AND join before ``ship``

    Candidate:
        An AND split to ``pick`` and ``invoice``, an XOR join before ``ship``, or none

    How to fix:
        Put an AND join before the step, or let the step wait for all links (`join: all`).
    """

    id: ClassVar[str] = "WF202"
    defect: ClassVar[str] = "lack-of-synchronisation"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        yield from _soundness_defect(subject, "lack-of-synchronisation")


class NoOptionToComplete(AbsoluteCheck):
    """The workflow never completes although END is reachable.

    What it does:
        Applies to token semantics. Reports steps that take the link back and the link to the exit at once, so that the
        workflow never completes. Cycles without exit are reported by WF310.

    Why it matters:
        The workflow repeats forever and reaches its end again and again.

    Golden:
        ``review -> draft`` if rejected, ``review -> publish`` if approved

    Candidate:
        ``review -> draft``, ``review -> publish``, both always

    How to fix:
        Make the two links a choice: give each link a condition, or put an XOR split before the links.
    """

    id: ClassVar[str] = "WF203"
    defect: ClassVar[str] = "no-option-to-complete"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        yield from _soundness_defect(subject, "no-option-to-complete")


class UnmatchedOrJoin(AbsoluteCheck):
    """An OR join has no matching split.

    What it does:
        Applies to token semantics. Reports an OR join of several links without a matching split. A split matches the
        join if all paths to the join lead through the split, and all paths from the split lead through the join.

    Why it matters:
        An OR join waits for all tokens that can still arrive. Without a matching split, engines interpret this rule
        differently: the join may wait forever or run twice.

    Golden:
        An OR split to ``mail`` and ``call``, an OR join before ``close``

    Candidate:
        An OR join of ``mail`` and a branch from elsewhere

    How to fix:
        Add the matching split, or use an AND or XOR join.
    """

    id: ClassVar[str] = "WF205"
    defect: ClassVar[str] = "unmatched-or-join"
    severity: ClassVar[Severity] = "warning"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per OR join."""
        if subject.workflow.semantics != "token":
            return
        for behind in subject.soundness.unmatched:
            tasks = subject.sorted(behind)
            where = listed(subject.named(tasks)) or "END"
            yield Observation(
                f"the OR join before {where} has no matching split, so it is unclear which branches it waits for",
                tuple(tasks),
            )


def _soundness_defect(subject: Subject, defect: "Defect") -> Iterator[Observation]:
    if subject.workflow.semantics != "token":
        return
    answer = subject.soundness
    if answer.connected and answer.defect == defect:
        yield Observation(answer.told, answer.tasks, witness=answer.witness)
