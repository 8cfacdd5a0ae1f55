"""A meaning model with a cache."""

import json
from collections.abc import Sequence

from wfgate.base import Memory, Store, key_of
from wfgate.language.meaning.base import SENTENCE, MeaningModel, MeaningScore, TextPair


class CachedMeaningModel(MeaningModel):
    """Wraps a meaning model with an in-memory cache and, optionally, a file cache.

    Args:
        inner: The wrapped model. The wrapper has the signature, scores and p-values of `inner`.
        store: The cache file; None for memory only.
        capacity: Largest number of scores in memory, about 1 kB each. A full cache is cleared, and pickling drops the
            in-memory cache.
    """

    def __init__(self, inner: MeaningModel, store: Store | None = None, capacity: int = 20_000) -> None:
        self._inner = inner
        self._store = store
        self._memory: Memory[TextPair, MeaningScore] = Memory(capacity, _one)
        self.id = inner.id  # type: ignore[misc] # same identity as the wrapped model
        self.version = inner.version  # type: ignore[misc]
        self.calibrated = inner.calibrated  # type: ignore[misc]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the wrapped model."""
        return self._inner.fingerprint

    def p_value(self, logit: float, words: int = SENTENCE) -> float:
        """Return the p-value of the wrapped model."""
        return self._inner.p_value(logit, words)

    def doubt(self, logit: float, words: int = SENTENCE) -> float:
        """Return the doubt of the wrapped model."""
        return self._inner.doubt(logit, words)

    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        known = {pair: score for pair in pairs if (score := self._memory.kept.get(pair)) is not None}
        stored = self._read([pair for pair in pairs if pair not in known])
        fresh = [pair for pair in pairs if pair not in known and pair not in stored]
        if fresh:
            scored = dict(zip(fresh, self._inner.compare(fresh), strict=True))
            self._write(scored)
            stored |= scored
        self._memory.add(stored)
        return [stored[pair] if pair in stored else known[pair] for pair in pairs]

    def _read(self, pairs: Sequence[TextPair]) -> dict[TextPair, MeaningScore]:
        if self._store is None or not pairs:
            return {}
        keys = {self._key(pair): pair for pair in pairs}
        kept = self._store.read(list(keys))
        unpacked = {keys[key]: _unpacked(value) for key, value in kept.items()}
        return {pair: score for pair, score in unpacked.items() if score is not None}

    def _write(self, scored: dict[TextPair, MeaningScore]) -> None:
        if self._store is not None:
            self._store.write({self._key(pair): _packed(score) for pair, score in scored.items()})

    def _key(self, pair: TextPair) -> bytes:
        return key_of("meaning", self._inner.signature, self._inner.fingerprint, *pair)


def _one(_pair: TextPair, _score: MeaningScore) -> int:
    return 1


def _packed(score: MeaningScore) -> bytes:
    return json.dumps([score.logit, score.changes, score.telling]).encode()


def _unpacked(value: bytes) -> MeaningScore | None:
    """Return the score; None for data that `_packed` did not write."""
    try:
        logit, changes, (golden, candidate) = json.loads(value)
        return MeaningScore(float(logit), tuple(map(float, changes)), (str(golden), str(candidate)))
    except (ValueError, TypeError):
        return None
