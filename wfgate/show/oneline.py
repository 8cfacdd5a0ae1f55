"""The report for editors and scripts: one line per reason and finding, as compilers and linters print them."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from wfgate.decide import WAIVERS_FILE, CaseResult, GateResult, Problem, Verdict
from wfgate.run import FILE_NAMES
from wfgate.show.base import Reporter
from wfgate.show.escape import guard, visible
from wfgate.show.view import CaseView, ReasonView, RunView

PATH = 1000
"""Most characters of a file name."""
MESSAGE = 2000
"""Most characters of a message."""


RUN = "wfgate"
"""Id of a line about the run as a whole."""


class OnelineReporter(Reporter):
    """One line per reason and finding, as compilers print them, sorted: `file:line:column: verdict ID level: message`.

    Listed are the reasons of each case that does not pass, and of all cases the findings above level "info" that the
    golden does not have; waived ones end with `(waived)`, those of an accepted case
    with `(accepted)`. The verdict (block, inconclusive, review, pass) is that of
    the case; the level (error, warning, info) is that of the finding. A reason without a finding has the name of its
    rule and no level; without a position it gets the candidate at 1:1. Lines about the run get the configuration or
    waiver file. The last line is the verdict on the run: `wfgate: block: 8 cases: 1 blocked, 7 passed`.
    """

    id: ClassVar[str] = "oneline"
    says_verdict: ClassVar[bool] = True

    def render(self, result: GateResult) -> str:
        """Return the lines."""
        run = RunView(result)
        lines = {line for view in run.cases for line in _lines(view)}
        lines |= {
            (WAIVERS_FILE, 1, 1, f"note {finding.id} {finding.severity}", finding.message)
            for finding in result.findings
        }
        about = {(verdict, words) for verdict, words, _ in run.judged if verdict != "pass"}
        lines |= {(FILE_NAMES[0], 1, 1, f"{verdict} {RUN}", words) for verdict, words in about}
        shown = [
            f"{visible(file, PATH)}:{line}:{column}: {head}: {visible(words, MESSAGE)}"
            for file, line, column, head, words in sorted(lines)
        ]
        last = verdict_line(result.verdict, run.summary)
        return "".join(f"{guard(line)}{line}\n" for line in [*shown, last])


def verdict_line(verdict: Verdict, words: str, files: Iterable[str] = ()) -> str:
    """Return the verdict on a run in one line, its summary, and the files that its reports were written to."""
    named = ", ".join(visible(file, PATH) for file in files)
    return f"{RUN}: {verdict}: {visible(words, MESSAGE)}{f'; report: {named}' if named else ''}"


_Line = tuple[str, int, int, str, str]
"""File, line, column, what precedes the message, message."""


def _lines(view: CaseView) -> Iterator[_Line]:
    problem = view.case.why_not_compared
    if problem is not None:
        yield _not_compared(view.case, problem)
        return
    reasons = view.reasons if view.case.verdict != "pass" else ()
    for one in (*reasons, *(one for one in view.grave if one.waiver or not _is_told(one, view, reasons))):
        yield _line(one)


def _is_told(one: ReasonView, view: CaseView, reasons: Iterable[ReasonView]) -> bool:
    """Return whether another finding claims it, or the line of a reason is about the step whose text it is about."""
    named = {each.name for reason in reasons for each in reason.reason.mentions[:1] if each.name}
    told = one.texts is not None and any(each.name in named for each in one.reason.mentions[:1])
    return told or one.reason.fingerprint in view.claimed


def _line(one: ReasonView) -> _Line:
    case, place = one.case, one.place
    file, line, column = (place.file, place.line, place.column) if place else (case.candidate, 1, 1)
    head = f"{case.verdict} {one.reason.rule}{f' {one.severity}' if one.severity else ''}"
    after = " (waived)" if one.waiver else " (accepted)" if case.accepted else ""
    return file, line, column, head, one.sentence + after


def _not_compared(case: CaseResult, problem: Problem) -> _Line:
    rule = case.reasons[0].rule if case.reasons else "not-compared"
    file, line, column = problem.file or case.candidate, problem.line or 1, problem.column or 1
    return file, line, column, f"{case.verdict} {rule}", problem.message + " (accepted)" * bool(case.accepted)
