"""The decision about candidates: policy (rules), verdicts, results."""

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
        "repository": "complaint git git_output",
        "revision": "PIPELINES Revision",
        "runner": "Gate",
        "scoring": "CHAIN_AND_GRAPH GroupMeans MetricMean SuiteScores score_pairs",
        "suite": (
            "candidate_files count_cases namesakes only_file pair_files read_pairs read_source reference_files "
            "with_missing"
        ),
    },
)
