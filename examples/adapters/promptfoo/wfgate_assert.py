"""A promptfoo assertion: does the workflow in the output regress from the approved one?

In a test case: `type: python`, `value: file://wfgate_assert.py`, and the variable `golden`, a path from this folder.

A review fails, because nobody looks at assertions that pass. So does an inconclusive case, for example an output that
contains no workflow. Other errors (no such golden in the test case) are raised: promptfoo reports a failed assertion.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import wfgate

HERE = Path(__file__).parent
PASSES = {"pass"}
"""Verdicts that pass. Add "review" to see reviews in the reason only."""


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on an output as a GradingResult; the variable `golden` names the approved file."""
    golden = HERE / context["vars"]["golden"]
    with TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.md"  # as the model wrote it: wfgate finds the fenced block itself
        answer.write_text(output, encoding="utf-8")
        case = wfgate.gate(golden, answer)
    passed = case.verdict in PASSES
    score = 1.0 if passed else 0.0  # a verdict, not a grade
    lines = [f"{reason.rule} {reason.message}{_place(reason)}" for reason in case.reasons]
    return {
        "pass": passed,
        "score": score,
        "reason": "; ".join([case.verdict, *([case.error] if case.error else lines)]),
        "componentResults": [{"pass": passed, "score": score, "reason": line} for line in lines],
    }


def _place(reason: wfgate.Reason) -> str:
    """Return where a reason is: in the output, else in the golden."""
    if reason.candidate:
        return f" (output:{reason.candidate.line}:{reason.candidate.column})"
    return f" (golden:{reason.golden.line}:{reason.golden.column})" if reason.golden else ""
