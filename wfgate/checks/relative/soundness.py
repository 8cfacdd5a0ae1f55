"""Check of lost soundness."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.alignment import Comparison
from wfgate.behaviour.soundness import Soundness
from wfgate.checks.absolute.soundness import CHECK_OF_DEFECT
from wfgate.checks.base import Observation, RelativeCheck, Severity


class SoundnessLost(RelativeCheck):
    """The golden is sound and the candidate is not.

    What it does:
        Compares the soundness of both: no step waits forever, none runs twice at a time, END can always be reached
        with no tokens left behind. Information only if WF201, WF202 or WF203 report the defect as an error; it adds
        that the golden does not have the defect. Applies to token semantics.

    Why it matters:
        The workflow always completed before, and no longer does.

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
            reported_by = CHECK_OF_DEFECT.get(now.defect)
            reason = f"see {reported_by}" if reported_by else now.because
            yield Observation(
                f"the golden always completes, the candidate does not ({now.defect.replace('-', ' ')}: {reason})",
                tuple(task for task in now.tasks if task not in comparison.golden_of),
                golden,
                key=(now.defect,),
                severity="info" if reported_by else None,
            )
