"""Who passed the exam: model, score, date, catalogue, settings. Whoever needs a model that can read asks for it."""

import datetime as dt
import json
from pathlib import Path
from typing import Literal, Self

from pydantic import Field

from wfgate.errors import ConfigError, os_words
from wfgate.exam.grade import GroupScore, Mean, Result, Settings
from wfgate.exam.instances import catalogue_version
from wfgate.model.workflow import Frozen


class Certificate(Frozen):
    """A passed exam: `wfgate.exam-certificate/1`.

    Attributes:
        schema_id: What this file is.
        tool: The wfgate that held the exam.
        model: Who passed.
        service: Hash of the service's address and the model; the same name elsewhere may be another model.
        score: Mean and deviation over all patterns that count.
        least: The score that was asked for.
        groups: By category.
        answers: All answers, of all repetitions.
        date: When it was passed.
        catalogue: Version of the questions and answers.
        without: Patterns that could not be asked.
        settings: How the exam was held.
        workflows: What it was about: names, and hashes of their content.
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
        """Certify a passed exam.

        Raises:
            ConfigError: If it was not passed: there are no certificates of that.
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
            ConfigError: If it cannot be read, or is none.
        """
        try:
            return cls.from_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            said = os_words(error)
        except ValueError:  # no UTF-8, no JSON, or other data
            said = "it is no exam certificate"
        raise ConfigError(f"{path}: cannot be read: {said}", fix="wfgate exam WORKFLOW --certificate FILE")

    def to_json(self) -> str:
        """Return the file's content."""
        return json.dumps(self.model_dump(mode="json", by_alias=True), indent=2) + "\n"

    def require(self, *, model: str, service: str | None = None, least: float | None = None) -> None:
        """Accept this certificate for a model, or say why not.

        Args:
            model: Who is to be used.
            service: Hash of where it runs (`Client.fingerprint`); None not to look.
            least: The score that is needed; None for the one that was asked for at the exam.

        Raises:
            ConfigError: If somebody else passed, with too low a score, or the catalogue is another one by now.
        """
        score = self.least if least is None else least
        again = f"wfgate exam WORKFLOW... --model {model} --min-score {score:g} --certificate FILE"
        if self.model != model or service not in {None, self.service}:
            where = "" if self.model != model else " at another service"
            raise ConfigError(f"the exam was passed by {self.model!r}{where}, not by {model!r}", fix=again)
        if self.catalogue != catalogue_version():
            raise ConfigError(f"{model!r} passed another version of the exam", fix=again)
        if least is not None and self.score.mean < least:
            raise ConfigError(f"{model!r} passed with {self.score.mean:.2f}, {least:.2f} are needed", fix=again)
