"""Sentences about the samples of a case, about a previous release, and about the number of samples needed."""

from collections.abc import Iterator, Sequence
from typing import Any

from wfgate.gating import GateResult, Verdict
from wfgate.gating.power import MAX_SAMPLES, Needed
from wfgate.gating.result import CaseChange, Release
from wfgate.gating.samples import SampledCase
from wfgate.report.wording import count, percent, percent_range

_POLICIES = {"all": "all must pass", "majority": "more than half must pass", "best": "the best one decides"}


def sample_words(result: GateResult) -> Iterator[tuple[SampledCase, str]]:
    """Yield each case with several samples, with a summary of its samples."""
    for case in result.samples:
        summary = f"{case.passed} of {count(len(case.samples), 'sample')} pass"
        if case.rate is not None:
            summary += f" (95 % interval {percent_range(case.rate.low, case.rate.high)})"
        summary += f"; {_POLICIES[case.policy]}"
        if case.unmeasured:
            summary += f"; {case.unmeasured} inconclusive"
        if case.distinct < len(case.samples):
            summary += f"; only {case.distinct} distinct: check for a cache"
        yield case, summary


def together_words(result: GateResult) -> Iterator[tuple[Verdict, str]]:
    """Yield (verdict, sentence) for each case with samples, then for the comparison with a previous release."""
    for case, summary in sample_words(result):
        yield case.verdict, f"{case.id}: {summary}"
    yield from release_words(result)


def release_words(result: GateResult) -> Iterator[tuple[Verdict, str]]:
    """Yield (verdict, sentence) for each compared case that does not pass, then for all compared cases together."""
    release = result.release
    if release is None:
        return
    for name, verdict, words in compared_cases(release):
        if verdict != "pass":
            yield verdict, f"{name}: {words}"
    yield release.verdict, against_words(release)


def compared_cases(release: Release) -> Iterator[tuple[str, Verdict, str]]:
    """Yield (name, verdict, sentence) for each compared case.

    Cases that only the previous release has come last.
    """
    for case in release.cases:
        yield case.id, case.verdict, change_words(case)
    for gone in release.gone:
        yield gone, "inconclusive", "missing in this release"


def against_words(release: Release) -> str:
    """Return the words for the number of compared cases and the error rate of the comparison."""
    new = f"; {count(len(release.new), 'new case')} not compared" if release.new else ""
    summary = f"{count(len(release.cases), 'case')} compared with {release.source}{new}"
    rate = f"family-wise error rate {percent(release.alpha)}"
    return f"{summary}; {rate}"


def change_words(case: CaseChange) -> str:
    """Return the words that say how often a case passes now, and how often it passed in the previous release."""
    then, now = f"{case.passed_before} of {case.measured_before}", f"{case.passed} of {case.measured}"
    if case.verdict == "pass":
        return f"{now} samples pass, {then} before"
    if case.verdict == "block":
        return f"passes less often than before: {now} samples, {then} before (p-value {percent(case.adjusted)})"
    return f"too few samples to detect a total failure: {now} pass, {then} before; see wfgate plan"


def plan_text(needed: Sequence[Needed], *, before: float, alpha: float, cases: int, power: float) -> str:
    """Return the number of samples that each drop needs, one line each."""
    lines = [
        f"Samples per case and release that detect a drop from {percent(before)} with power {percent(power)}",
        f"(one-sided exact test; family-wise error rate {percent(alpha)} over {count(cases, 'case')})",
    ]
    for each in needed:
        to = f"to {percent(before - each.drop)}"
        samples = f"{each.samples:>6,}" if each.samples is not None else f"more than {MAX_SAMPLES:,}"
        lines.append(f"  {to:<9} {samples}")
    return "\n".join(lines)


def plan_record(needed: Sequence[Needed], *, before: float, alpha: float, cases: int, power: float) -> dict[str, Any]:
    """Return the JSON form: `wfgate.plan/1`."""
    return {
        "schema": "wfgate.plan/1",
        "pass_rate": before,
        "alpha": alpha,
        "cases": cases,
        "power": power,
        "drops": [each.model_dump(mode="json") for each in needed],
    }
