"""The default meaning model: two cross-encoders shipped in the wheel, combined with exact rules."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from wfgate.base import provenance, recorded
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
from wfgate.language.meaning.network import Floats, Network, NetworkOutput, damaged
from wfgate.language.meaning.null import LogitNull, StepNulls
from wfgate.language.signs import SIGNS_VERSION, signs

_SHIPPED = files("wfgate") / "data" / "step_equivalence"
FIRST = ("tokenizer.json", "model.onnx")
SECOND = ("second-tokenizer.json", "second.onnx.1", "second.onnx.2")
"""Files of the small network and of the larger one, whose weights have two: GitHub takes no file above 100 MiB."""
_DIGITS = 2
"""Decimals of a logit. Matrices are multiplied in integers and sum exactly; the few steps in single precision between
them may differ in the last digit between processors. Rounding hides most of such differences."""
_SHARE_DIGITS = 3
_FRAME = ".,;:!?()[]\"'"


class StepModel(MeaningModel):
    """Cross-encoders that read whether texts of the candidate meet the demand of a golden step, plus exact rules.

    MiniLM (22 million parameters) reads the golden step and one to three steps of the candidate. Where it is unsure,
    MPNet (110 million) reads them, too. Rules for contradictions (other numbers, environments, negations) and for
    signs of a weaker demand (an approval became a message) add to the logits of the networks, with fitted weights. The
    networks are trained on English texts written by a language model (see the data card). They see only the first 128
    tokens of both texts together (about 90 words); the rules see more. Weights and matrix products have 8-bit
    integers. On a slow core (AVX2), a pair of 12 words each takes 8 ms and in the larger network 50 ms, and loading
    takes 0.1 and 0.5 s. No network access, no torch; several threads for many pairs, each pair in one.

    Args:
        folder: Folder of other networks of this kind, the second one optional; None for the shipped ones.
    """

    id: ClassVar[str] = "step-equivalence"
    calibrated: ClassVar[bool] = True

    def __init__(self, folder: Traversable | None = None) -> None:
        self._folder = folder or _SHIPPED

    def __getstate__(self) -> dict[str, Any]:
        loaded = {"fingerprint", "_provenance", "_first", "_second", "_nulls"}
        return {name: value for name, value in self.__dict__.items() if name not in loaded}

    @cached_property
    def _provenance(self) -> dict[str, Any]:
        try:
            recorded = provenance(self._folder)
        except (OSError, ValueError) as error:
            raise damaged("provenance.json", error) from error
        missing = {"changes", "ensemble", "length", "null", "sha256"} - recorded.keys()
        if missing:
            raise damaged("provenance.json", f"the key {min(missing)!r} is missing")
        return recorded

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that determines logits and p-values: the files, ensembles, null, version of the rules."""
        names = ("changes", "ensemble", "length", "null", "second", "sha256")
        settings = {name: self._provenance[name] for name in names if name in self._provenance}
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
    def _first(self) -> Network:
        return self._network(*FIRST, threaded=200)  # a pair takes it a few milliseconds

    @cached_property
    def _second(self) -> Network:
        return self._network(*SECOND, threaded=4)  # a pair takes it ten times as long

    def _network(self, tokenizer: str, *weights: str, threaded: int) -> Network:
        length = int(self._provenance["length"])
        return Network(partial(self._recorded, *weights), partial(self._recorded, tokenizer), length, threaded)

    def _recorded(self, *names: str) -> bytes:
        """Return the content of files, each verified against its recorded hash, as one."""
        parts = []
        for name in names:
            try:
                parts.append(recorded(self._folder, name, self._provenance))
            except (OSError, ValueError) as error:
                raise damaged(name, error) from error
        return b"".join(parts)

    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        texts = encodable([text for pair in pairs for text in pair])
        plain = list(zip(texts[::2], texts[1::2], strict=True))
        scores: list[MeaningScore] = []
        unsure: list[_Unsure] = []
        for pair, reading in zip(plain, self._first.readings(plain), strict=True):
            kinds = differences(*pair)
            odds = log_odds(self._provenance["ensemble"], [reading.logits], kinds)
            if is_unsure(self._provenance, odds):
                unsure.append(_Unsure(len(scores), pair, reading.logits, kinds))
            scores.append(_score(pair, odds, reading))
        for one, reading in zip(unsure, self._second.readings([one.pair for one in unsure]), strict=True):
            odds = log_odds(self._provenance["second"]["ensemble"], [one.logits, reading.logits], one.kinds)
            scores[one.place] = replace(scores[one.place], logit=round(odds, _DIGITS))
        return scores

    def logits(self, pairs: Sequence[TextPair]) -> Floats:
        """Return what each network says of each pair: a logit of "the demand is met" and of each change.

        Returns:
            Shape (n_pairs, n_networks, 1 + n_changes); NaN where both texts have the same words.
        """
        plain = encodable([unnumbered(text) for pair in pairs for text in pair])
        networks = [self._first, self._second] if "second" in self._provenance else [self._first]
        read = [
            (place, pair)
            for place, pair in enumerate(zip(plain[::2], plain[1::2], strict=True))
            if not same_words(*pair)
        ]
        logits = np.full((len(pairs), len(networks), 1 + len(CHANGES)), np.nan)
        for number, network in enumerate(networks):
            for (place, _), reading in zip(read, network.readings([pair for _, pair in read]), strict=True):
                logits[place, number] = reading.logits
        return logits


class _Unsure(NamedTuple):
    """A pair that the second network reads, too: its place, the logits of the first one, and the exact differences."""

    place: int
    pair: TextPair
    logits: Floats
    kinds: frozenset[str]


def _score(pair: TextPair, odds: float, reading: NetworkOutput) -> MeaningScore:
    """Return the score of a pair that the small network has read."""
    share = np.exp(reading.logits[1:] - np.logaddexp.reduce(reading.logits[1:]))
    return MeaningScore(
        round(odds, _DIGITS),
        tuple(round(float(value), _SHARE_DIGITS) for value in share),
        _telling(pair, reading.encoded, reading.signs[:, int(np.argmax(reading.logits[1:]))]),
    )


def is_unsure(provenance: dict[str, Any], value: float) -> bool:
    """Return whether the second network reads a pair of which the first one, with the exact rules, says so much."""
    second = provenance.get("second")
    return second is not None and bool(second["from"] <= value <= second["to"])


def log_odds(ensemble: dict[str, Any], logits: Sequence[Floats], kinds: Collection[str]) -> float:
    """Return the log-odds that a demand is met.

    The logits are weighed singly, too: a network errs more often about some changes than about others. Found on
    15,592 held-out windows at 1 % (0.3 %) of the met demands, cross-fitted by golden: 52 % (34 %) of the changed ones,
    without these weights 46 % (27 %).

    Args:
        ensemble: The fitted weights: "network" and "logits" have one entry for each network.
        logits: For each network, the logit of "the demand is met" and of each change, shape (1 + n_changes,).
        kinds: Kinds of exact differences.
    """
    weighed = ensemble["intercept"] + sum(ensemble["differences"].get(kind, 0.0) for kind in sorted(kinds))
    for network, single, read in zip(ensemble["network"], ensemble["logits"], logits, strict=True):
        weighed += network * float(read[0] - np.logaddexp.reduce(read[1:])) + float(read @ np.array(single))
    return float(weighed)


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
