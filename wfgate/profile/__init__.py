"""The profile: the result of a calibration. It contains models, null distribution and measured rates."""

from wfgate.profile.degradation import Degradation
from wfgate.profile.profile import (
    DEFAULT_PROFILE,
    SHIPPED_PROFILES,
    Profile,
    default_profile,
    load_profile,
    shipped_profile,
)
from wfgate.profile.rates import Promise
from wfgate.profile.severity import SeverityEstimate

__all__ = [
    "DEFAULT_PROFILE",
    "SHIPPED_PROFILES",
    "Degradation",
    "Profile",
    "Promise",
    "SeverityEstimate",
    "default_profile",
    "load_profile",
    "shipped_profile",
]
