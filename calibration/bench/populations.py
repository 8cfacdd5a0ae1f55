"""Prints the verdicts on workflows written anew that no profile is fitted on: those with conditions, and runbooks."""

import sys
from collections import Counter
from datetime import date
from pathlib import Path

from accuracy import CORPORA, table, verdict_cells

sys.path.insert(0, str(Path(__file__).parents[1] / "step_equivalence"))
from fit_profile import MEASURED
from pairs import lines

from wfgate.calibration import read_corpus
from wfgate.decide import Pair
from wfgate.run import Config, load_gate


def populations() -> None:
    """Print the verdicts by population and label."""
    gate = load_gate(Config(), date.min)
    goldens = {golden.id: golden for golden in read_corpus([CORPORA / "dev"]).goldens}
    print("## Workflows of other kinds written anew, default profile\n")
    rows = []
    for path in MEASURED:
        for label, wanted in (("accepted", "<= 5 % blocked"), ("refused", "<= 7 % passing")):
            verdicts: Counter[str] = Counter()
            for name in dict.fromkeys(record["id"] for record in lines(path)):
                golden = goldens[name]
                for candidate in golden.accepted if label == "accepted" else golden.refused:
                    verdicts[gate.decide(Pair(name, (golden.workflow,), candidate)).verdict] += 1
            rows.append((f"{path.stem}, {label}", *verdict_cells(verdicts), wanted))
    table(("workflows", "pass", "review", "block", "inconclusive", "wanted"), rows)


if __name__ == "__main__":
    populations()
