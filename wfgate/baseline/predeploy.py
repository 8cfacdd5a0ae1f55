"""The check before a deployment: a file is ready only if it passes against approved references."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from wfgate.baseline.approvals import last_approval, standing
from wfgate.baseline.attestation import PREDICATE, STATEMENT, Predicate, Resource, Statement
from wfgate.baseline.provenance import provenance
from wfgate.baseline.references import Entry, content_of, digest, entries
from wfgate.errors import ConfigError
from wfgate.gating import CaseResult, Gate, Policy
from wfgate.gating.revision import Blob

STRICT = {"review_blocks": True, "inconclusive_blocks": True}
"""Settings that replace those of the project's policy before a deployment."""
_STANDINGS = {
    "changed": "was changed since it was approved",
    "unrecorded": "has no record of an approval",
}


@dataclass(frozen=True)
class Ready:
    """The result of the check.

    Attributes:
        case: The result of the gate.
        problems: Why the candidate must not be deployed; empty if it is ready.
        statement: The attestation; a failed check has one too.
        exit_code: 0 ready; 1 worse than its reference; 3 no approved reference, or a file cannot be read; 4
            inconclusive.
    """

    case: CaseResult
    problems: tuple[str, ...]
    statement: Statement
    exit_code: int


def predeploy(
    candidate: Path,
    reference: Path,
    gate: Gate,
    profile: Resource,
    waivers: Resource | None = None,
    *,
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
        tool: Version of wfgate, recorded in the attestation.
        at: Time of the check, recorded in the attestation.

    Raises:
        ConfigError: If the candidate is not a file, or a file cannot be read.
    """
    if not candidate.is_file():
        raise ConfigError(f"{candidate}: the file does not exist", fix="give the path of the workflow file to check")
    (entry,) = entries([candidate], reference, gate.formats)
    files = {path: Blob(path, content_of(path)) for path in (entry.candidate, *entry.references)}
    digests = {path: digest(blob.content) for path, blob in files.items()}
    goldens = tuple(files[path] for path in entry.references)
    case = gate.decide(replace(entry.pair(), goldens=goldens, candidate=files[entry.candidate]))
    problems = [*_unapproved(entry, digests), *_unproven(case)]
    passed = not problems
    verdict = Resource(
        name="wfgate",
        uri=f"pkg:pypi/wfgate@{tool}",
        annotations={
            "version": tool,
            "verdict": case.verdict,
            "p_value": case.p_value,
            "problems": problems,
            "compared_with": case.golden,
            "at": at.isoformat(),
            "signature": gate.assessor.signature.model_dump(mode="json"),
        },
    )
    statement = Statement(
        type_=STATEMENT,
        predicate_type=PREDICATE,
        subject=(Resource(name=str(candidate), digest={"sha256": digests[entry.candidate]}),),
        predicate=Predicate(
            result="PASSED" if passed else "FAILED",
            configuration=(
                *_references(entry, digests),
                profile,
                _policy(gate.policy),
                *([_waived(waivers, case)] if waivers else []),
                verdict,
            ),
            passed=(case.id,) if passed else (),
            failed=() if passed else (case.id,),
        ),
    )
    return Ready(case, tuple(problems), statement, _exit_code(case, problems))


def _unapproved(entry: Entry, digests: dict[Path, str]) -> Iterator[str]:
    for path in entry.references:
        found = standing(path, digests[path])
        problem = provenance(path).problem if found == "approved" else _STANDINGS[found]
        if problem is not None:
            yield f"the reference {path} {problem}"


def _unproven(case: CaseResult) -> Iterator[str]:
    if case.error is not None:
        yield case.error.partition("\n")[0]
    elif case.verdict != "pass":
        yield from [reason.message for reason in case.reasons] or [f"the verdict is {case.verdict}"]


def _exit_code(case: CaseResult, problems: list[str]) -> int:
    if case.verdict in {"block", "review"}:
        return 1
    if case.verdict == "inconclusive" and case.error is None:
        return 4
    return 3 if problems else 0


def _references(entry: Entry, digests: dict[Path, str]) -> Iterator[Resource]:
    for path in entry.references:
        approval = last_approval(path)
        annotations = {"approved_by": approval.by, "approved_at": approval.when.isoformat()} if approval else None
        annotations = annotations and annotations | provenance(path).facts
        yield Resource(name="reference", uri=str(path), digest={"sha256": digests[path]}, annotations=annotations)


def _waived(waivers: Resource, case: CaseResult) -> Resource:
    """Return the waiver file as an input of the statement, annotated with the waived findings and their owners."""
    waived = [
        {"id": finding.id, "fingerprint": finding.fingerprint, **finding.waived.model_dump(mode="json")}
        for finding in case.findings
        if finding.waived is not None
    ]
    return waivers.model_copy(update={"annotations": {"waived": waived}})


def _policy(policy: Policy) -> Resource:
    rules = policy.model_dump(mode="json")
    canonical = json.dumps(rules, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Resource(name="policy", digest={"sha256": digest(canonical.encode())}, annotations=rules)
