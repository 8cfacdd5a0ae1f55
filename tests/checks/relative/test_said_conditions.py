"""Conditions that one text has where its reader makes a link of them, and the other one somewhere else."""

import itertools
from datetime import date

import pytest

from wfgate.gating import Pair
from wfgate.gating.config import Config
from wfgate.gating.engine import load_gate

SAME = (
    "If the usage stays high, extend the volume by 200 GB.",
    "Extend the volume by 200 GB if the usage stays high.",
    "Should the usage stay high, extend the volume by 200 GB.",
    "With the usage still high, extend the volume by 200 GB.",
)
LOST = "Extend the volume by 200 GB."
RUNBOOK = """\
# Disk

## Mitigate

1. Ask the owner of the topic for permission.
2. Wait until the disk usage falls below 70 %.
3. {0}

## Recover

1. Check that there are no under-replicated partitions.
2. Restore the original retention of the topic.
"""


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    gate, folder = load_gate(Config(), date.min), tmp_path_factory.mktemp("runbooks")

    def decide(golden, candidate):
        for name, step in (("golden.md", golden), ("candidate.md", candidate)):
            (folder / name).write_text(RUNBOOK.format(step))
        case = gate.decide(Pair("x", (folder / "golden.md",), folder / "candidate.md"))
        return case.verdict, {finding.id for finding in case.findings if not finding.pre_existing}

    return decide


@pytest.mark.parametrize(("golden", "candidate"), list(itertools.permutations(SAME, 2)))
def test_the_same_condition_in_another_place_is_not_proven_changed(decided, golden, candidate):
    verdict, found = decided(golden, candidate)
    assert verdict != "block"
    assert not found & {"WR201", "WR202", "WF204", "WR106"}


@pytest.mark.parametrize("golden", SAME[:3])
def test_a_lost_condition_is_found(decided, golden):
    verdict, found = decided(golden, LOST)
    assert verdict == "block"
    assert {"WR202", "WR106"} <= found


@pytest.mark.parametrize("candidate", SAME[:3])
def test_a_new_condition_is_found(decided, candidate):
    assert "WR201" in decided(LOST, candidate)[1]


def test_words_that_the_step_has_anyway_do_not_say_a_condition(decided):
    golden, candidate = (
        "If the volume is full, extend the volume by 200 GB.",
        "Extend the volume by 200 GB when asked.",
    )
    assert "WR202" in decided(golden, candidate)[1]
