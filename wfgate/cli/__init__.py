"""The command line: parse, call, print, exit code. No logic lives here."""

from wfgate.cli.app import run

__all__ = ["run"]
