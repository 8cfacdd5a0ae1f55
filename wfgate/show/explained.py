"""The text of `wfgate explain CASE --result FILE`: the report of one case, and what its rules mean."""

import re
from collections.abc import Iterator

from rich.text import Text

from wfgate.decide import CaseResult, GateResult, GateRule
from wfgate.rules import CHECKS, SECTIONS
from wfgate.show.escape import visible
from wfgate.show.text import TextReporter, lines_of
from wfgate.show.view import RunCase

RULES: dict[GateRule, tuple[str, str]] = {
    "critical": (
        "A critical step of the golden is missing, merged or changed; its own check is switched off under [checks].",
        "Restore the step, or make the pattern under `critical` in wfgate.toml narrower.",
    ),
    "critical-unsure": (
        "The candidate has a critical step, but merged with others, or in words that may mean something else.",
        "Compare both steps; if they mean the same, approve the candidate, or restore the words of the golden.",
    ),
    "reader-warning": (
        "The reader warns about the candidate and not about the golden: it leaves something out, or reads it in part.",
        "Correct what the warning names, or compare it yourself and approve the candidate.",
    ),
    "called-file": (
        "The candidate calls a file of the repository that differs from the base revision: it may do something else.",
        "Review the file. With --approved-by, it passes if a code owner of the file approved this commit.",
    ),
    "language": (
        "Texts of changed steps are not English; the meaning model and the rules for texts read English only.",
        "Compare the changed steps yourself, and approve the candidate if they mean the same.",
    ),
    "statistics": (
        "All differences together are as large as in the rarest harmless changes; no single rule proves a regression.",
        "Compare both. If they mean the same, approve the candidate; if it happens often, calibrate on your goldens.",
    ),
    "undecided": (
        "The statistics cannot decide the case: the golden is too small, or a condition cannot be analysed.",
        "Compare the two workflows yourself, and approve the candidate if it is right.",
    ),
    "judge": (
        "The language model that grades gave one below the calibrated threshold; the verdict is stricter for it.",
        "Read its comment, and compare the two workflows.",
    ),
    "quotes": (
        "The language model quoted where the candidate does each step, so a block by statistics became a review.",
        "Check the quotes, and approve the candidate if they are right.",
    ),
    "not-compared": (
        "A file is missing or cannot be read. What was not compared has not passed.",
        "Correct the file or the path that the message names, and run the gate again.",
    ),
}
"""What the rules without a check mean, and what to do."""


def case_names(result: GateResult) -> list[str]:
    """Return the names of all cases; a case with several samples has a name besides those of the samples."""
    return [*(case.id for case in result.cases), *(group.id for group in result.samples)]


def explained_text(name: str, result: GateResult, *, width: int = 80, color: bool = False) -> str:
    """Return the full report of a case, or of all samples of a case, and what each of its rules means.

    Args:
        name: A name of `case_names`.
        result: The result.
        width: Maximum width of a line.
        color: Whether to add ANSI colours.
    """
    reporter = TextReporter(width=width, color=color, verbose=True, whole=True)
    samples = {one for group in result.samples if group.id == name for one in group.samples}
    cases = [case for case in result.cases if case.id == name or case.id in samples]
    lines = [entry for rule in _rules(cases) for entry in _meaning(rule)]
    meanings = lines_of([(Text("What the rules mean:", style="bold"), 0), *lines], width=width, color=color)
    return "\n".join([*(reporter.case(RunCase(case, result)) for case in cases), *([meanings] if lines else [])])


def _rules(cases: list[CaseResult]) -> list[str]:
    return list(dict.fromkeys(reason.rule for case in cases for reason in case.reasons))


def rule_meaning(rule: str) -> tuple[str, str] | None:
    """Return what a rule means, and how to fix what it reports (may be empty); None for an unknown rule.

    Args:
        rule: Id of a check or a `GateRule`.
    """
    if rule in RULES:
        return RULES[rule]
    check = CHECKS.get(rule)
    if check is None:
        return None
    summary, parts = _sections(check.documentation)
    return summary, parts.get("How to fix", "")


def _meaning(rule: str) -> Iterator[tuple[Text, int]]:
    """Yield the paragraphs about a rule; `wfgate explain RULE` shows the other sections."""
    meaning = rule_meaning(rule)
    if meaning is None:
        yield Text(f"  {visible(rule, 40)}: not a rule of this version of wfgate"), 4
        return
    named = rule if rule in RULES else f"{rule} {CHECKS[rule].defect}"
    yield Text(f"  {named}: {meaning[0]}"), 4
    if meaning[1]:
        yield Text(f"    How to fix: {meaning[1]}"), 6


def _sections(documentation: str) -> tuple[str, dict[str, str]]:
    """Return the first sentence of a check's documentation, and its sections, each on one line."""
    first, *parts = re.split(rf"^({'|'.join(SECTIONS)}):\n", documentation, flags=re.MULTILINE)
    return " ".join(first.split()), {
        name: " ".join(text.split()) for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
