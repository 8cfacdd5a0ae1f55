"""Numbers from the WorkflowPerturb paper (Kanda et al.), for the comparison with a calibration.

Source: the paper's Tables 1-3 (mean and standard deviation of each metric over severity) and appendix C.1
(sensitivities). The paper's `bertscore` uses contextual embeddings; the default metric of wfgate uses static
embeddings (`bertscore-static`).
"""

from typing import NamedTuple


class Cell(NamedTuple):
    """Mean and standard deviation of a metric at one severity."""

    mean: float
    sd: float


SEVERITIES = (0.1, 0.3, 0.5)
"""The columns of the tables."""

Row = tuple[Cell, Cell, Cell]

TABLES: dict[str, tuple[str, dict[str, Row]]] = {
    "missing": (
        "Table 1: missing steps",
        {
            "graph-f1": (Cell(0.90, 0.06), Cell(0.76, 0.06), Cell(0.61, 0.06)),
            "chain-f1": (Cell(0.90, 0.07), Cell(0.76, 0.06), Cell(0.61, 0.06)),
            "bleu": (Cell(0.79, 0.13), Cell(0.52, 0.14), Cell(0.29, 0.13)),
            "gleu": (Cell(0.80, 0.11), Cell(0.58, 0.11), Cell(0.42, 0.11)),
            "bertscore": (Cell(0.81, 0.26), Cell(0.68, 0.28), Cell(0.72, 0.30)),
            "kendall-tau": (Cell(0.81, 0.09), Cell(0.61, 0.08), Cell(0.44, 0.07)),
            "llm-judge": (Cell(0.64, 0.21), Cell(0.36, 0.08), Cell(0.32, 0.10)),
        },
    ),
    "compressed": (
        "Table 2: compressed steps",
        {
            "graph-f1": (Cell(0.86, 0.10), Cell(0.66, 0.15), Cell(0.45, 0.18)),
            "chain-f1": (Cell(0.86, 0.10), Cell(0.66, 0.15), Cell(0.44, 0.18)),
            "bleu": (Cell(0.87, 0.14), Cell(0.71, 0.17), Cell(0.51, 0.20)),
            "gleu": (Cell(0.86, 0.12), Cell(0.70, 0.15), Cell(0.53, 0.17)),
            "bertscore": (Cell(0.41, 0.26), Cell(0.36, 0.25), Cell(0.32, 0.24)),
            "kendall-tau": (Cell(0.74, 0.14), Cell(0.46, 0.16), Cell(0.17, 0.19)),
            "llm-judge": (Cell(0.64, 0.22), Cell(0.41, 0.13), Cell(0.37, 0.10)),
        },
    ),
    "description": (
        "Table 3: reworded descriptions",
        {
            "graph-f1": (Cell(0.97, 0.08), Cell(0.91, 0.12), Cell(0.85, 0.16)),
            "chain-f1": (Cell(0.96, 0.08), Cell(0.91, 0.12), Cell(0.85, 0.16)),
            "bleu": (Cell(0.85, 0.12), Cell(0.66, 0.14), Cell(0.50, 0.15)),
            "gleu": (Cell(0.86, 0.10), Cell(0.67, 0.13), Cell(0.52, 0.14)),
            "bertscore": (Cell(0.94, 0.20), Cell(0.86, 0.21), Cell(0.79, 0.21)),
            "kendall-tau": (Cell(1.00, 0.05), Cell(0.99, 0.08), Cell(0.99, 0.09)),
            "llm-judge": (Cell(0.98, 0.08), Cell(0.99, 0.07), Cell(0.99, 0.06)),
        },
    ),
}
"""Per operator: title, and per metric the cells at 10, 30 and 50 %."""

SENSITIVITIES: dict[str, dict[str, float]] = {
    "missing": {
        "graph-f1": 0.73,
        "chain-f1": 0.73,
        "bleu": 1.25,
        "gleu": 0.95,
        "bertscore": 0.23,
        "kendall-tau": 0.93,
        "llm-judge": 0.99,
    },
    "compressed": {
        "graph-f1": 1.03,
        "chain-f1": 1.03,
        "bleu": 0.90,
        "gleu": 0.83,
        "bertscore": 0.23,
        "kendall-tau": 1.43,
        "llm-judge": 0.87,
    },
    "description": {
        "graph-f1": 0.30,
        "chain-f1": 0.30,
        "bleu": 0.88,
        "gleu": 0.85,
        "bertscore": 0.38,
        "kendall-tau": 0.03,
        "llm-judge": 0.03,
    },
}
"""Loss per unit of severity (appendix C.1)."""

STAND_INS: dict[str, str] = {"bertscore": "bertscore-static"}
"""Metrics of the paper, and the metric compared with each if the same one was not measured; always labelled."""
