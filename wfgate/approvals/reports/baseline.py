"""The output of the commands about references: approve, pending, review, predeploy."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wfgate.approvals.approvals import Standing
from wfgate.approvals.attestation import Statement
from wfgate.approvals.deployment import Ready
from wfgate.approvals.pending import Pending
from wfgate.approvals.references import Entry
from wfgate.approvals.writing import Approved, approved_as
from wfgate.model import listed
from wfgate.read import VARIANT_MARK, workflow_name
from wfgate.rules import Finding
from wfgate.show import VERDICTS, CaseView, count, freed_lines, visible

PATH = 1000
"""Characters shown of a path."""
CAP = 12
"""Number of listed problems."""
_UNTIL = """
  predeploy accepts it once it is committed; gate --base once it is merged, or a code owner approved it"""
STANDINGS: dict[Standing, str] = {
    "approved": "approved",
    "changed": "changed since it was approved",
    "unrecorded": "no record of an approval",
}


def approved_text(done: Approved, entry: Entry, *, alone: bool) -> str:
    """Return the text about a finished approval; `alone` if a single reference file was given instead of a folder."""
    candidate, reference = entry.candidate, _path(done.reference)
    line = f"approved {_path(candidate)} as {reference}"
    if entry.blob is None and done.reference.resolve() == candidate.resolve():
        line = f"approved {_path(candidate)} as it is"
    elif done.removed is not None:
        line += f", replacing {_path(done.removed)}"
    elif done.reference in entry.references:
        line = f"approved {_path(candidate)}: it replaces {reference}"
    lines = [f"{line}, by {visible(done.approval.by)}"]
    beside = [path for path in entry.references if path not in {done.reference, done.removed}]
    if beside and VARIANT_MARK not in done.reference.stem:
        named = ", ".join(map(_path, beside))
        lines.append(f"  beside it, {named} still {'applies' if len(beside) == 1 else 'apply'}")
    if alone and VARIANT_MARK in done.reference.stem:
        name = workflow_name(done.reference.stem)
        where = f"--reference {_path(done.reference.parent)}"
        lines.append(f"  the gate finds it with {where}, for candidates named {visible(name)}")
    if done.unmarked:
        named = listed([repr(visible(name)) for name in done.unmarked], CAP)
        lines.append(
            f"  no longer marked as critical: {named}; mark it in the reference, or name it in [policy] critical"
        )
    if done.golden is not None:
        lines += [f"  {line}" for line in freed_lines(done.golden, done.free)]
    return "\n".join(lines)


def nothing_to_approve(entry: Entry) -> str:
    """Return the text that says why an approval would change nothing."""
    entry = entry.now()
    if entry.adopted is not None:
        return f"{_path(entry.candidate)} is approved already{_UNTIL}"
    if (same := approved_as(entry)) is not None:
        return f"{_path(entry.candidate)} is approved already, as {_path(same)}{_UNTIL}"
    return f"{_path(entry.candidate)} passes: nothing to approve (--replace or --variant approve it anyway)"


def not_approved(entries: Sequence[Entry], approved: int, total: int) -> str:
    """Return how many of several candidates were approved, and which were not because of an error."""
    named = ", ".join(_path(entry.candidate) for entry in entries)
    return f"{approved} of {count(total, 'candidate')} approved; not approved: {named}"


def pending_text(waits: Sequence[Pending], changed: Sequence[tuple[Path, Standing]]) -> str:
    """Return the files that need an approval, one per line, then their number."""
    lines = [f"{_called(each)} {_path(each.entry.candidate)}: {_why(each)}" for each in waits]
    lines += [f"UNAPPROVED {_path(path)}: {STANDINGS[standing]}" for path, standing in changed]
    numbers = [(len(waits), "candidate"), (len(changed), "reference")]
    total = " and ".join(count(number, noun) for number, noun in numbers if number)
    verb = "needs" if len(waits) + len(changed) == 1 else "need"
    lines.append(f"{total} {verb} an approval" if total else "nothing is pending")
    if waits:
        lines.append("  fix: wfgate review CANDIDATE... asks about each, wfgate approve CANDIDATE approves one")
    if changed:
        lines.append("  fix: wfgate approve REFERENCE approves a reference as it is")
    return "\n".join(lines)


def pending_record(waits: Sequence[Pending], changed: Sequence[tuple[Path, Standing]]) -> dict[str, Any]:
    """Return the JSON form: `wfgate.pending/1`."""
    return {
        "schema": "wfgate.pending/1",
        "candidates": [
            {
                "candidate": str(each.entry.candidate),
                "references": [str(path) for path in each.entry.references],
                "verdict": each.case.verdict,
                "reasons": [reason.message for reason in each.case.reasons],
            }
            for each in waits
        ],
        "references": [{"reference": str(path), "standing": standing} for path, standing in changed],
    }


def review_summary(done: int, total: int, *, rejected: int = 0) -> str:
    """Return the summary of a review session."""
    if not total:
        return "nothing is pending"
    left = total - done - rejected
    parts = [f"{done} of {count(total, 'candidate')} approved"]
    parts += (
        [f"{rejected} rejected: generate or correct {'it' if rejected == 1 else 'them'} again"] if rejected else []
    )
    return ", ".join([*parts, *([f"{left} left"] if left and rejected else [])])


def defects_text(findings: Sequence[Finding]) -> str:
    """Return the text about error-level findings of a workflow that the user wants to approve, alone or compared."""
    lines = [f"  - {visible(finding.message)} [{finding.id}]" for finding in findings]
    return "\n".join(["The candidate has errors:", *lines])


def ready_text(ready: Ready, candidate: Path, attestation: Path | None) -> str:
    """Return the text that says whether a file may be deployed, and if not, why."""
    state = "NOT READY" if ready.problems else "READY"
    headline = f"{state} {_path(candidate)}: {VERDICTS[ready.case.verdict]}"
    lines = [headline + (f" against {visible(ready.case.golden)}" if ready.case.error is None else "")]
    lines += [f"  - {visible(problem, 700)}" for problem in ready.problems[:CAP]]
    if len(ready.problems) > CAP:
        lines.append(f"  - and {len(ready.problems) - CAP} more")
    lines += [
        f"  {visible(one.reason.message, 700)} [{one.reason.rule}]; {visible(one.waiver or '', 700)}"
        for one in CaseView(ready.case).waived
    ]
    if ready.problems:
        only = ready.case.verdict == "pass" and len(ready.problems) == len(ready.unapproved)
        files = " ".join(visible(shlex.quote(str(path)), PATH) for path in ready.unapproved)
        how = f"wfgate approve {files}" if only else "undo the changes, or review and approve them: wfgate review"
        lines.append(f"  fix: {how}")
    return "\n".join([*lines, *([f"Attestation: {_path(attestation)}"] if attestation else [])])


def verified_text(statement: Statement, file: Path, problems: Sequence[str]) -> str:
    """Return the text that says whether a file is the file that an attestation is about."""
    if problems:
        return "\n".join([f"NOT VERIFIED {_path(file)}", *(f"  - {visible(problem, 700)}" for problem in problems)])
    facts = statement.predicate.facts
    verdict = f"{facts.verdict} by wfgate {facts.version} at {facts.at.isoformat()}"
    return f"VERIFIED {_path(file)}: its content was gated ({visible(verdict)})"


def _called(each: Pending) -> str:
    return "NEW" if each.new else VERDICTS[each.case.verdict]


def _why(each: Pending) -> str:
    return "its workflow has no reference yet" if each.new else visible(CaseView(each.case).headline, 700)


def _path(path: Path) -> str:
    return visible(str(path), PATH)
