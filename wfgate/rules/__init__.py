"""Findings: what is wrong with one workflow, and what a candidate lost or changed."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "absolute.unreadable": "unreadable",
        "base": (
            "AbsoluteCheck Check Claim Finding Kind NAME Observation RelativeCheck SECTIONS SEVERITIES Severity "
            "Subject Waived Weight called fingerprint_of quoted shortened"
        ),
        "checks": "CHECKS Level is_relative levels_of lint review",
        "conditions": "have_lists",
        "own.evaluate": "Subjected",
        "own.file": "PlacedRule require_one_each rules_in",
        "own.findings": "findings_of require_kept",
        "own.schema": "NamedStep OwnRule RulesFile",
        "own.steps": "TextModels StepFinder",
        "own.suggest": "rules_toml suggested",
        "relative.meaning": "MeaningChanged",
        "relative.steps": "TaskMissing TasksCompressed",
        "weight": "Waive",
    },
)
