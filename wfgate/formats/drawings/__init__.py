"""What drawings of workflows have in common: boxes, arrows, frames, and their meaning."""

from wfgate.formats.drawings.base import Arrow, Box, Drawing, Frame, Heads, Shape, Stroke
from wfgate.formats.drawings.plan import plan_of
from wfgate.formats.drawings.workflow import reading_of

__all__ = ["Arrow", "Box", "Drawing", "Frame", "Heads", "Shape", "Stroke", "plan_of", "reading_of"]
