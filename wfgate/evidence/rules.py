"""Rules that block without the nonconformity score: lost critical steps, new defects, proven changes of behaviour."""

from collections.abc import Collection

from wfgate.alignment import Comparison
from wfgate.alignment.supports import holm
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
    kept = {comparison.golden.tasks[step].id for step in comparison.verbatim}
    return finding.wording is None and kept.issuperset(finding.golden_steps)


def _is_certain(finding: Finding, comparison: Comparison) -> bool:
    """Return whether an error cannot be a rewording: no changed text, and no step that a new one may replace."""
    if finding.id == TaskMissing.id:
        return len(comparison.missing) > len(comparison.extra)
    return finding.id != MeaningChanged.id


def loss_p_values(comparison: Comparison) -> dict[int, float]:
    """Return the p-value of each golden step, by its position: how often harmless changes seem to lose it.

    It is Holm-adjusted for the number of golden steps, so that harmless changes lose one at alpha in at most this
    share of the workflows, whichever steps are critical. It does not depend on the critical steps: otherwise a further
    critical step would raise the p-values of the others, and a block could become a pass. It is 0 for a step that no
    step of the candidate carries. Without measured p-values, it is 0 for a step whose demand may not be met, and
    otherwise 1.
    """
    steps = comparison.golden_order
    doubts = {support.golden: support.doubt for support in comparison.supports if support.calibrated}
    adjusted = dict(zip(steps, holm([10 ** -doubts.get(step, 0.0) for step in steps]), strict=True))
    return {
        step: 0.0
        if not comparison.places[step].carriers or (step not in doubts and step in comparison.doubted)
        else adjusted[step]
        for step in steps
    }


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
    return 1.0, min(loss_p_values(comparison).values(), default=1.0)
