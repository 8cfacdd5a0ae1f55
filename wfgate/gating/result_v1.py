"""Reads results of wfgate 0.1 (`wfgate.result/1`), in which reasons were sentences."""

from typing import Any

from wfgate.gating.reason import GateRule, Reason

SCHEMA_V1 = "wfgate.result/1"


def upgraded(data: dict[str, Any]) -> dict[str, Any]:
    """Return a `wfgate.result/1` document as `wfgate.result/2`, without validating it."""
    return {**data, "schema": "wfgate.result/2", "cases": [_case(case) for case in data["cases"]]}


def _case(case: dict[str, Any]) -> dict[str, Any]:
    findings = {finding["message"]: finding for finding in case["findings"]}
    return {**case, "reasons": [_reason(message, findings.get(message), case) for message in case["reasons"]]}


def _reason(message: str, finding: dict[str, Any] | None, case: dict[str, Any]) -> dict[str, Any]:
    if finding is None:
        return Reason.by_rule(_rule(message, case), message.partition("\n")[0]).model_dump()
    spans = {"golden": finding["golden_location"], "candidate": finding["location"]}
    places = {side: {"file": case[side], **span} for side, span in spans.items() if span is not None}
    known = {"rule": finding["id"], "message": message, "fingerprint": finding["fingerprint"]}
    return {**known, "waiver": finding["waived"], **places}


def _rule(message: str, case: dict[str, Any]) -> GateRule:
    """Return the `GateRule` of a reason without a finding, from the first words that wfgate 0.1 used."""
    if case["error"] is not None:
        return "not-compared"
    if message.startswith("the critical step "):
        return "critical"
    if message.startswith("the language model "):
        return "judge"
    undecided = message.startswith("the golden has ") or message.endswith("the verdict depends on it")
    return "undecided" if undecided else "statistics"
