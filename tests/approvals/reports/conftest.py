"""The results of these tests are those of the tests of reports."""

from ...show.conftest import hostile, make_block, make_hostile, make_inconclusive, make_result

__all__ = ["hostile", "make_block", "make_hostile", "make_inconclusive", "make_result"]
