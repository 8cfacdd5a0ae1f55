"""The profile file: models, null distribution and measured rates in JSON. Loads, saves and checks profiles."""

import json
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import Literal, Self

from pydantic import ValidationError, model_validator

from wfgate.base import provenance, recorded, write_atomically
from wfgate.decide.evidence.assess import Signature
from wfgate.decide.evidence.gather import EVIDENCE
from wfgate.decide.profile.classes import BlockModels, NullTails, Scorer
from wfgate.decide.profile.curves import OperatingCurve, Point, Reliability, Sensitivity
from wfgate.decide.profile.degradation import DegradationModel
from wfgate.decide.profile.judge import JudgeCalibration
from wfgate.decide.profile.null import NullTail
from wfgate.decide.profile.range import CalibratedRange
from wfgate.decide.profile.rates import Catch, CorpusRates, HarmlessRates, Promise, Rate, SeverityThreshold, Validity
from wfgate.decide.profile.severity import SeverityModel
from wfgate.errors import CalibrationError, ProfileMismatchError, first_problem, os_words
from wfgate.model import Frozen
from wfgate.read import MAX_BYTES

RECALIBRATE = "run `wfgate calibrate CORPUS... --output PROFILE` with the embedder and the metrics that the gate uses"

DEFAULT_PROFILE = "default"
SHIPPED_PROFILES = (DEFAULT_PROFILE, "reworded")
"""Names of the shipped profiles: harmless are rewordings and workflows written anew, or rewordings only."""


class CorpusSummary(Frozen):
    """The corpus that a profile was fitted on.

    Attributes:
        fingerprint: Hash of the goldens and their texts.
        goldens: Number of goldens.
        with_rewordings: Number of goldens with recorded rewordings or accepted regenerations.
        variants: Number of scored variants.
        rejected: Number of variants that operators rejected, by operator and reason.
        refused_records: Number of records that cannot be used.
        range: Sizes and texts of the goldens, with those of the base profile; None if unknown.
    """

    fingerprint: str
    goldens: int
    with_rewordings: int
    variants: int
    rejected: tuple[tuple[str, str, int], ...] = ()
    refused_records: int = 0
    range: CalibratedRange | None = None


class ProfileOrigin(Frozen):
    """Provenance of a profile: tool, corpus, seed and expiry date.

    Attributes:
        format: Version of the schema.
        tool: Version of wfgate that fitted the profile.
        signature: Identity of embedder, meaning model, evidence and metrics.
        seed: Seed of all random choices.
        corpus: The corpus that the profile was fitted on.
        expires: Last day on which the profile may be used; None for no limit.
    """

    format: Literal["wfgate.profile/1"] = "wfgate.profile/1"
    tool: str
    signature: Signature
    seed: int
    corpus: CorpusSummary
    expires: date | None = None


class Pooling(Frozen):
    """How the null distributions of a small corpus and of a base profile were pooled (`calibration/pooling.py`).

    Attributes:
        goldens: Number of goldens of the corpus with rewordings; each has weight 1.
        base_goldens: Number of goldens in the null distribution of the base profile.
        base_weight: Weight of each golden of the base profile, in [0, 1].
        base_corpus: Fingerprint of the corpus of the base profile.
        base_false_block: Share of the rewordings in the small corpus that the base profile alone would block. It shows
            how much the two corpora differ.
        base_agreement: Share of all variants of the small corpus, in [0, 1], that pooled and base profile both block,
            both review or both pass by their p-value; None if it was not measured (before version 0.2).
    """

    goldens: int
    base_goldens: int
    base_weight: float
    base_corpus: str
    base_false_block: Rate
    base_agreement: float | None = None

    @property
    def borrowed(self) -> float:
        """The share of the null distribution's weight that is borrowed from the base profile, in [0, 1]."""
        base = self.base_weight * self.base_goldens
        return base / (base + self.goldens) if base else 0.0


class Profile(ProfileOrigin):
    """A profile. The models are fitted on all goldens; all rates are measured out of sample by golden.

    Attributes:
        harmless: False-block and false-review rates of each class of harmless changes.
        severity_coverage: Share of damaged variants whose severity interval contains the true severity.
        severity_close: Share of damaged variants whose estimated severity is at most 0.1 from the true one.
        severity_close_shown: The same among the damaged variants that are reviewed or blocked, because reports show a
            severity only for these.
    """

    pooling: Pooling | None = None
    promise: Promise
    block: BlockModels
    null: NullTails
    evidence_nulls: dict[str, NullTail]
    severity: SeverityModel
    degradation: DegradationModel
    degradation_accuracy: Rate
    severity_coverage: Rate
    severity_close: Rate
    severity_close_shown: Rate
    thresholds: tuple[SeverityThreshold, ...]
    catches: tuple[Catch, ...]
    validity: tuple[Validity, ...]
    operating_curves: tuple[OperatingCurve, ...]
    reliability: Reliability
    by_corpus: tuple[CorpusRates, ...]
    harmless: tuple[HarmlessRates, ...] = ()
    trajectories: tuple[Point, ...]
    sensitivities: tuple[Sensitivity, ...]
    judge: JudgeCalibration | None = None

    @model_validator(mode="after")
    def _knows_all_evidence(self) -> Self:
        if missing := {evidence.id for evidence in EVIDENCE} - self.evidence_nulls.keys():
            raise ValueError(f"no null distribution for the evidence {min(missing)!r}")
        return self

    @property
    def scorer(self) -> Scorer:
        """Computes p-values."""
        return Scorer(self.block, self.null.build())

    def require(self, running: Signature) -> None:
        """Raise an error if the profile does not have this signature.

        Raises:
            ProfileMismatchError: If the profile was fitted with another embedder, meaning model, metric or evidence
                version.
        """
        if self.signature == running:
            return
        differences = [
            f"{name}: profile {getattr(self.signature, name)}, running {getattr(running, name)}"
            for name in Signature.model_fields
            if getattr(self.signature, name) != getattr(running, name)
        ]
        raise ProfileMismatchError(
            f"the profile has another signature than this run ({'; '.join(differences)})", fix=RECALIBRATE
        )

    def require_judge(self, running: str) -> JudgeCalibration:
        """Return the calibration of the judge in use.

        Args:
            running: Signature of the judge in use.

        Raises:
            ProfileMismatchError: If the profile has no calibration of a judge, or one with another model, service or
                prompt.
        """
        if self.judge is None:
            problem = "the profile has no calibration for a judge"
        elif self.judge.signature != running:
            problem = f"the profile is calibrated for another judge ({self.judge.signature}, running {running})"
        else:
            return self.judge
        raise ProfileMismatchError(problem, fix="calibrate with the same --judge, or gate without a judge")

    def require_exam(self, least: float) -> None:
        """Raise an error if the profile does not show that its judge passed the exam with this score.

        Args:
            least: The required score, in [0, 1].

        Raises:
            ProfileMismatchError: If the profile contains no exam of the judge, or a lower score.
        """
        exam = self.judge.exam if self.judge else None
        if exam is None:
            problem = f"the profile records no exam of its judge; a score of {least:.2f} is required"
        elif exam.score < least:
            problem = f"{exam.model!r} scored {exam.score:.2f} in the exam of {exam.date}; {least:.2f} is required"
        else:
            return
        raise ProfileMismatchError(
            problem,
            fix=f"wfgate exam WORKFLOW... --model MODEL --min-score {least:g} --certificate FILE, then "
            "wfgate calibrate ... --judge MODEL --certificate FILE",
        )

    def require_current(self, today: date) -> None:
        """Raise an error if the profile has expired.

        Raises:
            ProfileMismatchError: If the last day of the profile is before `today`.
        """
        if self.expires is not None and today > self.expires:
            raise ProfileMismatchError(f"the profile expired on {self.expires.isoformat()}", fix=RECALIBRATE)

    def to_json(self) -> str:
        """Return the profile as JSON; equal profiles give equal bytes."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=1, ensure_ascii=False) + "\n"

    def save(self, path: Path) -> None:
        """Write the profile atomically."""
        write_atomically(path, self.to_json())


def load_profile(path: Path, content: bytes | None = None) -> Profile:
    """Read a profile.

    Args:
        path: The file.
        content: Content of the file, if it comes from a git revision; None reads the file from the disk.

    Raises:
        CalibrationError: If the file is missing or is not a profile of this schema.
    """
    if content is None and path.exists() and not path.is_file():
        raise CalibrationError(f"{path}: not a regular file", fix="give a profile that `wfgate calibrate` wrote")
    try:
        if content is None and path.stat().st_size > MAX_BYTES:  # reading it could not be interrupted
            raise CalibrationError(
                f"{path}: larger than {MAX_BYTES:,} bytes", fix="give a profile that `wfgate calibrate` wrote"
            )
        text = (path.read_bytes() if content is None else content).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise CalibrationError(
            f"{path}: the profile cannot be read: {os_words(error)}", fix="check the path"
        ) from error
    return _parsed(text, str(path))


def default_profile(name: str = DEFAULT_PROFILE) -> Profile:
    """Return a profile that ships with wfgate, fitted with the default embedder, meaning model and metrics.

    Args:
        name: One of `SHIPPED_PROFILES`.
    """
    return _parsed(shipped_profile(name).decode(), f"shipped profile {name!r}")


def shipped_profile(name: str = DEFAULT_PROFILE) -> bytes:
    """Return the bytes of the file that `default_profile` reads.

    Raises:
        CalibrationError: If the file is missing or does not match its recorded hash.
    """
    folder = files("wfgate") / "data" / "profiles"
    try:
        return recorded(folder, f"{name}.json", provenance(folder))
    except (OSError, ValueError) as error:
        raise CalibrationError(f"the profile {name!r} cannot be read: {error}", fix="reinstall wfgate") from error


def _parsed(text: str, name: str) -> Profile:
    try:
        return Profile.from_json(text)
    except ValidationError as error:
        raise CalibrationError(
            f"{name}: not a wfgate profile of this version: {first_problem(error)}", fix=RECALIBRATE
        ) from None
