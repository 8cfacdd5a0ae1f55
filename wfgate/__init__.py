"""wfgate: the regression gate for generated workflows.

The public API is what this module exports::

    import wfgate

    golden = wfgate.load("approved/deploy.yaml")
    candidate = wfgate.load("generated/deploy.yaml")
    case = wfgate.gate(golden, candidate)
    print(case.verdict, *case.reasons, sep=", ")

Names are loaded on first use, so that `import wfgate` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wfgate.api import WorkflowText, calibrate, gate, load, report, score
    from wfgate.calibration import Plan
    from wfgate.compare import MetricScore
    from wfgate.decide import CaseResult, Policy, Profile, Reason
    from wfgate.errors import (
        CalibrationError,
        ConfigError,
        EmbedderError,
        FormatError,
        LlmError,
        ProfileMismatchError,
        WfgateError,
    )
    from wfgate.model import Link, Task, Workflow
    from wfgate.rules import Finding

__version__ = "0.2.0"

__all__ = [
    "CalibrationError",
    "CaseResult",
    "ConfigError",
    "EmbedderError",
    "Finding",
    "FormatError",
    "Link",
    "LlmError",
    "MetricScore",
    "Plan",
    "Policy",
    "Profile",
    "ProfileMismatchError",
    "Reason",
    "Task",
    "WfgateError",
    "Workflow",
    "WorkflowText",
    "calibrate",
    "gate",
    "load",
    "report",
    "score",
]

_HOME = {
    **dict.fromkeys(("WorkflowText", "calibrate", "gate", "load", "report", "score"), "wfgate.api"),
    "Plan": "wfgate.calibration",
    "Profile": "wfgate.decide",
    "Finding": "wfgate.rules",
    **dict.fromkeys(("CaseResult", "Policy", "Reason"), "wfgate.decide"),
    "MetricScore": "wfgate.compare",
    **dict.fromkeys(("Link", "Task", "Workflow"), "wfgate.model"),
    **dict.fromkeys(
        (
            "CalibrationError",
            "ConfigError",
            "EmbedderError",
            "FormatError",
            "LlmError",
            "ProfileMismatchError",
            "WfgateError",
        ),
        "wfgate.errors",
    ),
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'wfgate' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
