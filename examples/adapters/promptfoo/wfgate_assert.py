"""A promptfoo assertion: does the workflow in the output regress from the approved one?

In a test case: `type: python`, `value: file://wfgate_assert.py`, and the variable `golden`, a path from this folder.

A review fails, because nobody looks at assertions that pass. So does an inconclusive case, for example an output that
contains no workflow. Other errors (no variable `golden`) are raised: promptfoo reports a failed assertion.
"""

import json
from pathlib import Path
from typing import Any

import wfgate

HERE = Path(__file__).parent
PASSES = {"pass"}
"""Verdicts that pass. Add "review" to see reviews in the reason only."""


def get_assert(output: Any, context: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict on an output as a GradingResult."""
    text = output if isinstance(output, str) else json.dumps(output)  # promptfoo may have parsed it
    case = wfgate.gate(HERE / context["vars"]["golden"], wfgate.WorkflowText(text))
    passed = case.verdict in PASSES
    return {"pass": passed, "score": float(passed), "reason": wfgate.report(case)}  # a verdict, not a grade
