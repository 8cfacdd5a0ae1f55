"""The report for programs that read one case at a time."""

import json
from typing import Any, ClassVar

from wfgate.decide import CaseResult, GateResult
from wfgate.show.base import Reporter
from wfgate.show.json import SCHEMA_ID, result_schema


class JsonlReporter(Reporter):
    """JSON Lines: one case per line, in the form of `cases` in the JSON report.

    A line is written as soon as the gate has decided the case.
    """

    id: ClassVar[str] = "jsonl"
    streams: ClassVar[bool] = True

    def render(self, result: GateResult) -> str:
        """Return all lines."""
        return "".join(map(self.piece, result.cases))

    def piece(self, case: CaseResult) -> str:
        """Return the line of one case."""
        return json.dumps(case.model_dump(mode="json", by_alias=True), allow_nan=False) + "\n"


def case_schema() -> dict[str, Any]:
    """Return the published JSON Schema of one line."""
    schema = result_schema()
    return {
        "$schema": schema["$schema"],
        "$id": f"{SCHEMA_ID}:case",
        "$defs": schema["$defs"],
        "$ref": "#/$defs/CaseResult",
    }
