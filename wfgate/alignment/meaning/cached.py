"""A judge that remembers."""

import json
from collections.abc import Sequence

from wfgate.alignment.meaning.base import Equivalence, Judgement, TextPair
from wfgate.alignment.meaning.wrapped import WrappedEquivalence
from wfgate.alignment.memory import Memory
from wfgate.store import Store, key_of


class CachedEquivalence(WrappedEquivalence):
    """Wraps a judge with a memory, and with a file where there is one; signature and judgements are the judge's own.

    The memory stays behind when the judge is pickled.

    Args:
        inner: The judge that does the work.
        store: The file; None for memory alone.
        capacity: Judgements remembered, about 1 kB each; a full memory is emptied.
    """

    def __init__(self, inner: Equivalence, store: Store | None = None, capacity: int = 20_000) -> None:
        super().__init__(inner)
        self._store = store
        self._memory: Memory[TextPair, Judgement] = Memory(capacity, _one)

    def _judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        known = {pair: judgement for pair in pairs if (judgement := self._memory.kept.get(pair)) is not None}
        found = self._read([pair for pair in pairs if pair not in known])
        fresh = [pair for pair in pairs if pair not in known and pair not in found]
        if fresh:
            judged = dict(zip(fresh, self._inner.judge(fresh), strict=True))
            self._write(judged)
            found |= judged
        self._memory.add(found)
        return [found[pair] if pair in found else known[pair] for pair in pairs]

    def _read(self, pairs: Sequence[TextPair]) -> dict[TextPair, Judgement]:
        if self._store is None or not pairs:
            return {}
        keys = {self._key(pair): pair for pair in pairs}
        kept = self._store.read(list(keys))
        found = {keys[key]: _unpacked(value) for key, value in kept.items()}
        return {pair: judgement for pair, judgement in found.items() if judgement is not None}

    def _write(self, judged: dict[TextPair, Judgement]) -> None:
        if self._store is not None:
            self._store.write({self._key(pair): _packed(judgement) for pair, judgement in judged.items()})

    def _key(self, pair: TextPair) -> bytes:
        return key_of("equivalence", self._inner.signature, self._inner.fingerprint, *pair)


def _one(_pair: TextPair, _judgement: Judgement) -> int:
    return 1


def _packed(judgement: Judgement) -> bytes:
    return json.dumps([judgement.logit, judgement.changes, judgement.telling]).encode()


def _unpacked(value: bytes) -> Judgement | None:
    """Return the judgement; None for what was never written by `_packed`."""
    try:
        logit, changes, (golden, candidate) = json.loads(value)
        return Judgement(float(logit), tuple(map(float, changes)), (str(golden), str(candidate)))
    except (ValueError, TypeError):
        return None
