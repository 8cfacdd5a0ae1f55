"""The results of these tests are those of the tests of reports."""

from ...show.conftest import hostile

__all__ = ["hostile"]
