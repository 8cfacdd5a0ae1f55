"""Conditions in words, of drawings, of prose and of wfgate's own format, that get narrower or wider: a review."""

from datetime import date
from pathlib import Path

import pytest

from wfgate.decide import Blob, Pair
from wfgate.run import Config, load_gate

DRAWN = """flowchart TD
  A[Merge the release branch] --> C[Run the full regression suite]
  C --> D{All tests green?}
  D -->|Yes| E[Deploy to staging]
  D -->|No| F[Open a bug and stop the release]
  E --> G[Run the load test at twice the peak traffic]
"""
RUNBOOK = """\
1. Check the replica lag
2. If the lag is below 10 seconds, promote the replica
3. Otherwise, page the owner
4. Tell the team
"""
OWN = """\
wfgate: "1"
steps: [Build the image, {name: Deploy the image, when: the branch is main}, Report the result, Close the change]
"""


CLAIM = """\
1. Assess the damage
2. If the claim is not covered or fraud, reject the claim
3. Record the result
4. Only if the change is booked, send the refund
5. Close the file
"""
LAST = CLAIM.replace(
    "If the claim is not covered or fraud, reject the claim", "Reject the claim if the claim is not covered or fraud"
)
LIMIT = OWN.replace("the branch is main", "the gain is below -80")


@pytest.fixture(scope="module")
def gate():
    return load_gate(Config(), date.min)


@pytest.mark.parametrize(
    ("name", "golden", "was", "now", "verdict"),
    [
        ("x.mmd", DRAWN, "|Yes|", "|Yes, and in office hours|", "review"),
        ("x.mmd", DRAWN, "|Yes|", "|Yes or somebody is in a hurry|", "review"),
        ("x.mmd", DRAWN, "|Yes|", "|Yes, after 5 minutes|", "review"),
        ("x.mmd", DRAWN, "|Yes|", "|Yes, all green|", "pass"),
        ("x.mmd", DRAWN, "|Yes|", "|Tests green|", "pass"),
        ("x.md", RUNBOOK, "10 seconds,", "10 seconds and it is a weekday,", "review"),
        ("x.md", RUNBOOK, "the lag is", "the lag of the replica is", "pass"),
        ("x.yml", OWN, "is main", "is main or the build is urgent", "review"),
        ("x.yml", OWN, "the branch is main", "it is the main branch", "pass"),
        ("x.yml", LIMIT, "below -80", "below 80", "review"),
        ("x.yml", LIMIT, "below -80", "-80 or below", "review"),
        ("x.yml", LIMIT, "below -80", "less than -80", "pass"),
        ("x.yml", OWN, "the branch is main", "the branch of the image is main", "pass"),
        ("x.md", CLAIM, "booked", "printed", "review"),
        ("x.md", CLAIM, "booked", "on the books", "pass"),
        ("x.md", CLAIM, "change is booked", "change has been booked", "pass"),
        ("x.md", CLAIM, "not covered or fraud", "neither covered nor fraud", "review"),
        ("x.md", CLAIM, "not covered or fraud", "not covered or not fraud", "review"),
        ("x.md", CLAIM, "not covered or fraud", "fraud or not covered", "pass"),
        ("x.md", LAST, "not covered or fraud", "neither covered nor fraud", "review"),
        ("x.md", LAST, "not covered or fraud", "not covered or not fraud", "review"),
        ("x.md", LAST, "not covered or fraud", "fraud or not covered", "pass"),
    ],
)
def test_a_further_part_of_a_condition(gate, name, golden, was, now, verdict):
    assert golden.count(was) == 1
    files = [Blob(Path(name), text.encode()) for text in (golden, golden.replace(was, now))]
    assert gate.decide(Pair("x", (files[0],), files[1])).verdict == verdict
    back = gate.decide(Pair("x", (files[1],), files[0])).verdict
    assert verdict == "pass" or back != "pass"  # a word that is left out is reviewed
