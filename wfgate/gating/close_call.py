"""The check that says when a verdict rests on the last digit of a judgement."""

from typing import ClassVar

from wfgate.checks import Check, Severity


class CloseCall(Check):
    """A verdict rests on the last digit of a judgement of meaning.

    What it does:
        Marks a case whose verdict would be another one if the judge of meaning believed every changed step a little
        less, or a little more: by 0.01 in log-odds (the shipped judge), which is as far apart as two processors can be
        that round sums differently. It is a finding about the run, not about a workflow; its level cannot be set.

    Why it matters:
        On one machine the same files are always judged the same way. Another one may come to the other verdict here,
        and nowhere else.

    Golden:
        a candidate whose p-value is 2 % on every processor

    Candidate:
        a candidate whose p-value is 1.00 % here and 1.01 % on another processor, where 1 % blocks

    How to fix:
        Look at the case as if it were the stricter one of the two verdicts.
    """

    id: ClassVar[str] = "WP003"
    defect: ClassVar[str] = "close-call"
    severity: ClassVar[Severity] = "warning"
