"""Candidates are compared with harmless candidates of their own structure, style and length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.compare import compare
from wfgate.decide import (
    CELLS,
    EVIDENCE,
    SHORT,
    BlockModel,
    BlockModels,
    NullTail,
    NullTails,
    Scorer,
    memberships,
    references,
)
from wfgate.decide.profile.classes import EDITED, POOLED, REWRITTEN
from wfgate.language import StaticEmbedder
from wfgate.read import read_text

IDS = [piece.id for piece in EVIDENCE]
NOTHING = NullTail(scores=(), tail=(), goldens=0, mass=0.0)


def features(reworded, **evidence):
    found = np.zeros(len(EVIDENCE))
    for name, value in {"reworded-share": reworded, **evidence}.items():
        found[IDS.index(name.replace("_", "-"))] = value
    return found


def model(**weights):
    names = {name.replace("_", "-"): weight for name, weight in weights.items()}
    return BlockModel(weights=tuple(names.get(name, 0.0) for name in IDS), intercept=0.0)


def scorer_of(**nulls):
    """Return a scorer whose score is the doubt about the meaning plus the changed links, with these nulls by cell."""
    weights = model(meaning_doubt=1.0, link_changes=1.0)
    tails = {name: nulls.get(name.replace(", ", "_").replace(" ", "_"), NOTHING) for name in CELLS}
    return Scorer(BlockModels(cells=dict.fromkeys(CELLS, weights)), NullTails(cells=tails).build())


@pytest.fixture
def scorer():
    """Edited candidates: doubt is unusual. Rewritten ones: three in four goldens have as much."""
    edited = NullTail(scores=(1.0, 0.0), tail=(1.0, 99.0), goldens=99, mass=99.0)
    rewritten = NullTail(scores=(2.0, 0.0), tail=(15.0, 19.0), goldens=19, mass=19.0)
    return scorer_of(kept_edited=edited, kept_rewritten=rewritten, recut_edited=edited, recut_rewritten=rewritten)


def test_the_same_difference_is_unusual_in_one_cell_only(scorer):
    assert scorer.p_value(features(0.2, meaning_doubt=2.0)) == pytest.approx(1 / 100)
    assert scorer.p_value(features(0.9, meaning_doubt=2.0)) == pytest.approx(16 / 20)
    both = np.stack([features(share, meaning_doubt=2.0) for share in (0.2, 0.9)])
    assert scorer.p_values(both).tolist() == [scorer.p_value(row) for row in both]


def test_the_smallest_cell_limits_the_profile(scorer):
    assert scorer.nulls.smaller.goldens == 19
    assert SHORT not in scorer.nulls.used


def test_one_reworded_step_more_is_no_cliff(scorer):
    """Between two cells the p-value moves by the share of the step, whatever both nulls say."""
    shares = np.linspace(0, 1, 101)
    values = scorer.p_values(np.stack([features(share, meaning_doubt=2.0) for share in shares]))
    assert np.abs(np.diff(values)).max() <= 0.01 / (REWRITTEN - EDITED) + 1e-9
    assert values[0] == pytest.approx(1 / 100)
    assert values[-1] == pytest.approx(16 / 20)


def test_short_names_have_a_cell_only_if_there_is_a_null_for_them(scorer):
    null = NullTail(scores=(5.0, 0.0), tail=(50.0, 120.0), goldens=120, mass=120.0)
    known = scorer_of(kept_short_names=null, **dict.fromkeys(("kept_edited", "kept_rewritten", "recut_edited"), null))
    short = features(0.9, meaning_doubt=2.0, short_names=1.0)
    assert scorer.p_value(short) == scorer.p_value(features(0.9, meaning_doubt=2.0))
    assert known.p_value(short) == pytest.approx(51 / 121)


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=2), st.sampled_from(["missing-steps", "link-changes", None]),
    st.booleans(),
)  # fmt: skip
def test_memberships_are_shares(values, structure, short):
    reworded, names = values
    row = features(reworded, short_names=names, **({structure: 1.0} if structure else {}))[None]
    found, used = memberships(row, short=short), references(row, short=short)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    kept, recut = found[0, :3].sum(), found[0, 3:].sum()
    assert (kept, recut) == pytest.approx((0, 1) if structure else (1, 0))
    pooled = POOLED * (1 - found[0, 2]) if short and not structure else 0.0
    assert used[0, :3].tolist() == pytest.approx([*found[0, :2], found[0, 2] + pooled])
    assert used[0, 3:].sum() == pytest.approx(1)  # every harmless candidate stands in the null of other structures


def test_new_words_are_those_of_no_reference():
    golden, candidate = (
        read_text("\n".join(f"{place}. {step}" for place, step in enumerate(steps, start=1)), "plan.md").workflow
        for steps in (
            ("Build the image", "Scan the image", "Deploy it to staging", "Tell the team"),
            ("Tell the team.", "build the image", "Inspect the image", "Send a mail to everybody", "Scan the image"),
        )
    )
    comparison = compare(golden, candidate, StaticEmbedder())
    assert {step.task.name for step in comparison.additions if step.is_in_new_words} == {
        "Inspect the image",
        "Send a mail to everybody",
    }
