"""The report for editors and scripts: one line per reason and finding, as compilers and linters print them."""

import re
from collections.abc import Iterator
from typing import ClassVar

from wfgate.gating import CaseResult, GateResult, Reason
from wfgate.gating.config import FILE_NAMES, WAIVERS_FILE
from wfgate.report.base import Reporter
from wfgate.report.escape import guard, visible
from wfgate.report.samples import together_words
from wfgate.report.wording import FIX, grave_findings, sentence, summary

PATH = 1000
"""Most characters of a file name."""
MESSAGE = 2000
"""Most characters of a message."""


RUN = "wfgate"
"""Id of a line about the run as a whole."""


class OnelineReporter(Reporter):
    """One line per reason and finding, as compilers print them: `file:line:column: ID message`, sorted.

    Listed are the reasons of each case that does not pass, and of all cases the findings above level "info" that the
    golden does not have; waived ones end with `(waived)`. A reason without a position gets the candidate at 1:1, and
    the name of its rule instead of an id of a check; lines about the run get the configuration or waiver file.
    """

    id: ClassVar[str] = "oneline"

    def render(self, result: GateResult) -> str:
        """Return the lines; empty if there are no reasons and findings."""
        lines = {line for case in result.cases for line in _lines(case)}
        lines |= {(WAIVERS_FILE, 1, 1, finding.id, finding.message) for finding in result.findings}
        about = [words for verdict, words in together_words(result) if verdict != "pass"]
        about += [] if result.cases else [summary(result)]
        lines |= {(FILE_NAMES[0], 1, 1, RUN, words) for words in about}
        shown = [
            f"{visible(file, PATH)}:{line}:{column}: {rule} {visible(words, MESSAGE)}"
            for file, line, column, rule, words in sorted(lines)
        ]
        return "".join(f"{guard(line)}{line}\n" for line in shown)


_Line = tuple[str, int, int, str, str]


def _lines(case: CaseResult) -> Iterator[_Line]:
    if case.error is not None:
        yield _error(case)
        return
    for reason in case.reasons if case.verdict != "pass" else ():
        yield _line(case, reason)
    for finding in grave_findings(case):
        yield _line(case, Reason.of(finding, case.golden, case.candidate))


def _line(case: CaseResult, reason: Reason) -> _Line:
    place = reason.place
    file, line, column = (place.file, place.line, place.column) if place else (case.candidate, 1, 1)
    return file, line, column, reason.rule, sentence(reason.message) + " (waived)" * (reason.waiver is not None)


def _error(case: CaseResult) -> _Line:
    """Return the line of a case that was not compared; the error of an unreadable file begins with the position."""
    message, rule = (case.error or "").partition(FIX)[0], case.reasons[0].rule if case.reasons else "not-compared"
    for file in (case.candidate, *case.golden.split(", ")):
        found = re.match(rf"{re.escape(file)}(?::(\d+))?(?::(\d+))?: ", message)
        if found:
            line, column = (int(number or 1) for number in found.groups())
            return file, line, column, rule, message[found.end() :]
    return case.candidate, 1, 1, rule, message
