"""The report for a terminal or a log."""

import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import ClassVar

from rich.console import Console
from rich.text import Text

from wfgate.decide import CaseResult, GateResult, Verdict
from wfgate.read import Diagnostic
from wfgate.show import brief, comparison, wording
from wfgate.show.advice import Advice, Command
from wfgate.show.base import Reporter
from wfgate.show.brief import Side
from wfgate.show.escape import guard, visible
from wfgate.show.terminal import console
from wfgate.show.view import CaseView, ReasonView, RunCase, RunView

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
_GLUED = re.compile(r"(?<=\d) (?=%)| (?=\(\d{1,7}\))|(?<=--reference) |(?<=--replace) |(?<=--reason) ")
"""Spaces without a line break: "8 %", "step missing (2)", an option and its value."""


class TextReporter(Reporter):
    """Plain text, optionally in colour: of each failed case what broke, how bad it is, and what to do.

    Args:
        width: Maximum width of a line, at least 30.
        color: Whether to add ANSI colours; the text is the same.
        verbose: Whether to report all cases in full: all reasons with both texts, evidence, metrics, all findings.
        whole: Whether to show all texts and names in full.
        quiet: Whether to print only one line per failed case, acceptances that do not count, and the summary.
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
        page, run = _Page(self.width, color=self.color), RunView(result)
        self._comparison(page, run)
        if self.verbose:
            failed, passed = (
                [one for one in run.cases if (one.case.verdict != "pass") is way] for way in (True, False)
            )
        else:
            failed, passed = run.alone(failed=True), run.alone(failed=False)
            self._folded(page, run)
        for place, view in enumerate(failed):
            self._failed(page, view, short=self.quiet or place >= FULL_CASES)
        if not self.quiet:
            page.accept_all(run.together)
            if len(failed) > FULL_CASES:
                page.line(f"The reasons of the first {FULL_CASES} cases are listed; for the others {_ALL}.")
                page.blank()
            self._passes(page, passed)
            self._diagnostics(page, result.diagnostics)
            if self.verbose:
                self._notes(page, run)
        for words in run.refused if self.quiet else run.notes():
            page.line(visible(words))
        self._together(page, run)
        if len(result.cases) != 1 or result.samples or result.release or self.verbose or result.policy.is_audit:
            page.line(run.summary, style="bold")
        if self.verbose and not self.quiet:
            page.line(f"Promise: {run.promise}")
            page.line(_origin(result))
        return page.text()

    def case(self, view: RunCase) -> str:
        """Return the report of one case, in full."""
        page = _Page(self.width, color=self.color)
        self._headline(page, view, view.title)
        self._details(page, view)
        self._diagnostics(page, view.case.diagnostics)
        return page.text()

    def short(self, view: CaseView) -> str:
        """Return the short report of one case without its run, and so without what to do next."""
        page = _Page(self.width, color=self.color)
        if view.case.verdict == "pass":
            self._headline(page, view, view.headline)
            self._passed(page, view)
        else:
            self._headline(page, view, view.title)
            self._brief(page, view)
        return page.text()

    def _failed(self, page: "_Page", view: RunCase, *, short: bool) -> None:
        """Add a case that did not pass: one line, or its reasons, or everything."""
        if short:
            self._headline(page, view, view.one_line)
            return
        self._headline(page, view, view.title)
        if self.verbose:
            self._details(page, view)
            self._diagnostics(page, view.own_messages)
        else:
            self._brief(page, view)
            for sentence in view.next:
                page.advice(sentence, indent=2)
        page.blank()

    def _headline(self, page: "_Page", view: CaseView, words: str) -> None:
        case, verdict = view.case, view.verdict
        line = f"{verdict} {visible(case.id, 60)}{visible(view.accepted)}: {visible(words, 700)}"
        page.line(line, mark=(len(verdict), STYLES[case.verdict]))

    def _brief(self, page: "_Page", view: CaseView) -> None:
        reasons = view.why
        room = REASON_LINES
        for place, one in enumerate(reasons):
            rule = f"{one.reason.rule} " * bool(one.reason.fingerprint or one.place)
            line = page.marked(one.pieces, rule, _where(view.case, one))
            room -= page.height(line, indent=2)
            if place and room < 0:
                reasons = reasons[:place]
                break
            page.paragraph(line, indent=2, hang=2)
        room, steps = room * (len(reasons) == len(view.reasons)), view.unnamed
        for place, step in enumerate(steps):
            line = page.marked(brief.step_pieces(step))
            room -= page.height(line, indent=2)
            if room < 0:
                steps = steps[:place]
                break
            page.paragraph(line, indent=2, hang=2)
        left = len(view.unnamed) - len(steps)
        more = [wording.count(n, "more reason")] if (n := len(view.why) - len(reasons)) else []
        more += [wording.count(left, "other changed step")] if left else []
        others, claimed = view.grave, view.claimed
        values = sum(one.reason.fingerprint in claimed and one.about == "step" for one in others)
        more += [f"{wording.count(values, 'value')} of missing or new steps"] if values else []
        more += [wording.count(n, "other finding")] if (n := len(others) - values) else []
        warnings = sum(diagnostic.severity != "info" for diagnostic in view.case.diagnostics)
        more += [wording.count(warnings, "warning of a reader", "warnings of the readers")] if warnings else []
        if more:
            page.line(f"and {', '.join(more)}: see --verbose", indent=2, style="dim")
        page.field("Severity", view.severity)
        page.field("Note", view.parts)
        page.field("Note", view.outside)

    def _comparison(self, page: "_Page", run: RunView) -> None:
        """Add the table of the comparison with a previous release, and the steps that the samples lost."""
        rows = [row for row in run.table if row.verdict != "pass" or not self.quiet]
        for line, start, verdict in comparison.lines(rows, self.width - 1) if rows else ():
            page.row(line, start, STYLES[verdict] if verdict else "dim")
        if run.result.release is not None:
            for words in () if self.quiet else run.release_notes(verbose=self.verbose):
                page.line(visible(words, 900), style="dim")
            verdict, about = run.result.release.verdict, visible(run.against or "", 900)
            mark = "" if verdict == "pass" else f"{wording.VERDICTS[verdict]} "  # the cases themselves may fail
            page.line(mark + about, mark=(len(mark), STYLES[verdict]))
            page.blank()
        lost = [] if self.quiet else run.lost
        if lost:
            page.line(run.lost_title)
            shown = lost if self.verbose else lost[: comparison.STEPS]
            for step in shown:
                page.line(f"{visible(step.case, 60)}: {visible(step.words)}", indent=2)
            page.left_out(len(lost) - len(shown))
            page.blank()

    def _folded(self, page: "_Page", run: RunView) -> None:
        """Add one line for each case with several samples, if something is to be said of them."""
        lines = [line for line in run.folded if line.group.verdict != "pass" or not self.quiet]
        for place, line in enumerate(lines[:TOGETHER]):
            mark, style = wording.VERDICTS[line.group.verdict], STYLES[line.group.verdict]
            page.line(f"{mark} {visible(line.group.id, 60)}: {visible(line.words, 700)}", mark=(len(mark), style))
            example = line.example
            if example is None or self.quiet or place >= EXAMPLES:
                continue
            page.line(f"For example {visible(example.case.id, 60)}: {visible(example.first_reason, 700)}", indent=2)
            for sentence in example.next:
                page.advice(sentence, indent=2)
        page.left_out(len(lines) - TOGETHER)
        if lines and not self.quiet:
            for words in run.to_do:
                page.advice(words, indent=0)
        if lines:
            page.line("Each sample: see --verbose", style="dim")
            page.blank()

    def _together(self, page: "_Page", run: RunView) -> None:
        """Add the lines about samples, unless the table of a comparison has them."""
        if run.result.release is not None and not self.verbose:
            return
        shown = [(verdict, summary) for verdict, summary in run.samples if verdict != "pass" or not self.quiet]
        if shown:
            page.line("Samples:")
            for verdict, summary in shown[:TOGETHER]:
                page.line(f"{wording.VERDICTS[verdict]} {visible(summary, 700)}", indent=2)
            page.left_out(len(shown) - TOGETHER)
            page.blank()

    def _passes(self, page: "_Page", passed: Sequence[RunCase]) -> None:
        for view in passed[:PASSES]:
            self._headline(page, view, view.headline)
            if self.verbose:
                self._details(page, view)
                self._diagnostics(page, view.own_messages)
            else:
                self._passed(page, view)
        if len(passed) > PASSES:
            page.line(f"PASS and {len(passed) - PASSES:,} more; {_ALL}")
        if passed:
            page.blank()

    def _passed(self, page: "_Page", view: CaseView) -> None:
        """Add what of a passed case is not a plain rewording: changed steps, and findings to check or waived."""
        changed, findings, remarks = view.changed, view.to_check, view.remarks
        for step in changed[:CAP]:
            page.paragraph(page.marked(brief.step_pieces(step)), indent=2, hang=2)
        for one in findings[:CAP]:
            page.line(f"{one.severity}: {visible(one.reason.message)}{self._tail(one)}", indent=2)
        for one in remarks[:CAP]:
            page.paragraph(page.marked(one.pieces, "info: "), indent=2, hang=2)
        left = sum(max(len(listed) - CAP, 0) for listed in (changed, findings, remarks))
        if left:
            page.line(f"and {left:,} more: see --verbose", indent=2, style="dim")
        self._diagnostics(page, view.own_messages)

    def _details(self, page: "_Page", view: RunCase) -> None:
        case = view.case
        page.line(f"{visible(case.candidate)} against {visible(case.golden)}", indent=2, style="dim")
        self._reasons(page, view)
        self._steps(page, view)
        page.field("Severity", view.estimate)
        page.field("Looks like", view.kinds)
        page.field("Evidence", view.evidence)
        if self.verbose:
            _evidence(page, case, view.result)
        if view.metrics:
            page.line("Metrics:", indent=2)
            wide = max(len(name) for name, _ in view.metrics)
            for name, words in view.metrics:
                page.line(f"{visible(name):<{wide}}  {visible(words)}", indent=4)
        self._findings(page, view)
        if view.todo:
            page.line("What to do:", indent=2, style="bold")
        for sentence in view.todo:
            page.item(visible(str(sentence), 900))

    def _reasons(self, page: "_Page", view: CaseView) -> None:
        if not view.why:
            return
        page.line("Why:", indent=2)
        shown = view.why if self.verbose else view.why[:CAP]
        for one in shown:
            page.item(self._message(one, one.opening), self._tail(one))
            page.exchange(one.sides(self._longest))
        page.left_out(len(view.why) - len(shown))

    def _message(self, one: ReasonView, before: str = "") -> str:
        """Return a message, escaped; where nothing is cut, with the whole names of the steps."""
        return visible(before + one.whole, WHOLE) if self.whole else visible(before + one.reason.message)

    def _steps(self, page: "_Page", view: CaseView) -> None:
        """Add the steps that are not plainly kept and that no reason shows, and a few that were only reworded."""
        if view.changed:
            page.line("Other changed steps:" if view.reasons else "Changed steps:", indent=2)
        for step in view.changed:
            if step.golden == step.candidate or not (step.golden and step.candidate):
                page.item(f"{step.words}: {visible(step.golden or step.candidate, self._longest)}")
                continue
            page.item(step.words)
            page.exchange(wording.exchanged(step.golden, step.candidate, self._longest))

    def _findings(self, page: "_Page", view: CaseView) -> None:
        left, grave = view.others, view.grave
        shown = left if self.verbose else grave[:CAP]
        if shown:
            page.line("Other findings:", indent=2)
        for one in shown:
            old = ", the golden has it too" if one.is_old else ""
            page.item(f"{one.severity}: {self._message(one)}", self._tail(one, old))
            page.exchange(one.sides(self._longest))
        if shown and not self.verbose:
            page.left_out(len(grave) - len(shown))
        quiet = len(left) - len(grave)
        if quiet and not self.verbose:
            page.line(f"{wording.count(quiet, 'lesser finding')} not shown; see --verbose", indent=2, style="dim")

    def _tail(self, one: ReasonView, more: str = "") -> str:
        """Return the rule, position, fingerprint and waiver of a reason. Missing items are left out."""
        reason = one.reason
        rule = f" [{reason.rule}]" if reason.fingerprint else ""
        place = f" at {visible(str(one.place))}" if one.place else ""
        fingerprint = f", fingerprint {reason.fingerprint}" if reason.fingerprint and self.verbose else ""
        return f"{rule}{place}{more}{fingerprint}{f'; {visible(one.waiver)}' if one.waiver else ''}"

    def _notes(self, page: "_Page", run: RunView) -> None:
        """Add what the readers say about golden and candidate alike, each message once with its number of files."""
        alike: list[Diagnostic] = []
        for view in run.given:
            own = set(view.own_messages)
            alike += [one for one in view.case.diagnostics if one not in own]
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


def _where(case: CaseResult, one: ReasonView) -> str:
    """Return the position and the waiver of a reason; without a position the file."""
    golden = f"golden{_GLUE}" * (one.reason.candidate is None and one.place is not None)
    file = case.candidate if one.reason.fingerprint and wording.is_file(case.candidate) else ""
    place = visible(str(one.place or file))
    return f"{f' ({golden}{place})' * bool(place)}{f'; {visible(one.waiver)}' if one.waiver else ''}"


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

    def accept_all(self, sentences: Sequence[Advice]) -> None:
        """Add how to accept all cases at once."""
        for sentence in sentences:
            self.advice(sentence, indent=0)
        if sentences:
            self.blank()

    def advice(self, sentence: Advice, *, indent: int) -> None:
        """Add a sentence; its command is neither cut nor wrapped.

        A part of a wrapped command may run by itself.
        """
        parts = [visible(str(part), WHOLE if isinstance(part, Command) else 900) for part in sentence.parts]
        at = next((place for place, part in enumerate(sentence.parts) if isinstance(part, Command)), None)
        if at is None or len("".join(parts)) + indent < self._width:
            self.line("".join(parts), indent=indent)
            return
        if at:
            self.line("".join(parts[:at]).rstrip(), indent=indent)
        self.row(f"{' ' * (indent + 2 * bool(at))}{''.join(parts[at:])}", 0, "")

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
