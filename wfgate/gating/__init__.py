"""The decision: policy, verdict, result."""

from wfgate.gating.decision import Judge
from wfgate.gating.policy import Policy, Verdict
from wfgate.gating.replay import Replay, replay
from wfgate.gating.result import CaseResult, GateResult
from wfgate.gating.runner import Gate
from wfgate.gating.suite import Pair, pair_files, read_pairs

__all__ = [
    "CaseResult",
    "Gate",
    "GateResult",
    "Judge",
    "Pair",
    "Policy",
    "Replay",
    "Verdict",
    "pair_files",
    "read_pairs",
    "replay",
]
