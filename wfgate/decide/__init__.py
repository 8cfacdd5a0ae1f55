"""From evidence and findings to a verdict: the fitted profile, the decision, the result."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "acceptance": "ALL Acceptance COMMAND COMMIT REASON WHY command_line",
        "alignment_view": "AlignedStep AlignmentView",
        "base_info": "BaseInfo IN_FORCE Kind ProtectedChange",
        "claims": "claimants",
        "decision": "Decider UNHARMED",
        "evidence.assess": "Assessor Signature",
        "evidence.features": "Floats feature_matrix feature_vector",
        "evidence.gather": "EVIDENCE median_words",
        "evidence.rules": "rule_p_values",
        "evidence.steps": "StepState step_states",
        "pair": "Blob Called Change Pair Source",
        "policy": "Levels ORDER Policy Verdict worst",
        "problem": "Problem",
        "profile.block_model": "BlockModel",
        "profile.classes": "BenignNulls BlockModels CELLS NullTails RECUT SHORT Scorer memberships references",
        "profile.curves": "OperatingCurve OperatingPoint Point Reliability ReliabilityBin Sensitivity",
        "profile.degradation": "DEGRADATIONS DegradationModel kind_of",
        "profile.judge": "DECIMALS JudgeBias JudgeCalibration PassedExam",
        "profile.null": "BenignNull NullTail",
        "profile.profile": (
            "CorpusSummary DEFAULT_PROFILE Pooling Profile ProfileOrigin SHIPPED_PROFILES default_profile "
            "load_profile shipped_profile"
        ),
        "profile.range": "CalibratedRange SHORT_NAME",
        "profile.rates": "Catch CorpusRates HarmlessRates Promise Rate SeverityThreshold Validity",
        "profile.severity": "BINS SeverityEstimate SeverityModel bins estimates interval",
        "quotes": "SecondStage is_statistical with_reading",
        "reason": "GateRule Reason",
        "release": "CaseChange Lost PooledChange Release StepChange tests_of",
        "result": (
            "CaseResult ComparedPair GateResult ProfileInfo PromiseInfo SCHEMA ToolInfo decisions exit_code "
            "lost_steps record_of unmeasured"
        ),
        "run_record": "Flip Origin RunRecord address flips",
        "samples": "SampledCase Samples good together",
        "unseen": "new_warnings",
        "waivers": "RUN_CHECKS WAIVERS_FILE Waiver WaiverFile Waivers",
    },
)
