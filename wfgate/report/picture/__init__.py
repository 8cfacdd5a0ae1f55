"""Workflows as pictures: one alone, or a golden and a candidate side by side."""

from wfgate.report.picture.pair import has_composites, pair_picture
from wfgate.report.picture.scene import Picture, pictures_of
from wfgate.report.picture.svg import picture_style, svg
from wfgate.report.picture.text import changes_text

__all__ = ["Picture", "changes_text", "has_composites", "pair_picture", "picture_style", "pictures_of", "svg"]
