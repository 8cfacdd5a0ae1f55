"""Meaning models of the extra `semantic`: cross-encoders for natural-language inference or similarity."""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from wfgate.errors import EmbedderError, first_line, install_extra
from wfgate.language.embedders.base import encodable
from wfgate.language.embedders.sentence_transformer import quiet
from wfgate.language.meaning.base import CHANGES, MeaningModel, MeaningScore, TextPair
from wfgate.language.spec import SelectedByModel

_DIGITS = 3
_SURE = 1e-6
"""Smallest distance of a probability from 0 and 1."""


class CrossEncoder(SelectedByModel, MeaningModel):
    """Any cross-encoder of sentence-transformers, on the CPU: trained on inference (NLI) or similarity (STS).

    With an inference model, two texts mean the same if each text entails the other; if only the golden entails the
    candidate, the change is "vague". The single output of another model is used as a similarity. Such models are not
    trained on workflow steps: calibrate a profile before you use such a model in the gate.

    Args:
        model: Name or folder of a model.
    """

    id: ClassVar[str] = "cross-encoder"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's name (without parent folders), weights, labels and vocabulary.

        Raises:
            EmbedderError: If the extra is not installed, or the model cannot be loaded.
        """
        inner = self._encoder.model
        settings = {
            "name": Path(self.model).name,
            "labels": inner.config.id2label,
            "vocabulary": self._encoder.tokenizer.get_vocab(),
        }
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
        for weights in inner.parameters():
            array = weights.detach().numpy()
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @cached_property
    def _encoder(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder  # noqa: PLC0415 - takes seconds; an extra
        except ImportError as error:
            raise EmbedderError(
                f"the meaning model {self.id} needs sentence-transformers: {error}",
                fix=install_extra("semantic"),
            ) from error
        try:
            with quiet():
                return CrossEncoder(self.model, device="cpu")
        except Exception as error:  # the library, its hub client and torch raise various exceptions
            raise EmbedderError(
                f"the model {self.model!r} cannot be loaded: {first_line(error)}",
                fix="give the folder of a cross-encoder, or a name that can be downloaded",
            ) from error

    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        texts = encodable([text for pair in pairs for text in pair])
        return [self._one(golden, candidate) for golden, candidate in zip(texts[::2], texts[1::2], strict=True)]

    def _one(self, golden: str, candidate: str) -> MeaningScore:
        """Return the score of one pair, computed alone: padding in a batch would change the last digits."""
        both = [(golden, candidate), (candidate, golden)]
        rows = [np.atleast_1d(self._encoder.predict([pair], show_progress_bar=False)[0]) for pair in both]
        if len(rows[0]) == 1:  # a similarity, already between 0 and 1
            same = float(np.mean(rows))
            return MeaningScore(_log_odds(same))
        entailed = self._entailment
        shares = [float(np.exp(row[entailed] - np.logaddexp.reduce(row))) for row in rows]
        vague = shares[0] * (1 - shares[1])
        changes = [0.0] * len(CHANGES)
        changes[CHANGES.index("vague")], changes[CHANGES.index("other")] = vague, 1 - vague
        return MeaningScore(_log_odds(min(shares)), tuple(round(value, _DIGITS) for value in changes))

    @property
    def _entailment(self) -> int:
        labels = {str(label).lower(): place for place, label in self._encoder.model.config.id2label.items()}
        entailing = next((place for label, place in labels.items() if label.startswith("entail")), None)
        if entailing is None:
            raise EmbedderError(
                f"the model {self.model!r} has no label for entailment, only {', '.join(labels)}",
                fix="use a model trained on natural-language inference, or one with a single output",
            )
        return int(entailing)


def _log_odds(probability: float) -> float:
    kept = min(max(probability, _SURE), 1 - _SURE)
    return round(float(np.log(kept / (1 - kept))), _DIGITS)
