"""The decision about candidates: policy (rules), verdicts, results."""

from wfgate.gating.base_info import BaseInfo
from wfgate.gating.decision import Decider
from wfgate.gating.pair import Pair
from wfgate.gating.policy import Policy, Verdict
from wfgate.gating.reason import Place, Reason
from wfgate.gating.replay import Replay, replay
from wfgate.gating.result import CaseResult, GateResult
from wfgate.gating.revision import Revision
from wfgate.gating.runner import Gate
from wfgate.gating.suite import pair_files, read_pairs
from wfgate.gating.waiver_file import load_waivers
from wfgate.gating.waivers import RUN_CHECKS, Waiver, Waivers

__all__ = [
    "RUN_CHECKS",
    "BaseInfo",
    "CaseResult",
    "Decider",
    "Gate",
    "GateResult",
    "Pair",
    "Place",
    "Policy",
    "Reason",
    "Replay",
    "Revision",
    "Verdict",
    "Waiver",
    "Waivers",
    "load_waivers",
    "pair_files",
    "read_pairs",
    "replay",
]
