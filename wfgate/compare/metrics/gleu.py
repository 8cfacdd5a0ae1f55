"""GLEU: shared n-grams of golden and candidate, in both directions."""

from typing import ClassVar

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.compare.metrics.ngrams import document_overlap


class Gleu(Metric):
    """Shared n-grams of both whole texts, divided by the n-grams of the longer text (Google GLEU).

    Definition:
        The step texts of each workflow are joined to one document, in topological order. The candidate's order follows
        the golden's order where the candidate's links allow this. All n-grams of 1 to 4 tokens are counted together.
        The value is overlap / max(golden total, candidate total), the smaller one of n-gram recall and precision.
        Tokens: 13a, case kept, as for BLEU. Unlike here, the WorkflowPerturb paper says that it computes the value for
        each step text and takes the mean (appendix B.3).
    Range and direction:
        [0, 1], higher is better. Identical texts score exactly 1, even if they are short.
    Undefined when:
        Golden or candidate has no text.
    Cost:
        Linear in the number of tokens.

    Example:
        Seven tokens have 7 + 6 + 5 + 4 = 22 n-grams. If a token near the end changes, 6 + 4 + 3 + 2 = 15 are shared.

        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report to the finance team"),))
        >>> candidate = Workflow(tasks=(Task(id="a", name="Send the report to the sales team"),))
        >>> Gleu().compute(compare(golden, candidate, StaticEmbedder())).value == 15 / 22
        True
    """

    id = "gleu"
    references: ClassVar = (
        "Wu et al. 2016, Google's neural machine translation system, section 3, arXiv:1609.08144",
        "WorkflowPerturb (Kanda et al.), appendix B.3. Document level: that reproduces its Table 1.",
    )

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""
        shared = document_overlap(comparison)
        if not shared.golden_tokens or not shared.candidate_tokens:
            return self.undefined(f"the {'candidate' if shared.golden_tokens else 'golden'} has no text")
        return self.defined(sum(shared.common) / max(sum(shared.golden), sum(shared.candidate)))
