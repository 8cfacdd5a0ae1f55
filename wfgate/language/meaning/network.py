"""A network that reads a golden step together with one to three steps of a candidate."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wfgate.base import spare_threads
from wfgate.errors import EmbedderError
from wfgate.language.meaning.base import TextPair

_LONG = 2_000
"""Characters beyond which a text is shortened before it is tokenized."""

Floats = NDArray[np.float64]


class NetworkOutput(NamedTuple):
    """What a network says of a pair.

    Attributes:
        encoded: The tokens.
        logits: Of "the demand is met" and of each change, shape (1 + n_changes,).
        signs: How strongly each token indicates each change, shape (n_tokens, n_changes).
    """

    encoded: Any
    logits: Floats
    signs: Floats


class Network:
    """A cross-encoder, loaded with the first pair that it reads.

    Args:
        weights: Returns the network in ONNX.
        tokenizer: Returns its tokenizer, as the package tokenizers writes it.
        length: Number of tokens of both texts that it reads.
        threaded: Number of pairs from which on several threads read them.
    """

    def __init__(
        self, weights: Callable[[], bytes], tokenizer: Callable[[], bytes], length: int, threaded: int
    ) -> None:
        self._weights = weights
        self._file = tokenizer
        self._length = length
        self._threaded = threaded

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer  # noqa: PLC0415 - loaded with the first score

        content = self._file()
        try:
            tokenizer = Tokenizer.from_str(content.decode("utf-8"))
            tokenizer.enable_truncation(self._length)
        except Exception as error:  # tokenizers raises nothing narrower
            raise damaged("tokenizer", error) from error
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        # Read when it is loaded: its builds for Linux keep a device id in the home and report to their vendor.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime  # noqa: PLC0415 - slow to import, and only needed where texts differ

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # one thread: sums in a fixed order
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(self._weights(), options, providers=["CPUExecutionProvider"])

    def readings(self, pairs: Sequence[TextPair]) -> Iterator[NetworkOutput]:
        """Yield what the network says of each pair.

        Pairs are not batched: the integer arithmetic scales its input by the largest value, so that in a batch the
        score of a pair would depend on the other pairs. Many pairs are read by several threads, each pair by one.
        """
        threads = spare_threads() if len(pairs) >= self._threaded else 1
        if threads == 1:
            yield from map(self.read, pairs)
            return
        self._tokenizer, self._session  # noqa: B018 - loaded once, not by each thread
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(self.read, pairs)

    def read(self, pair: TextPair) -> NetworkOutput:
        """Return what the network says of a pair."""
        encoded = self._tokenizer.encode(*self._shortened(pair))
        read = {
            "input_ids": encoded.ids,
            "token_type_ids": encoded.type_ids,  # only some encoders have segments
            "attention_mask": encoded.attention_mask,
        }
        fed = {each.name: np.array([read[each.name]], dtype=np.int64) for each in self._session.get_inputs()}
        logits, signs = (output[0].astype(np.float64) for output in self._session.run(["logits", "signs"], fed))
        return NetworkOutput(encoded, logits, signs)

    def _shortened(self, pair: TextPair) -> TextPair:
        """Return the texts without the parts that the tokenizer truncates anyway.

        The tokenizer keeps the truncated parts in memory: every part of the first text together with every part of the
        second text, a gigabyte for two texts of 40,000 characters. The text with more tokens still has more tokens
        after the shortening.
        """
        if max(map(len, pair)) <= _LONG:
            return pair
        spans = [
            [span for part in (encoded, *encoded.overflowing) for span in part.offsets if span != (0, 0)]
            for encoded in self._tokenizer.encode_batch(list(pair))
        ]
        shortened = []
        for text, ours, theirs in zip(pair, spans, reversed(spans), strict=True):
            kept = self._length + (len(ours) > len(theirs))
            shortened.append(text[: ours[kept - 1][1]] if len(ours) > kept else text)
        return shortened[0], shortened[1]


def damaged(name: str, error: object) -> EmbedderError:
    """Return the error of a damaged file of the package."""
    return EmbedderError(f"the step-equivalence model is damaged: {name}: {error}", fix="reinstall wfgate")
