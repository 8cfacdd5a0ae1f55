"""`python -m wfgate`: the same as the console script."""

from wfgate.cli import run

if __name__ == "__main__":
    run()
