"""BLEU: n-gram precision of the candidate's text."""

import math
from typing import ClassVar

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.compare.metrics.ngrams import NgramOverlap, document_overlap


class Bleu(Metric):
    """N-gram precision of the candidate's whole text against the golden's, with a brevity penalty.

    Definition:
        The step texts (name, description, argument values) of each workflow are joined to one document, in topological
        order. The candidate's order follows the golden's order where the candidate's links allow this. The value is BP
        * exp(mean of log p_n, n = 1..4), computed as in sacrebleu on its 0..100 scale and divided by 100. Tokens: 13a,
        case kept, the defaults of published BLEU. Smoothing: "exp" (mteval-v13a: the i-th empty n-gram order counts as
        1 / (2^i * total)), so that a short workflow without a shared 4-gram does not score 0. Effective order: n-grams
        longer than the candidate are left out, so that identical texts of fewer than four tokens score 1. sacrebleu
        signature: nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp. Unlike here, the WorkflowPerturb paper says that it
        computes the value for each step text and takes the mean (appendix B.3).
    Range and direction:
        [0, 1], higher is better. Values are rounded to 12 digits, so that identical texts score exactly 1.
    Undefined when:
        Golden or candidate has no text.
    Cost:
        Linear in the number of tokens.

    Example:
        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report to the finance team"),))
        >>> candidate = Workflow(tasks=(Task(id="a", name="Send the report to the sales team"),))
        >>> round(Bleu().compute(compare(golden, candidate, StaticEmbedder())).value, 3)
        0.643
    """

    id = "bleu"
    references: ClassVar = (
        "Papineni et al. 2002, BLEU: automatic evaluation of machine translation, doi:10.3115/1073083.1073135",
        "Post 2018, A call for clarity in reporting BLEU scores, arXiv:1804.08771",
        "WorkflowPerturb (Kanda et al.), appendix B.3. Document level: that reproduces its Table 1.",
    )

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""
        shared = document_overlap(comparison)
        if not shared.golden_tokens or not shared.candidate_tokens:
            return self.undefined(f"the {'candidate' if shared.golden_tokens else 'golden'} has no text")
        return self.defined(min(1.0, round(_bleu(shared) / 100, 12)))


def _bleu(shared: NgramOverlap) -> float:
    """Return sacrebleu's value, in the order of its operations, so that a test can compare all digits."""
    if not any(shared.common):
        return 0.0
    smooth, logs = 1.0, []
    for common, total in zip(shared.common, filter(None, shared.candidate), strict=False):
        if not common:
            smooth *= 2
        logs.append(math.log(100.0 * common / total if common else 100.0 / (smooth * total)))
    shorter = shared.candidate_tokens < shared.golden_tokens
    brevity = math.exp(1 - shared.golden_tokens / shared.candidate_tokens) if shorter else 1.0
    return brevity * math.exp(sum(logs) / len(logs))
