"""Checks of one workflow alone (WF###): one family per file."""
