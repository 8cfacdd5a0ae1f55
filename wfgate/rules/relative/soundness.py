"""Check of lost soundness."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.compare import Comparison
from wfgate.rules.absolute.soundness import CHECK_OF_DEFECT
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity


class SoundnessLost(RelativeCheck):
    """The golden is sound and the candidate is not.

    What it does:
        Applies to token semantics. A workflow is sound if no step waits forever, no step runs twice at the same time,
        and END can always be reached with no tokens left behind. Reports a candidate that is not sound if its golden
        is sound. The finding is only information if WF201, WF202 or WF203 report the same defect as an error: then it
        adds that the golden does not have the defect.

    Why it matters:
        The golden always completes, the candidate does not.

    Golden:
        An AND split closed by an AND join

    Candidate:
        An XOR split closed by an AND join

    How to fix:
        Undo the change of the operator or link at the steps in the message.
    """

    id: ClassVar[str] = "WR601"
    defect: ClassVar[str] = "soundness-lost"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "course"
    rank: ClassVar[int] = 80
    proven: ClassVar[bool] = True
    grouped: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation at most."""
        if comparison.candidate.semantics != "token" or comparison.golden.semantics == "dag":
            return
        from wfgate.logic import Soundness  # noqa: PLC0415 - only needed for token semantics

        now = Soundness.of(comparison.candidate)
        if now.sound is not False or now.defect is None or not now.connected:
            return
        if Soundness.of(comparison.golden).sound:
            golden = tuple(comparison.golden_of[task] for task in now.tasks if task in comparison.golden_of)
            reported_by = CHECK_OF_DEFECT.get(now.defect)
            reason = f"see {reported_by}" if reported_by else now.told
            yield Observation(
                f"the golden always completes, the candidate does not ({now.defect.replace('-', ' ')}: {reason})",
                tuple(task for task in now.tasks if task not in comparison.golden_of),
                golden,
                key=(now.defect,),
                severity="info" if reported_by else None,
            )
