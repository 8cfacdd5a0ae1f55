"""Decides recorded results again with another profile, from the evidence in the results."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from wfgate.decide import (
    EVIDENCE,
    UNHARMED,
    CaseResult,
    GateResult,
    Policy,
    Profile,
    Scorer,
    Verdict,
    feature_vector,
    worst,
)
from wfgate.errors import CalibrationError, first_problem, os_words
from wfgate.model import Frozen


class Replayed(Frozen):
    """One recorded case.

    Attributes:
        source: The file of the result.
        case: Id of the case.
        before: The recorded verdict.
        after: The verdict with the other profile.
        p_value_before: The recorded p-value.
        p_value_after: The p-value with the other profile.
    """

    source: str
    case: str
    before: Verdict
    after: Verdict
    p_value_before: float
    p_value_after: float


class Replay(Frozen):
    """The verdicts of recorded results with another profile.

    Attributes:
        cases: The cases with evidence.
        skipped: Cases and files without comparable evidence, each with the reason.
    """

    cases: tuple[Replayed, ...]
    skipped: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[Replayed, ...]:
        """The cases whose verdict changes."""
        return tuple(case for case in self.cases if case.before != case.after)


def replay(paths: Sequence[Path], profile: Profile) -> Replay:
    """Decide the cases of recorded results again with another profile.

    A verdict that is not based on statistics stays the same, for example a block for a lost critical step.

    Args:
        paths: JSON reports of `wfgate gate --format json`.
        profile: The profile to decide with.

    Raises:
        CalibrationError: If a file is not a result.
    """
    cases: list[Replayed] = []
    skipped: list[str] = []
    scorer = profile.scorer
    for path in paths:
        result = read_result(path)
        if result.tool.signature != profile.signature:
            skipped.append(f"{path}: the result has another signature")
            continue
        for case in result.cases:
            replayed = _replayed(path, case, result, profile, scorer)
            if replayed is None:
                skipped.append(f"{path}: {case.id}: the golden and the candidate were not compared")
            else:
                cases.append(replayed)
    return Replay(cases=tuple(cases), skipped=tuple(skipped))


def _replayed(path: Path, case: CaseResult, result: GateResult, profile: Profile, scorer: Scorer) -> Replayed | None:
    evidence = {item.id: item.value for item in case.evidence}
    if case.p_value is None or case.severity is None or set(evidence) != {item.id for item in EVIDENCE}:
        return None
    features = feature_vector(evidence)
    p_value = 1.0 if case.severity == UNHARMED else scorer.p_value(features)  # `Decider` gives it to equal files only
    severity = profile.severity.estimate(features).estimate
    promise = result.promise
    then = _statistics(
        case.p_value, case.severity.estimate, result.policy, (promise.alpha_block, promise.alpha_review)
    )
    now = _statistics(p_value, severity, result.policy, result.policy.alphas(profile.promise, len(result.cases)))
    facts: Verdict = "pass" if case.verdict == then else case.verdict
    return Replayed(
        source=str(path),
        case=case.id,
        before=case.verdict,
        after=worst((now, facts)),
        p_value_before=case.p_value,
        p_value_after=round(p_value, 6),
    )


def _statistics(p_value: float, severity: float, policy: Policy, alphas: tuple[float, float]) -> Verdict:
    """Return the verdict that follows from p-value and severity only."""
    block, review = alphas
    if p_value > review:
        return "pass"
    return "block" if p_value <= block and severity >= policy.block_severity else "review"


def read_result(path: Path) -> GateResult:
    """Read a recorded result.

    Raises:
        CalibrationError: If the file is not a result, or not of a version that this wfgate can read.
    """
    fix = "give a file that `wfgate gate --format json` wrote"
    try:
        return GateResult.from_json(path.read_bytes())
    except OSError as error:
        raise CalibrationError(f"{path}: the result cannot be read: {os_words(error)}", fix=fix) from error
    except ValidationError as error:
        raise CalibrationError(f"{path}: not a result of wfgate gate: {first_problem(error)}", fix=fix) from None
