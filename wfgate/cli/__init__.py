"""The command line. The commands only parse arguments, call the library, print, and set the exit code."""

from wfgate.cli.app import run

__all__ = ["run"]
