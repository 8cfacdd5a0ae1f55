"""BERTScore with the shipped token vectors."""

from wfgate.compare.metrics.bertscore import BertScore


class BertScoreStatic(BertScore):
    """Greedy token matching by cosine of static embeddings, averaged over the golden's steps.

    Definition:
        The same as `bertscore`, but the vector of a token does not depend on the words around the token. The token
        vectors are shipped with wfgate; no other model is needed. The metric recognises synonyms and ignores word
        order.
    Range and direction:
        [0, 1], higher is better.
    Undefined when:
        Golden or candidate has no steps, or the embedder of the comparison is contextual (use `bertscore` in this
        case).
    Cost:
        The same as `bertscore`; 0.1 ms per aligned pair of differing texts.

    Example:
        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report"), Task(id="b", name="Delete old logs")))
        >>> candidate = Workflow(tasks=(Task(id="a", name="Send the report"),))
        >>> BertScoreStatic().compute(compare(golden, candidate, StaticEmbedder())).value
        0.5
    """

    id = "bertscore-static"
    default = True
    contextual = False
