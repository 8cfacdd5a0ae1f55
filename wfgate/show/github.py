"""Annotations for GitHub: workflow commands in the log of a step."""

from pathlib import PurePath
from typing import ClassVar, NamedTuple

from wfgate.decide import GateResult
from wfgate.model import Place, SourceSpan
from wfgate.show import wording
from wfgate.show.base import Reporter
from wfgate.show.escape import visible
from wfgate.show.view import RunCase, RunView

CAP = 10
"""Annotations of one step that GitHub shows; it drops further ones silently."""
NAMED = 12
"""Reasons without an annotation of their own that the last annotation names."""
MESSAGE = 800
_LOG = 120


class GithubReporter(Reporter):
    """Annotations in a GitHub Actions log, at most ten.

    If there are more than ten, the tenth annotation summarises the rest, and the log lists the rest.
    """

    id: ClassVar[str] = "github"
    says_verdict: ClassVar[bool] = True

    def render(self, result: GateResult) -> str:
        """Return the annotations as workflow commands, then the summary as a line of the log."""
        run = RunView(result)
        notes = [note for view in run.cases for note in _annotations(view)]
        notes += [
            _Annotation("error", wording.VERDICTS[verdict], message, None, None)
            for verdict, message, fails in run.judged
            if fails
        ]
        if run.is_empty:
            notes = [_Annotation("error", "wfgate", run.summary, None, None)]
        notes.sort(key=lambda note: note.level != "error")
        room = CAP if len(notes) <= CAP else CAP - 1
        shown, rest = notes[:room], notes[room:]
        lines = [note.command() for note in shown]
        if rest:
            named = "; ".join(note.brief() for note in rest[:NAMED])
            more = f"; and {len(rest) - NAMED:,} more" if len(rest) > NAMED else ""
            words = f"without annotations; the report has all: {named}{more}"
            title = f"wfgate: {wording.count(len(rest), 'further reason')}"
            lines.append(_Annotation(rest[0].level, title, words, None, None).command(limit=4 * MESSAGE))
            lines += [
                "::group::wfgate: reasons without annotations",
                *(f"- {note.brief()}" for note in rest),
                "::endgroup::",
            ]
        lines += [f"wfgate: {visible(words)}" for words in run.notes()]
        return "\n".join([*lines, f"wfgate: {run.summary}"]) + "\n"


class _Annotation(NamedTuple):
    level: str
    title: str
    words: str
    file: str | None
    span: SourceSpan | None

    def command(self, limit: int = MESSAGE) -> str:
        place = {"file": self.file}
        if self.span is not None and self.file is not None:
            place |= {"line": str(self.span.line), "col": str(self.span.column)}
        properties = {"title": self.title, **{name: value for name, value in place.items() if value}}
        given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        return f"::{self.level} {given}::{_data(visible(self.words, limit))}"

    def brief(self) -> str:
        place = f" ({self.file}{f':{self.span.line}' if self.span else ''})" if self.file else ""
        return visible(f"{self.title}: {self.words}", _LOG) + visible(place, _LOG)


def _annotations(view: RunCase) -> list[_Annotation]:
    """Return one annotation per reason of a case that did not pass. Waived reasons have no annotation."""
    case = view.case
    if case.verdict == "pass":
        return []
    level = "error" if view.fails else "warning"
    file = case.candidate if wording.is_file(case.candidate) and not PurePath(case.candidate).is_absolute() else None

    def of(span: Place | None) -> str | None:
        return file if file is None or span is None or PurePath(span.file).is_absolute() else span.file

    title = f"{view.verdict} {case.id}{view.accepted}"
    if not view.why:
        span = case.reasons[0].candidate if case.reasons else None
        return [_Annotation(level, title, view.headline, of(span), span)]
    return [
        _Annotation(
            level,
            title,
            one.sentence + f" [{one.reason.rule}]" * bool(one.reason.fingerprint),
            of(one.reason.candidate),
            one.reason.candidate,
        )
        for one in view.why
        if one.waiver is None
    ]


def _data(text: str) -> str:
    """Return a text as the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return a text as a property of a workflow command."""
    return _data(visible(text, MESSAGE)).replace(":", "%3A").replace(",", "%2C")
