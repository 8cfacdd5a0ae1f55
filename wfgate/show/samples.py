"""Sentences about the samples of a case, and about a previous release."""

from collections.abc import Iterator, Mapping

from wfgate.decide import CaseChange, CaseResult, GateResult, Policy, Release, SampledCase, Verdict, together
from wfgate.model import listed
from wfgate.show.wording import count, fails_alone, percent, percent_range

POLICIES = {"all": "all must pass", "majority": "more than half must pass", "best": "the best one decides"}
TOGETHER = "all cases together"
OUTCOMES: dict[Verdict, str] = {
    "pass": "no drop shown, which does not prove that there is none",
    "block": "the pass rate fell",
    "inconclusive": "not decided: samples or cases are missing, or too few",
}
"""What a comparison with a previous release says."""
REFERENCES = 5
"""Cases with other references that are named."""


def sample_words(result: GateResult) -> Iterator[tuple[SampledCase, str]]:
    """Yield each case with several samples, with a summary of its samples."""
    cases = {case.id: case for case in result.cases}
    for case in result.samples:
        summary = f"{passing_words(case, result.policy)}{_interval(case, result.policy)}; {rule_words(case, cases)}"
        if case.unmeasured:
            summary += f"; {case.unmeasured} inconclusive"
        yield case, "; ".join([summary, *remarks(case, cases)])


def remarks(case: SampledCase, cases: Mapping[str, CaseResult]) -> list[str]:
    """Return why the samples of a case may not be independent: copies of the golden, or of each other."""
    copies = sum(cases[one].copied for one in case.samples)
    said = [f"{copies} {'is a copy' if copies == 1 else 'are copies'} of the golden"] if copies else []
    repeated = case.distinct < len(case.samples)
    return [*said, f"only {case.distinct} distinct: check for a cache"] if repeated else said


def rule_words(case: SampledCase, cases: Mapping[str, CaseResult]) -> str:
    """Return the rule that decided a case: a proven change in a sample, or how many samples must pass."""
    ours = [cases[one] for one in case.samples]
    if together([one.verdict for one in ours], case.policy) != case.verdict:
        number = sum(one.proven == case.verdict for one in ours)
        return f"a proven change in {count(number, 'sample')} decides"
    return POLICIES[case.policy]


def passing_words(case: SampledCase, policy: Policy) -> str:
    """Return how many samples pass, and how many need a review."""
    passes = case.passed - _counted(case, policy)
    words = f"{passes} of {count(len(case.samples), 'sample')} {'passes' if passes == 1 else 'pass'}"
    return words + f", {case.reviews} {'needs' if case.reviews == 1 else 'need'} review" * bool(case.reviews)


def _interval(case: SampledCase, policy: Policy) -> str:
    """Return the interval of the pass rate."""
    if case.rate is None:
        return ""
    both = "pass or review: " * bool(_counted(case, policy))
    return f" ({both}95 % interval {percent_range(case.rate.low, case.rate.high)})"


def _counted(case: SampledCase, policy: Policy) -> int:
    """Return the reviews that count as passes in the rate: all, unless a review fails the build."""
    return 0 if policy.reviews_fail else case.reviews


def together_words(result: GateResult) -> Iterator[tuple[Verdict, str]]:
    """Yield (verdict, sentence) for each case with samples, then for the comparison with a previous release."""
    for verdict, words, _ in judged_words(result):
        yield verdict, words


def judged_words(result: GateResult) -> Iterator[tuple[Verdict, str, bool]]:
    """Yield the same, and whether it fails the build."""
    for case, summary in sample_words(result):
        yield case.verdict, f"{case.id}: {summary}", sample_fails(case, result)
    for verdict, words in release_words(result):
        yield verdict, words, fails_alone(verdict, result)


def sample_fails(case: SampledCase, result: GateResult) -> bool:
    """Return whether the combined verdict on the samples of a case fails the build."""
    return fails_alone(case.verdict, result) and not result.is_accepted(case)


def release_words(result: GateResult) -> Iterator[tuple[Verdict, str]]:
    """Yield (verdict, sentence) for each compared case to look at, then for all compared cases together.

    Left out are cases whose pass rate did not change, unless no sample passes.
    """
    release = result.release
    if release is None:
        return
    changes = {case.id: case for case in release.cases}
    for name, verdict, words in compared_cases(release):
        if verdict != "pass" or name not in changes or _to_look_at(changes[name]):
            yield verdict, f"{name}: {words}"
    if len(release.cases) > 1:
        yield release.pooled.verdict, f"{TOGETHER}: {pooled_words(release)}"
    yield release.verdict, against_words(release, result.policy)


def _to_look_at(case: CaseChange) -> bool:
    return not case.passed or case.passed * case.measured_before != case.passed_before * case.measured


def compared_cases(release: Release) -> Iterator[tuple[str, Verdict, str]]:
    """Yield (name, verdict, sentence) for each compared case.

    Cases that only the previous release has come last.
    """
    for case in release.cases:
        yield case.id, case.verdict, change_words(case)
    for gone in release.gone:
        yield gone, "inconclusive", "missing in this release"


def against_words(release: Release, policy: Policy) -> str:
    """Return what was compared: the number of cases, of equal samples, and the error rate of the comparison."""
    words = [f"{count(len(release.cases), 'case')} compared with {release.source}"]
    others = [case.id for case in release.cases if case.other_references]
    if others:
        words.append(
            f"other references than then in {listed(others, REFERENCES)}, so a difference may be theirs: "
            "gate the old samples again"
        )
    words += [f"{count(len(release.new), 'new case')} not compared"] if release.new else []
    before, now, same = (
        sum(getattr(case, name) for case in release.cases) for name in ("measured_before", "measured", "same")
    )
    if same and same == before == now:
        words.append("no difference: both have the same samples, byte for byte")
    else:
        words.append(OUTCOMES[release.verdict])
    if same and not same == before == now:
        words.append(f"{same} of {count(now, 'sample')} are byte for byte samples of it")
    words.append(f"family-wise error rate {percent(release.alpha)}")
    return "; ".join(words) + "; a review counts as a pass" * (not policy.reviews_fail)


def pooled_words(release: Release) -> str:
    """Return the pass rates of all compared cases together, before and now, with the p-value of a drop."""
    pooled = release.pooled
    if not pooled.measured or not pooled.measured_before:
        return "no case has measured samples in both releases"
    then, now = (
        f"{percent(passed / of)} ({passed:,} of {count(of, 'sample')})"
        for passed, of in ((pooled.passed_before, pooled.measured_before), (pooled.passed, pooled.measured))
    )
    words = f"pass rate {now} now, {then} before"
    if pooled.verdict == "inconclusive":
        return f"{words}; too few samples to detect a total failure: see wfgate plan"
    if pooled.passed * pooled.measured_before >= pooled.passed_before * pooled.measured:
        return words
    fell = "the pass rate fell" if pooled.verdict == "block" else "no significant drop"
    tested = f", Holm-adjusted {percent(pooled.adjusted)}" * (pooled.p_value < pooled.adjusted < 1)
    return f"{words}; {fell} (p-value {percent(pooled.p_value)}{tested})"


def change_words(case: CaseChange) -> str:
    """Return the words that say how often a case passes now, and how often it passed in the previous release."""
    then, now = f"{case.passed_before} of {case.measured_before}", f"{case.passed} of {case.measured}"
    if case.verdict == "block":
        return f"passes less often than before: {now} samples, {then} before (p-value {percent(case.adjusted)})"
    words = f"{now} samples pass, {then} before"
    if case.verdict == "inconclusive":
        return f"{words}: nothing to compare"
    if case.passed * case.measured_before >= case.passed_before * case.measured:
        return words
    if not case.detectable:
        return f"not tested alone, with so few samples: {words}"
    return f"{words}: no significant drop"
