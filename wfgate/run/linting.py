"""The findings about a workflow without a reference: those of the checks, and the breaches of own rules."""

from collections.abc import Callable
from pathlib import Path

from wfgate.decide import Assessor
from wfgate.model import Workflow
from wfgate.read import rules_beside
from wfgate.rules import SEVERITIES, Finding, lint
from wfgate.run.config import Config


def lint_workflow(
    path: Path, case: str, workflow: Workflow, config: Config, load: Callable[[], Assessor]
) -> tuple[Finding, ...]:
    """Return the findings about a workflow without a reference, the worst first.

    Args:
        path: Its file, beside which own rules may be; `-` for standard input.
        case: The name of its case, as the gate names it.
        workflow: The workflow.
        config: The settings.
        load: Returns the assessor, whose models own rules use if a text has no step with the same words.

    Raises:
        OwnRuleError: If an own rule is invalid.
    """
    findings = lint(workflow, config.checks)
    if not config.rules and not rules_beside(path).is_file():
        return findings
    from wfgate.run.own_rules import lint_own  # noqa: PLC0415 - only with own rules

    own = lint_own(path, case, workflow, config, load)
    return tuple(sorted((*own, *findings), key=lambda one: SEVERITIES.index(one.severity)))
