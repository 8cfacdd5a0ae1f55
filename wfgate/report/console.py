"""What commands print that is no gate result: errors, scores, lint findings, a calibration in brief."""

from collections.abc import Sequence
from pathlib import Path

from wfgate.calibration import Profile
from wfgate.checks import Finding
from wfgate.formats import Diagnostic
from wfgate.gating import GateResult
from wfgate.metrics import MetricScore
from wfgate.report.base import Reporter
from wfgate.report.escape import visible
from wfgate.report.text import TextReporter, metric_words
from wfgate.report.wording import count, percent, percent_range

LintedFile = tuple[str, tuple[Finding, ...], tuple[Diagnostic, ...], str | None]
"""Path, findings, diagnostics, and why the file could not be read."""


def plain(text: str) -> str:
    """Return a message with its own line breaks and nothing else that a terminal would obey."""
    return "\n".join(visible(line, 2000) for line in text.splitlines())


def render(result: GateResult, reporter: Reporter, *, width: int, color: bool, quiet: bool, verbose: bool) -> str:
    """Render a result; the text report is laid out for the place that it goes to."""
    if isinstance(reporter, TextReporter):
        return TextReporter(width=width, color=color, quiet=quiet, verbose=verbose).render(result)
    return reporter.render(result)


def score_table(scores: Sequence[MetricScore]) -> str:
    """Return one metric a line."""
    wide = max(len(score.metric) for score in scores)
    return "\n".join(f"{score.metric:<{wide}}  {visible(metric_words(score))}" for score in scores)


def lint_text(files: Sequence[LintedFile]) -> str:
    """Return the findings of each file as `file:line:column: severity ID message`, then a count."""
    lines = []
    for path, findings, diagnostics, error in files:
        if error is not None:
            lines.append(f"error: {plain(error)}")
        lines += [visible(str(diagnostic), 2000) for diagnostic in diagnostics]
        for finding in findings:
            place = f":{finding.location.line}:{finding.location.column}" if finding.location else ""
            said = f"{path}{place}: {finding.severity} {finding.id} {finding.message}"
            lines.append(visible(said, 2000))
    found = [finding for _, findings, _, _ in files for finding in findings]
    errors = sum(1 for finding in found if finding.severity == "error")
    unread = sum(1 for *_, error in files if error is not None)
    summary = f"{count(len(files), 'file')}: {count(errors, 'error')}, {count(len(found) - errors, 'other finding')}"
    return "\n".join([*lines, summary + (f", {unread} not read" if unread else "")])


def calibration_summary(profile: Profile, *, scored: int, profile_path: Path | None, report: Path | None) -> str:
    """Return what a calibration found, in a few lines."""
    promise = profile.promise
    lines = [
        (
            f"Calibrated on {count(profile.corpus.goldens, 'golden')} ({profile.corpus.with_rewordings} with recorded "
            f"rewordings) and {count(profile.corpus.variants, 'variant')}; {scored:,} scored now."
        ),
        (
            f"At {percent(promise.alpha_block)} promised false blocks: measured {percent(promise.false_block.value)} "
            f"({percent_range(promise.false_block.low, promise.false_block.high)}) on goldens the models did not see."
        ),
        "Blocked at that rate, smallest damage on top of a full rewording:",
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
        lines.append(f"Report:  {report / 'calibration.md'}")
    return "\n".join(lines)
