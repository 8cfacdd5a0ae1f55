"""Making a candidate a reference."""

from dataclasses import dataclass
from pathlib import Path

from wfgate.baseline.approvals import Approval, Signer, approvals_file, read_approvals, record
from wfgate.baseline.references import Entry, content_of, digest
from wfgate.checks import Finding, lint
from wfgate.conditions.relations import load_solver
from wfgate.errors import ConfigError
from wfgate.formats import read_file
from wfgate.gating import CaseResult, Gate, Policy, Waivers
from wfgate.model import Workflow, fingerprint
from wfgate.store import write_atomically


@dataclass(frozen=True)
class Approved:
    """What an approval did.

    Attributes:
        reference: The file that is a reference now.
        approval: What was recorded.
        removed: The reference whose place it took, where that had another name.
    """

    reference: Path
    approval: Approval
    removed: Path | None = None


def defects(workflow: Workflow, case: str, policy: Policy, waivers: Waivers) -> tuple[Finding, ...]:
    """Return the error-level findings of a workflow by itself, those waived marked: a golden teaches what it has.

    Args:
        workflow: The golden, or what is to become one.
        case: What its case is called.
        policy: Severities of checks, and who understands conditions.
        waivers: The findings that the team accepts.
    """
    found = lint(workflow, policy.checks, load_solver(policy.solver))
    return waivers.applied(case, [finding for finding in found if finding.severity == "error"])


def approve(
    entry: Entry,
    signer: Signer,
    case: CaseResult | None,
    *,
    target: Path,
    replaces: Path | None = None,
    gate: Gate | None = None,
) -> Approved:
    """Write a candidate among the references, and who approved it beside it; both atomically, the reference first.

    Killed in between, it leaves a reference without a valid record, which the pre-deploy check refuses.

    Args:
        entry: The candidate and its references.
        signer: Who, when, at which commit, and why: a workflow with error-level findings that nobody waived needs a
            reason.
        case: What the gate says about it; None where there was nothing to compare it with.
        target: Where it goes (`Entry.target`, `Entry.replacement`, `Entry.adopted`).
        replaces: The reference that it takes the place of; its record goes on.
        gate: Whose policy and waivers hold; the default policy and no waivers without one. What is waived needs no
            reason, and is recorded with its last day.

    Raises:
        FormatError: If no workflow can be read from the candidate.
        ConfigError: If it has no steps, or error-level findings and no reason; nothing is written then.
    """
    workflow = read_file(entry.candidate).workflow
    content = content_of(entry.candidate)
    if not workflow.tasks:
        raise ConfigError(f"{entry.candidate}: it has no steps", fix="approve a workflow that has some")
    policy, waivers = (gate.policy, gate.waivers) if gate is not None else (Policy(), Waivers())
    found = defects(workflow, entry.case, policy, waivers)
    faults = [finding for finding in found if finding.waived is None]
    why = " ".join((signer.reason or "").split()) or None
    if faults and why is None:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ConfigError(
            f"{entry.candidate}: not approved: {faults[0].message} [{faults[0].id}]{more}",
            fix=f"mend it, say why it is right: --reason TEXT, or waive its fingerprint {faults[0].fingerprint}",
        )
    judged = case if case is not None and case.error is None else None
    approval = Approval(
        by=signer.by,
        when=signer.when,
        commit=signer.commit,
        sha256=digest(content),
        fingerprint=fingerprint(workflow),
        verdict=judged.verdict if judged else None,
        reasons=tuple(reason.message for reason in judged.reasons) if judged else (),
        against=Path(judged.golden).name if judged else None,
        accepted=tuple(f"{finding.id} {finding.fingerprint}" for finding in faults),
        waived=tuple(
            f"{finding.id} {finding.fingerprint} until {finding.waived.expires} by {finding.waived.owner}"
            for finding in found
            if finding.waived is not None
        ),
        reason=why,
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
