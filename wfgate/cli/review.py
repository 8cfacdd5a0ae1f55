"""`wfgate review`."""

import os
import sys
from contextlib import suppress
from dataclasses import replace as replace_fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer

from wfgate.cli.approve import Candidates, SignedBy, approve_entry, hint_at_person
from wfgate.cli.options import (
    ConfigFile,
    FormatName,
    ProfileFile,
    ReferencePath,
    columns,
    emit,
    gate_of,
    note,
    reference_of,
    settings,
    use_color,
)

if TYPE_CHECKING:
    from wfgate.baseline import Pending, Signer
    from wfgate.gating import Gate

_CHOICES = {"a": "approve", "r": "replace", "n": "no", "q": "quit"}


def review(
    candidates: Candidates,
    reference: ReferencePath = None,
    by: SignedBy = None,
    profile: ProfileFile = None,
    config: ConfigFile = None,
    format_id: FormatName = None,
) -> None:
    """Review the candidates that wait for approval, one after the other, with golden and candidate side by side.

    Each candidate can be approved as a new reference or variant, replace the reference, or be rejected. If a candidate
    is rejected, nothing is written. Exit codes: 0 all candidates were approved, 1 at least one was not.

    Example: wfgate review generated/ --reference approved/
    """
    from wfgate.baseline import pending_candidates
    from wfgate.baseline.signing import refuse_in_ci, signer
    from wfgate.report.baseline import review_summary

    refuse_in_ci("wfgate review", os.environ)
    found = settings(config, profile=profile, format_id=format_id)
    place = reference_of(reference, found)
    gate = gate_of(found, keep_pairs=True)
    waits, who, done = (
        pending_candidates(candidates, place, gate),
        signer(by, place, datetime.now(tz=UTC), os.environ),
        0,
    )
    for number, each in enumerate(waits, start=1):
        _show(each, number, len(waits))
        choice = _choice(replaceable=not each.new and each.case.error is None)
        if choice == "q":
            break
        if choice != "n":
            done += _approved(each, gate, who, replace=choice == "r")
    if done:
        hint_at_person(who)
    emit(review_summary(done, len(waits)), None)
    if done < len(waits):
        raise typer.Exit(1)


def _show(each: "Pending", number: int, total: int) -> None:
    from wfgate.baseline import read_entry
    from wfgate.errors import FormatError
    from wfgate.report.review import review_text

    new = None
    with suppress(FormatError):  # the case reports the error
        new = read_entry(each.entry).workflow if each.new else None
    shown = review_text(each.case, new, width=columns(), color=use_color())
    emit(f"\n[{number} of {total}]\n{shown}\n", None)


def _choice(*, replaceable: bool) -> str:
    """Ask until the answer is valid. The end of the input counts as "quit"."""
    known = [key for key in _CHOICES if key != "r" or replaceable]
    words = ", ".join(f"[{key}]{_CHOICES[key][1:]}" for key in known)
    while True:
        answer = _asked(f"{words}? ")
        if answer is None:
            return "q"
        word = answer.lower()
        if word[:1] in known and word in {word[:1], _CHOICES[word[:1]]}:
            return word[0]
        emit(f"type {', '.join(known[:-1])} or {known[-1]}, or the whole word", None)


def _approved(each: "Pending", gate: "Gate", who: "Signer", *, replace: bool) -> bool:
    """Approve a candidate and return whether it was approved.

    The function asks for a reason if one is needed.
    """
    from wfgate.baseline import defects, read_entry
    from wfgate.errors import WfgateError
    from wfgate.report.baseline import approved_text, defects_text

    try:
        workflow = read_entry(each.entry).workflow
        marked = defects(workflow, each.entry.case, gate.policy, gate.waivers, each.case)
        found = [finding for finding in marked if finding.waived is None]
        if found:
            emit(defects_text(found), None)
            who = replace_fields(who, reason=_asked("Why is this change right? (empty: do not approve) "))
        done = approve_entry(each.entry, gate, who, variant=None, replace=replace)
    except WfgateError as error:
        note(f"not approved: {error.text}", error.fix)
        return False
    if done is not None:
        emit(approved_text(done, each.entry.candidate, alone=False), None)
    return True


def _asked(question: str) -> str | None:
    """Return the user's answer to a question; None if the input has ended."""
    sys.stdout.write(question)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not sys.stdin.isatty():  # nobody pressed return
        sys.stdout.write("\n")
        sys.stdout.flush()
    return line.strip() if line else None
