"""Workflows as pictures: one workflow, or a golden and a candidate side by side."""
