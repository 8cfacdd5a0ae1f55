"""Score rows as matrices."""

from collections.abc import Mapping, Sequence

import numpy as np

from wfgate.calibration.clustered import Floats
from wfgate.calibration.evidence import EVIDENCE
from wfgate.calibration.score_table import ScoreRow


def feature_vector(evidence: Mapping[str, float]) -> Floats:
    """Return the features of one pair, shape (n_evidence,): counts as log(1 + count), the rest as it is."""
    values = [np.log1p(evidence[piece.id]) if piece.count else evidence[piece.id] for piece in EVIDENCE]
    return np.array(values, dtype=np.float64)


def feature_matrix(rows: Sequence[ScoreRow]) -> Floats:
    """Return the features of rows, shape (n_rows, n_evidence)."""
    if not rows:
        return np.zeros((0, len(EVIDENCE)))
    return np.stack([feature_vector(row.evidence) for row in rows])
