"""The profile: everything the gate needs to know, in one JSON file with a schema."""

import json
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Literal, Self

from pydantic import ValidationError, model_validator

from wfgate.errors import CalibrationError, ProfileMismatchError, first_problem, os_words
from wfgate.evidence.assess import Signature
from wfgate.evidence.gather import EVIDENCE
from wfgate.model.workflow import Frozen
from wfgate.profile.block_model import BlockModel
from wfgate.profile.curves import OperatingCurve, Point, Reliability, Sensitivity
from wfgate.profile.degradation import DegradationModel
from wfgate.profile.judge import JudgeCalibration
from wfgate.profile.null import NullTail
from wfgate.profile.rates import Catch, CorpusRates, Promise, Rate, SeverityThreshold, Validity
from wfgate.profile.severity import SeverityModel
from wfgate.shipped import provenance, recorded
from wfgate.store import write_atomically

RECALIBRATE = "run `wfgate calibrate CORPUS... --output PROFILE` with the embedder and metrics you gate with"


class CorpusSummary(Frozen):
    """What a profile was fitted on."""

    fingerprint: str
    goldens: int
    with_rewordings: int
    variants: int
    rejected: tuple[tuple[str, str, int], ...] = ()
    refused_records: int = 0


class Origin(Frozen):
    """Where a profile comes from.

    Attributes:
        format: Version of the schema.
        tool: Version of wfgate that fitted it.
        signature: What produced the scores.
        seed: Decided every random choice.
        corpus: What it was fitted on.
        expires: Last day on which it may be used; None for ever.
    """

    format: Literal["wfgate.profile/1"] = "wfgate.profile/1"
    tool: str
    signature: Signature
    seed: int
    corpus: CorpusSummary
    expires: date | None = None


class Pooling(Frozen):
    """How few goldens of one's own were pooled with those of a base profile (see `pooling.py`).

    Attributes:
        goldens: Goldens of one's own with rewordings; each counts in full.
        base_goldens: Goldens of the base.
        base_weight: What each of those counts for, in [0, 1].
        base_corpus: Fingerprint of the base's corpus.
        base_false_block: One's own rewordings that the base alone would block: how unlike the two are.
    """

    goldens: int
    base_goldens: int
    base_weight: float
    base_corpus: str
    base_false_block: Rate


class Profile(Origin):
    """A fitted calibration. No number in it comes from the data it was fitted on, except the models themselves; rates
    are out of sample by golden.
    """  # noqa: D205 - one sentence, two lines

    pooling: Pooling | None = None
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
    judge: JudgeCalibration | None = None

    @model_validator(mode="after")
    def _knows_all_evidence(self) -> Self:
        if missing := {piece.id for piece in EVIDENCE} - self.evidence_nulls.keys():
            raise ValueError(f"nothing is known of the evidence {min(missing)!r}")
        return self

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

    def require_judge(self, running: str) -> JudgeCalibration:
        """Return the calibration of a language model as judge.

        Raises:
            ProfileMismatchError: If there is none, or that of another model, service or prompt.
        """
        if self.judge is None:
            said = "the profile knows no judge: nobody has measured what this one says of harmless rewordings"
        elif self.judge.signature != running:
            said = f"the profile knows another judge ({self.judge.signature}, running {running})"
        else:
            return self.judge
        raise ProfileMismatchError(said, fix="calibrate with the same --judge, or gate without one")

    def require_exam(self, least: float) -> None:
        """Refuse a judge that did not pass the exam with that score, as far as the profile knows.

        Args:
            least: The score that is needed, in [0, 1].

        Raises:
            ProfileMismatchError: If no certificate was shown when the judge was calibrated, or one of a lower score.
        """
        exam = self.judge.exam if self.judge else None
        if exam is None:
            said = f"the profile knows of no exam that its judge passed; {least:.2f} are needed"
        elif exam.score < least:
            said = f"{exam.model!r} passed the exam with {exam.score:.2f} on {exam.date}; {least:.2f} are needed"
        else:
            return
        raise ProfileMismatchError(
            said,
            fix=f"wfgate exam WORKFLOW... --model MODEL --min-score {least:g} --certificate FILE, then "
            "wfgate calibrate ... --judge MODEL --certificate FILE",
        )

    def require_current(self, today: date) -> None:
        """Refuse a profile whose time is over.

        Raises:
            ProfileMismatchError: If it expired before today.
        """
        if self.expires is not None and today > self.expires:
            raise ProfileMismatchError(f"the profile expired on {self.expires.isoformat()}", fix=RECALIBRATE)

    def to_json(self) -> str:
        """Return the stable JSON form."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=1, ensure_ascii=False) + "\n"

    def save(self, path: Path) -> None:
        """Write the profile atomically: a reader sees the old file or the new one, never half of one."""
        write_atomically(path, self.to_json())


def load_profile(path: Path, content: bytes | None = None) -> Profile:
    """Read a profile.

    Args:
        path: Its file.
        content: What the file holds, where it is not on the disk.

    Raises:
        CalibrationError: If the file is missing or is no profile of this schema.
    """
    if content is None and path.exists() and not path.is_file():
        raise CalibrationError(f"{path}: no regular file", fix="give a profile that `wfgate calibrate` wrote")
    try:
        text = (path.read_bytes() if content is None else content).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(
            f"{path}: the profile cannot be read: {os_words(error)}", fix="check the path"
        ) from error
    return _parsed(text, str(path))


def default_profile() -> Profile:
    """Return the profile that ships with wfgate, fitted on the default embedder and metrics."""
    return _parsed(shipped_profile().decode(), "default profile")


def shipped_profile() -> bytes:
    """Return the file that `default_profile` reads, byte for byte.

    Raises:
        CalibrationError: If it is missing, or not the one that was recorded.
    """
    folder = files("wfgate") / "data" / "profiles"
    try:
        return recorded(folder, "default.json", provenance(folder))
    except (OSError, ValueError) as error:
        raise CalibrationError(f"the default profile cannot be read: {error}", fix="reinstall wfgate") from error


def _parsed(text: str, name: str) -> Profile:
    try:
        return Profile.from_json(text)
    except ValidationError as error:
        raise CalibrationError(
            f"{name}: not a wfgate profile of this version: {first_problem(error)}", fix=RECALIBRATE
        ) from None
