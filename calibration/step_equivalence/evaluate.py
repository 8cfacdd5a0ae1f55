"""Prints AUC and detection rates on held-out goldens, from the scores that `train.py` wrote.

usage: evaluate.py FOLDER...    (the folds are pooled; each is scored with the ensemble fitted on the others)

Per step: the golden's text against a rewording or a changed text of the same step. Per workflow: one changed step
among verbatim or among fully reworded steps, the smallest p-value times the number of changed texts (Holm).
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from data import DRIFTS
from ensemble import believed, fit_ensemble
from numpy.typing import NDArray

from wfgate.texts.contradiction import contradictions

Floats = NDArray[np.float64]
RATES = (0.05, 0.01)


def read(folders: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the scored pairs; `logit` is the mean over both orders of the texts, `fold` the folder's index."""
    found = []
    for fold, folder in enumerate(folders):
        for line in (folder / "scores.jsonl").read_text("utf-8").splitlines():
            pair = json.loads(line)
            row = np.mean(pair["logits"], axis=0)
            pair["logit"] = float(row[0] - np.logaddexp.reduce(row[1:]))
            pair["differences"] = sorted({item.kind for item in contradictions(pair["first"], pair["second"])})
            pair["fold"] = fold
            found.append(pair)
    return found


def ensembled(pairs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the pairs with the logit of the ensemble fitted on the other folds."""
    found = []
    for fold in sorted({pair["fold"] for pair in pairs}):
        others = [pair for pair in pairs if pair["fold"] != fold] or pairs
        fitted = fit_ensemble(others)
        found += [{**pair, "logit": believed(pair, fitted)} for pair in pairs if pair["fold"] == fold]
    return found


def auc(benign: Floats, changed: Floats) -> float:
    """Return the probability that a changed step scores lower than a rewording (AUC)."""
    order = np.argsort(np.concatenate([benign, changed]), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    return float((ranks[: len(benign)].sum() - len(benign) * (len(benign) + 1) / 2) / (len(benign) * len(changed)))


def caught(benign: Floats, changed: Floats, rate: float) -> float:
    """Return the share of changed steps below the `rate` quantile of rewordings."""
    return float((changed < np.quantile(benign, rate)).mean()) if len(changed) else float("nan")


def per_step(pairs: Sequence[dict[str, Any]]) -> None:
    """Print AUC and detection rates by corpus and kind."""
    print("| corpus | kind | n | AUC | detected at 5 % | at 1 % |\n| --- | --- | --- | --- | --- | --- |")
    for corpus in sorted({pair["corpus"] for pair in pairs}):
        here = [pair for pair in pairs if pair["corpus"] == corpus and pair["basis"] == "golden"]
        benign = np.array([pair["logit"] for pair in here if pair["kind"] == "equivalent"])
        for name, kinds in [("all drifts", DRIFTS), *((kind, (kind,)) for kind in (*DRIFTS, "vague"))]:
            changed = np.array([pair["logit"] for pair in here if pair["kind"] in kinds])
            if len(changed):
                rates = " | ".join(f"{caught(benign, changed, rate):.1%}" for rate in RATES)
                print(f"| {corpus} | {name} | {len(changed)} | {auc(benign, changed):.3f} | {rates} |")


class Workflows:
    """The held-out goldens of one corpus, with the p-value of each rewording of each step."""

    def __init__(self, pairs: Sequence[dict[str, Any]]) -> None:
        benign = [pair for pair in pairs if pair["kind"] == "equivalent"]
        self.null = np.sort([pair["logit"] for pair in benign])
        self.goldens: defaultdict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for pair in benign:
            self.goldens[pair["golden"]][pair["step"]].append(self.p_value(pair["logit"]))

    def p_value(self, logit: float) -> float:
        """Return the p-value: the share of rewordings with the same or a lower score."""
        return float((1 + np.searchsorted(self.null, logit, side="right")) / (len(self.null) + 1))

    def others(self, golden: str, way: int, without: int = -1) -> list[float]:
        """Return the p-values of one full rewording without one step."""
        steps = self.goldens[golden].items()
        return [values[min(way, len(values) - 1)] for step, values in steps if step != without]

    def limit(self, *, reworded: bool, rate: float = 0.01) -> float:
        """Return the `rate` quantile of the statistic over harmless workflows."""
        found: list[float] = []
        for golden in self.goldens:
            for way in (0, 1):
                values = self.others(golden, way)
                found += [min(values) * len(values)] if reworded else values
        return float(np.quantile(found, rate))

    def statistic(self, pair: dict[str, Any], *, reworded: bool) -> float:
        """Return the statistic of a workflow with one changed step."""
        values = [self.p_value(pair["logit"])]
        if reworded:
            values += self.others(pair["golden"], 0, pair["step"])
        return min(values) * len(values)


def per_workflow(pairs: Sequence[dict[str, Any]]) -> None:
    """Print how often one changed step is detected at 1 % false blocks of workflows."""
    print("\n| corpus | one changed step among | drifts | vague |\n| --- | --- | --- | --- |")
    for corpus in sorted({pair["corpus"] for pair in pairs}):
        here = [pair for pair in pairs if pair["corpus"] == corpus and pair["basis"] == "golden"]
        workflows = Workflows(here)
        for name, reworded in (("verbatim steps", False), ("fully reworded steps", True)):
            limit = workflows.limit(reworded=reworded)
            row = []
            for kinds in (DRIFTS, ("vague",)):
                changed = [pair for pair in here if pair["kind"] in kinds]
                row.append(
                    f"{np.mean([workflows.statistic(pair, reworded=reworded) < limit for pair in changed]):.1%}"
                )
            print(f"| {corpus} | {name} | {' | '.join(row)} |")


def main() -> None:
    """Print both tables."""
    alone = read(map(Path, sys.argv[1:]))
    for title, pairs in (("The network alone", alone), ("With exact differences", ensembled(alone))):
        print(f"\n## {title}\n")
        per_step(pairs)
        per_workflow(pairs)


if __name__ == "__main__":
    main()
