"""Certificate of a passed exam: model, score, date, catalogue version, settings."""

import datetime as dt
import json
from pathlib import Path
from typing import Literal, Self

from pydantic import Field

from wfgate.catalogue.exam.grade import GroupScore, Mean, Result, Settings
from wfgate.catalogue.exam.instances import catalogue_version
from wfgate.errors import ConfigError, os_words
from wfgate.model import Frozen


class Certificate(Frozen):
    """A passed exam: `wfgate.exam-certificate/1`.

    Attributes:
        schema_id: Schema of this file.
        tool: Version of wfgate.
        model: The model that passed.
        service: Hash of the service's address and the model's name, because another service may use the same name for
            another model.
        score: Mean over the question patterns that count, and its standard deviation over repetitions.
        least: The required score.
        groups: Scores by category.
        answers: Number of the model's answers over all repetitions.
        date: Date of the exam.
        catalogue: Version of the question patterns and of the computation of the right answers.
        without: Question patterns for which no workflow gave a question.
        settings: Settings of the exam, for example notation, repetitions and temperature.
        workflows: The workflows that the questions are about: content hash by name.
    """

    schema_id: Literal["wfgate.exam-certificate/1"] = Field(default="wfgate.exam-certificate/1", alias="schema")
    tool: str
    model: str
    service: str
    score: Mean
    least: float = Field(ge=0, le=1)
    groups: tuple[GroupScore, ...]
    answers: int
    date: dt.date
    catalogue: str
    without: tuple[str, ...]
    settings: Settings
    workflows: dict[str, str]

    @classmethod
    def of(cls, result: Result, *, least: float, tool: str, today: dt.date) -> Self:
        """Return the certificate of a passed exam.

        Raises:
            ConfigError: If the exam was not passed.
        """
        if not result.passes(least):
            raise ConfigError(f"{result.model!r} failed the exam: {result.score.mean:.2f} < {least:.2f}")
        shared = ("model", "service", "score", "groups", "answers", "catalogue", "without", "settings")
        values = {name: getattr(result, name) for name in (*shared, "workflows")}
        return cls(tool=tool, least=least, date=today, **values)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a certificate.

        Raises:
            ConfigError: If the file cannot be read or is not a certificate.
        """
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            problem = os_words(error)
        except ValueError:  # not UTF-8, not JSON, or other data
            problem = "the file is not an exam certificate"
        raise ConfigError(f"{path}: cannot be read: {problem}", fix="wfgate exam WORKFLOW --certificate FILE")

    def to_json(self) -> str:
        """Return the file's content."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=2) + "\n"

    def require(self, *, model: str, service: str | None = None, least: float | None = None) -> None:
        """Raise an error if this certificate is not valid for a model.

        Args:
            model: The model to use.
            service: Hash of the model's service (`Client.fingerprint`); None skips this check.
            least: The required score; None uses the score that was required at the exam.

        Raises:
            ConfigError: If the certificate is for another model or service, the score is too low, or the questions
                have changed since.
        """
        score = self.least if least is None else least
        again = f"wfgate exam WORKFLOW... --model {model} --min-score {score:g} --certificate FILE"
        if self.model != model or service not in {None, self.service}:
            where = "" if self.model != model else " at another service"
            raise ConfigError(f"the certificate is for {self.model!r}{where}, not for {model!r}", fix=again)
        if self.catalogue != catalogue_version():
            raise ConfigError(f"the certificate of {model!r} is for another version of the exam", fix=again)
        if least is not None and self.score.mean < least:
            raise ConfigError(f"{model!r} scored {self.score.mean:.2f}, but {least:.2f} is required", fix=again)
