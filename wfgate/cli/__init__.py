"""The command line: parse, call the library, print, return an exit code. No other logic lives here."""

from wfgate.cli.app import run

__all__ = ["run"]
