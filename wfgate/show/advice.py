"""Advice about a case: what the user can do next, as sentences with their commands as values. Not escaped yet."""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Self

from wfgate.decide import ALL, COMMAND, REASON, CaseResult, GateResult, claimants, command_line
from wfgate.read import APPROVALS, workflow_name
from wfgate.rules import CHECKS
from wfgate.show.escape import visible
from wfgate.show.wording import fails, is_file

_NONE = "none"
"""Name of a golden or candidate that does not exist."""
TO_ACCEPT = "To accept this change"
TO_FIX = "To fix this"
TO_DECIDE = "To decide"
LISTED = 50
"""Cases that one command names at most."""
_OWNER = "a code owner approves the pull request (`--approved-by`), or once it is merged"
"""When an approval in a pull request counts if references are read from the base revision."""


@dataclass(frozen=True)
class Command:
    """What is to be copied as it is: a command for a shell, or a comment on a pull request."""

    line: str

    def __str__(self) -> str:
        """Return the line."""
        return self.line


@dataclass(frozen=True)
class Advice:
    """Something to do, in words.

    Attributes:
        parts: The words and the commands among them, in their order. Backticks in the words mark code.
    """

    parts: tuple[str | Command, ...]

    @classmethod
    def of(cls, *parts: "str | Command | Advice") -> Self:
        """Return a sentence of these parts."""
        flat = (piece for part in parts for piece in (part.parts if isinstance(part, Advice) else (part,)))
        return cls(tuple(piece for piece in flat if piece))

    def __str__(self) -> str:
        """Return the sentence."""
        return "".join(map(str, self.parts))

    @property
    def is_comment(self) -> bool:
        """Whether it is nothing but a comment on a pull request."""
        return str(self).startswith(COMMAND)


def todo_words(case: CaseResult, result: GateResult) -> list[Advice]:
    """Return what the user can do next, one sentence per action; empty if the case passes."""
    if case.verdict == "pass":
        return []
    if case.verdict == "inconclusive":
        return [*_accept_words(case, result), *_todo_inconclusive(case, result)]
    sentences = next_words(case, result)
    if (
        not _only_calls(case)
        and not _in_place(case)
        and result.base is not None
        and (files := _files(case)) is not None
    ):
        sentences.append(
            Advice.of(
                "or merge the approval first, in a pull request of its own: on a branch of the base, with BRANCH for "
                "the branch of this change, ",
                Command(_approving(case, result, files, " --from-rev BRANCH")),
            )
        )
    if not _only_calls(case) and (beside := _beside(case, result)) is not None:
        said = "or keep the reference and add this one beside it, which makes free what the two do differently: "
        sentences.append(Advice.of(said, beside))
    sentences += map(Advice.of, order_words(case))
    if not result.policy.fails(case.verdict):
        policy = f"policy: fail_on = {json.dumps(result.policy.fail_on)}"
        sentences.append(Advice.of(f"a {case.verdict} does not fail the build ({policy})"))
    rules = rules_named(case)
    if rules:
        others = f" (likewise {', '.join(rules[1:])})" if len(rules) > 1 else ""
        sentences.append(Advice.of("to see what a rule means: ", _explain(rules[0]), others))
    return sentences


def next_words(case: CaseResult, result: GateResult) -> list[Advice]:
    """Return how to accept the change, or to fix what cannot be read, and why an approval has no effect yet.

    Empty if the case passes.
    """
    if case.verdict == "pass":
        return []
    if case.accepted is not None:
        return [*_accepted_words(case, result)]
    if case.verdict == "inconclusive":
        how = TO_DECIDE if case.why_not_compared is None else TO_FIX
        here = _accept_words(case, result)
        return [Advice.of(f"{how}: ", _todo_inconclusive(case, result)[0]), *_only_the_base(case, result), *here]
    return _intended_words(case, result)


def together_words(result: GateResult) -> list[Advice]:
    """Return how to accept all cases at once: a comment, and a command for each folder of references.

    Empty where this would be about one case, which has its own line.
    """
    return [*_together_in_comment(result), *_together_in_files(result)]


def _together_in_comment(result: GateResult) -> Iterator[Advice]:
    head = result.base.head if result.base is not None else None
    cases = [case for case in result.cases if case.accepted is None and any(_accept_words(case, result))]
    groups = [(case, result.group_of(case.id)) for case in cases]
    names = list(dict.fromkeys(case.id if group is None else group.id for case, group in groups))
    if head is None or len(names) < 2 or any(visible(name, len(name)) != name for name in names):
        return
    known = {case.id for case in result.cases} | {group.id for group in result.samples}
    if len(names) > LISTED and ALL in known:
        return
    yield Advice.of(f"To accept all {len(names):,} cases that fail: a code owner writes this comment:")
    yield Advice.of(Command(command_line(names if len(names) <= LISTED else [ALL], head)))


def _together_in_files(result: GateResult) -> Iterator[Advice]:
    """Yield the commands for the cases to review; blocked ones are accepted one by one, not in the same paste.

    Cases that would replace the same reference, such as samples, have lines of their own, too.
    """
    homes: defaultdict[str, defaultdict[str, list[CaseResult]]] = defaultdict(lambda: defaultdict(list))
    for case in result.cases:
        if (home := _home(case, result)) is not None:
            homes[home][workflow_name(PurePath(case.candidate).stem)].append(case)
    for home, names in homes.items():
        cases = [several[0] for several in names.values() if len(several) == 1 and several[0].verdict != "block"]
        if not 1 < len(cases) <= LISTED:
            continue
        files = " ".join(_argument(case.candidate) or "" for case in cases)
        why = REASON * any(case.golden == _NONE or _has_errors(case) for case in cases)
        where = f" with references in {home}" * (len(homes) > 1)
        blocked = " (not those that are blocked)" * any(case.verdict == "block" for case in result.cases)
        said = f"To accept all {len(cases)} to review{where}{blocked}"
        if result.base is not None and result.base.head is not None:
            said = f"To make all {len(cases)} to review{where} references as well{blocked}"
        yield Advice.of(f"{said}: ", Command(f"wfgate approve {files} --reference {home}{why}"))


def _home(case: CaseResult, result: GateResult) -> str | None:
    """Return the folder with which a command for several files approves this one; None if there is none."""
    new = case.golden == _NONE and is_file(case.candidate) and case.content is not None
    decided = case.error is None and case.verdict in {"block", "review"} and _files(case) is not None
    if not (new or decided) or _argument(case.candidate) is None or _only_calls(case):
        return None
    if _approved_here(case, result) is not None or (_in_place(case) and result.base and result.base.head):
        return None
    if new:
        return _argument(str(PurePath(result.reference) / PurePath(case.id).parent)) if result.reference else None
    names = {workflow_name(PurePath(path).stem) for path in (case.golden, case.candidate)}
    return _argument(str(PurePath(case.golden).parent)) if len(names) == 1 else None


def _has_errors(case: CaseResult) -> bool:
    """Return whether an approval needs a reason: the same findings as `wfgate.approvals.writing.defects`."""
    return any(finding.severity == "error" and finding.waived is None for finding in case.findings)


def _intended_words(case: CaseResult, result: GateResult) -> list[Advice]:
    """Return how to accept a change that is intended."""
    if _only_calls(case):
        called = f"{TO_ACCEPT}: let somebody approve the change of the called files; it counts once {_OWNER}"
        return [Advice.of(called)]
    if accept := [*_accept_words(case, result)]:
        return [*accept, *_keep_words(case, result), *_only_the_base(case, result)]
    if (approved := _approved_here(case, result)) is not None:
        return [Advice.of(f"{TO_ACCEPT}: {approved} has these bytes; it counts once {_OWNER}")]
    first = Advice.of(f"{TO_ACCEPT}: ", _approve(case, result))
    why = [_still(case)] if case.copied else []
    if result.base is not None and _files(case) is not None:
        counts = f"commit the reference and the record that it writes; the approval counts once {_OWNER}"
        why.append(Advice.of(counts))
    return [first, *why, *_only_the_base(case, result)]


def _only_calls(case: CaseResult) -> bool:
    """Return whether changed called files are the only cause: no approval of the workflow changes that.

    They are if nothing else is a reason, and if the workflow has the bytes of its only reference.
    """
    called = [reason.rule == "called-file" for reason in case.reasons]
    return any(called) and (all(called) or (case.content is not None and case.content == case.golden_content))


def _accept_words(case: CaseResult, result: GateResult) -> Iterator[Advice]:
    """Yield how to accept a case in its pull request, if acceptances are read and its name can be written.

    The commit is that of the pull request, so that what is pushed later is not accepted with it.
    """
    head = result.base.head if result.base is not None else None
    name = visible(case.id, len(case.id))
    if head is None or case.content is None or name != case.id or not fails(case, result):
        return
    yield Advice.of(f"{TO_ACCEPT}: a code owner writes this comment (an approving review accepts every case):")
    yield Advice.of(Command(command_line([case.id], head)))


def _accepted_words(case: CaseResult, result: GateResult) -> Iterator[Advice]:
    """Yield who accepted a case where, and what is left to do."""
    if case.accepted is not None:
        how = {"review": "approving review", "comment": "comment"}[case.accepted.how]
        said = f"accepted by {case.accepted.by} ({how}), so this pull request needs no more"
        yield Advice.of(f"{said}: {case.accepted.url}" if case.accepted.url else f"{said}.")
        yield from _keep_words(case, result)


def _keep_words(case: CaseResult, result: GateResult) -> Iterator[Advice]:
    """Yield how to make an accepted candidate the reference, without which the next pull request is blocked again."""
    if _files(case) is not None and not _in_place(case) and _approved_here(case, result) is None:
        again = {"block": "blocked", "review": "reviewed"}.get(case.verdict, "undecided")
        said = f"commit the files that this writes, or the next pull request is {again} again: "
        yield Advice.of(said, _approve(case, result))


def _still(case: CaseResult) -> Advice:
    """Return why a case does not pass although its bytes are those of a reference."""
    golden = visible(case.golden, 200)
    words = f"these bytes are a further reference already, but {golden} still requires what they lack, so replace it"
    return Advice.of(words)


def _approved_here(case: CaseResult, result: GateResult) -> str | None:
    """Return the reference with an approval in this change that has the bytes of the candidate; None without one."""
    if result.base is None or case.content is None:
        return None
    changed = {change.path for change in result.base.changed}
    here = (change for change in result.base.changed if change.content == case.content and change.kind == "reference")
    records = {path.removesuffix(APPROVALS) for path in changed if path.endswith(APPROVALS)}
    return next((visible(change.path, 200) for change in here if change.path in records), None)


def rules_named(case: CaseResult) -> list[str]:
    """Return the ids of the checks whose findings are reasons, without duplicates."""
    return list(dict.fromkeys(reason.rule for reason in case.reasons if reason.fingerprint))


def _todo_inconclusive(case: CaseResult, result: GateResult) -> list[Advice]:
    problem = case.why_not_compared
    if problem is not None:
        sentences = [Advice.of(problem.fix or _todo_alone(case, result))]
        sentences += _only_the_base(case, result)
    else:
        sentences = [Advice.of("compare the two workflows yourself: the statistics cannot decide")]
    lenient = 'policy: fail_on = "none"' if result.policy.is_audit else "policy: inconclusive_blocks = false"
    fail = "an inconclusive case fails the build (policy: inconclusive_blocks = true)"
    said = fail if fails(case, result) else f"an inconclusive case does not fail the build ({lenient})"
    return [*sentences, Advice.of(said)]


def _todo_alone(case: CaseResult, result: GateResult) -> str | Advice:
    """Return what the user can do about a golden without a candidate, or a candidate without a golden."""
    based = result.base is not None
    if case.golden == _NONE and is_file(case.candidate):
        new = _argument(case.candidate) or "its file"
        home = _argument(str(PurePath(result.reference) / PurePath(case.id).parent)) if result.reference else None
        approve = Command(f"wfgate approve {new}{f' --reference {home}' if home else ''}")
        counts = f", with{REASON} if it has errors{f'; it counts once {_OWNER}' * based}"
        return Advice.of("if the workflow is new, approve its first reference: ", approve, counts)
    if case.candidate == _NONE and is_file(case.golden):
        counts = f"; that counts once {_OWNER}" * based
        return f"generate it again, or, if the workflow was removed, delete its reference {case.golden}{counts}"
    return "fix the file or the path named above, and run the gate again"


def _only_the_base(case: CaseResult, result: GateResult) -> Iterator[Advice]:
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
            yield Advice.of(f"{change.path} is {change.change} here, but references are read from {base.ref}")
            return


def _in_place(case: CaseResult) -> bool:
    """Return whether a candidate is compared with itself at the base revision."""
    return case.golden == case.candidate


def _approve(case: CaseResult, result: GateResult) -> str | Command:
    """Return the command after which the candidate is the golden, or what to do if there is none."""
    files = _files(case)
    if files is None:
        return "`wfgate approve` its file, or add it to the list `golden` of the case in the suite"
    return Command(_approving(case, result, files))


def _approving(case: CaseResult, result: GateResult, files: tuple[str, str], option: str = "") -> str:
    """Return the command after which the candidate is the golden.

    Args:
        case: The case.
        result: The run.
        files: Golden and candidate.
        option: A further option of the command.
    """
    golden, candidate = files
    gone = result.base is not None and any(
        change.change == "removed" and f"/{change.path}".endswith(f"/{case.golden}") for change in result.base.changed
    )
    home = _argument(str(PurePath(case.golden).parent)) if gone else None
    where = f"--reference {home}" if home else f"--replace {golden}"
    if _in_place(case):
        where = f"--reference {golden}"
    return f"wfgate approve {candidate} {where}{option}{REASON * _has_errors(case)}"


def _beside(case: CaseResult, result: GateResult) -> Command | None:
    """Return the command that adds the candidate as a further reference; None if that does not let it pass.

    A lost critical step stays required beside the first reference. In a file of another name nothing finds a variant.
    """
    golden, candidate = (workflow_name(PurePath(path).stem) for path in (case.golden, case.candidate))
    by_name = golden == candidate and case.golden != result.reference and not _in_place(case)
    lost = case.copied or any(reason.lost_critical for reason in case.reasons)
    files = _files(case)
    if files is None or not by_name or lost or (home := _argument(str(PurePath(case.golden).parent))) is None:
        return None
    approve = _approving(case, result, files)
    return Command(approve.replace(f"--replace {files[0]}", f"--reference {home} --variant"))


def _files(case: CaseResult) -> tuple[str, str] | None:
    """Return golden and candidate as shell arguments; None if either is not a file or has a deceptive name."""
    if not is_file(case.golden) or not is_file(case.candidate):
        return None
    golden, candidate = _argument(case.golden), _argument(case.candidate)
    return None if golden is None or candidate is None else (golden, candidate)


def commands(case: CaseResult, result: GateResult) -> list[tuple[str, Command]]:
    """Return shell commands that the user can run next, each with its purpose.

    File names with control characters are not put into commands.
    """
    named = [(f"What {rule} means and how to fix it", _explain(rule)) for rule in rules_named(case)[:5]]
    files = _files(case)
    if files is None or case.error is not None:
        return named
    approve = accept_command(case, result)
    accept = [("Accept the change", approve)] if approve is not None else []
    return [("See both side by side", Command(f"wfgate diff {files[0]} {files[1]}")), *accept, *named]


def accept_command(case: CaseResult, result: GateResult) -> Command | None:
    """Return the command that makes the candidate the reference; None if there is none or it is not needed."""
    files = _files(case)
    if files is None or case.error is not None or case.verdict == "pass" or _only_calls(case):
        return None
    return None if _approved_here(case, result) is not None else Command(_approving(case, result, files))


def _explain(rule: str) -> Command:
    return Command(f"wfgate explain {rule}")


def waiver_entries(case: CaseResult) -> str | None:
    """Return the lines for `wfgate-waivers.toml` that waive the reasons of a block; None if waivers cannot.

    Reason, owner and expiry date are empty. The user has to fill them in; the gate refuses empty values.
    """
    entries = {
        reason.fingerprint: (reason.rule, reason.message)
        for reason in case.reasons
        if reason.fingerprint and reason.waiver is None and getattr(CHECKS.get(reason.rule), "waivable", True)
    }
    entries = dict(list(entries.items())[:5])
    # A waiver does not cover what its finding claims, such as the values of a step: these are no reasons of their own.
    claimed = claimants(case.findings)
    entries |= {
        finding.fingerprint: (finding.id, finding.message)
        for finding in case.findings
        if finding.fingerprint in claimed and finding.is_open and finding.waived is None
    }
    if case.verdict != "block" or not entries or visible(case.id, len(case.id)) != case.id:
        return None
    return "\n\n".join(
        f"# {rule}: {visible(message, 200)}\n[[waiver]]\n"
        f'fingerprint = "{key}"\ncase = {json.dumps(case.id, ensure_ascii=False)}\n'
        'reason = ""           # why it is acceptable\nowner = ""            # who is responsible\n'
        "expires = 2000-01-01  # the last day on which it is valid"
        for key, (rule, message) in entries.items()
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
            "or `needs` in golden and candidate; or approve this order too, as a variant "
            "(`wfgate contract` shows what is then free)"
        )
