"""BERTScore: similarity of the token embeddings of aligned steps."""

from typing import ClassVar

import numpy as np

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.language import Vectors

_DIGITS = 6
"""Digits of the result: cosines of 32-bit floats differ in the seventh digit between machines."""


class BertScore(Metric):
    """Greedy token matching by cosine of contextual embeddings, averaged over the golden's steps.

    Definition:
        For each aligned pair, every token of the candidate step gets its greatest cosine with a token of the golden
        step; P is the mean over these tokens. R is the same mean with the roles of the two steps exchanged. F1 = 2PR /
        (P + R). The value is the mean of F1 over all golden steps; an unaligned step counts 0. Precision and recall
        are the means of P and R, computed in the same way. (In the paper the values fall from .81 to .68 when more
        steps are missing. If only aligned steps were averaged, all these values would be 1.) Negative cosines count 0.
        Equal texts score 1, even without known tokens. A text without known tokens scores 0 against a different text.
        Scores are not rescaled to a baseline, and tokens have no idf weights.
    Range and direction:
        [0, 1], higher is better. The F1 of each pair is rounded to 6 digits, the precision of 32-bit floats.
    Undefined when:
        Golden or candidate has no steps, or the embedder of the comparison is not contextual.
    Cost:
        One embedding of each differing text, and O(tokens^2 * dimensions) per aligned pair.

    Example:
        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report"),))
        >>> BertScore().compute(compare(golden, golden, StaticEmbedder())).undefined_because
        'the embedder static-minilm is not contextual'
    """

    id = "bertscore"
    default = False
    contextual: ClassVar[bool] = True
    """The kind of embedder that the metric is defined for."""
    references: ClassVar = (
        "Zhang et al. 2020, BERTScore: evaluating text generation with BERT, arXiv:1904.09675",
        "WorkflowPerturb (Kanda et al.), appendix B.4. We deviate: unaligned golden steps count 0.",
    )

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""
        embedder = comparison.embedder
        if embedder.contextual is not self.contextual:
            return self.undefined(f"the embedder {embedder.id} is {'' if embedder.contextual else 'not '}contextual")
        n, m = len(comparison.golden.tasks), len(comparison.candidate.tasks)
        if not n or not m:
            return self.undefined(f"the {'golden' if not n else 'candidate'} has no steps")
        texts = [(comparison.golden.tasks[g].text, comparison.candidate.tasks[c].text) for g, c in comparison.pairs]
        differing = sorted({text for pair in texts if pair[0] != pair[1] for text in pair})
        tokens = dict(zip(differing, embedder.embed_tokens(differing), strict=True)) if differing else {}
        triples = [
            (1.0, 1.0, 1.0) if golden == candidate else greedy(tokens[golden], tokens[candidate])
            for golden, candidate in texts
        ]
        precision, recall, f1 = (sum(column) / n for column in zip(*triples, strict=True)) if triples else (0, 0, 0)
        return self.defined(f1, precision=precision, recall=recall)


def greedy(golden: Vectors, candidate: Vectors) -> tuple[float, float, float]:
    """Return precision, recall and F1 of two token lists, shapes (tokens, dimensions)."""
    if not len(golden) or not len(candidate):
        return 0.0, 0.0, 0.0
    # In 64 bits: the libraries for matrices sum 32-bit floats in another order on another machine.
    cosines = golden.astype(np.float64) @ candidate.T.astype(np.float64)
    precision = min(1.0, round(float(np.maximum(cosines.max(axis=0), 0).sum()) / len(candidate), _DIGITS))
    recall = min(1.0, round(float(np.maximum(cosines.max(axis=1), 0).sum()) / len(golden), _DIGITS))
    both = precision + recall
    return precision, recall, round(2 * precision * recall / both, _DIGITS) if both else 0.0
