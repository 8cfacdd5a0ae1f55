"""Alignment of the steps of a golden and a candidate, by text similarity, structure and a meaning model."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "align": "ALIGNMENT_VERSION compare compare_all",
        "alignment": "Alignment",
        "comparison": "Comparison",
        "contract": "Contract Wording",
        "enclosing": "Enclosing composite_pairs",
        "flows": "compare_conditions renamed_ids",
        "fate": "Fate IN_DOUBT LOST Levels State positions",
        "metrics": "DEFAULT_METRICS METRICS find score",
        "metrics.base": "JUDGE Metric MetricScore",
        "metrics.bertscore": "greedy",
        "metrics.llm_judge": "LlmJudge SentPair mean_and_variance shown task_of",
        "metrics.partial_order": "aligned_orders",
        "moves": "greedy_cover order_changes",
        "orders": "CHANGES Change as_rows",
        "similarity": "text_similarity",
        "supports": "DOUBTED LEAST SURE Support TIE asked_of demand_scores holm nearest_place ranks wording_text",
        "values.changes": "Difference MISSING ValueChange first_path leaves_of shown_path text_of",
        "values.differences": "Differences ElementPair",
        "values.elements": "ElementData",
        "values.prose": "Prose REMARK REMARKS",
    },
)
