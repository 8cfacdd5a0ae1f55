"""Output for the terminal: rendered reports, error messages, scores, lint findings, a summary of a calibration."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wfgate.checks import Finding
from wfgate.formats import Diagnostic
from wfgate.formats.folders import Skipped
from wfgate.gating import GateResult
from wfgate.metrics import MetricScore
from wfgate.profile import Profile
from wfgate.profile.rates import Rate
from wfgate.report.base import Reporter
from wfgate.report.escape import guarded, visible
from wfgate.report.text import TextReporter, metric_words
from wfgate.report.wording import count, percent, percent_range

LINE = 2000
"""Characters of one line that are shown."""


@dataclass(frozen=True)
class LintedFile:
    """The findings about one file, or the error if the file could not be read."""

    path: str
    findings: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    error: str | None = None


def plain(text: str) -> str:
    r"""Return a message on one line and its fix on the next line, without control characters.

    Example:
        >>> print(plain("a\n::error::b: broken\n  fix: mend it"))
        a\n::error::b: broken
          fix: mend it
    """
    message, mark, fix = text.rpartition("\n  fix: ")
    return f"{visible(message, LINE)}{mark}{visible(fix, LINE)}"


def render(result: GateResult, reporter: Reporter, *, width: int, color: bool, quiet: bool, verbose: bool) -> str:
    """Render a result; width, colour and detail apply to the text report."""
    if isinstance(reporter, TextReporter):
        return TextReporter(width=width, color=color, quiet=quiet, verbose=verbose).render(result)
    return reporter.render(result)


def score_table(scores: Sequence[MetricScore]) -> str:
    """Return a table of metrics, one metric per line."""
    wide = max(len(score.metric) for score in scores)
    return "\n".join(f"{score.metric:<{wide}}  {visible(metric_words(score))}" for score in scores)


def lint_text(files: Sequence[LintedFile], left_out: Sequence[Skipped] = (), *, verbose: bool = False) -> str:
    """Return the findings of each file as `file:line:column: severity ID message`, then a count.

    Args:
        files: The files.
        left_out: Files of folders that are not workflows.
        verbose: Whether to name these files, with the reasons.
    """
    lines = [visible(f"{one.path}: not read: {one.reason}", LINE) for one in left_out if verbose]
    for file in files:
        lines += [visible(str(diagnostic), LINE) for diagnostic in file.diagnostics]
        for finding in file.findings:
            place = f":{finding.location.line}:{finding.location.column}" if finding.location else ""
            lines.append(visible(f"{file.path}{place}: {finding.severity} {finding.id} {finding.message}", LINE))
        if file.error is not None and "\n  fix: " in file.error:
            lines.append(f"  fix: {visible(file.error.rpartition('  fix: ')[2], LINE)}")
    found = [finding for file in files for finding in file.findings]
    errors = sum(1 for finding in found if finding.severity == "error")
    unread = sum(1 for file in files if file.error is not None)
    summary = f"{count(len(files), 'file')}: {count(errors, 'error')}, {count(len(found) - errors, 'other finding')}"
    if left_out:
        lines.append(f"{count(len(left_out), 'other file')} not read{'' if verbose else ' (--verbose names them)'}")
    return guarded([*lines, summary + (f", {unread} not readable" if unread else "")])


def lint_record(files: Sequence[LintedFile], left_out: Sequence[Skipped] = ()) -> dict[str, Any]:
    """Return the JSON form: `wfgate.lint/1`."""
    return {
        "schema": "wfgate.lint/1",
        "files": [
            {
                "path": file.path,
                "error": file.error,
                "findings": [finding.model_dump(mode="json") for finding in file.findings],
                "diagnostics": [diagnostic.model_dump(mode="json") for diagnostic in file.diagnostics],
            }
            for file in files
        ],
        "left_out": [{"path": str(one.path), "reason": one.reason} for one in left_out],
    }


def calibration_summary(profile: Profile, *, scored: int, profile_path: Path | None, report: Path | None) -> str:
    """Return the summary of a calibration."""
    promise = profile.promise
    lines = [
        (
            f"Calibrated on {count(profile.corpus.goldens, 'golden')} ({profile.corpus.with_rewordings} with recorded "
            f"rewordings) and {count(profile.corpus.variants, 'variant')}; {scored:,} newly scored."
        ),
        *_pooled(profile),
        *judge_words(profile),
        *exam_words(profile),
        (
            f"False blocks, on average over {count(promise.whole_block.goldens, 'golden')}: promised "
            f"{percent(promise.alpha_block)}, measured {_share(promise.whole_block)}"
        ),
        f"  out of sample; if every step is critical {_share(promise.critical_block)}.",
        *(
            f"  {one.change}: {_share(one.blocked)} blocked, {_share(one.reviewed)} reviewed too "
            f"({one.blocked.goldens})"
            for one in profile.harmless
            if one.blocked.goldens
        ),
        "Detected at that rate, smallest damage added to a full rewording:",
    ]
    smallest: dict[str, float] = {}
    for catch in profile.catches:
        if catch.reworded:
            smallest.setdefault(catch.operator, catch.rate.value)
    wide = max(map(len, smallest), default=0)
    lines += [f"  {operator:<{wide}}  {percent(rate):>6}" for operator, rate in smallest.items()]
    if profile_path is not None:
        lines.append(f"Profile: {profile_path}")
    if report is not None:
        lines.append(f"Report:  {report / 'calibration.html'}")
    return "\n".join(lines)


def judge_words(profile: Profile) -> list[str]:
    """Return lines about the calibration of the judge (a language model that grades); empty if there is no judge."""
    judge = profile.judge
    if judge is None:
        return []
    bias, smallest = judge.bias, judge.null.build().least
    probes = {
        "grade of a golden against itself": bias.identity,
        "added by showing the golden first": bias.position,
        "difference by the order alone": bias.swap,
        "difference by the wording of the prompt": bias.spread,
    }
    return [
        f"Judge: {judge.signature}",
        (
            f"Calibrated on {count(judge.null.goldens, 'golden')} with rewordings; smallest p-value {smallest:.2g}; "
            f"{count(judge.ungraded, 'variant')} not graded."
        ),
        f"Its bias in grades of 0 to 5, on {count(bias.pairs, 'pair')}:",
        *(f"  {words} {5 * value:.2f}" for words, value in probes.items() if value is not None),
    ]


def exam_words(profile: Profile) -> list[str]:
    """Return lines about the exam that the judge passed; empty if there is no exam."""
    if profile.judge is None:
        return []
    exam = profile.judge.exam
    if exam is None:
        return ["The profile does not record the exam of the judge."]
    spread = "" if exam.sd is None else f" (sd {exam.sd:.2f})"
    held = ", ".join(f"{name} {value}" for name, value in exam.settings.items())
    message = (
        f"{visible(exam.model, 100)} passed the exam on {exam.date} with {exam.score:.2f}{spread}, {exam.least:.2f} "
        f"needed; {count(exam.answers, 'answer')}; {visible(held, 300)}."
    )
    return textwrap.wrap(message, 100, subsequent_indent="  ", break_on_hyphens=False)


def _share(rate: Rate) -> str:
    return f"{percent(rate.value)} ({percent_range(rate.low, rate.high)})" if rate.goldens else "not measured"


def _pooled(profile: Profile) -> list[str]:
    if profile.pooling is None:
        return []
    own, base = profile.pooling.goldens, profile.pooling.base_goldens
    return [
        f"Too few goldens for a profile of their own: pooled with {base:,} goldens of a base profile.",
        f"Borrowed: the models, and the null distribution except for {count(own, 'golden')}. Measured: the rates.",
    ]
