"""Several samples of a case, a comparison with a previous release, and a plan for both, in words."""

from collections.abc import Iterator, Sequence
from typing import Any

from wfgate.gating import GateResult, Verdict
from wfgate.gating.power import MAX_SAMPLES, Needed
from wfgate.gating.result import CaseChange, Release
from wfgate.gating.samples import SampledCase
from wfgate.report.wording import count, percent, percent_range

_POLICIES = {"all": "all must pass", "majority": "more than half must pass", "best": "the best one decides"}


def sample_words(result: GateResult) -> Iterator[tuple[SampledCase, str]]:
    """Yield the cases that have several samples, each with what they say together."""
    for case in result.samples:
        said = f"{case.passed} of {count(len(case.samples), 'sample')} pass"
        if case.rate is not None:
            said += f" (95 % interval {percent_range(case.rate.low, case.rate.high)})"
        said += f"; {_POLICIES[case.policy]}"
        if case.unmeasured:
            said += f"; {case.unmeasured} could not be judged"
        if case.distinct < len(case.samples):
            said += f"; only {case.distinct} differ: are the others from a cache?"
        yield case, said


def together_words(result: GateResult) -> Iterator[tuple[Verdict, str]]:
    """Yield what several samples of a case say together, then what two releases do; verdict and words."""
    for case, said in sample_words(result):
        yield case.verdict, f"{case.id}: {said}"
    yield from release_words(result)


def release_words(result: GateResult) -> Iterator[tuple[Verdict, str]]:
    """Yield the cases of a comparison with a previous release that are no pass, then a summary; verdict and words."""
    release = result.release
    if release is None:
        return
    for name, verdict, words in compared_cases(release):
        if verdict != "pass":
            yield verdict, f"{name}: {words}"
    yield release.verdict, against_words(release)


def compared_cases(release: Release) -> Iterator[tuple[str, Verdict, str]]:
    """Yield each case of a comparison with a previous release: name, verdict, words; those that are gone last."""
    for case in release.cases:
        yield case.id, case.verdict, change_words(case)
    for gone in release.gone:
        yield gone, "inconclusive", "the previous release has it, this one has not"


def against_words(release: Release) -> str:
    """Return what was compared with what, and how sure that is."""
    new = f"; {count(len(release.new), 'new case')} not compared" if release.new else ""
    said = f"{count(len(release.cases), 'case')} compared with {release.source}{new}"
    rate = f"at most {percent(release.alpha)} of such comparisons call any case worse by mistake"
    return f"{said}; {rate}"


def change_words(case: CaseChange) -> str:
    """Return how often a case passes now and before, and what that proves."""
    then, now = f"{case.passed_before} of {case.measured_before}", f"{case.passed} of {case.measured}"
    if case.verdict == "pass":
        return f"{now} samples pass, {then} before"
    if case.verdict == "block":
        return f"passes less often than before: {now} samples, {then} before (p-value {percent(case.adjusted)})"
    return f"too few samples to notice a total failure: {now} pass, {then} before; see wfgate plan"


def plan_text(needed: Sequence[Needed], *, before: float, alpha: float, cases: int, power: float) -> str:
    """Return how many samples notice which drop, a line each."""
    lines = [
        f"Samples per case and release that notice a drop from {percent(before)} {percent(power)} of the time",
        f"(one-sided exact test; {percent(alpha)} false alarms over {count(cases, 'case')})",
    ]
    for each in needed:
        to = f"to {percent(before - each.drop)}"
        samples = f"{each.samples:>6,}" if each.samples is not None else f"more than {MAX_SAMPLES:,}"
        lines.append(f"  {to:<9} {samples}")
    return "\n".join(lines)


def plan_record(needed: Sequence[Needed], *, before: float, alpha: float, cases: int, power: float) -> dict[str, Any]:
    """Return the same for programs: `wfgate.plan/1`."""
    return {
        "schema": "wfgate.plan/1",
        "pass_rate": before,
        "alpha": alpha,
        "cases": cases,
        "power": power,
        "drops": [each.model_dump(mode="json") for each in needed],
    }
