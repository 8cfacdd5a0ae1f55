"""Own rules of a run: those of the configuration, and those beside the golden of each case.

They come from the side of the reference only: from the files beside goldens, at the base revision if there is one.
What is beside a candidate is never read.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from pydantic import JsonValue

from wfgate.compare import Comparison, Contract, compare
from wfgate.decide import Assessor, Blob, Decider
from wfgate.errors import ConfigError, OwnRuleError
from wfgate.model import Workflow, expand, listed, read
from wfgate.read import OTHER_FOLDERS, OWN_RULES, Diagnostic, entries_below, rules_beside, workflow_name
from wfgate.rules import (
    Finding,
    OwnRule,
    PlacedRule,
    StepFinder,
    Subjected,
    TextModels,
    Waive,
    findings_of,
    quoted,
    require_kept,
    require_one_each,
    rules_in,
)
from wfgate.run.config import Config, toml_bytes, toml_in
from wfgate.run.rule_tables import configured


def rules_of(
    case: str, golden: Path | None, files: Iterable[Blob], tables: Iterable[Mapping[str, JsonValue]]
) -> tuple[PlacedRule, ...]:
    """Return the rules of a case: those of the configuration, and those of the files beside its golden.

    Args:
        case: Name of the case.
        golden: Path of its golden; None if it was given inline.
        files: The files beside it.
        tables: The rules of the configuration.

    Raises:
        OwnRuleError: If a file is invalid, or a rule has the id of another one.
    """
    rules = [one for one in configured(tables) if _is_about(one.rule, case, golden)]
    for file in files:
        content = file.content.decode("utf-8-sig", "replace")
        try:
            table = toml_in(file.path, file.content)
        except ConfigError as error:
            raise OwnRuleError(error.message, fix=error.fix) from None
        rules += rules_in(table, content, str(file.path))
    require_one_each(rules)
    return tuple(rules)


def _is_about(rule: OwnRule, case: str, golden: Path | None) -> bool:
    """Return whether a rule is about a case, by the name of the case or of its golden.

    A change may name the case otherwise: in the list of a suite, or by a second candidate of one name. The path of
    its golden is that of the reference; as many of its last parts count as the glob has. So a new name avoids no
    rule, and a rule that frees steps needs the name of the golden.
    """
    named = fnmatchcase(case, rule.cases)
    if golden is None:
        return named
    parts = golden.with_name(workflow_name(golden.stem)).parts
    known = fnmatchcase("/".join(parts[-1 - rule.cases.count("/") :]), rule.cases)
    return known or (named and rule.kind not in {"optional", "any_order"})


class CaseRules:
    """The own rules of one case.

    Args:
        rules: The rules.
        assessor: Has the models.
        golden: The golden as written.

    Raises:
        OwnRuleError: If a rule names no step of the golden, or the golden breaks it.
    """

    def __init__(self, rules: tuple[PlacedRule, ...], assessor: Assessor, golden: Workflow) -> None:
        self.rules = rules
        self.models = TextModels(lambda: assessor.embedder, lambda: assessor.meaning_model)
        self.golden = StepFinder(expand(golden), self.models)
        require_kept(rules, Subjected(self.golden))

    def marked(self, mark: str) -> frozenset[int]:
        """Return the golden steps that rules mark."""
        named = (step for one in self.rules if one.rule.kind == mark for step in one.rule.steps)
        return frozenset(position for step in named for position in self.golden.find(step).steps)

    def contract(self, contract: Contract | None, candidate: Workflow) -> Contract:
        """Return a contract with the marks; what is critical is not optional because another reference lacks it.

        A candidate step that only means the same as an additional one is not permitted.
        """
        known = contract or Contract.marked(self.golden.workflow)
        return replace(
            known,
            optional=(known.optional - self.marked("critical")) | self.marked("optional"),
            any_order=known.any_order | self.marked("any_order"),
            permitted=self._permitted(candidate),
        )

    def _permitted(self, candidate: Workflow) -> frozenset[int]:
        additional = [step for one in self.rules if one.rule.kind == "additional" for step in one.rule.steps]
        if not additional:
            return frozenset()
        finder = StepFinder(expand(candidate), TextModels(lambda: self.models.embedder, lambda: None))
        return frozenset(match.step for step in additional for match in finder.find(step).exact)

    def decider(self, decider: Decider) -> Decider:
        """Return what decides with the critical steps."""
        tasks = self.golden.workflow.tasks
        return decider.with_critical(tasks[position].id for position in sorted(self.marked("critical")))

    def findings(self, comparison: Comparison, decider: Decider, waived: Waive) -> tuple[Finding, ...]:
        """Return a finding for each breach in the candidate.

        Args:
            comparison: The comparison of golden and candidate.
            decider: Has the rates of a block and of a review, and the level of broken rules, if the policy sets one.
            waived: Returns the waiver of a finding.
        """
        if comparison.permitted:  # a step that may be there may still break a rule
            contract = replace(comparison.contract, permitted=frozenset())
            parts = self.models.embedder, self.models.meaning_model
            comparison = compare(*comparison.files, *parts, contract)
        finder = StepFinder(comparison.candidate, self.models, self.golden, comparison.fates)
        subject = Subjected(finder, comparison.candidate_behaviour, (decider.alpha_block, decider.alpha_review))
        return findings_of(self.rules, subject, decider.policy.checks, waived)

    @staticmethod
    def notes(comparison: Comparison, name: str) -> tuple[Diagnostic, ...]:
        """Return the note that the candidate of this name was compared without the steps that rules permit."""
        steps = comparison.permitted
        if not steps:
            return ()
        which = read(listed([quoted(step) for step in steps], 5)).text
        message = f"compared without the additional steps that own rules permit ({len(steps):,}): {which}"
        return (Diagnostic(severity="info", message=message, path=name),)


def rules_on_disk(golden: Path, case: str, config: Config) -> tuple[PlacedRule, ...]:
    """Return the rules of a workflow of the working tree.

    Raises:
        OwnRuleError: If a rule is invalid.
    """
    file = rules_beside(golden)
    blobs = [Blob(file, toml_bytes(file))] if os.path.lexists(file) else []
    return rules_of(case, golden, blobs, config.rules)


def lint_own(
    path: Path, case: str, workflow: Workflow, config: Config, load: Callable[[], Assessor]
) -> tuple[Finding, ...]:
    """Return the breaches of own rules in a workflow alone.

    Args:
        path: Its file.
        case: Its name as a case.
        workflow: The workflow.
        config: The settings.
        load: Returns the assessor, whose models are used if a text has no step with the same words.
    """
    models = TextModels(lambda: load().embedder, lambda: load().meaning_model)
    rules = rules_on_disk(path, case, config)
    return findings_of(rules, Subjected(StepFinder(expand(workflow), models)), config.checks)


def subjects_of(golden: Workflow, others: Iterable[Workflow], assessor: Assessor) -> list[Subjected]:
    """Return a golden, and workflows in which its steps are looked for, as rules see them."""
    models = TextModels(lambda: assessor.embedder, lambda: assessor.meaning_model)
    first = StepFinder(expand(golden), models)
    subjects = [Subjected(first)]
    for other in others:
        comparison = compare(golden, other, assessor.embedder, assessor.meaning_model)
        finder = StepFinder(comparison.candidate, models, first, comparison.fates)
        subjects.append(Subjected(finder, comparison.candidate_behaviour))
    return subjects


def rules_below(folder: Path, config: Config) -> tuple[list[PlacedRule], list[str]]:
    """Return the rules of the configuration and those beside goldens below a folder; and what cannot be read."""
    known, problems = [*configured(config.rules)], []
    for path, problem in sorted(entries_below(folder, OTHER_FOLDERS)):
        if problem is None and path.name.endswith(OWN_RULES):
            try:
                known += rules_of("", None, [Blob(path, toml_bytes(path))], ())
            except ConfigError as error:
                problems.append(error.message)
    return known, problems
