"""A deepeval metric: does the workflow in the actual output regress from the approved one?

The expected output of a test case is the approved file, a path from this folder.

A review fails, because nobody looks at test cases that pass. So does an inconclusive case, for example an output that
contains no workflow; it is also an error of the metric. Other errors, such as an expired profile, are raised. No model
is called.
"""

from pathlib import Path
from typing import Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

import wfgate

HERE = Path(__file__).parent
PASSES = {"pass"}
"""Verdicts that pass. Add "review" to see reviews in the reason only."""


class NoRegression(BaseMetric):
    """The verdict of the gate: 1 if it passes the output, else 0."""

    threshold = 1.0

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return 1 if the gate passes the output, else 0."""
        golden = HERE / (test_case.expected_output or "no-expected-output")
        case = wfgate.gate(golden, wfgate.WorkflowText(test_case.actual_output or ""))
        self.score = float(case.verdict in PASSES)
        self.reason = wfgate.report(case)
        self.error = self.reason if case.error else None  # deepeval shows no reason beside an error
        self.success = self.is_successful()
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Return the same; nothing in it waits."""
        return self.measure(test_case)

    @property
    def __name__(self) -> str:
        """The name in reports."""
        return "No regression (wfgate)"
