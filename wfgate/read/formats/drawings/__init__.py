"""What drawings of workflows have in common: boxes, arrows, frames, and their meaning."""
