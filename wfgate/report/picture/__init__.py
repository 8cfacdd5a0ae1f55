"""Workflows as pictures: one workflow, or a golden and a candidate side by side."""

from wfgate.report.picture.focus import focused
from wfgate.report.picture.scene import Picture, pictures_of
from wfgate.report.picture.svg import legend, picture_style, svg
from wfgate.report.picture.text import changes_text
from wfgate.report.picture.views import pair_picture, pair_views

__all__ = [
    "Picture",
    "changes_text",
    "focused",
    "legend",
    "pair_picture",
    "pair_views",
    "picture_style",
    "pictures_of",
    "svg",
]
