"""The report for a terminal or a log."""

import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import ClassVar

from rich.console import Console
from rich.text import Text

from wfgate.compare import MetricScore
from wfgate.decide import COMMAND, CaseResult, GateResult, Reason, Verdict, claimants
from wfgate.read import Diagnostic
from wfgate.rules import Finding
from wfgate.show import advice, brief, comparison, wording
from wfgate.show.base import Reporter
from wfgate.show.brief import Side
from wfgate.show.escape import guard, shortened, visible
from wfgate.show.samples import against_words, sample_words
from wfgate.show.steps import few_rewordings, unnamed_steps
from wfgate.show.terminal import console

STYLES: dict[Verdict, str] = {
    "block": "bold red",
    "review": "bold yellow",
    "inconclusive": "bold magenta",
    "pass": "green",
}
LEVELS = {"error": "red", "warning": "yellow", "info": "cyan"}
CAP = 12
"""Reasons and findings listed in the full report of a case, without `verbose`."""
REASON_LINES = 8
"""Lines for the reasons of a failed case, so that most cases have about ten lines; one reason is always shown."""
EVIDENCE = 8
"""Values listed of the evidence against a case."""
WHOLE = 20_000
"""Characters of a text where nothing should be cut: longer ones are attacks."""
NOTED = 2
"""Places listed of a message of the readers that is about golden and candidate alike."""
DIAGNOSTICS = 5
"""Diagnostics listed of a passed case and of the run."""
FULL_CASES = 25
"""Failed cases with their reasons; further ones have one line."""
PASSES = 20
"""Passes listed one by one."""
TOGETHER = 40
"""Lines about samples, and about the previous release."""
EXAMPLES = 5
"""Cases with several samples of which one is shown as an example, with what to do."""
NARROWEST = 30
_ALL = "see --format json"
_GLUE = "\ue000"
"""A space without a line break; escaped text cannot contain it."""
_PROGRAM = "wfgate"
_GLUED = re.compile(r"(?<=\d) (?=%)| (?=\(\d{1,7}\))|(?<=--reference) |(?<=--replace) |(?<=--reason) ")
"""Spaces without a line break: "8 %", "step missing (2)", an option and its value."""


class TextReporter(Reporter):
    """Plain text, optionally in colour: of each failed case what broke, how bad it is, and what to do.

    Args:
        width: Maximum width of a line, at least 30.
        color: Whether to add ANSI colours; the text is the same.
        verbose: Whether to report all cases in full: all reasons with both texts, evidence, metrics, all findings.
        whole: Whether to show all texts and names in full.
        quiet: Whether to print only one line per failed case, and the summary.
    """

    id: ClassVar[str] = "text"
    says_verdict: ClassVar[bool] = True

    def __init__(
        self, *, width: int = 80, color: bool = False, verbose: bool = False, quiet: bool = False, whole: bool = False
    ) -> None:
        self.width = max(width, NARROWEST)
        self.color = color
        self.verbose = verbose
        self.quiet = quiet
        self.whole = whole
        self._longest = WHOLE if whole else wording.TEXT

    def render(self, result: GateResult) -> str:
        """Return the report."""
        page = _Page(self.width, color=self.color)
        self._comparison(page, result)
        folded = {} if self.verbose else comparison.folded(result)
        cases = [case for case in wording.ordered(result.cases) if case.id not in folded]
        if folded:
            self._folded(page, result)
        passed = [case for case in cases if case.verdict == "pass"]
        failed = cases[: len(cases) - len(passed)]
        for place, case in enumerate(failed):
            self._failed(page, case, result, short=self.quiet or place >= FULL_CASES)
        if not self.quiet:
            page.accept_all(advice.together_words(result))
            if len(failed) > FULL_CASES:
                page.line(f"The reasons of the first {FULL_CASES} cases are listed; for the others {_ALL}.")
                page.blank()
            self._passes(page, passed, result)
            self._diagnostics(page, result.diagnostics)
            if self.verbose:
                self._notes(page, result)
            for words in wording.run_words(result):
                page.line(visible(words))
        self._together(page, result)
        if len(result.cases) != 1 or result.samples or result.release or self.verbose or result.policy.is_audit:
            page.line(wording.summary(result), style="bold")
        if self.verbose and not self.quiet:
            page.line(f"Promise: {wording.promise_words(result)}")
            page.line(_origin(result))
        return page.text()

    def case(self, case: CaseResult, result: GateResult) -> str:
        """Return the report of one case, in full."""
        page = _Page(self.width, color=self.color)
        self._headline(page, case, brief.title(case))
        self._details(page, case, result)
        self._diagnostics(page, case.diagnostics)
        return page.text()

    def _failed(self, page: "_Page", case: CaseResult, result: GateResult, *, short: bool) -> None:
        """Add a case that did not pass: one line, or its reasons, or everything."""
        if short:
            self._headline(page, case, brief.one_line(case))
            return
        self._headline(page, case, brief.title(case))
        if self.verbose:
            self._details(page, case, result)
            self._diagnostics(page, wording.differing_diagnostics(case))
        else:
            self._brief(page, case, result)
        page.blank()

    def _headline(self, page: "_Page", case: CaseResult, words: str) -> None:
        verdict = wording.VERDICTS[case.verdict]
        line = f"{verdict} {visible(case.id, 60)}{visible(wording.accepted_words(case))}: {visible(words, 700)}"
        page.line(line, mark=(len(verdict), STYLES[case.verdict]))

    def _brief(self, page: "_Page", case: CaseResult, result: GateResult) -> None:
        reasons = () if case.error is not None else case.reasons
        room = REASON_LINES
        for place, reason in enumerate(reasons):
            rule = f"{reason.rule} " * bool(reason.fingerprint or reason.place)
            line = page.marked(brief.reason_pieces(case, reason), rule, _where(case, reason))
            room -= page.height(line, indent=2)
            if place and room < 0:
                reasons = reasons[:place]
                break
            page.paragraph(line, indent=2, hang=2)
        room, steps = room * (len(reasons) == len(case.reasons)), unnamed_steps(case)
        for place, step in enumerate(steps):
            line = page.marked(brief.step_pieces(step))
            room -= page.height(line, indent=2)
            if room < 0:
                steps = steps[:place]
                break
            page.paragraph(line, indent=2, hang=2)
        left = len(unnamed_steps(case)) - len(steps)
        more = [wording.count(n, "more reason")] if (n := len(case.reasons) - len(reasons)) and not case.error else []
        more += [wording.count(left, "other changed step")] if left else []
        others = wording.grave_findings(case)
        claimed = claimants(case.findings)
        values = sum(finding.fingerprint in claimed and finding.about == "step" for finding in others)
        more += [f"{wording.count(values, 'value')} of missing or new steps"] if values else []
        more += [wording.count(n, "other finding")] if (n := len(others) - values) else []
        warnings = sum(diagnostic.severity != "info" for diagnostic in case.diagnostics)
        more += [wording.count(warnings, "warning of a reader", "warnings of the readers")] if warnings else []
        if more:
            page.line(f"and {', '.join(more)}: see --verbose", indent=2, style="dim")
        page.field("Severity", wording.step_words(case))
        page.field("Note", wording.parts_words(case.parts))
        page.field("Note", wording.outside_words(case))
        for sentence in advice.next_words(case, result):
            page.advice(visible(sentence, 900), indent=2)

    def _comparison(self, page: "_Page", result: GateResult) -> None:
        """Add the table of the comparison with a previous release, and the steps that the samples lost."""
        rows = [row for row in comparison.table(result) if row.verdict != "pass" or not self.quiet]
        for line, start, verdict in comparison.lines(rows, self.width - 1) if rows else ():
            page.row(line, start, STYLES[verdict] if verdict else "dim")
        if result.release is not None:
            for words in () if self.quiet else comparison.notes(result, verbose=self.verbose):
                page.line(visible(words, 900), style="dim")
            verdict, about = result.release.verdict, visible(against_words(result.release, result.policy), 900)
            mark = "" if verdict == "pass" else f"{wording.VERDICTS[verdict]} "  # the cases themselves may fail
            page.line(mark + about, mark=(len(mark), STYLES[verdict]))
            page.blank()
        lost = [] if self.quiet else comparison.lost(result)
        if lost:
            page.line(comparison.lost_title(result))
            shown = lost if self.verbose else lost[: comparison.STEPS]
            for step in shown:
                page.line(f"{visible(step.case, 60)}: {visible(step.words)}", indent=2)
            page.left_out(len(lost) - len(shown))
            page.blank()

    def _folded(self, page: "_Page", result: GateResult) -> None:
        """Add one line for each case with several samples, if something is to be said of them."""
        lines = [line for line in comparison.folded_lines(result) if line[0] != "pass" or not self.quiet]
        cases, groups = {case.id: case for case in result.cases}, {group.id: group for group in result.samples}
        for place, (verdict, name, words) in enumerate(lines[:TOGETHER]):
            mark = wording.VERDICTS[verdict]
            page.line(f"{mark} {visible(name, 60)}: {visible(words, 700)}", mark=(len(mark), STYLES[verdict]))
            example = comparison.example_of(groups[name], cases)
            if example is None or self.quiet or place >= EXAMPLES:
                continue
            page.line(f"For example {visible(example.id, 60)}: {visible(brief.first_reason(example), 700)}", indent=2)
            for sentence in advice.next_words(example, result):
                page.advice(visible(sentence, 900), indent=2)
        page.left_out(len(lines) - TOGETHER)
        if lines and not self.quiet:
            for words in comparison.to_do(result):
                page.advice(words, indent=0)
        if lines:
            page.line("Each sample: see --verbose", style="dim")
            page.blank()

    def _together(self, page: "_Page", result: GateResult) -> None:
        """Add the lines about samples, unless the table of a comparison has them."""
        if result.release is not None and not self.verbose:
            return
        cases = [(case.verdict, f"{case.id}: {summary}") for case, summary in sample_words(result)]
        shown = [(verdict, summary) for verdict, summary in cases if verdict != "pass" or not self.quiet]
        if shown:
            page.line("Samples:")
            for verdict, summary in shown[:TOGETHER]:
                page.line(f"{wording.VERDICTS[verdict]} {visible(summary, 700)}", indent=2)
            page.left_out(len(shown) - TOGETHER)
            page.blank()

    def _passes(self, page: "_Page", passed: list[CaseResult], result: GateResult) -> None:
        for case in passed[:PASSES]:
            self._headline(page, case, wording.headline(case))
            if self.verbose:
                self._details(page, case, result)
                self._diagnostics(page, wording.differing_diagnostics(case))
            else:
                self._passed(page, case)
        if len(passed) > PASSES:
            page.line(f"PASS and {len(passed) - PASSES:,} more; {_ALL}")
        if passed:
            page.blank()

    def _passed(self, page: "_Page", case: CaseResult) -> None:
        """Add what of a passed case is not a plain rewording: changed steps, and findings to check or waived."""
        changed = brief.changed_steps(case)
        for pieces in changed[:CAP]:
            page.paragraph(page.marked(pieces), indent=2, hang=2)
        findings = wording.to_check(case)
        for finding in findings[:CAP]:
            reason = Reason.of(finding, case.golden, case.candidate)
            page.line(f"{finding.severity}: {visible(finding.message)}{self._tail(reason)}", indent=2)
        remarks = wording.other_remarks(case)
        for finding in remarks[:CAP]:
            reason = Reason.of(finding, case.golden, case.candidate)
            page.paragraph(page.marked(brief.reason_pieces(case, reason), "info: "), indent=2, hang=2)
        left = sum(max(len(listed) - CAP, 0) for listed in (changed, findings, remarks))
        if left:
            page.line(f"and {left:,} more: see --verbose", indent=2, style="dim")
        self._diagnostics(page, wording.differing_diagnostics(case))

    def _details(self, page: "_Page", case: CaseResult, result: GateResult) -> None:
        page.line(f"{visible(case.candidate)} against {visible(case.golden)}", indent=2, style="dim")
        self._reasons(page, case)
        self._steps(page, case)
        page.field("Severity", wording.severity_words(case))
        page.field("Looks like", wording.kinds_words(case))
        page.field("Evidence", wording.evidence_words(case, result))
        if self.verbose:
            _evidence(page, case, result)
        if case.metrics:
            page.line("Metrics:", indent=2)
            wide = max(len(score.metric) for score in case.metrics)
            for score in case.metrics:
                page.line(f"{visible(score.metric):<{wide}}  {visible(metric_words(score))}", indent=4)
        self._findings(page, case)
        todo = advice.todo_words(case, result)
        if todo:
            page.line("What to do:", indent=2, style="bold")
        for sentence in todo:
            page.item(visible(sentence, 900))

    def _reasons(self, page: "_Page", case: CaseResult) -> None:
        if case.error is not None or not case.reasons:
            return
        page.line("Why:", indent=2)
        shown = case.reasons if self.verbose else case.reasons[:CAP]
        for reason in shown:
            page.item(self._message(reason, wording.opening(reason)), self._tail(reason))
            page.exchange(wording.side_by_side(case, case.finding_of(reason), self._longest))
        page.left_out(len(case.reasons) - len(shown))

    def _message(self, said: Finding | Reason, before: str = "") -> str:
        """Return a message, escaped; where nothing is cut, with the whole names of the steps."""
        if self.whole:
            return visible(before + brief.with_whole_names(said), WHOLE)
        return visible(before + said.message)

    def _steps(self, page: "_Page", case: CaseResult) -> None:
        """Add the steps that are not plainly kept and that no reason shows, and a few that were only reworded."""
        steps = [*unnamed_steps(case), *few_rewordings(case)]
        if steps:
            page.line("Other changed steps:" if case.reasons else "Changed steps:", indent=2)
        for step in steps:
            if step.golden == step.candidate or not (step.golden and step.candidate):
                page.item(f"{step.words}: {visible(step.golden or step.candidate, self._longest)}")
                continue
            page.item(step.words)
            page.exchange(wording.exchanged(step.golden, step.candidate, self._longest))

    def _findings(self, page: "_Page", case: CaseResult) -> None:
        left = wording.findings_left(case)
        grave = wording.grave_findings(case)
        shown = left if self.verbose else grave[:CAP]
        if shown:
            page.line("Other findings:", indent=2)
        for finding in shown:
            old = ", the golden has it too" if finding.pre_existing else ""
            reason = Reason.of(finding, case.golden, case.candidate)
            page.item(f"{finding.severity}: {self._message(finding)}", self._tail(reason, old))
            page.exchange(wording.side_by_side(case, finding, self._longest))
        if shown and not self.verbose:
            page.left_out(len(grave) - len(shown))
        quiet = len(left) - len(grave)
        if quiet and not self.verbose:
            page.line(f"{wording.count(quiet, 'lesser finding')} not shown; see --verbose", indent=2, style="dim")

    def _tail(self, reason: Reason, more: str = "") -> str:
        """Return the rule, position, fingerprint and waiver of a reason. Missing items are left out."""
        rule = f" [{reason.rule}]" if reason.fingerprint else ""
        place = f" at {visible(str(reason.place))}" if reason.place else ""
        fingerprint = f", fingerprint {reason.fingerprint}" if reason.fingerprint and self.verbose else ""
        waiver = wording.waiver_words(reason.waiver)
        return f"{rule}{place}{more}{fingerprint}{f'; {visible(waiver)}' if waiver else ''}"

    def _notes(self, page: "_Page", result: GateResult) -> None:
        """Add what the readers say about golden and candidate alike, each message once with its number of files."""
        shown = [set(wording.differing_diagnostics(case)) for case in result.cases]
        alike = [
            one for case, own in zip(result.cases, shown, strict=True) for one in case.diagnostics if one not in own
        ]
        merged = wording.merged_diagnostics(alike)
        if merged:
            page.line("Notes of the readers, on golden and candidate alike:")
        for places, one in merged:
            files = len(places.split(" and "))
            where = places if files <= NOTED else f"{files:,} files"
            page.line(f"{one.severity}: {visible(one.message)} ({visible(where, 900)})", indent=2)
        if merged:
            page.blank()

    def _diagnostics(self, page: "_Page", diagnostics: tuple[Diagnostic, ...]) -> None:
        merged = wording.merged_diagnostics(diagnostics)
        shown = merged if self.verbose else merged[:DIAGNOSTICS]
        for places, diagnostic in shown:
            fix = f" (fix: {diagnostic.fix})" if diagnostic.fix else ""
            words = f"{diagnostic.severity}: {visible(places, 900)}: {visible(diagnostic.message + fix)}"
            page.line(words, indent=2, mark=(len(diagnostic.severity), LEVELS.get(diagnostic.severity, "")))
        page.left_out(len(merged) - len(shown), "diagnostics")


def _where(case: CaseResult, reason: Reason) -> str:
    """Return the position and the waiver of a reason; without a position the file."""
    golden = f"golden{_GLUE}" * (reason.candidate is None and reason.place is not None)
    file = case.candidate if reason.fingerprint and wording.is_file(case.candidate) else ""
    place = visible(str(reason.place or file))
    waiver = wording.waiver_words(reason.waiver)
    return f"{f' ({golden}{place})' * bool(place)}{f'; {visible(waiver)}' if waiver else ''}"


def _evidence(page: "_Page", case: CaseResult, result: GateResult) -> None:
    """Add the values that alone would lead to a review, the strongest first, and the number of the others."""
    alpha = result.promise.alpha_review
    against = [piece for piece in case.evidence if piece.value and piece.p_value <= alpha]
    shown = sorted(against, key=lambda piece: piece.p_value)[:EVIDENCE]
    for piece in shown:
        sign = "<=" if wording.is_smallest(piece.p_value, result) else " ="
        page.line(f"{piece.id:<18} {piece.value:>8.3f}  p {sign} {piece.p_value:.4f}", indent=4)
    left = len(case.evidence) - len(shown)
    if left:
        more = f"{left} more" if shown else f"no value has p <= {alpha:g}"
        page.line(f"{more}: {_ALL}", indent=4, style="dim")


def metric_words(score: MetricScore) -> str:
    """Return the value of a metric, or the reason why the metric is undefined."""
    if score.value is None:
        return f"undefined: {score.undefined_because or 'no reason is recorded'}"
    if not score.proven and score.high is not None:
        return f"{score.value:.2f} at least, {score.high:.2f} at most (not proven within the work limit)"
    if score.variance is not None:
        comment = f": {shortened(score.comment, 200)}" if score.comment else ""
        return f"{score.value:.2f}  between prompts +-{score.variance**0.5:.2f}{comment}"
    if score.precision is None or score.recall is None:
        return f"{score.value:.2f}"
    return f"{score.value:.2f}  precision {score.precision:.2f}, recall {score.recall:.2f}"


def _origin(result: GateResult) -> str:
    signature = result.tool.signature
    return visible(
        f"wfgate {result.tool.version}; profile: {result.profile.source} ({result.profile.goldens:,} goldens, "
        f"{result.profile.variants:,} variants, made by wfgate {result.profile.tool}); embedder: "
        f"{signature.embedder}; meaning model: {signature.meaning_model}; metrics: {', '.join(signature.metrics)}"
    )


def lines_of(lines: Iterable[tuple[Text, int]], *, width: int, color: bool) -> str:
    """Return paragraphs of escaped text, wrapped at `width`, with the indent of their continuation lines."""
    page = _Page(max(width, NARROWEST), color=color)
    for line, hang in lines:
        page.paragraph(line, indent=0, hang=hang)
    return page.text()


_MARKS: dict[Side, tuple[str, str]] = {"": ("", ""), "golden": ("[-", "-]"), "candidate": ("{+", "+}")}
_SIDES: dict[Side, str] = {"": "", "golden": "red", "candidate": "green"}


class _Page:
    """The lines of a report with a fixed width. All text must be escaped; markup is not interpreted."""

    def __init__(self, width: int, *, color: bool) -> None:
        self._file = StringIO()
        self._width = width
        self._console = console(self._file, width, color=color)

    def line(
        self, words: str, *, indent: int = 0, style: str = "", mark: tuple[int, str] | None = None, hang: int = 2
    ) -> None:
        """Add a paragraph; its continuation lines are indented by `hang` more."""
        text = Text(_GLUED.sub(_GLUE, words), style=style)
        if mark is not None:
            text.stylize(mark[1], 0, mark[0])
        self.paragraph(text, indent=indent, hang=hang)

    def accept_all(self, sentences: Sequence[str]) -> None:
        """Add how to accept all cases at once; nothing is cut."""
        for sentence in sentences:
            self.advice(visible(sentence, len(sentence)), indent=0)
        if sentences:
            self.blank()

    def advice(self, words: str, *, indent: int) -> None:
        """Add a sentence; what is to be copied at its end, a command or a comment, is not wrapped.

        A part of a wrapped command may run by itself.
        """
        if len(words) + indent < self._width:
            self.line(words, indent=indent)
            return
        said, begins, copied = words.rpartition(f": {_PROGRAM} ")
        copied = f"{_PROGRAM} {copied}" if begins else words if words.startswith(COMMAND) else ""
        if not copied:
            self.line(words, indent=indent)
            return
        if said:
            self.line(f"{said}:", indent=indent)
        self.row(f"{' ' * (indent + 2 * bool(said))}{copied}", 0, "")

    def row(self, words: str, start: int, style: str) -> None:
        """Add a row of a table; it is not wrapped. The style is for the part from `start` on."""
        line = Text(guard(words) + words)
        line.stylize(style, start)
        self._console.print(line, no_wrap=True, overflow="ignore", crop=False)

    def paragraph(self, text: Text, *, indent: int, hang: int) -> None:
        """Add a paragraph of escaped text."""
        room = self._width - indent - hang - 1
        for place, part in enumerate(_wrapped(text, self._console, room)):
            margin = " " * (indent + (hang if place else 0))
            line = Text.assemble(margin, guard(part.plain), part)
            line.plain = line.plain.replace(_GLUE, " ")
            self._console.print(line, no_wrap=True, overflow="ignore", crop=False)

    def field(self, name: str, words: str | None) -> None:
        """Add a line with a name and a value; nothing if there is no value."""
        if words is not None:
            self.line(f"{name}: {words}", indent=2)

    def item(self, words: str, tail: str = "") -> None:
        """Add an item of a list."""
        self.line(f"- {words}{tail}", indent=4)

    def exchange(self, sides: wording.Sides) -> None:
        """Add the golden's and the candidate's text of a changed step, with the differences marked."""
        for side, pieces in sides:
            marks: list[tuple[str, Side]] = [(piece, side if changed else "") for piece, changed in pieces]
            self.paragraph(self.marked(marks, f"{side + ':':<11}"), indent=6, hang=11)

    def marked(self, pieces: Iterable[tuple[str, Side]], head: str = "", tail: str = "") -> Text:
        """Return a text with the changed pieces marked, between escaped texts."""
        line = Text(head)
        for piece, side in pieces:
            opening, closing = _MARKS[side]
            line.append(f"{opening}{visible(piece, WHOLE)}{closing}", style=_SIDES[side])
        return line.append(tail)

    def height(self, text: Text, *, indent: int, hang: int = 2) -> int:
        """Return the number of lines of a paragraph."""
        return sum(1 for _ in _wrapped(text, self._console, self._width - indent - hang - 1))

    def left_out(self, number: int, what: str = "") -> None:
        """Add the number of omitted items; nothing if no items were omitted."""
        if number > 0:
            self.line(f"- and {number:,} more{' ' * bool(what)}{what}: {_ALL}", indent=4)

    def blank(self) -> None:
        """Add an empty line."""
        self._console.print()

    def text(self) -> str:
        """Return all lines as text, without empty ones at the end."""
        return self._file.getvalue().rstrip("\n") + "\n"


def _wrapped(text: Text, console: Console, width: int) -> Iterator[Text]:
    lines: Iterable[Text] = text.wrap(console, width, overflow="fold", tab_size=1)
    for line in lines:
        line.rstrip()
        yield line
