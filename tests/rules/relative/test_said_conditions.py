"""Conditions that one text has where its reader makes a link of them, and the other one somewhere else."""

import itertools
from datetime import date

import pytest

from wfgate.decide import Pair
from wfgate.run import Config, load_gate

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
    decide = _decider(tmp_path_factory.mktemp("runbooks"))
    return lambda golden, candidate: decide(RUNBOOK.format(golden), RUNBOOK.format(candidate))


@pytest.fixture(scope="module")
def decided_files(tmp_path_factory):
    return _decider(tmp_path_factory.mktemp("files"))


def _decider(folder):
    gate = load_gate(Config(), date.min)

    def decide(golden, candidate, suffix=".md", other=".md"):
        paths = folder / f"golden{suffix}", folder / f"candidate{other}"
        for path, text in zip(paths, (golden, candidate), strict=True):
            path.write_text(text)
        case = gate.decide(Pair("x", (paths[0],), paths[1]))
        return case, {finding.id for finding in case.findings if not finding.pre_existing}

    return decide


@pytest.mark.parametrize(("golden", "candidate"), list(itertools.permutations(SAME, 2)))
def test_the_same_condition_in_another_place_is_not_proven_changed(decided, golden, candidate):
    case, found = decided(golden, candidate)
    assert case.proven != "block"
    assert not found & {"WR201", "WR202", "WF204", "WR106"}


@pytest.mark.parametrize("golden", SAME[:3])
def test_a_lost_condition_is_found(decided, golden):
    case, found = decided(golden, LOST)
    assert case.verdict in {"review", "block"}
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


BLOCKS = """\
# Node

1. Check the node status
2. {0}:
   - Verify the network connectivity
   - Check the state of the machine
3. Tell the owner
"""


@pytest.mark.parametrize("said", ["When the node is unreachable", "In case the node is unreachable"])
def test_a_condition_above_several_steps_may_have_another_conjunction(decided_files, said):
    case, found = decided_files(BLOCKS.format("If the node is unreachable"), BLOCKS.format(said))
    assert case.verdict in {"pass", "review"}
    assert not found & {"WR201", "WR202"}
    _, found = decided_files(BLOCKS.format("If the node is unreachable"), BLOCKS.format("Look at the network"))
    assert "WR202" in found


PLAN = """\
steps:
- {{id: watch, name: Watch the error rate of the canary}}
- {{id: back, name: Roll back to the previous version, depends_on: [watch]{0}}}
- {{id: full, name: Roll out to all production pods, depends_on: [watch]{1}}}
- {{id: tell, name: Announce the release in the channel, depends_on: [full]}}
"""
CONDITIONS = ", if: the error rate is too high", ", if: the error rate is normal"
LIST = """\
1. Observe the error rate of the canary
2. If the error rate goes up, return to the version before
3. If it is normal, roll out to all production pods
4. Announce the release in the channel
"""


def test_the_condition_of_a_step_in_data_is_that_of_a_list(decided_files):
    case, found = decided_files(PLAN.format(*CONDITIONS), LIST, ".yaml")
    assert not found & {"WR201", "WR202"}
    assert case.proven != "block"
    _, found = decided_files(PLAN.format(*CONDITIONS), LIST.replace("If it is normal, roll", "Roll"), ".yaml")
    assert "WR202" in found
    _, found = decided_files(PLAN.format(*CONDITIONS), PLAN.format(CONDITIONS[0], ""), ".yaml", ".yaml")
    assert "WR202" in found


CANARY = """\
steps:
- {{id: watch, name: Watch the canary}}
- {{id: back, name: Roll back to the previous version, depends_on: [watch], if: {0}}}
- {{id: full, name: Roll out to all production pods, depends_on: [watch]}}
- {{id: tell, name: Announce the outcome in the channel, depends_on: [back, full]}}
"""


@pytest.mark.parametrize(
    ("now", "harmless"),
    [
        ("the canary shows more than 2 % errors for ten minutes", True),
        ("for ten minutes, more than 2 % of the canary's requests fail", True),
        ("the canary's error rate stays above 5 % for ten minutes", False),
        ("the canary's error rate does not stay above 2 % for ten minutes", False),
        ("canary.error_rate > 2", False),
    ],
)
def test_a_condition_with_numbers_and_apostrophes_is_a_sentence(decided_files, now, harmless):
    was = "the canary's error rate stays above 2 % for ten minutes"
    case, _ = decided_files(CANARY.format(was), CANARY.format(now), ".yaml", ".yaml")
    assert case.verdict != ("block" if harmless else "pass")


def test_a_known_silent_skip_stays_known_if_the_step_waits_for_one_more(decided_files):
    golden = CANARY.format("errors are frequent")
    case, _ = decided_files(golden, golden.replace("[back, full]", "[back, full, watch]"), ".yaml", ".yaml")
    assert case.verdict != "block"
    other = golden.replace("depends_on: [watch]}", "depends_on: [watch], if: errors are rare}")
    case, _ = decided_files(golden, other, ".yaml", ".yaml")
    assert case.verdict == "block"
