"""BERTScore with the shipped token vectors."""

from wfgate.metrics.bertscore import BertScore


class BertScoreStatic(BertScore):
    """Greedy token matching by cosine of static embeddings, averaged over the golden's steps.

    Definition:
        As `bertscore`, but with token vectors that do not depend on their context. These are shipped with wfgate and
        need no model. Sensitive to synonyms, not to word order.
    Range and direction:
        [0, 1], higher is better.
    Undefined when:
        Golden or candidate has no steps, or the comparison's embedder is contextual (use `bertscore` then).
    Cost:
        As `bertscore`; 0.1 ms per aligned pair of differing texts.

    Example:
        >>> from wfgate.alignment import StaticEmbedder, compare
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report"), Task(id="b", name="Delete old logs")))
        >>> candidate = Workflow(tasks=(Task(id="a", name="Send the report"),))
        >>> BertScoreStatic().compute(compare(golden, candidate, StaticEmbedder())).value
        0.5
    """

    id = "bertscore-static"
    default = True
    contextual = False
