"""`python -m wfgate`: the same as the console script."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Python puts the working directory first on the path: modules and plug-ins of a checkout would be loaded. If
    # wfgate itself is there, its code runs already.
    if not sys.flags.safe_path and Path(sys.path[0]).absolute() != Path(__file__).absolute().parents[1]:
        del sys.path[0]

    from wfgate.cli import run

    run()
