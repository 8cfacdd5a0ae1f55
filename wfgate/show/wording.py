"""The sentences that all reports for people use. The sentences are not escaped yet."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Literal

from wfgate.compare import MetricScore
from wfgate.decide import (
    IN_FORCE,
    CaseResult,
    GateResult,
    Kind,
    Policy,
    ProtectedChange,
    Reason,
    Verdict,
)
from wfgate.language import Marked, windows
from wfgate.model import listed
from wfgate.read import Diagnostic, suffixes
from wfgate.rules import CHECKS, Finding, Waived
from wfgate.show.escape import shortened

VERDICTS: dict[Verdict, str] = {
    "block": "BLOCK",
    "inconclusive": "INCONCLUSIVE",
    "review": "REVIEW",
    "pass": "PASS",
}
"""Names of the verdicts, the most severe first."""
_COUNTED: dict[Verdict, str] = {
    "block": "blocked",
    "review": "review",
    "inconclusive": "inconclusive",
    "pass": "passed",
}
_AUDITED: dict[Verdict, str] = {
    "block": "would have been blocked",
    "review": "to review",
    "inconclusive": "inconclusive",
}
"""The same in audit mode."""
_TITLES = {
    "critical": "critical step lost",
    "critical-unsure": "critical step in doubt",
    "reader-warning": "warning of the reader",
    "called-file": "called file changed",
    "language": "not English",
    "statistics": "differs too much overall",
    "judge": "low grade from the judge",
    "quotes": "read by the language model",
}
"""Titles of the rules that are no checks."""
_NOTHING = "0 cases: nothing was compared, so nothing passed"
_KINDS: tuple[Kind, ...] = ("suite", "waivers", "configuration", "profile", "reference", "pipeline")
"""Kinds of protected files, in the order of the report."""
TEXT = 600
"""Most characters shown of each text of a changed step."""
REFUSED = 5
"""Listed acceptances that do not count: anybody may write such comments."""


def percent(share: float, beside: float | None = None) -> str:
    """Return a share in percent. It has enough digits to show whether it is above or below `beside`.

    Example:
        >>> percent(0.3285), percent(0.009375), percent(0.01), percent(0.0104, beside=0.01), percent(0.9992)
        ('33 %', '0.9 %', '1 %', '1.04 %', '99.9 %')
    """
    value = 100 * share
    limit = None if beside is None else 100 * beside
    text = f"{value:.0f}"
    for digits in range(5):
        text = f"{value:.{digits}f}"
        rounded = float(text)
        coarse = abs(rounded - value) > 0.005 and (value < 9.5 or value > 98.5) and digits == 0
        misleading = limit is not None and abs(rounded - limit) < 1e-9 < abs(value - limit)
        swallowed = rounded in (0.0, 100.0) and rounded != value
        if not (coarse or misleading or swallowed):
            break
    return f"{text} %"


def percent_range(low: float, high: float) -> str:
    """Return an interval in percent.

    Example:
        >>> percent_range(0.1553, 0.5018), percent_range(0.0028, 0.0227)
        ('16-50 %', '0.3-2.3 %')
    """
    digits = 1 if high < 0.095 or low > 0.905 else 0
    return f"{100 * low:.{digits}f}-{100 * high:.{digits}f} %"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 case", "2 cases"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def fails(case: CaseResult, result: GateResult) -> bool:
    """Return whether a case fails the build. A sample fails the build only if its combined case does."""
    if case.accepted is not None:
        return False
    group = result.group_of(case.id)
    if group is not None and not fails_alone(group.verdict, result):
        return case.error is not None and group.verdict == "inconclusive" and not result.policy.is_audit
    return fails_alone(case.verdict, result) or (case.error is not None and not result.policy.is_audit)


def fails_alone(verdict: Verdict, result: GateResult) -> bool:
    """Return whether a verdict alone fails the build."""
    return result.policy.fails(verdict)


def is_file(name: str) -> bool:
    """Return whether the name of a golden or candidate is a file name; a workflow given inline has no file."""
    return PurePath(name).suffix.lower() in suffixes()


NO_TEXT = "(no text)"
"""Stands for a side of a changed text that has no words."""
Sides = Iterator[tuple[Literal["golden", "candidate"], Marked]]
"""The texts "golden" and "candidate", each in pieces that are changed or unchanged."""


def exchanged(golden: str, candidate: str, limit: int = TEXT) -> Sides:
    """Yield both texts; of texts longer than `limit` only the changes with some words around them.

    Of a step that one of both does not have, only the other text.
    """
    shown = windows(golden, candidate, limit)
    if golden or not candidate:
        yield "golden", shown[0]
    if candidate or not golden:
        yield "candidate", shown[1]


def sentence(said: Finding | Reason) -> str:
    """Return a message as a complete sentence: if it starts with the name of a step, the word "step" is added."""
    return opening(said) + said.message


def opening(said: Finding | Reason) -> str:
    """Return the word "step" for a message that starts with the name of a step, and nothing for another one."""
    return "step " if said.mentions and said.mentions[0].start == 0 else ""


def outside_words(case: CaseResult) -> str | None:
    """Return why no rate is known for a case; None if the pair is within the range of the calibration."""
    return f"outside of the calibrated range: {'; '.join(case.outside)}" if case.outside else None


def parts_words(parts: tuple[str, str] | None) -> str | None:
    """Return which lists were read as the steps, if golden and candidate have another kind of list; None otherwise.

    Example:
        >>> parts_words(("numbered list (line 3)", "bullets (line 9)"))
        'the steps of the golden are its numbered list (line 3), those of the candidate its bullets (line 9)'
    """
    return f"the steps of the golden are its {parts[0]}, those of the candidate its {parts[1]}" if parts else None


def waiver_words(waiver: Waived | None) -> str | None:
    """Return who accepts a finding, until when and why; None if there is no waiver."""
    return None if waiver is None else f"waived until {waiver.expires} by {waiver.owner}: {waiver.reason}"


def run_words(result: GateResult, limit: int | None = None) -> list[str]:
    """Return notes about the run: its base revision, changed files, and problems of waivers.

    Args:
        result: The result.
        limit: Number of listed changes of each kind; None lists all. Changed files come before added ones, so that
            many new files do not hide a change.
    """
    findings = [f"{finding.severity}: {finding.message} [{finding.id}]" for finding in result.findings]
    base = result.base
    if base is None:
        return findings
    read = f"references, configuration, profile and waivers are read from {base.ref} ({base.commit[:12]})"
    changed: list[str] = []
    for kind in _KINDS:
        here = sorted((one for one in base.changed if one.kind == kind), key=lambda one: one.change == "added")
        changed += [f"{one.path} ({kind}) is {one.change} here{_force(one, base.ref)}" for one in here[:limit]]
        if limit is not None and len(here) > limit:
            force = _force(here[limit], base.ref)
            changed.append(f"{len(here) - limit:,} more ({kind}) changed here{force}: see the JSON report")
    return [read, *changed, *refused_words(result), *findings]


def refused_words(result: GateResult) -> list[str]:
    """Return which acceptances do not count, and why."""
    refused = result.base.refused if result.base is not None else ()
    more = len(refused) - REFUSED
    left = [f"{more:,} more comments that accept nothing"] if more > 0 else []
    return [*(f"not accepted: {why}" for why in refused[:REFUSED]), *left]


def _force(one: ProtectedChange, ref: str) -> str:
    """Return which state of a protected file the gate uses, to follow what became of the file."""
    if one.approved_by:
        return f" and used, approved by {one.approved_by}"
    if one.kind not in IN_FORCE or PurePath(one.path).name == "CODEOWNERS":
        return f", but the state of {ref} is used"
    return "; the gate cannot protect CI files" if one.kind == "pipeline" else " and used"


def kinds_words(case: CaseResult) -> str | None:
    """Return the kinds of damage with a probability of 5 % or more."""
    if case.verdict == "inconclusive":
        return None
    named = [f"{kind.type} {kind.probability:.0%}" for kind in case.degradation if kind.probability >= 0.05]
    named = [words.replace("%", " %") for words in named]
    return f"{', '.join(named)} (an estimate; the reasons above are facts)" if named else None


def evidence_words(case: CaseResult, result: GateResult) -> str | None:
    """Return the words for the p-value, and how it led to the verdict."""
    if case.p_value is None or case.verdict == "inconclusive":
        return None
    if case.outside:
        return f"{outside_words(case)}; no rate is known for such workflows"
    return f"{_rarity(case.p_value, result)}{_led_to(case, case.p_value, result)}"


def _rarity(p_value: float, result: GateResult) -> str:
    """Return how many of so many harmless rewrites differ as much, and the limits, all of the same number."""
    limits = (result.promise.alpha_review, result.promise.alpha_block)
    of = next((of for of in (100, 1000, 10_000) if _is_told(p_value, of, limits)), 100_000)
    harmless = f"of {of:,} harmless rewrites differ at least as much"
    if is_smallest(p_value, result):
        return f"at most {p_value * of:,.0f} {harmless} (the smallest rate of this profile)"
    return f"{p_value * of:,.0f} {harmless}"


def _is_told(p_value: float, of: int, limits: tuple[float, float]) -> bool:
    """Return whether a number of `of` has two digits, or is exact, and is on its side of the limits."""
    number = round(p_value * of)
    exact = abs(number - p_value * of) < 1e-9 * of
    return exact or (number >= 10 and all((number <= limit * of) == (p_value <= limit) for limit in limits))


def _led_to(case: CaseResult, p_value: float, result: GateResult) -> str:
    verdict = case.verdict
    block, review = result.promise.alpha_block, result.promise.alpha_review
    if verdict == "review" and p_value <= block:
        floor_severity = percent(result.policy.block_severity)
        return f": a regression, but reviewed only, as the policy blocks from a severity of {floor_severity} on"
    if verdict in {"pass", "review"}:
        return f"; reviewed at {percent(review)} or less, blocked at {percent(block)} or less"
    if p_value <= block:
        return f"; blocked at {percent(block)} or less"
    return f", which alone would not block; blocked by {_rules(case)}"


def _rules(case: CaseResult) -> str:
    """Return the rules of the reasons for a block without statistics, each with what it says."""
    reasons = [one for one in case.reasons if one.waiver is None and one.rule not in {"critical-unsure", "statistics"}]
    named = [
        f"{one.rule} ({rule_words('critical' if one.lost_critical else one.rule)})"
        if one.fingerprint
        else f"a rule ({rule_words(one.rule)})"
        for one in reasons
    ]
    return listed(list(dict.fromkeys(named))) or "a rule"


def rule_words(rule: str) -> str:
    """Return a few words for what a rule says."""
    check = CHECKS.get(rule)
    return _TITLES.get(rule, rule) if check is None else check.defect.replace("-", " ")


def is_smallest(p_value: float, result: GateResult) -> bool:
    """Return whether a p-value is the smallest one of the profile: an upper bound, not a rate."""
    return p_value <= result.profile.least_p_value + 1e-6


def summary(result: GateResult) -> str:
    """Return the number of cases by verdict, and the result of the comparison with a previous release."""
    if not result.cases:
        return _no_cases(result)
    samples = f" ({count(len(result.cases), 'candidate')})" if result.samples else ""
    total = counted_words({verdict: result.count(verdict) for verdict in _COUNTED}, result.policy, samples)
    accepted = len(result.accepted)
    if accepted and not result.policy.is_audit:
        total += f"; {accepted:,} accepted, which {'does' if accepted == 1 else 'do'} not fail the build"
    total += f"; {_unchecked(result)}" if result.unchecked else ""
    release = result.release
    if release is None:
        return total
    if not fails_alone(release.verdict, result):
        open_ = release.verdict == "inconclusive"
        shown = "inconclusive against" if open_ else "no drop shown, which is no proof, against"
        return f"{total}; {shown} the previous release"
    worse = sum(1 for case in release.cases if case.verdict == "block")
    if not worse and release.pooled.verdict == "block":
        return f"{total}; blocked: all cases together pass less often than in the previous release"
    if worse:
        return f"{total}; blocked: {count(worse, 'case passes', 'cases pass')} less often than in the previous release"
    return f"{total}; inconclusive against the previous release, which fails the build"


def _no_cases(result: GateResult) -> str:
    if result.unchecked:
        return f"0 cases compared; {_unchecked(result)}"
    base = result.base.ref if result.base and result.unchanged else None
    return f"0 cases: no workflow file differs from {base}" if base else _NOTHING


def _unchecked(result: GateResult) -> str:
    """Return the number of new workflow files, and the first of them."""
    files = f"{count(len(result.unchecked), 'new workflow file')} not checked"
    return f"{files}: {listed(result.unchecked, REFUSED)}"


def counted_words(verdicts: Mapping[Verdict, int], policy: Policy, samples: str = "") -> str:
    """Return the number of cases, and how many of them have each verdict."""
    names = _COUNTED | _AUDITED if policy.is_audit else _COUNTED
    parts = ", ".join(f"{number:,} {name}" for verdict, name in names.items() if (number := verdicts.get(verdict, 0)))
    audit = '; audit mode, so nothing fails the build (fail_on = "none")' if policy.is_audit else ""
    return f"{count(sum(verdicts.values()), 'case')}{samples}: {parts}{audit}"


def promise_words(result: GateResult) -> str:
    """Return the promised and the measured false-block rate, and what a run of many cases gives."""
    promise = result.promise
    as_measured = result.policy.alpha_block is None and result.policy.alpha_per == "case"
    own = "" if as_measured else " at the profile's own rate"
    words = (
        f"on average over goldens like the {result.profile.goldens:,} calibrated ones, at most "
        f"{percent(promise.alpha_block)} of harmless changes of the calibrated kinds (the same work in other words) "
        f"are blocked (measured {percent(promise.measured_false_block)}{own}, 95 % interval "
        f"{percent_range(*promise.interval)}"
    )
    if promise.measured_if_critical is not None and promise.interval_if_critical is not None:
        words += f"; if every step is critical {percent(promise.measured_if_critical)}, "
        words += percent_range(*promise.interval_if_critical)
    words += ")"
    cases = len(result.cases)
    if cases > 1:
        blocks = f"{promise.alpha_block * cases:.2g}"
        words += f"; with {cases:,} cases that are such changes at most {blocks} blocks are expected"
    return f"{words}. Proven changes of values, settings and conditions are outside of this rate"


def merged_diagnostics(diagnostics: Sequence[Diagnostic]) -> list[tuple[str, Diagnostic]]:
    """Return each message of the readers once, with all places that it is about, and one of its diagnostics."""
    messages: dict[tuple[str, str, str | None], list[Diagnostic]] = {}
    for one in diagnostics:
        messages.setdefault((one.severity, one.message, one.fix), []).append(one)
    return [(" and ".join(dict.fromkeys(map(_position, same))), same[0]) for same in messages.values()]


def differing_diagnostics(case: CaseResult) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a case that its readers do not give for golden and candidate alike."""
    sides: dict[tuple[str, str, str | None], list[int]] = {}
    for one in case.diagnostics:
        counts = sides.setdefault((one.severity, one.message, one.fix), [0, 0])
        counts[one.path == case.candidate] += 1
    alike = {key for key, (golden, candidate) in sides.items() if golden == candidate}
    if case.golden == case.candidate:  # a file that is compared with itself at a base revision
        alike = {key for key, numbers in sides.items() if sum(numbers) % 2 == 0}
    return tuple(one for one in case.diagnostics if (one.severity, one.message, one.fix) not in alike)


def _position(one: Diagnostic) -> str:
    return one.path + "".join(f":{part}" for part in (one.line, one.column) if part is not None)


def metric_words(score: MetricScore) -> str:
    """Return the value of a metric, or the reason why the metric is undefined."""
    if score.value is None:
        return f"undefined: {score.undefined_because or 'no reason is recorded'}"
    if not score.proven and score.high is not None:
        return f"{score.value:.2f} at least, {score.high:.2f} at most (not proven within the work limit)"
    if score.variance is not None:
        comment = f": {shortened(score.comment, 200)}" if score.comment else ""
        return f"{score.value:.2f}  between prompts +-{score.variance**0.5:.2f}{comment}"
    if score.precision is None or score.recall is None:
        return f"{score.value:.2f}"
    return f"{score.value:.2f}  precision {score.precision:.2f}, recall {score.recall:.2f}"
