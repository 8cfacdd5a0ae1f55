"""The report of `wfgate exam`, which tests how well a language model reads workflows: text, Markdown or JSON.

A question pattern is a kind of fact about a workflow. The table has a line per pattern and per category of patterns.
"""

import textwrap
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from wfgate.catalogue.exam.certificate import Certificate
from wfgate.catalogue.exam.grade import Grading, Mean, PatternScore, Result
from wfgate.catalogue.exam.scenes import LEAST
from wfgate.model import Frozen
from wfgate.show import count, markdown_text, published_schema, visible

_WIDE = 80
_TITLES = {"structure": "Structure", "behaviour": "Behaviour", "functionality": "Functionality"}
_GRADINGS: dict[Grading, str] = {
    "correctness": "correctness",
    "jaccard": "Jaccard",
    "pair-jaccard": "Jaccard of pairs",
    "damerau-levenshtein": "Damerau-Levenshtein",
    "rouge-1-recall": "ROUGE-1 recall",
    "bertscore": "BERTScore",
    "judge": "language model",
}
_BRACKETS = "In brackets: similarity to one wording of the right answer; not part of the score."


class ExamReport(Frozen):
    """The JSON report of an exam: `wfgate.exam/1`.

    Attributes:
        schema_id: Schema of this document.
        tool: Version of wfgate.
        least: The required score; None if none was required.
        passed: Whether the model reached the required score; None if none was required.
        exam: The graded exam: scores, questions, answers.
    """

    schema_id: Literal["wfgate.exam/1"] = Field(default="wfgate.exam/1", alias="schema")
    tool: str
    least: float | None
    passed: bool | None
    exam: Result


def exam_record(result: Result, least: float | None, version: str) -> dict[str, Any]:
    """Return the JSON report of an exam: `wfgate.exam/1`."""
    passed = None if least is None else result.passes(least)
    return ExamReport(tool=version, least=least, passed=passed, exam=result).model_dump(mode="json", by_alias=True)


def exam_schema() -> dict[str, Any]:
    """Return the published JSON Schema of the report of `wfgate exam`.

    Example:
        >>> exam_schema()["$id"]
        'urn:wfgate:exam:1'
    """
    return published_schema(ExamReport, "urn:wfgate:exam:1")


def certificate_schema() -> dict[str, Any]:
    """Return the published JSON Schema of an exam certificate.

    Example:
        >>> certificate_schema()["$id"]
        'urn:wfgate:exam-certificate:1'
    """
    return published_schema(Certificate, "urn:wfgate:exam-certificate:1")


def exam_text(result: Result, least: float | None) -> str:
    """Return the table as text, 80 columns wide."""
    lines = [*textwrap.wrap(_headline(result, least), _WIDE, subsequent_indent="  "), ""]
    lines.append(f"{'':49}{'score':>8}{'sd':>7}{'questions':>11}")
    for group, rows in _grouped(result):
        total = next((each for each in result.groups if each.group == group), None)
        if total is None:
            lines.append(_TITLES[group])
        else:
            lines.append(
                f"{_TITLES[group]:49}{_number(total.score.mean):>8}{_sd(total.score):>7}{total.questions:>11}"
            )
        lines += [
            f"  {row.pattern:27}{_GRADINGS[row.grading]:20}{_score(row):>8}{_sd(row.score):>7}{row.questions:>11}"
            for row in rows
        ]
    lines.append(f"{'All patterns':49}{_number(result.score.mean):>8}{_sd(result.score):>7}{_counted(result):>11}")
    for note in _notes(result):
        lines += ["", *textwrap.wrap(note, _WIDE, break_on_hyphens=False)]
    return "\n".join(lines)


def exam_markdown(result: Result, least: float | None) -> str:
    """Return the table as GitHub-flavoured Markdown."""
    lines = [f"**{markdown_text(_headline(result, least))}**", ""]
    lines += ["| pattern | graded by | score | sd | questions |", "| --- | --- | ---: | ---: | ---: |"]
    for group, rows in _grouped(result):
        total = next((each for each in result.groups if each.group == group), None)
        values = (_number(total.score.mean), _sd(total.score), str(total.questions)) if total else ("", "", "")
        lines.append(f"| **{_TITLES[group]}** | | {' | '.join(values)} |")
        lines += [
            f"| `{row.pattern}` | {_GRADINGS[row.grading]} | {_score(row)} | {_sd(row.score)} | {row.questions} |"
            for row in rows
        ]
    lines.append(f"| **All patterns** | | {_number(result.score.mean)} | {_sd(result.score)} | {_counted(result)} |")
    for note in _notes(result):
        lines += ["", markdown_text(note, limit=4000)]
    return "\n".join(lines)


def _headline(result: Result, least: float | None) -> str:
    settings = result.settings
    mark = "" if least is None else ("PASS " if result.passes(least) else "FAIL ")
    required = "" if least is None else f", {_number(least)} required"
    spread = "" if result.score.sd is None else f" (sd {_number(result.score.sd)})"
    return (
        f"{mark}{visible(result.model, 100)}: {_number(result.score.mean)}{spread}{required}; {settings.notation},"
        f" {settings.protocol}, {count(len(result.asked), 'question')}, {count(settings.repetitions, 'repetition')}"
    )


def _notes(result: Result) -> Iterator[str]:
    if any(not row.counts for row in result.patterns):
        yield _BRACKETS
    if result.grader is not None:
        left = f"; {count(result.ungraded, 'text')} without a valid grade" * bool(result.ungraded)
        yield f"Language model that graded texts with a rubric of 0 to 5: {visible(result.grader, 100)}{left}."
    useless = [f"{result.refused:,} refused"] * bool(result.refused)
    useless += [f"{result.unreadable:,} unreadable"] * bool(result.unreadable)
    if useless:
        yield f"Of {count(result.answers, 'answer')}, {' and '.join(useless)}: each is graded 0."
    given = result.scenes.get("as given", 0)
    if given < len(result.asked):
        yield (
            f"{count(given, 'question')} about {' and '.join(map(visible, result.workflows))} as given,"
            f" {len(result.asked) - given} about other arrangements of the tasks."
        )
    if result.without:
        names = ", ".join(visible(name) for name in result.small)
        few = f" or there are fewer than {LEAST} tasks (in {names})" if result.small else ""
        yield f"Not asked, because the notation cannot express it{few}: {', '.join(result.without)}."


def _grouped(result: Result) -> Iterator[tuple[str, list[PatternScore]]]:
    for group in _TITLES:
        rows = [row for row in result.patterns if row.group == group]
        if rows:
            yield group, rows


def _counted(result: Result) -> int:
    return sum(group.questions for group in result.groups)


def _score(row: PatternScore) -> str:
    return _number(row.score.mean) if row.counts else f"({_number(row.score.mean)})"


def _sd(mean: Mean) -> str:
    return "-" if mean.sd is None else _number(mean.sd)


def _number(value: float) -> str:
    """Return a number with two digits; values between 0 and 1 are never rounded to 0.00 or 1.00.

    Example:
        >>> _number(1.0), _number(0.9995), _number(0.5), _number(0.001)
        ('1.00', '0.99', '0.50', '0.01')
    """
    if 0 < value < 1:
        return f"{min(max(value, 0.01), 0.99):.2f}"
    return f"{value:.2f}"
