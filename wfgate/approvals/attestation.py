"""The attestation of a pre-deploy check: an in-toto statement about the bytes that the gate checked.

The statement is not signed. To deploy on another machine, sign its file and check the signature before
`wfgate predeploy --verify`; SECURITY.md has the commands.

Source:
    in-toto attestation framework 1.0, statement v1 with the predicate test-result v0.1.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import AwareDatetime, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import from_json

from wfgate.approvals.references import content_of, digest
from wfgate.decide import Verdict
from wfgate.errors import ConfigError, FormatError, first_problem
from wfgate.model import Frozen

STATEMENT: Literal["https://in-toto.io/Statement/v1"] = "https://in-toto.io/Statement/v1"
PREDICATE: Literal["https://in-toto.io/attestation/test-result/v0.1"] = (
    "https://in-toto.io/attestation/test-result/v0.1"
)
InputName = Literal["reference", "profile", "policy", "waivers"]
MAX_AGE = timedelta(days=7)
"""Default age after which an attestation is not accepted."""
_SKEW = timedelta(minutes=5)
"""How far the clocks of two machines may differ."""


class _StatementPart(Frozen):
    """A part of a statement."""

    model_config = ConfigDict(populate_by_name=True)


class Sha256(_StatementPart):
    """The digest set of a file."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class GatedFile(_StatementPart):
    """The file that was gated; the name is its path, the digest identifies it."""

    name: str
    digest: Sha256


class Input(_StatementPart):
    """What the verdict depends on besides the file.

    Attributes:
        name: Which input it is.
        digest: SHA-256 of its bytes; of a policy, of its canonical JSON form.
        annotations: Its path and further properties; of a policy, its settings.
    """

    name: InputName
    digest: Sha256
    annotations: dict[str, Any]


class Facts(_StatementPart):
    """The verdict.

    Attributes:
        version: Version of wfgate.
        verdict: Verdict of the gate.
        p_value: The p-value; None if there is none.
        problems: Why the file must not be deployed; empty if it is ready.
        compared_with: The reference that the file was compared with.
        at: Time of the check.
        signature: Versions of the metrics and models.
    """

    version: str
    verdict: Verdict
    p_value: float | None = None
    problems: tuple[str, ...]
    compared_with: str | None = None
    at: AwareDatetime
    signature: dict[str, Any]


class Tool(_StatementPart):
    """What decided: wfgate, with its verdict."""

    name: Literal["wfgate"]
    uri: str
    annotations: Facts


class Predicate(_StatementPart):
    """The test result. A contradictory one cannot be made, nor read.

    Attributes:
        result: "PASSED" if the file may be deployed, else "FAILED".
        configuration: References, profile, policy, waivers if there are any, and wfgate with its verdict.
        passed: Name of the case if the check passed; else empty.
        failed: Name of the case if the check did not pass; else empty.
    """

    result: Literal["PASSED", "FAILED"]
    configuration: tuple[Input | Tool, ...]
    passed: tuple[str, ...] = Field(default=(), alias="passedTests")
    failed: tuple[str, ...] = Field(default=(), alias="failedTests")

    @property
    def facts(self) -> Facts:
        """The verdict."""
        (facts,) = (part.annotations for part in self.configuration if isinstance(part, Tool))
        return facts

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [part.name for part in self.configuration if part.name != "reference"]
        if names not in (["profile", "policy", "wfgate"], ["profile", "policy", "waivers", "wfgate"]):
            raise ValueError("it does not have one entry for each input")
        passed = self.facts.verdict == "pass" and not self.facts.problems
        if (self.result, len(self.passed), len(self.failed)) != (("PASSED", 1, 0) if passed else ("FAILED", 0, 1)):
            raise ValueError("the result contradicts the verdict or the problems")
        return self


class Statement(_StatementPart):
    """An in-toto statement."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[GatedFile] = Field(description="The one file that was gated.")
    predicate_type: Literal["https://in-toto.io/attestation/test-result/v0.1"] = Field(alias="predicateType")
    predicate: Predicate

    def to_json(self) -> str:
        """Return the statement as JSON; equal statements give equal bytes."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n"

    @property
    def digests(self) -> dict[str, list[str]]:
        """The sorted SHA-256 digests of the inputs, by their names."""
        digests: dict[str, list[str]] = {}
        for part in self.predicate.configuration:
            if isinstance(part, Input):
                digests[part.name] = sorted([*digests.get(part.name, []), part.digest.sha256])
        return digests


def is_statement(path: Path) -> bool:
    """Return whether a file is a statement about a test result, of any version."""
    try:
        data = from_json(content_of(path))
    except (ConfigError, ValueError):
        return False
    return isinstance(data, dict) and (data.get("_type"), data.get("predicateType")) == (STATEMENT, PREDICATE)


def read_statement(path: Path) -> Statement:
    """Read an attestation that this version of wfgate wrote.

    Only the bytes that wfgate writes are accepted. So there is one way to read them: no key is there twice, and
    nothing that is unknown here means something to another reader.

    Raises:
        FormatError: If the file is not a statement that wfgate wrote, or contradicts itself.
    """
    fix = "give the attestation that `wfgate predeploy` wrote"
    try:
        content = content_of(path)
        statement = Statement.from_json(content)
    except ConfigError as error:
        raise FormatError("the attestation cannot be read", path=str(path), fix=fix) from error
    except ValidationError as error:
        raise FormatError(f"not an attestation: {first_problem(error)}", path=str(path), fix=fix) from None
    if statement.to_json().encode() != content:
        raise FormatError("not an attestation: wfgate writes this statement otherwise", path=str(path), fix=fix)
    return statement


def verify(
    statement: Statement,
    file: Path,
    expected: Mapping[str, Sequence[str]],
    *,
    tool: str,
    now: datetime,
    max_age: timedelta = MAX_AGE,
) -> list[str]:
    """Return why a file is not one that passed as expected; empty if it is.

    Args:
        statement: The attestation.
        file: The file that is about to be deployed.
        expected: The SHA-256 digests of the inputs, by their names.
        tool: The version of wfgate that must have made the check.
        now: The time.
        max_age: Age after which the attestation is not accepted.

    Raises:
        ConfigError: If the file cannot be read.
    """
    (gated,), facts = statement.subject, statement.predicate.facts
    problems = []
    if digest(content_of(file)) != gated.digest.sha256:
        problems.append(f"its content is not the gated content of {gated.name}")
    if statement.predicate.result != "PASSED":
        problems.append(f"the gated file did not pass ({facts.verdict})")
    stated = statement.digests
    problems += [
        f"the {name} of the check is not the expected one"
        for name in sorted(stated.keys() | expected.keys())
        if stated.get(name, []) != sorted(expected.get(name, ()))
    ]
    if not now - max_age <= facts.at <= now + _SKEW:
        problems.append(f"the check was made at {facts.at.isoformat()}: more than {max_age} ago, or in the future")
    if facts.version != tool:
        problems.append(f"the check was made by wfgate {facts.version}; this is wfgate {tool}")
    return problems
