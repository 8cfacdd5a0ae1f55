"""A workflow as an outline for a terminal."""

from wfgate.report.outline.text import outline

__all__ = ["outline"]
