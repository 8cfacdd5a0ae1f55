"""Prints what the gate makes of single edits by hand in otherwise verbatim workflows, harmless ones and their twins.

The edits are those of `../corpora/dev/hand_edits.jsonl`, with labels of two blind reviewers. The default
profile was fitted on rewordings of the same goldens, but on none of these edits.
"""

from collections import Counter, defaultdict
from datetime import date

from accuracy import CORPORA, table, verdict_cells

from wfgate.calibration import read_corpus
from wfgate.calibration.perturb.edits import edited
from wfgate.decide import Pair
from wfgate.run import Config, load_gate

FOLDERS = ("worfbench", "steps", "ops", "regenerations", "dev")


def hand_edits() -> None:
    """Print the verdicts by kind of edit."""
    gate = load_gate(Config(), date.min)
    found: defaultdict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    for golden in read_corpus([CORPORA / each for each in FOLDERS]).goldens:
        for harmful, edits in ((False, golden.edits), (True, golden.misedits)):
            for edit in edits:
                pair = Pair(golden.id, (golden.workflow,), edited(golden.workflow, edit))
                verdict = gate.decide(pair).verdict
                for kind in (edit.kind, "all"):
                    found[harmful, kind][verdict] += 1
    print("## Hand edits of otherwise verbatim workflows, default profile\n")
    rows = []
    for harmful, kind in sorted(found, key=lambda key: (key[0], key[1] == "all", key[1])):
        title = f"{'harmful' if harmful else 'harmless'}: {kind}"
        wanted = ("none passes" if harmful else "<= 5 % blocked") if kind == "all" else "-"
        rows.append((title, *verdict_cells(found[harmful, kind]), wanted))
    table(("edit", "pass", "review", "block", "inconclusive", "wanted"), rows)


if __name__ == "__main__":
    hand_edits()
