"""Output for the terminal: rendered reports, error messages, scores, lint findings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wfgate.compare import MetricScore
from wfgate.decide import GateResult
from wfgate.errors import FormatError
from wfgate.model import place_in
from wfgate.read import Diagnostic, Skipped
from wfgate.rules import Finding
from wfgate.show.base import Reporter
from wfgate.show.escape import guarded, visible
from wfgate.show.text import TextReporter
from wfgate.show.wording import count, metric_words

LINE = 2000
"""Characters of one line that are shown."""


@dataclass(frozen=True)
class LintedFile:
    """The findings about one file, or the error if the file could not be read."""

    path: str
    findings: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    error: FormatError | None = None


def plain(text: str, fix: str | None = None) -> str:
    r"""Return a message on one line and its fix on the next line, without control characters.

    Example:
        >>> print(plain("a\n::error::b: broken", "mend it"))
        a↵ ::error::b: broken
          fix: mend it
    """
    return "\n".join([visible(text, LINE), *fix_lines(fix)])


def fix_lines(fix: str | None) -> list[str]:
    """Return the line that says how to correct an error; nothing if nobody knows."""
    return [] if fix is None else [f"  fix: {visible(fix, LINE)}"]


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
            place = place_in(file.path, finding.location) or file.path
            lines.append(visible(f"{place}: {finding.severity} {finding.id} {finding.message}", LINE))
        lines += fix_lines(None if file.error is None else file.error.fix)
    findings = [finding for file in files for finding in file.findings]
    errors = sum(1 for finding in findings if finding.severity == "error")
    unread = sum(1 for file in files if file.error is not None)
    summary = (
        f"{count(len(files), 'file')}: {count(errors, 'error')}, {count(len(findings) - errors, 'other finding')}"
    )
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
                "error": file.error and str(file.error),
                "findings": [finding.model_dump(mode="json") for finding in file.findings],
                "diagnostics": [diagnostic.model_dump(mode="json") for diagnostic in file.diagnostics],
            }
            for file in files
        ],
        "left_out": [{"path": str(one.path), "reason": one.reason} for one in left_out],
    }
