"""The report for job summaries and comments on pull requests."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from wfgate.decide import GateResult
from wfgate.show import brief, comparison, wording
from wfgate.show.advice import Advice, Command
from wfgate.show.base import Reporter
from wfgate.show.escape import markdown_text, visible
from wfgate.show.mermaid import mermaid_diff
from wfgate.show.steps import STATES
from wfgate.show.view import CaseView, Folded, ReasonView, RunCase, RunView
from wfgate.show.wording import count

LENGTH = 60_000
"""Characters of a report; GitHub refuses comments of more than 65,536."""
CAP = 12
"""Reasons listed of a case; folded parts list four times as many findings and steps."""
CHANGES = 6
"""Listed changes of each kind of protected file."""
PASSES = 50
WHOLE = 20_000
"""Characters of a command, which should not be cut."""
_ALL = "see the JSON report"
_CODE = re.compile(r"`([^`]+)`")
"""Code in the words of an advice."""
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
        run = RunView(result)
        accepted = ", accepted" * (result.verdict != "pass" and bool(result.accepted) and result.exit_code == 0)
        head = f"## wfgate: {run.verdict}{accepted}\n\n**{run.summary}**\n\n{_together(run)}"
        tail = f"{_waived(run)}{_run(run)}{_details('Promise', [run.promise])}\n"
        together_words = [_advice(sentence) for sentence in run.together]
        accepting = f"{'<br>'.join(together_words)}\n\n" if together_words else ""
        accepting *= len(accepting) < self.length // 4
        room = self.length - len(head) - len(accepting) - len(tail) - 200
        parts: list[str] = []
        units = [*map(_folded_versions, run.folded), *map(_versions, run.alone(failed=True))]
        for place, versions in enumerate(units):
            fitting = next((part for part in versions if len(part) <= room), None)
            if fitting is None:
                parts.append(_left_out(len(units) - place, "case", "omitted, to limit the length of the report"))
                break
            parts.append(fitting)
            room -= len(fitting)
        accepting += _passes(run.alone(failed=False), room)
        return head + "".join(parts) + accepting + tail


def _waived(run: RunView) -> str:
    """Return the waived findings of all cases, passed cases included."""
    items = [
        f"- {markdown_text(view.case.id, 60)}: {one.severity}: {markdown_text(one.reason.message, 200)}{_mark(one)}"
        for view in run.given
        for one in view.waived
    ]
    return "\n".join([f"Waived ({len(items):,}):", "", *_capped(items, CAP)]) + "\n\n" if items else ""


def _run(run: RunView) -> str:
    items = [f"- {markdown_text(words)}" for words in run.notes(CHANGES)]
    return "\n".join(["About this run:", "", *_capped(items, 2 * CAP)]) + "\n\n" if items else ""


def _together(run: RunView) -> str:
    """Return the table of the comparison with a previous release, the lost steps, and a line for each case."""
    parts = []
    if run.table:
        parts.append(table(comparison.HEAD, [row.cells for row in run.table]))
    if run.against is not None:
        parts.append("\n".join(f"- {markdown_text(words, 900)}" for words in (*run.release_notes(), run.against)))
    else:
        lines = [f"- {wording.VERDICTS[verdict]} {markdown_text(words)}" for verdict, words in run.samples]
        parts.append("\n".join(_capped(lines, TOGETHER)))
    lost = [f"- {markdown_text(step.case, 60)}: {markdown_text(step.words)}" for step in run.lost]
    if lost:
        parts.append("\n".join([run.lost_title, "", *_capped(lost, comparison.STEPS)]))
    parts.append("<br>".join(markdown_text(str(words), 900) for words in run.to_do))
    return "".join(f"{part}\n\n" for part in parts if part)


def _folded_versions(line: Folded) -> Iterator[str]:
    """Yield versions of the text about a case with several samples, the longest first."""
    name, words = markdown_text(line.group.id, 60), markdown_text(line.words, 700)
    heading = f"### {wording.VERDICTS[line.group.verdict]} {name}: {words}\n\n"
    if line.example is not None:
        heading += f"For example {markdown_text(f'{line.example.case.id}: {line.example.first_reason}', 700)}\n\n"
    if line.failed:
        number = len(line.failed)
        title = f"{count(number, 'sample')} that {'does' if number == 1 else 'do'} not pass"
        versions = [list(_versions(view)) for view in line.failed]
        for version in (0, 1):
            yield f"{heading}{_details(title, [each[version] for each in versions])}\n\n"
    yield heading


def _versions(view: RunCase) -> Iterator[str]:
    """Yield versions of the text about a case, the longest first."""
    name = f"{markdown_text(view.case.id, 60)}{markdown_text(view.accepted)}"
    heading = f"### {view.verdict} {name}: {markdown_text(view.title, 700)}"
    short = "\n\n".join([heading, *_facts(view)])
    full = _details("Details", ["\n\n".join(_in_full(view))])
    folded = [_diagram(view), full, _findings(view), _steps(view), _diagnostics(view)]
    yield "\n\n".join([short, *filter(None, folded)]) + "\n\n"
    yield short + "\n\nDetails, findings and steps are omitted, to limit the length of the report.\n\n"
    yield f"### {view.verdict} {name}\n\n{markdown_text(view.one_line, 700)}\n\n"


def _facts(view: RunCase) -> Iterator[str]:
    """Yield the reasons in short, how bad it is, and what to do."""
    if view.why:
        shown = view.why[:CAP]
        items = [f"- {_pieces(one.pieces)}{_mark(one)}" for one in shown]
        steps = [f"- {_pieces(brief.step_pieces(step))}" for step in view.unnamed[: CAP - len(shown)]]
        more = len(view.why) - len(shown) + len(view.unnamed) - len(steps)
        yield "\n".join([*items, *steps, *([f"- and {more:,} more; {_ALL}"] if more else [])])
    if view.severity is not None:
        yield f"Severity: {markdown_text(view.severity)}"
    if view.next:
        yield "<br>".join(map(_advice, view.next))


def _advice(sentence: Advice) -> str:
    """Return a sentence with its commands as code; also a comment, the hash of which GitHub would shorten."""
    if sentence.is_comment:
        return f"<code>{markdown_text(str(sentence), WHOLE)}</code>"
    return "".join(_code(part.line) if isinstance(part, Command) else _prose(part) for part in sentence.parts)


def _code(text: str) -> str:
    text = visible(text, WHOLE)
    return f"<code>{markdown_text(text, WHOLE)}</code>" if "`" in text else f"`{text}`"


def _prose(text: str) -> str:
    """Return words with the code in them."""
    parts = []
    for place, part in enumerate(_CODE.split(text)):
        left, right = (" " * (part[end:][:1] == " ") for end in (0, -1))  # markdown_text strips
        parts.append(_code(part) if place % 2 else f"{left}{markdown_text(part, 900)}{right}" if part else "")
    return "".join(parts)


def _in_full(view: RunCase) -> Iterator[str]:
    """Yield the files, the reasons that are shortened above, the evidence, and the metrics."""
    yield f"{markdown_text(view.case.candidate)} against {markdown_text(view.case.golden)}"
    items = [
        f"- {markdown_text(one.sentence)} ({one.reason.rule}){_side_by_side(one)}"
        for one in view.why[:CAP]
        if brief.plain(one.pieces) != one.reason.message
    ]
    if items:
        yield "\n".join(["The reasons in full:", "", *items])
    for name, words in (("Severity", view.estimate), ("Looks like", view.kinds), ("Evidence", view.evidence)):
        if words is not None:
            yield f"{name}: {markdown_text(words)}"
    if view.metrics:
        yield table(("metric", "value"), view.metrics)
    todo = [sentence for sentence in view.todo[1:] if sentence not in view.next]
    if todo:
        yield "\n".join(f"- {_advice(sentence)}" for sentence in todo)


def _mark(one: ReasonView) -> str:
    """Return the rule, the position and the waiver of a reason."""
    place = f", {markdown_text(str(one.place))}" if one.place else ""
    waiver = f"; {markdown_text(one.waiver)}" if one.waiver else ""
    return f" ({one.reason.rule}{place}){waiver}" if one.reason.fingerprint else ""


def _side_by_side(one: ReasonView) -> str:
    """Return the golden's and the candidate's text of a changed step, with the differences marked."""
    lines = []
    for side, pieces in one.sides():
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


def _findings(view: CaseView) -> str | None:
    items = [
        f"- {one.severity}: {markdown_text(one.reason.message)}{_mark(one)}"
        f"{', the golden has it too' if one.is_old else ''}{_side_by_side(one)}"
        for one in view.others
    ]
    return _details(f"Other findings ({len(items):,})", _capped(items, 4 * CAP)) if items else None


def _diagram(view: CaseView) -> str | None:
    drawn = mermaid_diff(view.case, view.steps)
    if drawn is None:
        return None
    picture, left_out = drawn
    note = f"\n\n({left_out})" if left_out else ""
    return f"What changed:\n\n```mermaid\n{picture}\n```{note}"


def _steps(view: CaseView) -> str | None:
    """Return the golden steps and the added ones, without those that are the same."""
    rows = view.steps.rows
    changed = [row for row in rows if row[0] != STATES["same"]]
    kept = changed[: 4 * CAP]
    lines = [table(("change", "golden", "candidate"), kept)] if kept else []
    if len(changed) > len(kept):
        lines.append(_left_out(len(changed) - len(kept), "step", f"not listed; {_ALL}").strip())
    if len(rows) > len(changed):
        lines.append(f"{wording.count(len(rows) - len(changed), 'step is', 'steps are')} the same.")
    return _details("All steps", ["\n\n".join(lines)]) if rows else None


def _diagnostics(view: CaseView) -> str | None:
    items = [f"- {markdown_text(f'{places}: {one.severity}: {one.message}', 900)}" for places, one in view.messages]
    return _details(f"Messages of the readers ({len(items):,})", _capped(items, CAP)) if items else None


def _passes(passed: Sequence[CaseView], room: int) -> str:
    lines: list[str] = []
    for view in passed[:PASSES]:
        line = f"- PASS {markdown_text(view.case.id, 60)}: {markdown_text(view.headline)}\n"
        fitting = next((text for text in (line + _to_see(view), line) if len(text) <= room), None)
        if fitting is None:
            break
        room -= len(fitting)
        lines.append(fitting)
    if len(lines) < len(passed):
        lines.append(f"- PASS and {len(passed) - len(lines):,} more; {_ALL}\n")
    return "".join([*lines, "\n"]) if lines else ""


def _to_see(view: CaseView) -> str:
    """Return what of a passed case is not a plain rewording: changed steps, and findings to check."""
    items = [f"  - {_pieces(brief.step_pieces(step))}" for step in view.changed]
    items += [
        f"  - {one.severity}: {markdown_text(one.reason.message)}{_mark(one)}"
        for one in view.to_check
        if not one.waiver  # listed for all cases together
    ]
    items += [f"  - {_pieces(one.pieces)}{_mark(one)}" for one in view.remarks]
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
