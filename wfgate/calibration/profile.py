"""The profile: everything the gate needs to know, in one JSON file with a schema."""

import json
import os
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import ValidationError

from wfgate.calibration.assess import Signature
from wfgate.calibration.block_model import BlockModel
from wfgate.calibration.clustered import BenignNull, Rate
from wfgate.calibration.degradation import DegradationModel
from wfgate.calibration.severity import SeverityModel
from wfgate.calibration.trajectories import Point, Sensitivity
from wfgate.calibration.validity import CorpusRates, OperatingCurve, Reliability, Validity
from wfgate.errors import CalibrationError, ProfileMismatchError
from wfgate.model.workflow import Frozen

RECALIBRATE = "run `wfgate calibrate CORPUS... --output PROFILE` with the embedder and metrics you gate with"


class NullTail(Frozen):
    """The benign null, stored: scores descending and the summed golden weight at or above each."""

    scores: tuple[float, ...]
    tail: tuple[float, ...]
    goldens: int
    mass: float

    @classmethod
    def of(cls, null: BenignNull) -> "NullTail":
        """Store a null."""
        return cls(
            scores=tuple(np.round(null.scores, 6).tolist()),
            tail=tuple(np.round(null.tail, 9).tolist()),
            goldens=null.goldens,
            mass=null.mass,
        )

    def build(self) -> BenignNull:
        """Return the null that computes p-values."""
        return BenignNull(np.array(self.scores), np.array(self.tail), self.goldens, self.mass)


class Promise(Frozen):
    """What the gate promises about benign changes.

    Attributes:
        alpha_block: At most this share of benign rewordings is blocked, for goldens exchangeable with the corpus.
        alpha_review: At most this share is sent to review or blocked.
        false_block: Measured out of sample at `alpha_block`.
        false_review: Measured out of sample at `alpha_review`.
    """

    alpha_block: float
    alpha_review: float
    false_block: Rate
    false_review: Rate


class Catch(Frozen):
    """How many variants of one kind are blocked at `alpha_block`, out of sample."""

    operator: str
    severity: float
    reworded: bool
    rate: Rate


class SeverityThreshold(Frozen):
    """From which estimated severity on a candidate counts as at least `level` degraded.

    Attributes:
        level: Share of steps affected, p.
        threshold: Estimated severity; chosen where false calls and misses are rarest together (Youden 1950).
        false_block: Share of rewordings at or above the threshold, out of sample.
        over_call: Share of less degraded variants at or above it, out of sample.
        miss: Share of variants with severity p or more below it, out of sample.
    """

    level: float
    threshold: float
    false_block: Rate
    over_call: Rate
    miss: Rate


class CorpusSummary(Frozen):
    """What a profile was fitted on."""

    fingerprint: str
    goldens: int
    with_rewordings: int
    variants: int
    rejected: tuple[tuple[str, str, int], ...] = ()
    refused_records: int = 0


class Profile(Frozen):
    """A fitted calibration (`wfgate.profile/1`). No number in it comes from the data it was fitted on, except the
    models themselves; rates are out of sample by golden.
    """  # noqa: D205 - one sentence, two lines

    format: Literal["wfgate.profile/1"] = "wfgate.profile/1"
    tool: str
    signature: Signature
    seed: int
    corpus: CorpusSummary
    promise: Promise
    block: BlockModel
    null: NullTail
    evidence_nulls: dict[str, NullTail]
    severity: SeverityModel
    degradation: DegradationModel
    degradation_accuracy: Rate
    severity_coverage: Rate
    thresholds: tuple[SeverityThreshold, ...]
    catches: tuple[Catch, ...]
    validity: tuple[Validity, ...]
    operating_curves: tuple[OperatingCurve, ...]
    reliability: Reliability
    by_corpus: tuple[CorpusRates, ...]
    trajectories: tuple[Point, ...]
    sensitivities: tuple[Sensitivity, ...]

    def require(self, running: Signature) -> None:
        """Refuse to compare numbers of different origin.

        Raises:
            ProfileMismatchError: If the profile was fitted with another embedder, metric or evidence version.
        """
        if self.signature == running:
            return
        differences = [
            f"{name}: profile {getattr(self.signature, name)}, running {getattr(running, name)}"
            for name in Signature.model_fields
            if getattr(self.signature, name) != getattr(running, name)
        ]
        raise ProfileMismatchError(
            f"the profile was fitted with other numbers ({'; '.join(differences)})", fix=RECALIBRATE
        )

    def to_json(self) -> str:
        """Return the stable JSON form."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=1, ensure_ascii=False) + "\n"

    def save(self, path: Path) -> None:
        """Write the profile atomically: a reader sees the old file or the new one, never half of one."""
        write_atomically(path, self.to_json())


def load_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        CalibrationError: If the file is missing or is no profile of this schema.
    """
    if path.exists() and not path.is_file():
        raise CalibrationError(f"{path}: no regular file", fix="give a profile that `wfgate calibrate` wrote")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(f"{path}: the profile cannot be read: {error}", fix="check the path") from error
    return _parsed(text, str(path))


def default_profile() -> Profile:
    """Return the profile that ships with wfgate, fitted on the default embedder and metrics."""
    shipped = files("wfgate") / "data" / "profiles" / "default.json"
    if not shipped.is_file():
        raise CalibrationError("the default profile is not installed", fix="reinstall wfgate")
    return _parsed(shipped.read_text(encoding="utf-8"), "default profile")


def write_atomically(path: Path, text: str) -> None:
    """Write a file by writing another one beside it and renaming it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _parsed(text: str, name: str) -> Profile:
    try:
        return Profile.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise CalibrationError(
            f"{name}: not a wfgate profile of this version: {where}: {first['msg']}", fix=RECALIBRATE
        ) from None
