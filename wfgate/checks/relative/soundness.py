"""Soundness that the candidate lost."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.alignment import Comparison
from wfgate.behaviour.soundness import Soundness
from wfgate.checks.absolute.soundness import TOLD
from wfgate.checks.base import Observation, RelativeCheck, Severity


class SoundnessLost(RelativeCheck):
    """The golden always completes and the candidate does not.

    What it does:
        Compares the soundness of both: no step waits for ever, none runs twice at a time, END can always be reached
        with nothing left behind. Only informs where WF201, WF202 or WF203 tell the defect as an error already; it
        adds that the golden was free of it, so that a change brought it in. Applies where tokens flow.

    Why it matters:
        A workflow that was sure to complete no longer is.

    Golden:
        An AND split closed by an AND join

    Candidate:
        An XOR split closed by an AND join

    How to fix:
        Undo the change of the operator or of the link at the steps named.
    """

    id: ClassVar[str] = "WR601"
    defect: ClassVar[str] = "soundness-lost"
    severity: ClassVar[Severity] = "error"
    proven: ClassVar[bool] = True
    grouped: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation at most."""
        if comparison.candidate.semantics != "token" or comparison.golden.semantics == "dag":
            return
        now = Soundness.of(comparison.candidate)
        if now.sound is not False or now.defect is None or not now.connected:
            return
        if Soundness.of(comparison.golden).sound:
            golden = tuple(comparison.golden_of[task] for task in now.tasks if task in comparison.golden_of)
            told = TOLD.get(now.defect)
            by = f"see {told}" if told else now.because
            yield Observation(
                f"the golden always completes, the candidate does not ({now.defect.replace('-', ' ')}: {by})",
                tuple(task for task in now.tasks if task not in comparison.golden_of),
                golden,
                key=(now.defect,),
                severity="info" if told else None,
            )
