"""A run of the gate: its configuration, what it compares, and the gate that decides case by case."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "called": "CalledFiles",
        "changed": "Edits edits",
        "config": "Config FILE_NAMES JudgeSettings PYPROJECT found_config load_config named_from",
        "engine": "assemble load_assessor load_configured_profile load_configured_waivers load_gate",
        "executors": "DEFAULT_EXECUTOR load_executor",
        "executors.base": "Executor",
        "executors.local": "LocalExecutor",
        "gate": "Gate",
        "linting": "lint_workflow",
        "own_rules": "rules_below rules_on_disk subjects_of",
        "pairing": "candidate_files namesakes only_file pair_files reference_files references_named same_file",
        "repository": "complaint git git_output",
        "revision": "PIPELINES Revision",
        "rule_tables": "without_place",
        "scoring": "CHAIN_AND_GRAPH GroupMeans MetricMean SuiteScores score_pairs",
        "source": "read_source",
        "suite": "count_cases read_pairs with_missing",
    },
)
