"""The attestation of a pre-deploy check: an in-toto statement about the bytes that the gate checked.

The statement is not signed. To deploy on another machine, sign it (`cosign`, `gh attestation`) and check the signature
before `wfgate predeploy --verify`.

Source:
    in-toto attestation framework 1.0, statement v1 with the predicate test-result v0.1.
"""

from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, ValidationError

from wfgate.baseline.references import content_of, digest
from wfgate.errors import ConfigError, FormatError, first_problem
from wfgate.model.workflow import Frozen

STATEMENT: Literal["https://in-toto.io/Statement/v1"] = "https://in-toto.io/Statement/v1"
PREDICATE: Literal["https://in-toto.io/attestation/test-result/v0.1"] = (
    "https://in-toto.io/attestation/test-result/v0.1"
)


class _Part(Frozen):
    """A part of a statement; unknown fields are ignored, as the framework requires."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class Resource(_Part):
    """A resource descriptor: the subject of a statement, or one of its inputs.

    Attributes:
        name: "reference", "profile", "policy", "waivers" or "wfgate"; the subject's name is its path.
        uri: Origin of the resource.
        digest: SHA-256 of its bytes, under the key "sha256".
        annotations: Further properties.
    """

    name: str
    uri: str | None = None
    digest: dict[str, str] | None = None
    annotations: dict[str, Any] | None = None


class Predicate(_Part):
    """The test result.

    Attributes:
        result: "PASSED" if the file may be deployed, else "FAILED".
        configuration: The inputs: references, profile, policy, waivers, and wfgate with its verdict.
        passed: Name of the case if the check passed; else empty.
        failed: Name of the case if the check did not pass; else empty.
    """

    result: Literal["PASSED", "WARNED", "FAILED"]
    configuration: tuple[Resource, ...]
    passed: tuple[str, ...] = Field(default=(), alias="passedTests")
    failed: tuple[str, ...] = Field(default=(), alias="failedTests")


class Statement(_Part):
    """An in-toto statement."""

    type_: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[Resource] = Field(description="The one file that was gated.")
    predicate_type: Literal["https://in-toto.io/attestation/test-result/v0.1"] = Field(alias="predicateType")
    predicate: Predicate

    def to_json(self) -> str:
        """Return the statement as JSON; equal statements give equal bytes."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n"

    def facts(self, name: str) -> dict[str, Any]:
        """Return the annotations of an input; empty if the input is missing or has no annotations."""
        found = (part.annotations for part in self.predicate.configuration if part.name == name)
        return next(found, None) or {}


def read_statement(path: Path) -> Statement:
    """Read an attestation.

    Raises:
        FormatError: If the file is not a statement about a test result.
    """
    fix = "give the attestation that `wfgate predeploy` wrote"
    try:
        return Statement.from_json(content_of(path))
    except ConfigError as error:
        raise FormatError("the attestation cannot be read", path=str(path), fix=fix) from error
    except ValidationError as error:
        raise FormatError(f"not an attestation: {first_problem(error)}", path=str(path), fix=fix) from None


def verify(statement: Statement, file: Path) -> list[str]:
    """Return why a file is not the file that passed; empty if both have the same bytes.

    Raises:
        ConfigError: If the file cannot be read.
    """
    (gated,) = statement.subject
    problems = []
    if digest(content_of(file)) != (gated.digest or {}).get("sha256"):
        problems.append(f"its content is not the gated content of {gated.name}")
    verdict = statement.facts("wfgate").get("verdict", "no verdict")
    if (statement.predicate.result, verdict) != ("PASSED", "pass") or statement.predicate.failed:
        problems.append(f"the gated file did not pass ({verdict})")
    return problems
