"""Compares one score with channels, on the same goldens, evidence and fits, out of sample by golden (5 folds).

- *Two classes*: one score for edited and one for rewritten candidates, with a null each, as in version 0.1.
- *Score in cells*: what ships (`wfgate/decide/profile/classes.py`).
- *Channels*: a score each for steps, missing steps, orders and additions, fitted on its own kinds of damage and with
  its own null distribution; the case's score is the largest -log10 of the channels' p-values (extrapolated by an
  exponential tail), calibrated on the harmless candidates of its style.
- *Channels, texts in cells*: channels only for candidates with another structure; others as in the cells.

Compare block rates only at equal false blocks: the first rows are the harmless candidates.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from accuracy import table
from decision import DAMAGE, LOW, held_out_of

from wfgate.calibration.block_model import fit_block_model
from wfgate.calibration.clustered import Mask
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.null import benign_null
from wfgate.calibration.sample import FOLDS, ScoredVariants
from wfgate.decide import EVIDENCE, BenignNull, Floats
from wfgate.decide.profile.classes import EDITED, REWRITTEN

CHANNELS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "steps": (
        ("meaning-doubt", "doubted-steps", "lost-values", "contradicted-steps", "weakest-match", "weakest-gap"),
        ("drift", "vague", "substituted", "refused"),
    ),
    "missing": (
        ("missing-steps", "unmatched-steps", "unmatched-share", "missing-doubt"),
        ("missing", "missing-bridged", "compressed", "substituted", "refused"),
    ),
    "orders": (
        ("flipped-orders", "lost-orders", "gained-orders", "order-changes", "link-changes"),
        ("reordered", "rewired", "serialised", "parallelised"),
    ),
    "additions": (("added-steps", "extra-steps", "added-doubt"), ("extra", "substituted", "refused")),
}
"""Evidence of each channel, and the operators whose damage it is fitted on."""
IDS = [piece.id for piece in EVIDENCE]
START = 0.05
"""Share of a null distribution beyond which -log10 of the p-value is extrapolated."""
ALPHAS = (0.01, 0.05)


def channels(scores: Path | None = None) -> None:
    """Print the table.

    Args:
        scores: A score table that keeps the scored variants; None scores all of them again (some minutes).
    """
    held_out = held_out_of(scores)
    sample = held_out.sample
    style = np.clip((sample.evidence[:, IDS.index("reworded-share")] - EDITED) / (REWRITTEN - EDITED), 0.0, 1.0)
    styles = (1 - style, style)
    classes = (style <= 0.5).astype(float), (style > 0.5).astype(float)
    every = tuple(IDS)
    two = _calibrated(sample, _strength(sample, every, sample.damaged, classes, logarithmic=False), classes)
    each = [
        _strength(sample, names, sample.made_by(*operators) & sample.damaged, styles)
        for names, operators in CHANNELS.values()
    ]
    largest = _calibrated(sample, np.max(each, axis=0), styles)
    kept = sample.memberships[:, :3].sum(axis=1) > 0
    columns = {
        "two classes": two,
        "score in cells (shipped)": held_out.p_values,
        "channels": largest,
        "channels, texts in cells": np.where(kept, held_out.p_values, largest),
    }
    print(f"## One score or channels, {len(sample.names)} goldens: blocked, and reviewed or blocked\n")
    rows = [
        (title, *(_cell(held_out, members, p_values) for p_values in columns.values()))
        for title, members in _populations(sample)
    ]
    table(("candidates", *columns), rows)


def _populations(sample: ScoredVariants) -> list[tuple[str, Mask]]:
    found = [
        ("harmless: reworded", sample.made_by("description")),
        ("harmless: written anew and accepted", sample.made_by("rewritten")),
        ("written anew and refused", sample.made_by("refused")),
    ]
    for operator in DAMAGE:
        for reworded in (False, True):
            members = sample.made_by(operator) & (sample.reworded == reworded) & (sample.nominal == LOW)
            found.append((f"{operator}, {'reworded' if reworded else 'verbatim'}", members))
    return found


def _strength(
    sample: ScoredVariants, names: Sequence[str], damage: Mask, styles: Sequence[Floats], *, logarithmic: bool = True
) -> Floats:
    """Return the score of each variant from some evidence, or -log10 of its p-value; shape (n,), cross-fitted."""
    features = np.where(np.isin(IDS, names), sample.features, 0.0)
    used = sample.null | (damage & (sample.nominal == LOW))
    anew = sample.made_by("rewritten", "refused")
    found = np.zeros(len(sample))
    for fold in range(FOLDS):
        held = sample.folds == fold
        total = np.zeros(held.sum())
        for weights in styles:
            one = used & ~held & (weights > 0)
            degraded = damage[one].astype(np.float64)
            model = fit_block_model(features[one], degraded, sample.clusters(one), anew[one], weights[one])
            null = sample.null & ~held
            scores = model.score(features[held])
            if logarithmic:
                tail = benign_null(model.score(features[null]), sample.clusters(null), weights[null])
                scores = _minus_log(tail, scores)
            total += weights[held] * scores
        found[held] = total
    return found


def _minus_log(null: BenignNull, scores: Floats) -> Floats:
    """Return -log10 of the share of a null distribution at or above each score, with an exponential tail."""
    shares = null.tail / null.tail[-1]
    place = min(max(int(np.searchsorted(shares, START)), 1), len(null.scores) - 1)
    start, weights = null.scores[place], np.diff(null.tail[: place + 1], prepend=0.0)[:place]
    excess = max(float(weights @ (null.scores[:place] - start) / weights.sum()), 1e-6)
    above = np.concatenate([[0.0], shares])[np.searchsorted(-null.scores, -scores, side="right")]
    beyond = -np.log10(START) + (scores - start) / (excess * np.log(10))
    return np.where(scores > start, beyond, -np.log10(np.maximum(above, START)))


def _calibrated(sample: ScoredVariants, strengths: Floats, styles: Sequence[Floats]) -> Floats:
    """Return the p-value of each variant under the harmless variants of its style in the other folds."""
    p_values = np.zeros(len(sample))
    for fold in range(FOLDS):
        held = sample.folds == fold
        null = sample.null & ~held
        for weights in styles:
            tail = benign_null(strengths[null], sample.clusters(null), weights[null])
            p_values[held] += weights[held] * tail.p_values(strengths[held])
    return p_values


def _cell(held_out: HeldOut, members: Mask, p_values: Floats) -> str:
    blocked, flagged = (held_out.rate(members, p_values <= alpha).value for alpha in ALPHAS)
    return f"{blocked:.1%} / {flagged:.0%}"
