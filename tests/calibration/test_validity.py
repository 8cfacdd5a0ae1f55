"""The promise on the recorded corpora: harmless rewordings of goldens never seen are blocked at most at rate alpha."""

import numpy as np
import pytest
from scipy.stats import binomtest

from wfgate.calibration.clustered import BenignNull
from wfgate.calibration.fit import CrossFit, Sample, _block_model
from wfgate.calibration.score_table import ScoreTable
from wfgate.calibration.scoring import score_corpus

SPLITS = 20


@pytest.fixture(scope="module")
def rows(corpus, assessor, tmp_path_factory):
    goldens = [golden for golden in corpus.goldens if golden.texts.rewordings]
    with ScoreTable(tmp_path_factory.mktemp("validity") / "scores.db") as table:
        keys, _ = score_corpus(goldens, assessor, table, seed=0, jobs=2)
        return [row for row in table.rows(keys) if row.rejected is None]


@pytest.fixture(scope="module")
def rates(rows):
    """For each random split into halves: the p-values of fresh benign variants, and the weight of each."""
    names = sorted({row.golden for row in rows})
    found = []
    for seed in range(SPLITS):
        known = set(np.random.default_rng(seed).permutation(names)[: len(names) // 2])
        mine = Sample(tuple(row for row in rows if row.golden in known))
        fresh = Sample(tuple(row for row in rows if row.golden not in known))
        null = BenignNull.of(CrossFit(mine).scores[mine.null], list(mine.goldens[mine.null]))
        model = _block_model(mine, np.ones(len(mine.rows), dtype=bool))
        scores = model.score(fresh.features[fresh.null])
        found.append((np.array([null.p_value(float(score)) for score in scores]), fresh.goldens[fresh.null], null))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.01, 0.02, 0.05, 0.1])
def test_fresh_goldens_are_blocked_at_most_at_rate_alpha(rates, alpha):
    """Halves overlap between splits: the mean over splits is held to the error of one split, not of all."""
    per_split = []
    for p_values, goldens, null in rates:
        assert null.goldens >= 1 / alpha - 1, "the corpora are too small for this alpha"
        shares = [(p_values[goldens == name] <= alpha).mean() for name in np.unique(goldens)]
        per_split.append(np.mean(shares))
    fresh = len(np.unique(rates[0][1]))
    mean = float(np.mean(per_split))
    print(f"alpha {alpha}: mean {mean:.4f}, worst {max(per_split):.4f} of {SPLITS} splits, {fresh} fresh goldens")  # noqa: T201 - pytest -s
    assert binomtest(round(mean * fresh), fresh, alpha, alternative="greater").pvalue > 0.01
    assert binomtest(round(max(per_split) * fresh), fresh, alpha, alternative="greater").pvalue > 0.01 / SPLITS


@pytest.mark.slow
def test_the_promise_is_not_kept_by_silence(rates):
    shares = [(p_values <= 0.1).mean() for p_values, _, _ in rates]
    assert np.mean(shares) > 0.02
