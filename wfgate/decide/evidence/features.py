"""Evidence as feature vectors for the fitted models."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from wfgate.decide.evidence.gather import EVIDENCE

Floats = NDArray[np.float64]
_COUNTS = np.array([piece.count for piece in EVIDENCE])


def feature_vector(evidence: Mapping[str, float]) -> Floats:
    """Return the feature vector of one pair, shape (n_evidence,)."""
    return feature_matrix(np.array([[evidence[piece.id] for piece in EVIDENCE]], dtype=np.float64)).ravel()


def feature_matrix(evidence: Floats) -> Floats:
    """Return features for evidence, both of shape (n, n_evidence): log(1 + count) for counts, the rest unchanged."""
    features = evidence.copy()
    features[:, _COUNTS] = np.log1p(features[:, _COUNTS])
    return features
