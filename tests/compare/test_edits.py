"""Edits of steps: when a part counts as removed, and an action as added."""

import pytest

from wfgate.compare import Alignment, Comparison, Contract
from wfgate.compare.alignment import Match
from wfgate.compare.similarity import text_similarity
from wfgate.language import StaticEmbedder
from wfgate.model import Task, TaskGraph, Workflow

DELETE = "Delete the empty subnets, and stop if even one is still in use"
GOLDEN = [DELETE, "Scan the image for secrets", "Push the image to the registry", "Close the ticket"]


def edits(golden, candidate, contract=None):
    """The edits of steps that are matched in their order."""
    sides = [
        Workflow(tasks=[Task(id=str(n), name=text) for n, text in enumerate(each)]) for each in (golden, candidate)
    ]
    matches = tuple(Match(golden=n, candidate=n, similarity=1.0) for n in range(min(map(len, (golden, candidate)))))
    similarity = text_similarity(golden, candidate, StaticEmbedder())
    graphs = map(TaskGraph.of, sides)
    comparison = Comparison(
        *sides,
        *graphs,
        lambda: similarity,
        Alignment(matches=matches),
        StaticEmbedder(),
        contract=contract or Contract(),
    )
    return {
        step: [(one.kind, one.golden_words or one.candidate_words) for one in each]
        for step, each in comparison.edits.items()
    }


def test_a_removed_part_counts_in_a_workflow_that_keeps_its_words():
    gone = {0: [("removed", "and stop if even one is still in use")]}
    assert edits(GOLDEN, ["Delete the empty subnets", *GOLDEN[1:]]) == gone
    rewritten = ["Look for secrets in the image", "Upload the image", "Finish the ticket"]
    assert edits(GOLDEN, ["Delete the empty subnets", *rewritten]) == {}


def test_of_a_step_without_words_everything_is_removed():
    assert edits(GOLDEN, ["", *GOLDEN[1:]]) == {0: [("removed", DELETE)]}
    assert edits(GOLDEN, [" ", "\u200b", "-", ""]).keys() == {0, 1, 2, 3}


def test_shortened_steps_keep_their_words_too():
    assert edits([DELETE] * 2, ["Delete the empty subnets"] * 2).keys() == {0, 1}


def test_a_part_that_another_step_does_is_not_removed():
    split = ["Delete the empty subnets", *GOLDEN[1:], "Stop even if one subnet is still in use"]
    assert edits(GOLDEN, split) == {}


def test_an_added_action_counts_in_every_workflow():
    action = "Push the image to the registry and disable the alarms"
    found = {2: [("added", "and disable the alarms")]}
    assert edits(GOLDEN, [*GOLDEN[:2], action, GOLDEN[3]]) == found
    assert edits(GOLDEN, ["Remove subnets that nothing uses", "Look for secrets", action, "Finish"]) == found


def test_an_action_of_a_merged_step_is_not_added():
    merged = [DELETE, "Scan the image for secrets and push the image to the registry", "Finish"]
    assert edits(GOLDEN, merged) == {}


@pytest.mark.parametrize("wording", ["Delete the empty subnets one by one", "Remove subnets that nothing uses"])
def test_a_part_that_an_approved_wording_lacks_is_free(wording):
    contract = Contract(wordings={0: ((Task(id="a", name=wording),),)})
    assert edits(GOLDEN, ["Delete the empty subnets", *GOLDEN[1:]], contract) == {}


def test_an_action_of_an_approved_wording_is_free():
    wording = Task(id="a", name="Upload the image to the registry and disable the alarms")
    contract = Contract(wordings={2: ((wording,),)})
    added = "Push the image to the registry and disable the alarms"
    assert edits(GOLDEN, [*GOLDEN[:2], added, GOLDEN[3]], contract) == {}


KEY = "Create a new private key on the HSM. The key must never leave the HSM."
REWORDED = ["Generate a fresh private key inside the HSM", "Look for secrets", "Upload the image", "Finish"]


def test_a_lost_prohibition_counts_in_reworded_steps():
    golden = [KEY, *GOLDEN[1:]]
    assert edits(golden, REWORDED) == {0: [("removed", "The key must never leave the HSM.")]}
    assert edits(golden, [f"{REWORDED[0]}, which it never leaves", *REWORDED[1:]]) == {}
    assert edits(golden, [*REWORDED, "Do not let the key leave the HSM"]) == {}
    contract = Contract(wordings={0: ((Task(id="a", name="Make a private key on the HSM"),),)})
    assert edits(golden, REWORDED, contract) == {}


def test_a_lost_prohibition_is_one_edit():
    golden = [KEY, *GOLDEN[1:]]
    found = edits(golden, ["Create a new private key on the HSM.", *GOLDEN[1:]])
    assert found == {0: [("removed", "The key must never leave the HSM")]}
