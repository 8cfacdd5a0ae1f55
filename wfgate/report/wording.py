"""A result in words: what all reports for people say, before escaping."""

import json
import shlex
from collections.abc import Iterator
from pathlib import PurePath

from wfgate.checks import Finding
from wfgate.checks.base import SEVERITIES
from wfgate.formats import suffixes
from wfgate.gating import CaseResult, GateResult, Verdict
from wfgate.gating.policy import ORDER
from wfgate.gating.revision import IN_FORCE, Kind
from wfgate.gating.suite import workflow_name
from wfgate.gating.waivers import NEVER
from wfgate.report.escape import visible

VERDICTS: dict[Verdict, str] = {
    "block": "BLOCK",
    "inconclusive": "INCONCLUSIVE",
    "review": "REVIEW",
    "pass": "PASS",
}
"""What a verdict is called, the gravest first."""
_COUNTED: dict[Verdict, str] = {
    "block": "blocked",
    "review": "review",
    "inconclusive": "inconclusive",
    "pass": "passed",
}
_FIX = "\n  fix: "
_KIND_NEEDS = {
    "missing steps": ("missing",),
    "compressed steps": ("merged",),
    "added steps": ("extra",),
}
"""What the alignment must show before a headline repeats a statistical guess."""
_FIRST = "in a pull request of its own, and merge that first"
"""Where references count as they are in the base revision."""
_NONE = "none"
"""What a case calls a golden or a candidate that is not there."""
_KINDS: tuple[Kind, ...] = ("suite", "waivers", "configuration", "profile", "reference", "pipeline")
"""Kinds of protected files, in the order in which changes are listed."""
_END = 60
"""Characters shown at each end of a stretch of text that did not change."""
_PIECES = 24
"""Pieces of a text that are shown."""
CERTAIN = 0.5
"""A kind of damage below this probability is not said in a headline."""


def percent(share: float, beside: float | None = None) -> str:
    """Return a share in percent, with as many digits as it takes to see on which side of `beside` it lies.

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


def ordered(cases: tuple[CaseResult, ...]) -> list[CaseResult]:
    """Return the cases, the gravest first, otherwise as they came."""
    return sorted(cases, key=lambda case: -ORDER.index(case.verdict))


def fails(case: CaseResult, result: GateResult) -> bool:
    """Return whether a case fails the build, by the policy of the run; a sample that was outvoted does not."""
    group = result.group_of(case.id)
    if group is not None and not fails_alone(group.verdict, result):
        return case.error is not None and group.verdict == "inconclusive"
    return case.error is not None or fails_alone(case.verdict, result)


def fails_alone(verdict: Verdict, result: GateResult) -> bool:
    """Return whether a decision fails the build, by the policy of the run."""
    policy = result.policy
    return (
        verdict == "block"
        or (verdict == "review" and policy.review_blocks)
        or (verdict == "inconclusive" and policy.inconclusive_blocks)
    )


def is_file(name: str) -> bool:
    """Return whether what a case calls its golden or candidate is a file, not a workflow given inline."""
    return PurePath(name).suffix.lower() in suffixes()


def finding_of(case: CaseResult, reason: str) -> Finding | None:
    """Return the finding that a reason repeats, if it is one."""
    return next((finding for finding in case.findings if finding.message == reason), None)


def side_by_side(finding: Finding) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """Yield "golden" and "candidate" with the pieces of their texts, changed or not; nothing where no texts changed.

    Of long stretches that did not change only the ends are shown.
    """
    if finding.wording is None:
        return
    for side in ("golden", "candidate"):
        pieces = getattr(finding.wording, side)
        shown = [(piece if changed else _ends(piece), changed) for piece, changed in pieces]
        yield side, shown[:_PIECES] + ([("…", False)] if len(shown) > _PIECES else [])


def _ends(piece: str) -> str:
    return piece if len(piece) <= 2 * _END else f"{piece[:_END].rstrip()} … {piece[-_END:].lstrip()}"


def reason_words(case: CaseResult, reason: str) -> str:
    """Return a reason as a sentence that needs no context: a name in quotes is said to be a step."""
    text = reason.partition(_FIX)[0]
    finding = finding_of(case, reason)
    if finding is None or not text.startswith("'"):
        return text
    return f"{'steps' if finding.id == 'WR104' else 'step'} {text}"


def headline(case: CaseResult) -> str:
    """Return what happened, in one sentence that stands alone, without the verdict and the name of the case."""
    if case.verdict == "pass":
        return "; ".join(_passed(case))
    if case.error is not None:
        return f"nothing was compared: {case.error.partition(_FIX)[0]}"
    first = reason_words(case, case.reasons[0]) if case.reasons else "no reason is recorded"
    if case.verdict == "inconclusive":
        return f"cannot be judged: {first}"
    more = f" (and {len(case.reasons) - 1} more)" if len(case.reasons) > 1 else ""
    return "; ".join([first + more, *filter(None, [degraded(case)])])


def degraded(case: CaseResult) -> str | None:
    """Return how bad it is in a few words; None where the statistics suspect nothing."""
    if case.severity is None or not case.degradation:
        return None
    estimate = case.severity.estimate
    how = f"about {percent(estimate)} degraded" if estimate >= 0.01 else "hardly degraded"
    kind = case.degradation[0]
    shown = all(getattr(case.alignment, part) for part in _KIND_NEEDS.get(kind.type, ()))
    mostly = f", mostly {kind.type}" if kind.probability >= CERTAIN and shown else ""
    return f"{how} ({percent_range(case.severity.low, case.severity.high)}){mostly}"


def _passed(case: CaseResult) -> list[str]:
    found = case.alignment.matched
    steps = len(found) + len(case.alignment.missing) + sum(len(merge.golden) for merge in case.alignment.merged)
    reworded = sum(1 for pair in found if pair.golden.name != pair.candidate.name)
    said = []
    if not any(piece.value for piece in case.evidence) and len(found) == steps and not reworded:
        same = f"{count(steps, 'step')} as in the golden"
        said.append(same if case.findings else f"no change: {same}")
    else:
        said.append(f"{len(found)} of {count(steps, 'step')} found, {reworded} reworded")
        if case.alignment.extra:
            said.append(f"{len(case.alignment.extra)} added")
        if case.p_value is not None:
            said.append(f"{percent(case.p_value)} of rewordings differ as much")
    waived = len(waived_findings(case))
    grave = sum(
        1
        for finding in case.findings
        if finding.severity != "info" and not finding.pre_existing and finding.waived is None
    )
    said += [f"{count(grave, 'finding')} to look at"] if grave else []
    return [*said, *([f"{count(waived, 'finding')} waived"] if waived else [])]


def waived_findings(case: CaseResult) -> list[Finding]:
    """Return the findings that the team accepts."""
    return [finding for finding in case.findings if finding.waived is not None]


def waived_words(finding: Finding) -> str | None:
    """Return who accepts a finding, until when and why; None where nobody does."""
    accepted = finding.waived
    return None if accepted is None else f"waived until {accepted.expires} by {accepted.owner}: {accepted.reason}"


def run_words(result: GateResult, most: int | None = None) -> list[str]:
    """Return what is to be said about the run: where it read from, what was changed there, what waivers lack.

    Args:
        result: Of the run.
        most: Changes of a kind that are listed, the others counted; all by default. Kinds come in the order of
            `_KINDS`, files that were there before the added ones: no crowd of new files hides what matters.
    """
    said = [f"{finding.severity}: {finding.message} [{finding.id}]" for finding in result.findings]
    base = result.base
    if base is None:
        return said
    read = f"references, configuration, profile and waivers are those of {base.ref} ({base.commit[:12]})"
    changed: list[str] = []
    for kind in _KINDS:
        here = sorted((one for one in base.changed if one.kind == kind), key=lambda one: one.change == "added")
        force = "and in force" if kind in IN_FORCE else "but not used"
        changed += [f"{one.change} here, {force}: {one.path} ({kind})" for one in here[:most]]
        if most is not None and len(here) > most:
            changed.append(f"{len(here) - most:,} more changed here, {force} ({kind}): see the JSON report")
    return [read, *changed, *said]


def severity_words(case: CaseResult) -> str | None:
    """Return the severity with its interval, as a sentence."""
    if case.severity is None or not case.degradation or case.verdict == "inconclusive":
        return None
    low, high = case.severity.low, case.severity.high
    return (
        f"about {percent(case.severity.estimate)} of the workflow degraded; 90 % interval {percent_range(low, high)}"
    )


def kinds_words(case: CaseResult) -> str | None:
    """Return the kinds of damage with their probabilities, those worth naming."""
    if case.verdict == "inconclusive":
        return None
    named = [f"{kind.type} {kind.probability:.0%}" for kind in case.degradation if kind.probability >= 0.05]
    named = [words.replace("%", " %") for words in named]
    return f"{', '.join(named)} (a statistical guess; the reasons are facts)" if named else None


def evidence_words(case: CaseResult, result: GateResult) -> str | None:
    """Return the p-value in words, and why that led to the verdict."""
    if case.p_value is None or case.verdict == "inconclusive":
        return None
    p_value, block, review = case.p_value, result.promise.alpha_block, result.promise.alpha_review
    limit = min((block, review), key=lambda alpha: abs(alpha - p_value))
    if p_value <= result.profile.least_p_value + 1e-6:
        often = f"no harmless rewording in the calibration looked this bad (p-value {percent(p_value, limit)})"
    else:
        often = f"{percent(p_value, limit)} of harmless rewordings look at least this bad"
    if case.verdict == "pass":
        return f"{often}; reviewed at {percent(review)} or less, blocked at {percent(block)} or less"
    if case.verdict == "review" and p_value <= block:
        floor_severity = percent(result.policy.block_severity)
        return f"{often}: a regression, but the policy only reviews those estimated below {floor_severity} degraded"
    if case.verdict == "review":
        return f"{often}; reviewed at {percent(review)} or less, blocked at {percent(block)} or less"
    if p_value <= block:
        return f"{often}; blocked at {percent(block)} or less"
    return (
        f"{often}, so the statistics alone would not block; it is blocked by a rule: a critical step was lost, "
        "the candidate is broken in itself, or a change of what it does is proven"
    )


def todo_words(case: CaseResult, result: GateResult) -> list[str]:
    """Return what to do next, one sentence each; nothing for a pass."""
    if case.verdict == "pass":
        return []
    if case.verdict == "inconclusive":
        return _todo_inconclusive(case, result)
    first = "undo what is named above" if case.verdict == "block" else "look at what is named above; undo it"
    where = "" if result.base is None else f" {_FIRST}"
    said = [
        f"{first}, or, if the change is meant, approve the candidate as a further reference{where}: {_approve(case)}",
        *_only_the_base(case, result),
    ]
    if case.verdict == "review" and not result.policy.review_blocks:
        said.append("a review does not fail the build (policy: review_blocks = false)")
    rules = rules_named(case)
    if rules:
        others = f" (likewise {', '.join(rules[1:])})" if len(rules) > 1 else ""
        said.append(f"what a rule means: wfgate explain {rules[0]}{others}")
    return said


def rules_named(case: CaseResult) -> list[str]:
    """Return the ids of the checks behind the reasons and the graver findings, each once."""
    findings = (finding_of(case, reason) for reason in case.reasons)
    return list(dict.fromkeys(finding.id for finding in findings if finding is not None))


def _todo_inconclusive(case: CaseResult, result: GateResult) -> list[str]:
    if case.error is not None:
        said = [case.error.partition(_FIX)[2] or _todo_alone(case, result)]
        said += _only_the_base(case, result)
    else:
        said = ["compare the two by hand: the statistics cannot tell"]
    lenient = "policy: inconclusive_blocks = false"
    return [
        *said,
        "it fails the build: what was not judged has not passed"
        if fails(case, result)
        else f"it does not fail the build ({lenient})",
    ]


def _todo_alone(case: CaseResult, result: GateResult) -> str:
    """Return what to do about a golden or a candidate that has no partner."""
    where = "" if result.base is None else f" {_FIRST}"
    if case.golden == _NONE and is_file(case.candidate):
        new = _argument(case.candidate) or "its file"
        return f"if the workflow is new, approve it as its first reference{where}: wfgate approve {new}"
    if case.candidate == _NONE and is_file(case.golden):
        return f"if the workflow is retired, delete its reference{where}: {case.golden}; if not, generate it again"
    return "mend the file or the path named above, and run the gate again"


def _only_the_base(case: CaseResult, result: GateResult) -> Iterator[str]:
    """Yield why an approval in the same pull request changes nothing, if one is there."""
    base = result.base
    if base is None:
        return
    end = f"/{workflow_name(case.id)}"
    for change in base.changed:
        if change.kind != "reference" or not is_file(change.path):
            continue
        reference = workflow_name(PurePath(change.path).with_suffix("").as_posix())
        if f"/{reference}".endswith(end):
            yield f"that {change.path} is {change.change} here does not count: references are those of {base.ref}"
            return


def _approve(case: CaseResult) -> str:
    files = _files(case)
    if files is None:
        return "`wfgate approve` its file, or name it in the list `golden` of the suite's case"
    return f"wfgate approve {files[1]} --reference {files[0]}"


def _files(case: CaseResult) -> tuple[str, str] | None:
    """Return golden and candidate as arguments for a shell; None where one is no file, or not what it seems."""
    if not is_file(case.golden) or not is_file(case.candidate):
        return None
    golden, candidate = _argument(case.golden), _argument(case.candidate)
    return None if golden is None or candidate is None else (golden, candidate)


def commands(case: CaseResult, result: GateResult) -> list[tuple[str, str]]:
    """Return what can be typed next: what for, and the line for a shell.

    A name that holds what a terminal would obey is in no command.
    """
    found = []
    files = _files(case)
    if files is not None and case.error is None:
        found.append(("See both side by side", f"wfgate diff {files[0]} {files[1]}"))
        if case.verdict != "pass":
            approve = f"wfgate approve {files[1]} --reference {files[0]}"
            where = "" if result.base is None else f" {_FIRST}"
            found.append((f"Approve the change as a further reference{where}", approve))
    found += [(f"What {rule} means and how to mend it", f"wfgate explain {rule}") for rule in rules_named(case)[:5]]
    return found


def waiver_entries(case: CaseResult) -> str | None:
    """Return the lines for `wfgate-waivers.toml` that accept what blocks a case; None where no waiver can.

    Why, who and until when is left to those who accept it: as the lines stand, they are refused.
    """
    found = {finding.fingerprint: finding for reason in case.reasons if (finding := finding_of(case, reason))}
    found = {key: finding for key, finding in found.items() if finding.id not in NEVER and finding.waived is None}
    if case.verdict != "block" or not found or visible(case.id, len(case.id)) != case.id:
        return None
    return "\n\n".join(
        f"# {finding.id}: {visible(finding.message, 200)}\n[[waiver]]\n"
        f'fingerprint = "{key}"\ncase = {json.dumps(case.id, ensure_ascii=False)}\n'
        'reason = ""           # why it is acceptable\nowner = ""            # who answers for it\n'
        "expires = 2000-01-01  # the last day on which it holds"
        for key, finding in list(found.items())[:5]
    )


def _argument(path: str) -> str | None:
    r"""Return a path as a shell takes it for one argument and no option; None if it is not what it seems.

    Example:
        >>> _argument("out/a b.yaml"), _argument("-rf.yaml"), _argument("a\x1b[31m.yaml")
        ("'out/a b.yaml'", './-rf.yaml', None)
    """
    if visible(path, len(path)) != path:
        return None
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def corpus_of(case: CaseResult) -> str:
    """Return the group that a case belongs to: what stands before the last slash of its name, or of its golden.

    Example:
        >>> corpus_of(CaseResult(id="ops/12", golden="a.yaml", candidate="b.yaml", verdict="pass"))
        'ops'
    """
    name = case.id if "/" in case.id else case.golden.split(", ")[0]
    return name.rpartition("/")[0] or "-"


def summary(result: GateResult) -> str:
    """Return how many cases there are of each verdict, and whether a previous release was better."""
    if not result.cases:
        return "0 cases: nothing was compared, and that is no pass"
    parts = [f"{n:,} {_COUNTED[verdict]}" for verdict in _COUNTED if (n := result.count(verdict))]
    samples = f" ({count(len(result.cases), 'candidate')})" if result.samples else ""
    said = f"{count(len(result.decisions), 'case')}{samples}: {', '.join(parts)}"
    release = result.release
    if release is None or not fails_alone(release.verdict, result):
        return said
    worse = sum(1 for case in release.cases if case.verdict == "block")
    if worse:
        return f"{said}; blocked: {count(worse, 'case passes', 'cases pass')} less often than in the previous release"
    return f"{said}; inconclusive against the previous release, and that fails the build"


def promise_words(result: GateResult) -> str:
    """Return what is promised, and what was measured."""
    promise = result.promise
    own = "" if result.policy.alpha_block is None else " at the profile's own level"
    return (
        f"at most {percent(promise.alpha_block)} of harmless rewordings are blocked "
        f"(measured {percent(promise.measured_false_block)}{own}, 95 % interval {percent_range(*promise.interval)}, "
        f"{count(result.profile.goldens, 'golden')})"
    )


def findings_left(case: CaseResult) -> list[Finding]:
    """Return the findings that no reason repeats, the gravest first."""
    left = [finding for finding in case.findings if finding.message not in case.reasons]
    return sorted(left, key=lambda finding: (finding.pre_existing, SEVERITIES.index(finding.severity)))


def place_of(case: CaseResult, finding: Finding) -> str | None:
    """Return where a finding stands: in the candidate, else in the golden."""
    for file, span in ((case.candidate, finding.location), (case.golden, finding.golden_location)):
        if span is not None:
            return f"{file}:{span.line}:{span.column}"
    return None
