"""Approves a candidate: writes the candidate to the references and records the approval."""

from dataclasses import dataclass
from pathlib import Path

from wfgate.baseline.approvals import Approval, Signer, approvals_file, read_approvals, record
from wfgate.baseline.references import Entry, content_of, digest
from wfgate.checks import Finding, lint
from wfgate.conditions.relations import load_solver
from wfgate.errors import ConfigError
from wfgate.formats import Reading, format_of, read_file
from wfgate.gating import CaseResult, Gate, Policy, Waivers
from wfgate.model import Workflow, fingerprint
from wfgate.store import write_atomically


@dataclass(frozen=True)
class Approved:
    """A finished approval.

    Attributes:
        reference: The file that is now a reference.
        approval: The recorded approval.
        removed: The deleted file of the replaced reference, if the new file has another name; else None.
    """

    reference: Path
    approval: Approval
    removed: Path | None = None


def read_entry(entry: Entry) -> Reading:
    """Return the workflow of a candidate.

    Raises:
        FormatError: If no workflow can be read from the candidate.
    """
    return read_file(entry.candidate, format_of(entry.candidate, entry.formats))


def defects(workflow: Workflow, case: str, policy: Policy, waivers: Waivers) -> tuple[Finding, ...]:
    """Return the error-level findings about one workflow alone, without a comparison, with their waivers.

    Args:
        workflow: The workflow.
        case: Name of its case.
        policy: Severities of checks, and the solver.
        waivers: Findings that are accepted until a date.
    """
    findings = lint(workflow, policy.checks, load_solver(policy.solver))
    return waivers.applied(case, [finding for finding in findings if finding.severity == "error"])


def approve(
    entry: Entry,
    signer: Signer,
    case: CaseResult | None,
    *,
    target: Path,
    replaces: Path | None = None,
    gate: Gate | None = None,
) -> Approved:
    """Write a candidate to the references, then write its approval record next to it; both atomically.

    An interruption between the two writes leaves a reference without a valid record. The pre-deploy check refuses such
    a reference.

    Args:
        entry: The candidate and its references.
        signer: The approver. A reason is required if the workflow has error-level findings that are not waived.
        case: The result of the gate; None if the workflow has no reference yet.
        target: File to write (`Entry.target`, `Entry.replacement`, `Entry.adopted`).
        replaces: The reference to replace; the new record keeps its earlier approvals.
        gate: The gate whose policy and waivers apply; None uses the default policy and no waivers.

    Raises:
        FormatError: If no workflow can be read from the candidate.
        ConfigError: If the workflow has no steps, or a required reason is missing. In both cases nothing is written.
    """
    workflow = read_entry(entry).workflow
    content = content_of(entry.candidate)
    if not workflow.tasks:
        raise ConfigError(f"{entry.candidate}: the workflow has no steps", fix="approve a workflow with steps")
    policy, waivers = (gate.policy, gate.waivers) if gate is not None else (Policy(), Waivers())
    findings = defects(workflow, entry.case, policy, waivers)
    errors = [finding for finding in findings if finding.waived is None]
    reason = " ".join((signer.reason or "").split()) or None
    if errors and reason is None:
        first, more = errors[0], f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise ConfigError(
            f"{entry.candidate}: not approved: {first.message} [{first.id}]{more}",
            fix=f"fix the workflow, give a reason (--reason TEXT), or waive the fingerprint {first.fingerprint}",
        )
    compared = case if case is not None and case.error is None else None
    approval = Approval(
        by=signer.by,
        when=signer.when,
        commit=signer.commit,
        sha256=digest(content),
        fingerprint=fingerprint(workflow),
        verdict=compared.verdict if compared else None,
        reasons=tuple(str(each) for each in compared.reasons) if compared else (),
        against=Path(compared.golden).name if compared else None,
        accepted=tuple(f"{finding.id} {finding.fingerprint}" for finding in errors),
        waived=tuple(
            f"{finding.id} {finding.fingerprint} until {finding.waived.expires} by {finding.waived.owner}"
            for finding in findings
            if finding.waived is not None
        ),
        reason=reason,
    )
    before = read_approvals(replaces) if replaces is not None else ()
    if target.resolve() != entry.candidate.resolve():
        write_atomically(target, content)
    record(target, approval, before=before)
    if replaces is None or replaces == target:
        return Approved(target, approval)
    replaces.unlink(missing_ok=True)
    approvals_file(replaces).unlink(missing_ok=True)
    return Approved(target, approval, removed=replaces)
