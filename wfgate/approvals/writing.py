"""Approves a candidate: writes the candidate to the references and records the approval."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wfgate.approvals.approvals import Approval, Signer, approvals_file, read_approvals, record, standing
from wfgate.approvals.references import Entry, content_of, digest
from wfgate.base import write_atomically
from wfgate.compare import Contract
from wfgate.decide import WHY, CaseResult, Policy, Waivers
from wfgate.errors import ConfigError, FormatError, printable
from wfgate.model import Workflow, expand, fingerprint
from wfgate.read import Reading, format_of, read_text
from wfgate.rules import Finding, is_relative, lint
from wfgate.run import Gate, read_source

REASON_WORDS = 3
"""Different words that a reason has at least; "ok" and "approved" explain nothing."""
_PLACEHOLDERS = {WHY, "TEXT"}
_WRITE = f"write why, at least {REASON_WORDS} words, such as --reason 'the platform watches canaries now'"
_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|\w+")
"""A word; in scripts that do not separate words (Thai, Burmese, Japanese, Chinese), a character."""


@dataclass(frozen=True)
class Approved:
    """A finished approval.

    Attributes:
        reference: The file that is now a reference.
        approval: The recorded approval.
        removed: The deleted file of the replaced reference, if the new file has another name; else None.
        golden: The first reference, composites expanded; None if it cannot be read.
        free: What this approval makes free (see `wfgate.compare.contract`).
        unmarked: Names of the critical steps of the replaced reference, if the new one marks fewer steps as critical.
    """

    reference: Path
    approval: Approval
    removed: Path | None = None
    golden: Workflow | None = None
    free: Contract = field(default_factory=Contract)
    unmarked: tuple[str, ...] = ()


def read_entry(entry: Entry) -> Reading:
    """Return the workflow of a candidate.

    Raises:
        FormatError: If no workflow can be read from the candidate.
    """
    return read_source(entry.blob or entry.candidate, str(entry.candidate), entry.formats)


def approved_as(entry: Entry) -> Path | None:
    """Return the reference whose approved bytes are those of a candidate; None if there is none."""
    content = entry.content
    same = (path for path in entry.references if content_of(path) == content)
    return next((path for path in same if standing(path) == "approved"), None)


def _require_readable(entry: Entry, target: Path, content: bytes) -> None:
    """Raise an error if the candidate can only be read by a pattern that does not match the name of the reference."""
    given, kept = (format_of(path, entry.formats) for path in (entry.candidate, target))
    if given == kept:
        return
    try:
        read_text(content.decode(errors="replace"), str(target), kept)
    except FormatError as error:
        raise ConfigError(
            f"{entry.candidate}: a pattern of [formats] says {given}, but not for its reference: {error.message}",
            fix=f'give a pattern that matches both, such as "*{target.suffix}" = "{given}"',
        ) from None


def required_reason(text: str | None, words: int = REASON_WORDS) -> str | None:
    r"""Return a reason with its white space normalised; None if no reason was given.

    Args:
        text: The reason.
        words: Number of different words that it has at least.

    Raises:
        ConfigError: If the reason has fewer words, or is the placeholder of a printed command.

    Example:
        >>> required_reason(" the platform\n watches canaries "), required_reason("  ")
        ('the platform watches canaries', None)
    """
    reason = " ".join((text or "").split())
    if not reason:
        return None
    if reason in _PLACEHOLDERS:
        raise ConfigError(f"{reason!r} only stands for the reason", fix=_WRITE)
    if len({word.casefold() for word in _WORD.findall(reason)}) < words:
        raise ConfigError(
            f"the reason {printable(reason)!r} has fewer than {words} words",
            fix=_WRITE,
        )
    return reason


def defects(
    workflow: Workflow, case: str, policy: Policy, waivers: Waivers, compared: CaseResult | None
) -> tuple[Finding, ...]:
    """Return the error-level findings that an approval accepts, with their waivers.

    These are the findings about the workflow alone, then the differences from its references.

    Args:
        workflow: The workflow.
        case: Name of its case.
        policy: Severities of checks.
        waivers: Findings that are accepted until a date.
        compared: The result of the gate, with waivers applied; None for the workflow alone.
    """
    alone = lint(workflow, policy.checks, waivers.of(case))
    findings = compared.findings if compared is not None else ()
    differences = (one for one in findings if is_relative(one.id))
    return tuple(one for one in (*alone, *differences) if one.severity == "error")


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
        signer: The approver. A reason is required if the workflow, alone or compared with its references, has
            error-level findings that are not waived.
        case: The result of the gate; None if the workflow has no reference yet.
        target: File to write (`Entry.target`, `Entry.replacement`, `Entry.adopted`).
        replaces: The reference to replace; the new record keeps its earlier approvals.
        gate: The gate whose policy and waivers apply; None uses the default policy and no waivers.

    Raises:
        FormatError: If no workflow can be read from the candidate.
        ConfigError: If the workflow has no steps, a required reason is missing or has fewer than three words,
            or a pattern gives the format of the candidate but not of the reference, which cannot be read without; or
            the references would not be alternatives of one workflow (see `Gate.strangers`).
            Nothing is written then.
    """
    workflow = read_entry(entry).workflow
    content = entry.content
    if not workflow.tasks:
        raise ConfigError(f"{entry.candidate}: the workflow has no steps", fix="approve a workflow with steps")
    _require_readable(entry, target, content)
    policy, waivers = (gate.policy, gate.waivers) if gate is not None else (Policy(), Waivers())
    findings = defects(workflow, entry.case, policy, waivers, case)
    errors = [finding for finding in findings if finding.waived is None]
    reason = required_reason(signer.reason, REASON_WORDS if errors else 0)
    if errors and reason is None:
        first, more = errors[0], f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise ConfigError(
            f"{entry.candidate}: an approval needs a reason: {first.message} [{first.id}]{more}",
            fix=f"fix the workflow, or give a reason of at least {REASON_WORDS} words (--reason '{WHY}', with pytest "
            f"--wfgate-reason '{WHY}'), or waive the fingerprint {first.fingerprint}",
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
    golden, free = _freed(workflow, entry, {target, replaces}, gate) if gate else (None, Contract())
    before = read_approvals(replaces) if replaces is not None else ()
    lost = _unmarked(replaces or target, workflow, entry)
    if entry.blob is not None or target.resolve() != entry.candidate.resolve():
        write_atomically(target, content)
    record(target, approval, before=before)
    if replaces is None or replaces == target:
        return Approved(target, approval, golden=golden, free=free, unmarked=lost)
    replaces.unlink(missing_ok=True)
    approvals_file(replaces).unlink(missing_ok=True)
    return Approved(target, approval, removed=replaces, golden=golden, free=free, unmarked=lost)


def _unmarked(replaced: Path, workflow: Workflow, entry: Entry) -> tuple[str, ...]:
    """Return the critical steps of a replaced reference of which the mark is gone; empty if none is."""
    try:
        tasks = expand(read_source(replaced, str(replaced), entry.formats).workflow).tasks if replaced.exists() else ()
    except FormatError:
        return ()
    marked, kept = ([task for task in each if task.critical] for each in (tasks, expand(workflow).tasks))
    same = {text for task in kept for text in (task.id, task.name)}
    lost = tuple(task.name for task in marked if task.id not in same and task.name not in same)
    return lost if len(kept) < len(marked) else ()


def _freed(
    workflow: Workflow, entry: Entry, written: Collection[Path | None], gate: Gate
) -> tuple[Workflow | None, Contract]:
    """Return the first reference after the approval, and what the approval makes free.

    If the approved workflow is the first reference, this is what it and the references beside it leave free.
    """
    references = [path for path in entry.references if path not in written]
    try:
        others = [read_source(path, str(path), gate.formats).workflow for path in references]
    except FormatError:
        return None, Contract()
    names = [str(path) for path in references]
    if not references or entry.references[0] in written:
        _require_alternatives(gate, [workflow, *others], [str(entry.candidate), *names])
        return expand(workflow), gate.contract(workflow, others)
    first, *others = others
    _require_alternatives(gate, [first, workflow], [names[0], str(entry.candidate)])
    return expand(first), gate.freedoms(first, workflow) - gate.contract(first, others)


def _require_alternatives(gate: Gate, workflows: Sequence[Workflow], names: Sequence[str]) -> None:
    first, *others = workflows
    if problem := gate.strangers(first, others, names):
        raise ConfigError(problem.text, fix=problem.fix)
