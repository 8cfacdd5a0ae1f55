"""Edited and rewritten candidates are compared with harmless candidates of their own class."""

import numpy as np
import pytest

from wfgate.alignment import StaticEmbedder, compare
from wfgate.evidence.gather import EVIDENCE
from wfgate.formats import read_text
from wfgate.profile.block_model import BlockModel
from wfgate.profile.classes import MOST, BlockModels, NullTails, Scorer, is_rewritten
from wfgate.profile.null import NullTail

IDS = [piece.id for piece in EVIDENCE]


def features(new_words, **evidence):
    found = np.zeros(len(EVIDENCE))
    found[IDS.index("new-words-share")] = new_words
    for name, value in evidence.items():
        found[IDS.index(name.replace("_", "-"))] = value
    return found


def model(**weights):
    names = {name.replace("_", "-"): weight for name, weight in weights.items()}
    return BlockModel(weights=tuple(names.get(name, 0.0) for name in IDS), intercept=0.0)


@pytest.fixture
def scorer():
    """Edited candidates: one link is unusual. Rewritten ones: three in four goldens lose two links or more."""
    edited = NullTail(scores=(1.0, 0.0), tail=(1.0, 99.0), goldens=99, mass=99.0)
    rewritten = NullTail(scores=(2.0, 0.0), tail=(15.0, 19.0), goldens=19, mass=19.0)
    nulls = NullTails(edited=edited, rewritten=rewritten)
    weights = model(link_changes=1.0)
    return Scorer(BlockModels(edited=weights, rewritten=weights), nulls.build())


def test_the_same_difference_is_unusual_in_one_class_only(scorer):
    assert scorer.p_value(features(0.2, link_changes=2.0)) == pytest.approx(1 / 100)
    assert scorer.p_value(features(0.9, link_changes=2.0)) == pytest.approx(16 / 20)
    both = np.stack([features(share, link_changes=2.0) for share in (0.2, 0.9)])
    assert scorer.p_values(both).tolist() == [scorer.p_value(row) for row in both]


def test_the_smaller_class_limits_the_profile(scorer):
    assert scorer.nulls.smaller.goldens == 19


def test_half_of_the_steps_in_new_words_is_an_edit():
    assert not is_rewritten(features(MOST))
    assert is_rewritten(features(MOST + 0.01))


def test_new_words_are_those_of_no_reference():
    golden, candidate = (
        read_text("\n".join(f"{place}. {step}" for place, step in enumerate(steps, start=1)), "plan.md").workflow
        for steps in (
            ("Build the image", "Scan the image", "Deploy it to staging", "Tell the team"),
            ("Tell the team.", "build the image", "Inspect the image", "Send a mail to everybody", "Scan the image"),
        )
    )
    comparison = compare(golden, candidate, StaticEmbedder())
    assert {comparison.candidate.tasks[step].name for step in comparison.in_new_words} == {
        "Inspect the image",
        "Send a mail to everybody",
    }
