"""Rules that block without the nonconformity score: lost critical steps, new defects, proven changes of behaviour."""

from collections.abc import Collection

from wfgate.alignment import Comparison
from wfgate.checks import RELATIVE, Finding, review
from wfgate.checks.relative.meaning import MeaningChanged
from wfgate.checks.relative.steps import TaskMissing


def blocks_alone(finding: Finding, comparison: Comparison, critical: Collection[str], *, small: bool = False) -> bool:
    """Return whether a finding blocks without statistics.

    A new structural defect blocks, and a proven change of behaviour. Findings about critical steps block, except for
    information and statistical ones: those about texts, and those about matches with reworded steps. If the golden is
    too small for statistics, errors that cannot be a rewording block.

    Args:
        finding: The finding.
        comparison: The pair that the finding is about.
        critical: Ids of the critical steps of the golden.
        small: Whether the golden is too small for statistics.
    """
    if finding.pre_existing or finding.severity == "info":
        return False
    check = RELATIVE.get(finding.id)
    proven = check is None or finding.proven
    if finding.severity == "error" and (proven or (small and _is_certain(finding, comparison))):
        return True
    if set(critical).isdisjoint(finding.golden_steps):
        return False
    changes_step = check is not None and check.changes_step and finding.wording is None
    return proven or finding.exact or changes_step or _is_about_kept_steps(finding, comparison)


def _is_about_kept_steps(finding: Finding, comparison: Comparison) -> bool:
    """Return whether a finding is about steps that the candidate has in the same words: no match is a guess."""
    kept = {fate.task.id for fate in comparison.fates if fate.is_verbatim}
    return finding.wording is None and kept.issuperset(finding.golden_steps)


def _is_certain(finding: Finding, comparison: Comparison) -> bool:
    """Return whether an error cannot be a rewording: no changed text, and no step that a new one may replace."""
    if finding.id == TaskMissing.id:
        missing = sum(fate.is_unaligned for fate in comparison.fates)
        return missing > sum(step.is_unaligned for step in comparison.additions)
    return finding.id != MeaningChanged.id


def rule_p_values(comparison: Comparison) -> tuple[float, float]:
    """Return the smallest false-block rates at which the rules block: with no critical step, and if all are critical.

    0 for a block at any rate. The severity of checks is the default one.
    """
    findings = review(comparison)
    if any(blocks_alone(finding, comparison, ()) for finding in findings):
        return 0.0, 0.0
    every = {task.id for task in comparison.golden.tasks}
    if any(blocks_alone(finding, comparison, every) for finding in findings):
        return 1.0, 0.0
    return 1.0, min((fate.loss_p_value for fate in comparison.fates), default=1.0)
