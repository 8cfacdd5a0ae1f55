"""The check before a deployment: a file is ready only if it passes against approved references."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import JsonValue

from wfgate.approvals.approvals import Approval, last_approval
from wfgate.approvals.attestation import (
    PREDICATE,
    STATEMENT,
    Facts,
    GatedFile,
    Input,
    InputName,
    Predicate,
    Sha256,
    Statement,
    Tool,
)
from wfgate.approvals.provenance import Provenance, Repository
from wfgate.approvals.references import Entry, content_of, digest, entries, sha256_of
from wfgate.decide import DEFAULT_PROFILE, Blob, CaseResult, Policy, shipped_profile
from wfgate.errors import ConfigError, printable
from wfgate.read import format_of, rules_beside
from wfgate.run import Config, Gate, Revision

STRICT = {"fail_on": "review", "inconclusive_blocks": True, "judge_may_clear": False}
"""Settings that replace those of the project's policy before a deployment."""


@dataclass(frozen=True)
class Ready:
    """The result of the check.

    Attributes:
        case: The result of the gate.
        problems: Why the candidate must not be deployed; empty if it is ready.
        statement: The attestation; a failed check has one too.
        exit_code: 0 ready; 1 worse than its reference; 3 references or rules that do not count, or a file
            cannot be read; 4 inconclusive.
        unapproved: The references without an approval of their present bytes.
    """

    case: CaseResult
    problems: tuple[str, ...]
    statement: Statement
    exit_code: int
    unapproved: tuple[Path, ...] = ()


def predeploy(  # noqa: PLR0913 - the inputs that the statement names
    candidate: Path,
    reference: Path,
    gate: Gate,
    profile: Input,
    waivers: Input | None = None,
    *,
    repository: Repository,
    given: Sequence[Path | None] = (),
    tool: str,
    at: datetime,
) -> Ready:
    """Check a file that is about to be deployed.

    Each file is read once: the attested digests are those of the bytes that were parsed.

    Args:
        candidate: The file.
        reference: The folder of references, or one reference.
        gate: The gate; its policy must include `STRICT`.
        profile: File and digest of the profile.
        waivers: File and digest of the gate's waivers; None without waivers.
        repository: The repository of the working directory, which decides whose approvals count. What was read
            through its `rules` must be committed, too, and signed as the approvals.
        given: Rule files that the command line names; outside of the repository they count as they are.
        tool: Version of wfgate, recorded in the attestation.
        at: Time of the check, recorded in the attestation.

    Raises:
        ConfigError: If the candidate is not a file, a file cannot be read, or a reference is not in the repository.
    """
    if not candidate.is_file():
        raise ConfigError(f"{candidate}: the file does not exist", fix="give the path of the workflow file to check")
    (entry,) = entries([candidate], reference, gate.formats)
    files = {path: Blob(path, content_of(path)) for path in (entry.candidate, *entry.references)}
    digests = {path: digest(blob.content) for path, blob in files.items()}
    goldens = tuple(files[path] for path in entry.references)
    own = rules_file(entry, repository.rules)
    case = gate.decide(replace(entry.pair(), goldens=goldens, candidate=files[entry.candidate], rules=own))
    origins = dict(_origins(entry, files, repository))
    problems = [*repository.problems_of_rules(given), *_unapproved(entry, digests, origins), *_unproven(case)]
    passed = not problems
    verdict = Tool(
        name="wfgate",
        uri=f"pkg:pypi/wfgate@{quote(tool, safe='')}",
        annotations=Facts(
            version=tool,
            verdict=case.verdict,
            p_value=case.p_value,
            problems=tuple(map(printable, problems)),
            compared_with=case.golden,
            at=at,
            signature=gate.assessor.signature.model_dump(mode="json"),
        ),
    )
    statement = Statement(
        type_=STATEMENT,
        predicate_type=PREDICATE,
        subject=(GatedFile(name=printable(str(candidate)), digest=Sha256(sha256=digests[entry.candidate])),),
        predicate=Predicate(
            result="PASSED" if passed else "FAILED",
            configuration=(
                *_references(entry, digests, origins),
                profile,
                policy_input(gate.policy, entry, own, gate.own_rules),
                *([_waived(waivers, case)] if waivers else []),
                verdict,
            ),
            passed=(case.id,) if passed else (),
            failed=() if passed else (case.id,),
        ),
    )
    unapproved = [path for path in entry.references if path not in origins or origins[path][0].sha256 != digests[path]]
    return Ready(case, tuple(problems), statement, _exit_code(case, problems), tuple(unapproved))


def _origins(
    entry: Entry, files: dict[Path, Blob], repository: Repository
) -> Iterator[tuple[Path, tuple[Approval, Provenance]]]:
    """Yield the current approval of each reference that has one, and where it comes from."""
    for path in entry.references:
        approval = last_approval(path)
        if approval is not None:
            yield path, (approval, repository.provenance(path, files[path].content))


def _unapproved(
    entry: Entry, digests: dict[Path, str], origins: dict[Path, tuple[Approval, Provenance]]
) -> Iterator[str]:
    for path in entry.references:
        approval, origin = origins.get(path, (None, None))
        if approval is None or origin is None:
            problem: str | None = "has no record of an approval"
        elif approval.sha256 != digests[path]:
            problem = "was changed since it was approved"
        else:
            problem = origin.problem
        if problem is not None:
            yield f"the reference {path} {problem}"


def _unproven(case: CaseResult) -> Iterator[str]:
    problem = case.why_not_compared
    if problem is not None:
        yield problem.text
    elif case.verdict != "pass":
        yield from [reason.message for reason in case.reasons] or [f"the verdict is {case.verdict}"]


def _exit_code(case: CaseResult, problems: list[str]) -> int:
    if case.verdict in {"block", "review"}:
        return 1
    if case.verdict == "inconclusive" and case.error is None:
        return 4
    return 3 if problems else 0


def _references(
    entry: Entry, digests: dict[Path, str], origins: dict[Path, tuple[Approval, Provenance]]
) -> Iterator[Input]:
    for path in entry.references:
        approved = {}
        if path in origins:
            approval, origin = origins[path]
            approved = {"approved_by": approval.by, "approved_at": approval.when.isoformat(), **origin.facts}
        yield _input("reference", path, digests[path], approved)


def _waived(waivers: Input, case: CaseResult) -> Input:
    """Return the waiver file as an input of the statement, annotated with the waived findings and their owners."""
    waived = [
        {
            "id": finding.id,
            "fingerprint": finding.fingerprint,
            **finding.waived.model_dump(mode="json", exclude={"weight"}),
        }
        for finding in case.findings
        if finding.waived is not None
    ]
    return waivers.model_copy(update={"annotations": {**waivers.annotations, "waived": waived}})


def inputs_of(config: Config, rules: Revision | None = None) -> tuple[Input, Input | None]:
    """Return the profile and the waivers of a check; None without waivers.

    Args:
        config: The configuration.
        rules: Git revision that they were read from; None reads from the disk.

    Raises:
        ConfigError: If a file cannot be read.
    """
    name = config.shipped_profile

    def used(path: Path) -> str:
        content = rules.read(path) if rules else None
        return sha256_of(path) if content is None else digest(content)

    waivers = config.waivers
    profile = digest(shipped_profile(name)) if name else used(Path(config.profile or ""))
    return (
        _input("profile", config.profile or Path(DEFAULT_PROFILE), profile, {}),
        _input("waivers", waivers, used(waivers), {}) if waivers else None,
    )


def expected_digests(file: Path, reference: Path, config: Config) -> dict[str, list[str]]:
    """Return the digests of the inputs that a check of a file has here, by their names.

    Args:
        file: The file; its name determines its references.
        reference: The folder of references, or one reference.
        config: The configuration.

    Raises:
        ConfigError: If a file cannot be read.
    """
    (entry,) = entries([file], reference, config.formats)
    profile, waivers = inputs_of(config)
    policy = config.policy.model_copy(update=STRICT)
    digests = {
        "reference": [sha256_of(path) for path in entry.references],
        "profile": [profile.digest.sha256],
        "policy": [policy_input(policy, entry, rules_file(entry), config.rules).digest.sha256],
    }
    return digests if waivers is None else {**digests, "waivers": [waivers.digest.sha256]}


def _input(name: InputName, path: Path, sha256: str, more: dict[str, Any]) -> Input:
    return Input(name=name, digest=Sha256(sha256=sha256), annotations={"path": printable(str(path)), **more})


def rules_file(entry: Entry, rules: Revision | None = None) -> tuple[Blob, ...]:
    """Return the file of own rules beside the references; empty without one.

    Args:
        entry: The candidate and its references.
        rules: Git revision to read it from; None reads from the disk.

    Raises:
        ConfigError: If the file cannot be read.
    """
    if not entry.references:
        return ()
    path = rules_beside(entry.references[0])
    content = rules.read(path) if rules else content_of(path) if os.path.lexists(path) else None
    return () if content is None else (Blob(path, content),)


def policy_input(
    policy: Policy, entry: Entry, own: Sequence[Blob] = (), own_rules: Sequence[Mapping[str, JsonValue]] = ()
) -> Input:
    """Return the rules of a check as an input of the statement.

    These are the policy, the formats in which the candidate and its references are read, if they are requested, and
    the own rules, if there are any: those of the configuration, and the digest of the file beside the references.
    """
    paths = (entry.candidate, *entry.references)
    rules = {**policy.model_dump(mode="json"), "formats": [format_of(path, entry.formats) for path in paths]}
    if own or own_rules:
        from wfgate.run import without_place  # noqa: PLC0415 - only with own rules

        rules["rules"] = [*map(without_place, own_rules), *({"sha256": digest(blob.content)} for blob in own)]
    canonical = json.dumps(rules, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Input(name="policy", digest=Sha256(sha256=digest(canonical.encode())), annotations=rules)
