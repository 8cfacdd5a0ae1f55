"""Where tokens flow: steps that wait for ever, run twice, or never come to an end.

What is wrong with the connections alone is left to WF101-106 and WF310: a workflow in which START does not reach a
step, or from which a step does not reach END, is not looked at here. Where soundness cannot be decided these checks
are silent; `Subject.soundness.because` says why.
"""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.behaviour.play import Defect
from wfgate.checks.base import AbsoluteCheck, Observation, Severity, Subject, listed

TOLD: dict[Defect, str] = {
    "deadlock": "WF201",
    "lack-of-synchronisation": "WF202",
    "no-option-to-complete": "WF203",
}
"""The check that reports a defect of the candidate itself."""


class Deadlock(AbsoluteCheck):
    """A step waits for others that do not all come.

    What it does:
        Reports a join that waits for several ways (an AND join, or a step that joins all) of which some need not be
        taken: mostly because a choice before it takes one of them only. Applies where tokens flow. The steps that run
        until then are shown. Of several such joins the first in the order of the flow is reported.

    Why it matters:
        The workflow hangs: nothing fails, and nothing goes on.

    Golden:
        An XOR split to ``pick`` and ``invoice``, an XOR join before ``ship``

    Candidate:
        An XOR split to ``pick`` and ``invoice``, an AND join before ``ship``

    How to fix:
        Close a choice with an XOR join, or take both ways with an AND split.
    """

    id: ClassVar[str] = "WF201"
    defect: ClassVar[str] = "deadlock"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        yield from _told(subject, "deadlock")


class LackOfSynchronisation(AbsoluteCheck):
    """Ways that run in parallel are merged without waiting.

    What it does:
        Reports a step, or END, that two ways reach in one run although it waits for none of them: it runs once for
        each. So do steps that a cycle starts again while they may still run. Applies where tokens flow; several links
        to END are no merge.

    Why it matters:
        What follows is done twice: two shipments, two payments.

    Golden:
        An AND split to ``pick`` and ``invoice``, an AND join before ``ship``

    Candidate:
        An AND split to ``pick`` and ``invoice``, an XOR join before ``ship``, or none

    How to fix:
        Join the ways with an AND join, or let the step join all.
    """

    id: ClassVar[str] = "WF202"
    defect: ClassVar[str] = "lack-of-synchronisation"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        yield from _told(subject, "lack-of-synchronisation")


class NoOptionToComplete(AbsoluteCheck):
    """The flow goes on for ever although there is a way to END.

    What it does:
        Reports steps from which the flow never comes to an end because the way back is taken beside the way out and
        not instead of it. Cycles without any way out are left to WF310. Applies where tokens flow.

    Why it matters:
        The workflow repeats for ever, and its end is reached again and again.

    Golden:
        ``review -> draft`` if rejected, ``review -> publish`` if approved

    Candidate:
        ``review -> draft``, ``review -> publish``, both always

    How to fix:
        Make the two ways a choice: give them guards, or put an XOR split before them.
    """

    id: ClassVar[str] = "WF203"
    defect: ClassVar[str] = "no-option-to-complete"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        yield from _told(subject, "no-option-to-complete")


class UnmatchedOrJoin(AbsoluteCheck):
    """An OR join closes no block.

    What it does:
        Reports an OR join of several links if there is no split to which it belongs: one through which all ways to
        the join lead, and from which all ways lead through the join. Applies where tokens flow.

    Why it matters:
        An OR join waits for whatever is still on its way. Without its split nobody can say what that is: engines
        differ, and it may wait for ever or run twice.

    Golden:
        An OR split to ``mail`` and ``call``, an OR join before ``close``

    Candidate:
        An OR join of ``mail`` and a way that comes from elsewhere

    How to fix:
        Let one split open what the join closes, or join by AND or XOR.
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
                f"the OR join before {where} closes no block: what it waits for is not clear", tuple(tasks)
            )


def _told(subject: Subject, defect: Defect) -> Iterator[Observation]:
    if subject.workflow.semantics != "token":
        return
    answer = subject.soundness
    if answer.connected and answer.defect == defect:
        yield Observation(answer.because, answer.tasks, witness=answer.witness)
