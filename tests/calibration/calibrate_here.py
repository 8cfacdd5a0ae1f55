"""A process that calibrates, to be killed: `calibrate_here.py SCORES PROFILE GOLDENS ALPHA JOBS CORPUS...`."""

import sys
from pathlib import Path

from wfgate.calibration import Plan, calibrate
from wfgate.decide import Assessor
from wfgate.language import StaticEmbedder, load_meaning_model


def main() -> None:
    scores, profile, goldens, alpha, jobs, *corpora = sys.argv[1:]
    plan = Plan(
        sample=int(goldens), alphas=(float(alpha), 2 * float(alpha)), scores=Path(scores), jobs=int(jobs), pooled=False
    )
    done = calibrate(
        [Path(corpus) for corpus in corpora], Assessor(StaticEmbedder(), load_meaning_model()), plan, tool="test"
    )
    done.profile.save(Path(profile))


if __name__ == "__main__":
    main()
