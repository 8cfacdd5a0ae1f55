"""The shipped judge, as it would be had it never seen the golden in question.

The shipped network was trained on the goldens that the default profile is calibrated on, so it must not be used for
that calibration. Instead, each golden is scored by the network of the fold that it was held out of. The logits are
recorded in `held_out.tsv.gz`, so that the profile can be fitted again without the fold networks.
"""

import gzip
import json
import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from data import folds, records

from wfgate.alignment.meaning import MeaningModel, MeaningScore, StepModel, TextPair
from wfgate.calibration import Corpus, read_corpus
from wfgate.errors import EmbedderError
from wfgate.store import key_of

RECORDED = Path(__file__).parent / "held_out.tsv.gz"
FOLDS = 3
_KEY = 12
"""Hexadecimal digits of a key: the probability of a collision among 100,000 pairs is 2 in 100,000."""


class HeldOutMeaningModel(MeaningModel):
    """A meaning model with recorded logits; with the networks of the folds, it computes and records new ones.

    It has the signature of the shipped model, which it replaces.

    Args:
        models: Folders of the fold networks, in the order of the folds; the last ones may be missing. Empty to
            use only the record.
        parts: Folder for new logits, one file per process.
    """

    id = StepModel.id
    calibrated = True
    version = StepModel.version

    def __init__(self, models: Sequence[Path] = (), parts: Path | None = None) -> None:
        self.models = tuple(models)
        self.parts = parts
        self._shipped = StepModel()

    def __getstate__(self) -> dict[str, Any]:
        return {"models": self.models, "parts": self.parts, "_shipped": self._shipped}

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the shipped model."""
        return self._shipped.fingerprint

    def p_value(self, logit: float) -> float:
        """Return the p-value of the shipped model; its null distribution is held out (one golden is 1 of 735)."""
        return self._shipped.p_value(logit)

    def doubt(self, logit: float) -> float:
        """Return the value of the shipped model."""
        return self._shipped.doubt(logit)

    def corpus(self, paths: Sequence[Path]) -> Corpus:
        """Return the goldens with recorded rewordings."""
        return read_corpus(paths).where(lambda golden: bool(golden.texts.rewordings))

    @cached_property
    def _known(self) -> dict[str, float]:
        if not self.models:
            return dict(read_record(RECORDED))
        return read_parts(self.parts) if self.parts else {}

    @cached_property
    def _networks(self) -> list[StepModel]:
        return [StepModel(folder) for folder in self.models]

    @cached_property
    def _fold_of(self) -> dict[str, int]:
        """Steps of the training goldens with the fold of each."""
        return {
            _plain(step): fold
            for fold, part in enumerate(folds(records(), FOLDS))
            for record in part
            for step in record.steps
        }

    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        strange = [pair for pair in pairs if self._place(pair[0]) is None]  # goldens not used for training
        said = {_key(pair): each.logit for pair, each in zip(strange, self._shipped.compare(strange), strict=True)}
        self._known |= said
        new = [pair for pair in pairs if _key(pair) not in self._known]
        if new and not self.models:
            raise EmbedderError(
                f"{len(new)} pairs were never judged held out, such as {new[0]!r}",
                fix="the corpora or the alignment changed: run record.py with the folders of the folds",
            )
        said = {}
        for fold, network in enumerate(self._networks if new else []):
            mine = [pair for pair in new if self._fold_of[self._place(pair[0]) or ""] == fold]
            said |= {_key(pair): each.logit for pair, each in zip(mine, network.compare(mine), strict=True)}
        self._known |= said
        if said and self.parts:
            with (self.parts / f"{os.getpid()}.tsv").open("a") as file:
                file.writelines(f"{key}\t{logit}\n" for key, logit in said.items())
        return [MeaningScore(self._known[_key(pair)]) for pair in pairs]

    def _place(self, golden_text: str) -> str | None:
        """Return the step of a training golden that a text equals, or starts with if steps were merged."""
        parts = golden_text.split(". ")
        starts = (_plain(". ".join(parts[:count])) for count in range(len(parts), 0, -1))
        return next((start for start in starts if start in self._fold_of), None)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(". ")


def _key(pair: TextPair) -> str:
    return key_of(*pair).hex()[:_KEY]


def read_record(path: Path) -> Iterable[tuple[str, float]]:
    """Yield keys and logits."""
    with gzip.open(path, "rt", encoding="ascii") as lines:
        made_for = json.loads(next(lines))["fingerprint"]
        shipped = StepModel().fingerprint
        if made_for != shipped:
            raise EmbedderError(
                f"{path.name} was made for another network", fix="run record.py with the folders of the folds"
            )
        for line in lines:
            key, logit = line.split("\t")
            yield key, float(logit)


def read_parts(parts: Path) -> dict[str, float]:
    """Return the logits recorded so far; an incomplete last line is left out."""
    known = {}
    for part in sorted(parts.glob("*.tsv")):
        whole = part.read_text().rpartition("\n")[0]
        known |= {key: float(logit) for key, logit in (line.split("\t") for line in whole.splitlines())}
    return known


def write_record(parts: Path, path: Path) -> int:
    """Join the records of all processes, sorted; return the number of pairs."""
    known = read_parts(parts)
    head = json.dumps({"fingerprint": StepModel().fingerprint})
    body = "".join(f"{key}\t{known[key]}\n" for key in sorted(known))
    path.write_bytes(gzip.compress(f"{head}\n{body}".encode(), mtime=0))
    return len(known)
