"""The default meaning model: a small cross-encoder shipped in the wheel, combined with exact rules."""

import hashlib
import json
import os
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wfgate.base import provenance, recorded, spare_threads
from wfgate.errors import EmbedderError
from wfgate.language.contradiction import CONTRADICTIONS_VERSION, contradictions
from wfgate.language.embedders.base import encodable
from wfgate.language.meaning.base import (
    CHANGES,
    SENTENCE,
    MeaningModel,
    MeaningScore,
    TextPair,
    same_words,
    unnumbered,
)
from wfgate.language.meaning.null import LogitNull, StepNulls
from wfgate.language.signs import SIGNS_VERSION, signs

_SHIPPED = files("wfgate") / "data" / "step_equivalence"
THREADED = 200
"""Number of pairs from which on several threads read them; the mean pair takes a few milliseconds."""
_LONG = 2_000
"""Characters beyond which a text is shortened before it is tokenized."""
_DIGITS = 2
"""Decimals of a logit. Matrices are multiplied in integers and sum exactly; the few steps in single precision between
them may differ in the last digit between processors. Rounding hides most of such differences."""
_SHARE_DIGITS = 3
_FRAME = ".,;:!?()[]\"'"

Floats = NDArray[np.float64]


class StepModel(MeaningModel):
    """A cross-encoder that reads whether texts of the candidate meet the demand of a golden step, plus exact rules.

    MiniLM (22 million parameters) reads the golden step and one to three steps of the candidate. Rules for
    contradictions (other numbers, environments, negations) and for signs of a weaker demand (an approval became a
    message) add to the logits of the network, with fitted weights. The network is trained on English texts written by
    a language model (see the data card). It sees only the first 128 tokens of both texts together (about 90 words);
    the rules see more. Weights and matrix products have 8-bit integers. Loading takes about 0.2 s, scoring a pair of
    12 words each takes 2 ms. No network access, no torch; one thread, or several for hundreds of pairs.

    Args:
        folder: Folder of another network of this kind; None for the shipped one.
    """

    id: ClassVar[str] = "step-equivalence"
    calibrated: ClassVar[bool] = True

    def __init__(self, folder: Traversable | None = None) -> None:
        self._folder = folder or _SHIPPED

    def __getstate__(self) -> dict[str, Any]:
        loaded = {"fingerprint", "_provenance", "_tokenizer", "_session", "_nulls"}
        return {name: value for name, value in self.__dict__.items() if name not in loaded}

    @cached_property
    def _provenance(self) -> dict[str, Any]:
        try:
            recorded = provenance(self._folder)
        except (OSError, ValueError) as error:
            raise _damaged("provenance.json", error) from error
        missing = {"changes", "ensemble", "length", "null", "sha256"} - recorded.keys()
        if missing:
            raise _damaged("provenance.json", f"the key {min(missing)!r} is missing")
        return recorded

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that determines logits and p-values: both files, ensemble, null, version of the rules."""
        settings = {name: self._provenance[name] for name in ("changes", "ensemble", "length", "null", "sha256")}
        content = json.dumps([settings, CONTRADICTIONS_VERSION, SIGNS_VERSION], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def p_value(self, logit: float, words: int = SENTENCE) -> float:
        """Return the share of harmless rewordings of steps of this length whose logit is at most `logit`, in (0, 1].

        It is measured on recorded rewordings of goldens that are not in the training data; all goldens have equal
        weight. With s = the share of a golden's reworded steps whose logit is at most `logit`: p = (1 + sum of s over
        all goldens) / (number of goldens + 1).
        """
        return self._nulls.p_value(logit, words)

    def doubt(self, logit: float, words: int = SENTENCE) -> float:
        """Return -log10 of the p-value; below 5 % extrapolated by an exponential tail.

        With hundreds of goldens the smallest p-value is about 1/700. Without extrapolation, all clearly changed steps
        would have this p-value.
        """
        return self._nulls.doubt(logit, words)

    @cached_property
    def _nulls(self) -> StepNulls:
        null = self._provenance["null"]
        return StepNulls(LogitNull.of(null["short"]), LogitNull.of(null["long"]))

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer  # noqa: PLC0415 - loaded with the first score

        content = self._recorded("tokenizer.json")
        try:
            tokenizer = Tokenizer.from_str(content.decode("utf-8"))
            tokenizer.enable_truncation(int(self._provenance["length"]))
        except Exception as error:  # tokenizers raises nothing narrower
            raise _damaged("tokenizer.json", error) from error
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        # Read when it is loaded: its builds for Linux keep a device id in the home and report to their vendor.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import onnxruntime  # noqa: PLC0415 - slow to import, and only needed where texts differ

        weights = self._recorded("model.onnx")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # one thread: sums in a fixed order
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])

    def _recorded(self, name: str) -> bytes:
        """Return the content of a file, verified against its recorded hash."""
        try:
            return recorded(self._folder, name, self._provenance)
        except (OSError, ValueError) as error:
            raise _damaged(name, error) from error

    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        texts = encodable([text for pair in pairs for text in pair])
        plain = list(zip(texts[::2], texts[1::2], strict=True))
        return [self._score(*read) for read in zip(plain, self._read(plain), strict=True)]

    def _read(self, pairs: Sequence[TextPair]) -> "Iterator[_Output]":
        """Yield what the network says of each pair.

        Pairs are not batched: the integer arithmetic scales its input by the largest value, so that in a batch the
        score of a pair would depend on the other pairs. Many pairs are read by several threads, each pair by one.
        """
        threads = spare_threads() if len(pairs) >= THREADED else 1
        if threads == 1:
            yield from map(self._network, pairs)
            return
        self._tokenizer, self._session  # noqa: B018 - loaded once, not by each thread
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(self._network, pairs)

    def _score(self, pair: TextPair, read: "_Output") -> MeaningScore:
        """Return the score of a pair that the network has read."""
        share = np.exp(read.logits[1:] - np.logaddexp.reduce(read.logits[1:]))
        return MeaningScore(
            round(log_odds(self._provenance["ensemble"], read.logits, differences(*pair)), _DIGITS),
            tuple(round(float(value), _SHARE_DIGITS) for value in share),
            _telling(pair, read.encoded, read.signs[:, int(np.argmax(read.logits[1:]))]),
        )

    def logits(self, pairs: Sequence[TextPair]) -> Floats:
        """Return what the network says of each pair: a logit of "the demand is met" and of each change.

        Returns:
            Shape (n_pairs, 1 + number of changes); NaN where both texts have the same words.
        """
        plain = encodable([unnumbered(text) for pair in pairs for text in pair])
        nothing = np.full(1 + len(CHANGES), np.nan)
        plain_pairs = list(zip(plain[::2], plain[1::2], strict=True))
        return np.array([nothing if same_words(*pair) else self._network(pair).logits for pair in plain_pairs])

    def _network(self, pair: TextPair) -> "_Output":
        encoded = self._tokenizer.encode(*self._shortened(pair))
        read = {
            "input_ids": encoded.ids,
            "token_type_ids": encoded.type_ids,  # only some encoders have segments
            "attention_mask": encoded.attention_mask,
        }
        fed = {each.name: np.array([read[each.name]], dtype=np.int64) for each in self._session.get_inputs()}
        logits, signs = (output[0].astype(np.float64) for output in self._session.run(["logits", "signs"], fed))
        return _Output(encoded, logits, signs)

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
        read, shortened = int(self._provenance["length"]), []
        for text, ours, theirs in zip(pair, spans, reversed(spans), strict=True):
            kept = read + (len(ours) > len(theirs))
            shortened.append(text[: ours[kept - 1][1]] if len(ours) > kept else text)
        return shortened[0], shortened[1]


class _Output(NamedTuple):
    """What the network says of a pair.

    Attributes:
        encoded: The tokens.
        logits: Of "the demand is met" and of each change, shape (1 + n_changes,).
        signs: How strongly each token indicates each change, shape (n_tokens, n_changes).
    """

    encoded: Any
    logits: Floats
    signs: Floats


def log_odds(ensemble: dict[str, Any], logits: Floats, kinds: Collection[str]) -> float:
    """Return the log-odds that a demand is met.

    The logits are weighed singly, too: the network errs more often about some changes than about others. Found on
    15,592 held-out windows at 1 % (0.3 %) of the met demands, cross-fitted by golden: 52 % (34 %) of the changed ones,
    without these weights 46 % (27 %).

    Args:
        ensemble: The fitted weights.
        logits: Logit of "the demand is met" and of each change, shape (1 + n_changes,).
        kinds: Kinds of exact differences.
    """
    met = logits[0] - np.logaddexp.reduce(logits[1:])
    weighed = ensemble["intercept"] + ensemble["network"] * float(met) + float(logits @ np.array(ensemble["logits"]))
    return float(weighed + sum(ensemble["differences"].get(kind, 0.0) for kind in sorted(kinds)))


def differences(golden: str, candidate: str) -> frozenset[str]:
    """Return the kinds of exact differences between two texts that count beside the network."""
    return signs(golden, candidate) | {difference.kind for difference in contradictions(golden, candidate)}


def _telling(pair: TextPair, encoded: Any, signs: Floats) -> TextPair:
    """Return the word of each text that indicates a change most; empty if none was read.

    Args:
        pair: The texts.
        encoded: Their tokens.
        signs: How strongly each token indicates the change, shape (n_tokens,).
    """
    words = []
    for which, text in enumerate(pair):
        places = [place for place, side in enumerate(encoded.sequence_ids) if side == which]
        best = max(places, key=signs.__getitem__, default=None)
        words.append("" if best is None else _word(text, *encoded.offsets[best]).strip(_FRAME))
    return words[0], words[1]


def _word(text: str, start: int, end: int) -> str:
    """Return the whole word around a token."""
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end]


def _damaged(name: str, error: object) -> EmbedderError:
    return EmbedderError(f"the step-equivalence model is damaged: {name}: {error}", fix="reinstall wfgate")
