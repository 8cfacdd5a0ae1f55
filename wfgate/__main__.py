"""`python -m wfgate`: the console script, for environments that do not have it on their path."""

from wfgate.cli import run

run()
