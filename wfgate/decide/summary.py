"""The record of a result: one line of a history."""

from wfgate.decide.result import GateResult
from wfgate.decide.run_record import Origin, RunRecord, counted


def record_of(
    result: GateResult, origin: Origin | None = None, source: str = "", seconds: float | None = None
) -> RunRecord:
    """Return the record of a result.

    Args:
        result: The result.
        origin: Where and when the gate ran; None if unknown.
        source: The file of the result.
        seconds: How long the run took; None if unknown.
    """
    sampled = {one for group in result.samples for one in group.samples}
    cases = {case.id: case.verdict for case in result.cases if case.id not in sampled}
    cases |= {group.id: group.verdict for group in result.samples}
    return RunRecord(
        **(origin or Origin()).model_dump(),
        version=result.tool.version,
        profile=result.profile.source,
        corpus=result.profile.corpus,
        seconds=seconds,
        verdict=result.verdict,
        counts=counted(cases),
        cases=cases,
        source=source,
    )
