"""`wfgate review`."""

import os
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace as replace_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wfgate.cli.approve import Candidates, SignedBy, approve_entry, hint_at_person
from wfgate.cli.options import ConfigFile, FormatName, ProfileFile, ReferencePath, gate_of, reference_of, settings
from wfgate.cli.output import columns, emit, note, use_color

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wfgate.approvals import Pending, Signer
    from wfgate.run import Gate

_KEYS = {
    "a": "accept",
    "v": "variant",
    "r": "reject",
    "s": "skip",
    "d": "whole difference",
    "q": "quit",
    "?": "help",
}


def review(
    candidates: Candidates,
    reference: ReferencePath = None,
    by: SignedBy = None,
    profile: ProfileFile = None,
    config: ConfigFile = None,
    format_id: FormatName = None,
) -> None:
    """Review the candidates that wait for approval, one after the other, with golden and candidate side by side.

    Keys: a accepts (the candidate becomes the reference, or replaces it), v adds it as a variant beside the reference,
    r rejects, s skips, d shows the whole difference, q quits, ? explains the keys. Only a and v write. Exit codes: 0
    all candidates were approved, 1 at least one was not.

    Example: wfgate review generated/ --reference approved/
    """
    from wfgate.approvals import pending_candidates, refuse_in_ci, review_summary, signer

    refuse_in_ci("wfgate review", os.environ)
    _require_terminal(candidates, reference)
    loaded = settings(config, profile=profile, format_id=format_id)
    place = reference_of(reference, loaded)
    gate = gate_of(loaded, keep_pairs=True)
    waits = pending_candidates(candidates, place, gate)
    who = signer(by, place, datetime.now(tz=UTC), os.environ)
    taken: Counter[str] = Counter()
    for number, each in enumerate(waits, start=1):
        _show(each, number, len(waits))
        answer = _decided(each, gate, who)
        taken[answer] += 1
        if answer == "q":
            break
    done = taken["a"] + taken["v"]
    if done:
        hint_at_person(who)
    emit(review_summary(done, len(waits), rejected=taken["r"]), None)
    if done < len(waits):
        raise typer.Exit(1)


def _require_terminal(candidates: "Sequence[Path]", reference: Path | None) -> None:
    """Check that there is a person to ask.

    Raises:
        ConfigError: If standard input is not a terminal.
    """
    from shlex import quote

    from wfgate.decide import REASON
    from wfgate.errors import ConfigError

    if sys.stdin.isatty():
        return
    given = " ".join(quote(str(path)) for path in candidates)
    where = f" --reference {quote(str(reference))}" if reference is not None else ""
    raise ConfigError(
        "wfgate review asks at a terminal, and standard input is none",
        fix=f"run it at a terminal; or `wfgate pending {given}{where}` lists what waits, and "
        f"`wfgate approve FILE{where}{REASON}` accepts a file",
    )


def _show(each: "Pending", number: int, total: int) -> None:
    from wfgate.approvals import read_entry, review_text
    from wfgate.errors import FormatError

    new = None
    with suppress(FormatError):  # the case reports the error
        new = read_entry(each.entry).workflow if each.new else None
    shown = review_text(each.case, new, width=columns(), color=use_color())
    emit(f"\n[{number} of {total}]\n{shown}\n", None)


def _decided(each: "Pending", gate: "Gate", who: "Signer") -> str:
    """Ask until one of the keys a, v, r, s and q is chosen, and write what it says; return the key.

    The end of the input counts as "quit".
    """
    from wfgate.approvals import difference_text, keys_text

    known = {key: name for key, name in _KEYS.items() if key not in ({"v", "d"} if each.new else ())}
    question = ", ".join(f"{key} {name}" for key, name in known.items())
    while True:
        answer = (_asked(f"{question}: ") or "q").lower()
        key = next((key for key, name in known.items() if answer in {key, name}), None)
        if key == "?":
            emit(keys_text(each.entry.now(), columns()), None)
        elif key == "d":
            emit(difference_text(each.entry, each.case, width=columns(), color=use_color()), None)
        elif key is None:
            emit(f"type {', '.join(list(known)[:-1])} or ?, which explains them", None)
        elif key not in {"a", "v"} or _approved(each, gate, who, further=key == "v"):
            return key


def _approved(each: "Pending", gate: "Gate", who: "Signer", *, further: bool) -> bool:
    """Approve a candidate and return whether it was approved.

    The function asks for a reason if one is needed.
    """
    from wfgate.approvals import approved_text, defects, defects_text, read_entry
    from wfgate.errors import WfgateError

    entry = each.entry.now()
    try:
        workflow = read_entry(entry).workflow
        marked = defects(workflow, entry.case, gate.policy, gate.waivers, each.case)
        open_findings = [finding for finding in marked if finding.waived is None]
        if open_findings:
            emit(defects_text(open_findings), None)
            if (reason := _reason()) is None:
                emit("not approved", None)
                return False
            who = replace_fields(who, reason=reason)
        done = approve_entry(entry, gate, who, variant=entry.free_variant if further else None)
    except WfgateError as error:
        note(f"not approved: {error.text}", error.fix)
        return False
    if done is not None:
        emit(approved_text(done, entry, alone=False), None)
    return True


def _reason() -> str | None:
    """Ask for a reason until it has enough words; None if there is none."""
    from wfgate.approvals import required_reason
    from wfgate.errors import ConfigError

    while True:
        try:
            return required_reason(_asked("Why is this change right? (at least three words; empty: do not approve) "))
        except ConfigError as error:
            emit(error.message, None)


def _asked(question: str) -> str | None:
    """Return the user's answer to a question; None if the input has ended, or an empty answer."""
    sys.stdout.write(question)
    sys.stdout.flush()
    return sys.stdin.readline().strip() or None
