"""Advice about a case: what the user can do next, as sentences and as shell commands."""

import json
import shlex
from collections.abc import Iterator
from pathlib import PurePath

from wfgate.checks import CHECKS
from wfgate.formats.folders import workflow_name
from wfgate.gating import CaseResult, GateResult
from wfgate.gating.claims import claimants
from wfgate.report.escape import visible
from wfgate.report.wording import fails, is_file

_FIRST = "in a separate pull request, and merge that first"
"""Needed if references are read from the base revision."""
_NONE = "none"
"""Name of a golden or candidate that does not exist."""


def todo_words(case: CaseResult, result: GateResult) -> list[str]:
    """Return what the user can do next, one sentence per action; empty if the case passes."""
    if case.verdict == "pass":
        return []
    if case.verdict == "inconclusive":
        return _todo_inconclusive(case, result)
    sentences = [f"{_undo(case)}, approve {_as(case, result)}{_where(result)}: {_approve(case, result)}"]
    sentences += _only_the_base(case, result)
    sentences += order_words(case)
    if case.verdict == "review" and not result.policy.review_blocks:
        sentences.append("a review does not fail the build (policy: review_blocks = false)")
    rules = rules_named(case)
    if rules:
        others = f" (likewise {', '.join(rules[1:])})" if len(rules) > 1 else ""
        sentences.append(f"to see what a rule means: wfgate explain {rules[0]}{others}")
    return sentences


def next_words(case: CaseResult, result: GateResult) -> list[str]:
    """Return the first thing to do, in short, and why a changed reference has no effect; empty if the case passes."""
    if case.verdict == "pass":
        return []
    if case.verdict == "inconclusive":
        return [_todo_inconclusive(case, result)[0], *_only_the_base(case, result)]
    where = f", approve{_where(result)}" * (result.base is not None)
    return [f"{_undo(case)}{where}: {_approve(case, result)}", *_only_the_base(case, result)]


def _undo(case: CaseResult) -> str:
    return f"{'' if case.verdict == 'block' else 'check, then '}undo, or, if intended"


def rules_named(case: CaseResult) -> list[str]:
    """Return the ids of the checks whose findings are reasons, without duplicates."""
    return list(dict.fromkeys(reason.rule for reason in case.reasons if reason.fingerprint))


def _todo_inconclusive(case: CaseResult, result: GateResult) -> list[str]:
    problem = case.why_not_compared
    if problem is not None:
        sentences = [problem.fix or _todo_alone(case, result)]
        sentences += _only_the_base(case, result)
    else:
        sentences = ["compare the two workflows yourself: the statistics cannot decide"]
    lenient = "policy: inconclusive_blocks = false"
    return [
        *sentences,
        "an inconclusive case fails the build (policy: inconclusive_blocks = true)"
        if fails(case, result)
        else f"an inconclusive case does not fail the build ({lenient})",
    ]


def _todo_alone(case: CaseResult, result: GateResult) -> str:
    """Return what the user can do about a golden without a candidate, or a candidate without a golden."""
    where = _where(result)
    if case.golden == _NONE and is_file(case.candidate):
        new = _argument(case.candidate) or "its file"
        home = _argument(str(PurePath(result.reference) / PurePath(case.id).parent)) if result.reference else None
        given = f"{f' --reference {home}' if home else ''}, with --reason TEXT if it has errors"
        return f"if the workflow is new, approve its first reference{where}: wfgate approve {new}{given}"
    if case.candidate == _NONE and is_file(case.golden):
        return f"if the workflow was removed, delete its reference{where}: {case.golden}; otherwise generate it again"
    return "fix the file or the path named above, and run the gate again"


def _only_the_base(case: CaseResult, result: GateResult) -> Iterator[str]:
    """Yield a sentence if the pull request changes a reference of the case: why the change has no effect yet."""
    base = result.base
    if base is None:
        return
    end = f"/{workflow_name(case.id)}"
    for change in base.changed:
        if change.kind != "reference" or change.approved_by or not is_file(change.path):
            continue
        reference = workflow_name(PurePath(change.path).with_suffix("").as_posix())
        if f"/{reference}".endswith(end):
            yield f"{change.path} is {change.change} here, but references are read from {base.ref}"
            return


def _where(result: GateResult) -> str:
    return "" if result.base is None else f" {_FIRST}"


def _by_name(case: CaseResult, result: GateResult) -> bool:
    """Return whether the candidate finds its reference by its name in a folder, which may contain variants."""
    golden, candidate = (workflow_name(PurePath(path).stem) for path in (case.golden, case.candidate))
    return golden == candidate and case.golden != result.reference


def _replaces(case: CaseResult, result: GateResult) -> bool:
    """Return whether a candidate is approved in place of its golden: a lost critical step stays demanded beside it."""
    return not _by_name(case, result) or any(reason.lost_critical for reason in case.reasons)


def _as(case: CaseResult, result: GateResult) -> str:
    return "in place of its reference" if _replaces(case, result) else "as a further reference"


def _approve(case: CaseResult, result: GateResult) -> str:
    files = _files(case)
    if files is None:
        return "`wfgate approve` its file, or add it to the list `golden` of the case in the suite"
    # The same findings as `wfgate.baseline.approve.defects`, which refuses to approve them without a reason.
    errors = any(finding.severity == "error" and finding.waived is None for finding in case.findings)
    folder = _argument(str(PurePath(case.golden).parent)) if _by_name(case, result) else None
    home = (folder or files[0]) + " --replace" * _replaces(case, result)
    return f"wfgate approve {files[1]} --reference {home}{' --reason TEXT' * errors}"


def _files(case: CaseResult) -> tuple[str, str] | None:
    """Return golden and candidate as shell arguments; None if either is not a file or has a deceptive name."""
    if not is_file(case.golden) or not is_file(case.candidate):
        return None
    golden, candidate = _argument(case.golden), _argument(case.candidate)
    return None if golden is None or candidate is None else (golden, candidate)


def commands(case: CaseResult, result: GateResult) -> list[tuple[str, str]]:
    """Return shell commands that the user can run next, each with its purpose.

    File names with control characters are not put into commands.
    """
    found = []
    files = _files(case)
    if files is not None and case.error is None:
        found.append(("See both side by side", f"wfgate diff {files[0]} {files[1]}"))
        if case.verdict != "pass":
            found.append((f"Approve the change {_as(case, result)}{_where(result)}", _approve(case, result)))
    found += [(f"What {rule} means and how to fix it", f"wfgate explain {rule}") for rule in rules_named(case)[:5]]
    return found


def waiver_entries(case: CaseResult) -> str | None:
    """Return the lines for `wfgate-waivers.toml` that waive the reasons of a block; None if waivers cannot.

    Reason, owner and expiry date are empty. The user has to fill them in; the gate refuses empty values.
    """
    found = {
        reason.fingerprint: (reason.rule, reason.message)
        for reason in case.reasons
        if reason.fingerprint and reason.waiver is None and CHECKS[reason.rule].waivable
    }
    found = dict(list(found.items())[:5])
    # A waiver for a step does not cover its values, which are no reasons of their own.
    claimed = claimants(case.findings)
    found |= {
        finding.fingerprint: (finding.id, finding.message)
        for finding in case.findings
        if finding.fingerprint in claimed and finding.is_open and finding.waived is None
    }
    if case.verdict != "block" or not found or visible(case.id, len(case.id)) != case.id:
        return None
    return "\n\n".join(
        f"# {rule}: {visible(message, 200)}\n[[waiver]]\n"
        f'fingerprint = "{key}"\ncase = {json.dumps(case.id, ensure_ascii=False)}\n'
        'reason = ""           # why it is acceptable\nowner = ""            # who is responsible\n'
        "expires = 2000-01-01  # the last day on which it is valid"
        for key, (rule, message) in found.items()
    )


def _argument(path: str) -> str | None:
    r"""Return a path quoted as one shell argument; None if it contains control characters or deceptive characters.

    Example:
        >>> _argument("out/a b.yaml"), _argument("-rf.yaml"), _argument("a\x1b[31m.yaml")
        ("'out/a b.yaml'", './-rf.yaml', None)
    """
    if visible(path, len(path)) != path:
        return None
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def order_words(case: CaseResult) -> Iterator[str]:
    """Yield how to declare steps independent, if the only reasons are steps in another order than in the golden."""
    rules = set(rules_named(case))
    if rules and rules <= {"WR203", "WR205"}:
        yield (
            "if the steps are independent, say so: `any_order: true` at a step of a native golden; `[P]` (Markdown) "
            "or `needs` in golden and candidate; or approve this order too (`wfgate contract` shows what is then free)"
        )
