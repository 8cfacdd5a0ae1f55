"""The workflows of these tests are those of the tests of comparisons."""

from ..compare.conftest import embedder, recorded, tools

__all__ = ["embedder", "recorded", "tools"]
