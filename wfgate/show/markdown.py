"""The report for job summaries and comments on pull requests."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from wfgate.decide import COMMAND, CaseResult, GateResult, Reason, Verdict
from wfgate.rules import Finding
from wfgate.show import advice, brief, comparison, wording
from wfgate.show.base import Reporter
from wfgate.show.escape import markdown_text, visible
from wfgate.show.mermaid import mermaid_diff
from wfgate.show.samples import against_words, sample_words
from wfgate.show.steps import STATES, step_rows, unnamed_steps
from wfgate.show.text import metric_words
from wfgate.show.wording import count

LENGTH = 60_000
"""Characters of a report; GitHub refuses comments of more than 65,536."""
CAP = 12
"""Reasons listed of a case; folded parts list four times as many findings and steps."""
CHANGES = 6
"""Listed changes of each kind of protected file."""
PASSES = 50
_ALL = "see the JSON report"
_CODE = re.compile(r"(`[^`]+`|(?<=: )wfgate (?:'[^']*'|[^'`,;( ]| (?!\())+)")
"""Code in a sentence of advice: between backticks, or a command."""
TOGETHER = 40
"""Lines about samples."""


class MarkdownReporter(Reporter):
    """GitHub-flavoured Markdown for a job summary or a comment, of limited length.

    Args:
        length: Maximum number of characters, at least 2,000. The report states how many parts did not fit.
    """

    id: ClassVar[str] = "markdown"
    says_verdict: ClassVar[bool] = True

    def __init__(self, *, length: int = LENGTH) -> None:
        self.length = max(length, 2000)

    def render(self, result: GateResult) -> str:
        """Return the report."""
        accepted = ", accepted" * (result.verdict != "pass" and bool(result.accepted) and result.exit_code == 0)
        head = f"## wfgate: {wording.VERDICTS[result.verdict]}{accepted}\n\n**{wording.summary(result)}**\n\n"
        head += _together(result)
        tail = f"{_waived(result)}{_run(result)}{_details('Promise', [wording.promise_words(result)])}\n"
        folded = comparison.folded(result)
        cases = [case for case in wording.ordered(result.cases) if case.id not in folded]
        failed = [case for case in cases if case.verdict != "pass"]
        passed = [case for case in cases if case.verdict == "pass"]
        together_words = [_advice(sentence) for sentence in advice.together_words(result)]
        accepting = f"{'<br>'.join(together_words)}\n\n" if together_words else ""
        accepting *= len(accepting) < self.length // 4
        room = self.length - len(head) - len(accepting) - len(tail) - 200
        parts: list[str] = []
        together = [_folded_versions(*line, result) for line in comparison.folded_lines(result)]
        units = [*together, *(_versions(case, result) for case in failed)]
        for place, versions in enumerate(units):
            fitting = next((part for part in versions if len(part) <= room), None)
            if fitting is None:
                parts.append(_left_out(len(units) - place, "case", "omitted, to limit the length of the report"))
                break
            parts.append(fitting)
            room -= len(fitting)
        accepting += _passes(passed, room)
        return head + "".join(parts) + accepting + tail


def _waived(result: GateResult) -> str:
    """Return the waived findings of all cases, passed cases included."""
    items = [
        f"- {markdown_text(case.id, 60)}: {finding.severity}: {markdown_text(finding.message, 200)}"
        f"{_marked(case, finding)}"
        for case in result.cases
        for finding in wording.waived_findings(case)
    ]
    return "\n".join([f"Waived ({len(items):,}):", "", *_capped(items, CAP)]) + "\n\n" if items else ""


def _run(result: GateResult) -> str:
    items = [f"- {markdown_text(words)}" for words in wording.run_words(result, CHANGES)]
    return "\n".join(["About this run:", "", *_capped(items, 2 * CAP)]) + "\n\n" if items else ""


def _together(result: GateResult) -> str:
    """Return the table of the comparison with a previous release, the lost steps, and a line for each case."""
    parts = []
    rows = comparison.table(result)
    if rows:
        parts.append(table(comparison.HEAD, [row.cells for row in rows]))
    if result.release is not None:
        said = [*comparison.notes(result), against_words(result.release, result.policy)]
        parts.append("\n".join(f"- {markdown_text(words, 900)}" for words in said))
    else:
        lines = [
            f"- {wording.VERDICTS[case.verdict]} {markdown_text(f'{case.id}: {words}')}"
            for case, words in sample_words(result)
        ]
        parts.append("\n".join(_capped(lines, TOGETHER)))
    lost = [f"- {markdown_text(step.case, 60)}: {markdown_text(step.words)}" for step in comparison.lost(result)]
    if lost:
        parts.append("\n".join([comparison.lost_title(result), "", *_capped(lost, comparison.STEPS)]))
    parts.append("<br>".join(markdown_text(words, 900) for words in comparison.to_do(result)))
    return "".join(f"{part}\n\n" for part in parts if part)


def _folded_versions(verdict: Verdict, name: str, words: str, result: GateResult) -> Iterator[str]:
    """Yield versions of the text about a case with several samples, the longest first."""
    heading = f"### {wording.VERDICTS[verdict]} {markdown_text(name, 60)}: {markdown_text(words, 700)}\n\n"
    group = next(group for group in result.samples if group.id == name)
    example = comparison.example_of(group, {case.id: case for case in result.cases})
    if example is not None:
        heading += f"For example {markdown_text(f'{example.id}: {brief.first_reason(example)}', 700)}\n\n"
    failed = [case for case in result.cases if case.id in group.samples and case.verdict != "pass"]
    if failed:
        title = f"{count(len(failed), 'sample')} that {'does' if len(failed) == 1 else 'do'} not pass"
        for version in (0, 1):
            inside = [list(_versions(case, result))[version] for case in wording.ordered(tuple(failed))]
            yield f"{heading}{_details(title, inside)}\n\n"
    yield heading


def _versions(case: CaseResult, result: GateResult) -> Iterator[str]:
    """Yield versions of the text about a case, the longest first."""
    name = f"{markdown_text(case.id, 60)}{markdown_text(wording.accepted_words(case))}"
    heading = f"### {wording.VERDICTS[case.verdict]} {name}: {markdown_text(brief.title(case), 700)}"
    short = "\n\n".join([heading, *_facts(case, result)])
    full = _details("Details", ["\n\n".join(_in_full(case, result))])
    folded = [_diagram(case), full, _findings(case), _steps(case), _diagnostics(case)]
    yield "\n\n".join([short, *filter(None, folded)]) + "\n\n"
    yield short + "\n\nDetails, findings and steps are omitted, to limit the length of the report.\n\n"
    yield f"### {wording.VERDICTS[case.verdict]} {name}\n\n{markdown_text(brief.one_line(case), 700)}\n\n"


def _facts(case: CaseResult, result: GateResult) -> Iterator[str]:
    """Yield the reasons in short, how bad it is, and what to do."""
    if case.error is None and case.reasons:
        shown = case.reasons[:CAP]
        items = [f"- {_pieces(brief.reason_pieces(case, reason))}{_mark(reason)}" for reason in shown]
        more = len(case.reasons) - len(shown)
        steps = [f"- {_pieces(brief.step_pieces(step))}" for step in unnamed_steps(case)[: CAP - len(shown)]]
        more += len(unnamed_steps(case)) - len(steps)
        yield "\n".join([*items, *steps, *([f"- and {more:,} more; {_ALL}"] if more else [])])
    severity = wording.step_words(case)
    if severity is not None:
        yield f"Severity: {markdown_text(severity)}"
    todo = [_advice(sentence) for sentence in advice.next_words(case, result)]
    if todo:
        yield "<br>".join(todo)


def _advice(sentence: str) -> str:
    """Return a sentence with its commands as code; also a comment, the hash of which GitHub would shorten."""
    limit = max(900, len(sentence)) if sentence.startswith((COMMAND, "To ")) else 900
    if sentence.startswith(COMMAND):
        return f"<code>{markdown_text(sentence, limit)}</code>"
    parts = _CODE.split(sentence)
    return "".join(_code(part, limit) if place % 2 else _prose(part, limit) for place, part in enumerate(parts))


def _code(text: str, limit: int) -> str:
    text = visible(text.strip("`"), limit)
    return f"<code>{markdown_text(text, limit)}</code>" if "`" in text else f"`{text}`"


def _prose(text: str, limit: int) -> str:
    return f"{' ' * text.startswith(' ')}{markdown_text(text, limit)}{' ' * text.endswith(' ')}" if text else ""


def _in_full(case: CaseResult, result: GateResult) -> Iterator[str]:
    """Yield the files, the reasons that are shortened above, the evidence, and the metrics."""
    yield f"{markdown_text(case.candidate)} against {markdown_text(case.golden)}"
    items = [
        f"- {markdown_text(wording.sentence(reason))} ({reason.rule}){_side_by_side(case, case.finding_of(reason))}"
        for reason in (case.reasons[:CAP] if case.error is None else ())
        if brief.plain(brief.reason_pieces(case, reason)) != reason.message
    ]
    if items:
        yield "\n".join(["The reasons in full:", "", *items])
    named = (
        ("Severity", wording.severity_words(case)),
        ("Looks like", wording.kinds_words(case)),
        ("Evidence", wording.evidence_words(case, result)),
    )
    for name, words in named:
        if words is not None:
            yield f"{name}: {markdown_text(words)}"
    rows = [(score.metric, metric_words(score)) for score in case.metrics]
    if rows:
        yield table(("metric", "value"), rows)
    known = advice.next_words(case, result)
    todo = [sentence for sentence in advice.todo_words(case, result)[1:] if sentence not in known]
    if todo:
        yield "\n".join(f"- {_advice(sentence)}" for sentence in todo)


def _mark(reason: Reason) -> str:
    """Return the rule, the position and the waiver of a reason."""
    place = f", {markdown_text(str(reason.place))}" if reason.place else ""
    waiver = f"; {markdown_text(wording.waiver_words(reason.waiver) or '')}" if reason.waiver else ""
    return f" ({reason.rule}{place}){waiver}" if reason.fingerprint else ""


def _marked(case: CaseResult, finding: Finding) -> str:
    return _mark(Reason.of(finding, case.golden, case.candidate))


def _side_by_side(case: CaseResult, finding: Finding | None) -> str:
    """Return the golden's and the candidate's text of a changed step, with the differences marked."""
    lines = []
    for side, pieces in wording.side_by_side(case, finding):
        marks: list[tuple[str, brief.Side]] = [(piece, side if changed else "") for piece, changed in pieces]
        lines.append(f"<br>{side}: {_pieces(marks)}")
    return "".join(lines)


_TAGS: dict[brief.Side, str] = {"golden": "del", "candidate": "ins"}


def _pieces(pieces: Iterable[tuple[str, brief.Side]]) -> str:
    """Return a line with the changed words marked."""
    parts = []
    for piece, side in pieces:
        words = markdown_text(piece, 700)
        left, right = (" " * (piece[end:][:1].isspace()) for end in (0, -1))  # markdown_text strips
        parts.append(f"{left}<{_TAGS[side]}>{words}</{_TAGS[side]}>{right}" if side else f"{left}{words}{right}")
    return "".join(parts)


def _findings(case: CaseResult) -> str | None:
    left = wording.findings_left(case)
    items = [
        f"- {finding.severity}: {markdown_text(finding.message)}{_marked(case, finding)}"
        f"{', the golden has it too' if finding.pre_existing else ''}{_side_by_side(case, finding)}"
        for finding in left
    ]
    return _details(f"Other findings ({len(left):,})", _capped(items, 4 * CAP)) if items else None


def _diagram(case: CaseResult) -> str | None:
    found = mermaid_diff(case)
    if found is None:
        return None
    picture, left_out = found
    note = f"\n\n({left_out})" if left_out else ""
    return f"What changed:\n\n```mermaid\n{picture}\n```{note}"


def _steps(case: CaseResult) -> str | None:
    """Return the golden steps and the added ones, without those that are the same."""
    rows = step_rows(case)
    changed = [row for row in rows if row[0] != STATES["same"]]
    kept = changed[: 4 * CAP]
    lines = [table(("change", "golden", "candidate"), kept)] if kept else []
    if len(changed) > len(kept):
        lines.append(_left_out(len(changed) - len(kept), "step", f"not listed; {_ALL}").strip())
    if len(rows) > len(changed):
        lines.append(f"{wording.count(len(rows) - len(changed), 'step is', 'steps are')} the same.")
    return _details("All steps", ["\n\n".join(lines)]) if rows else None


def _diagnostics(case: CaseResult) -> str | None:
    merged = wording.merged_diagnostics(case.diagnostics)
    items = [f"- {markdown_text(f'{places}: {one.severity}: {one.message}', 900)}" for places, one in merged]
    return _details(f"Messages of the readers ({len(items):,})", _capped(items, CAP)) if items else None


def _passes(passed: Sequence[CaseResult], room: int) -> str:
    lines: list[str] = []
    for case in passed[:PASSES]:
        line = f"- PASS {markdown_text(case.id, 60)}: {markdown_text(wording.headline(case))}\n"
        fitting = next((text for text in (line + _to_see(case), line) if len(text) <= room), None)
        if fitting is None:
            break
        room -= len(fitting)
        lines.append(fitting)
    if len(lines) < len(passed):
        lines.append(f"- PASS and {len(passed) - len(lines):,} more; {_ALL}\n")
    return "".join([*lines, "\n"]) if lines else ""


def _to_see(case: CaseResult) -> str:
    """Return what of a passed case is not a plain rewording: changed steps, and findings to check."""
    items = [f"  - {_pieces(pieces)}" for pieces in brief.changed_steps(case)]
    items += [
        f"  - {finding.severity}: {markdown_text(finding.message)}{_marked(case, finding)}"
        for finding in wording.to_check(case)
        if not finding.waived  # listed for all cases together
    ]
    items += [
        f"  - {_pieces(brief.reason_pieces(case, reason))}{_mark(reason)}"
        for finding in wording.other_remarks(case)
        for reason in [Reason.of(finding, case.golden, case.candidate)]
    ]
    more = [f"  - and {len(items) - CAP:,} more; {_ALL}"] if len(items) > CAP else []
    return "".join(f"{item}\n" for item in [*items[:CAP], *more])


def _details(title: str, lines: Iterable[str]) -> str:
    return "\n".join([f"<details><summary>{title}</summary>", "", *lines, "", "</details>"])


def _capped(items: Sequence[str], limit: int) -> list[str]:
    more = [f"- and {len(items) - limit:,} more; {_ALL}"] if len(items) > limit else []
    return [*items[:limit], *more]


def _left_out(number: int, noun: str, why: str) -> str:
    return f"{wording.count(number, noun)} {why}.\n\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table. The function escapes the cells."""
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(markdown_text(cell, 200) for cell in row)} |" for row in rows]
    return "\n".join(lines)
