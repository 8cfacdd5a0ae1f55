"""A workflow as an outline: what a person reads on a terminal."""

from wfgate.report.outline.text import outline

__all__ = ["outline"]
