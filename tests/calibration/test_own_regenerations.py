"""A team's own approved regenerations: a few of them sharpen the null distribution of a base profile."""

import json

import pytest

from tests.cli.conftest import wfgate
from wfgate.decide import load_profile

from .conftest import CORPORA

BASE = CORPORA.parents[1] / "tests" / "decide" / "profile.json"
GOLDENS = 5


@pytest.fixture(scope="module")
def corpus():
    """The five smallest goldens of the fitting half with four accepted workflows, and these workflows."""

    def records(name):
        lines = (CORPORA / "regenerations" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    accepted = {}
    for one in records("candidates"):
        if one["label"] != "reject":
            accepted.setdefault(one["golden"], []).append(one)
    fit = [one for one in records("goldens") if one["half"] == "fit" and len(accepted.get(one["id"], ())) >= 4]
    chosen = sorted(fit, key=lambda one: (len(one["steps"]), one["id"]))[:GOLDENS]
    return chosen, accepted


@pytest.mark.slow
@pytest.mark.parametrize("each", [1, 4])
def test_five_and_twenty_regenerations_are_pooled_and_it_is_said_what_is_borrowed(corpus, each, tmp_path):
    goldens, accepted = corpus
    own = [*goldens, *(one for golden in goldens for one in accepted[golden["id"]][:each])]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(one) + "\n" for one in own), encoding="utf-8")
    args = ["--alpha-block", "0.05", "--alpha-review", "0.1", "--report", tmp_path / "report"]
    done = wfgate("calibrate", tmp_path / "own.jsonl", "--base", BASE, "--output", tmp_path / "p.json", *args)
    assert done.code == 0, done.err
    assert "This profile decides like the base profile of" in done.out
    profile, base = load_profile(tmp_path / "p.json"), load_profile(BASE)
    assert profile.pooling is not None
    assert (profile.pooling.goldens, profile.promise.false_block.variants) == (GOLDENS, GOLDENS * each)
    assert 0.5 < profile.pooling.borrowed < 1
    assert profile.block == base.block
    assert profile.corpus.range == profile.corpus.range.joined(base.corpus.range)
    anew = next(one for one in profile.harmless if one.change.startswith("written anew"))
    assert (anew.blocked.goldens, anew.blocked.variants) == (GOLDENS, GOLDENS * each)
    report = (tmp_path / "report" / "calibration.md").read_text(encoding="utf-8")
    assert "*Borrowed* from a base profile" in report
    assert "*Measured* on this corpus" in report
    assert "ot measured here: reworded, one step to all" in report
