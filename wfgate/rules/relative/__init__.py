"""Checks of a candidate against its golden (WR###): one family per file."""
