"""The gate of these tests is that of the tests of decisions."""

from ..decide.conftest import assessor, judged, make, profile, reworded, steps

__all__ = ["assessor", "judged", "make", "profile", "reworded", "steps"]
