"""The output of `wfgate facts`: text or JSON."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field, JsonValue

from wfgate.base import summary_of
from wfgate.catalogue.facts import FACTS, Answered
from wfgate.catalogue.facts.answers import Answer
from wfgate.catalogue.facts.base import Metric
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.model import Frozen
from wfgate.show import count, guarded, visible

WIDE = 100
"""Maximum length of a line, in characters; longer answers get one line per name."""
MOST = 12
"""Maximum number of names of an answer, and of answers of a fact, in an overview."""
_PER_TASK = ("next-tasks", "parallel-to-task", "runs-in-every-situation")
"""Facts that an overview lists task by task."""
_GROUPS = {"structure": "Structure", "behaviour": "Behaviour", "functionality": "Hints, based on the texts only"}
_ALL = "see --format json"


def facts_text(subject: FactSubject, answered: Sequence[Answered], *, overview: bool) -> str:
    """Return the answers as text.

    Args:
        subject: The workflow.
        answered: Questions with their answers.
        overview: Whether the answers are an overview of all facts. In an overview, long answers are shortened, and
            facts about tasks are grouped by task.
    """
    name = f"'{visible(subject.workflow.name)}'" if subject.workflow.name else "without a name"
    lines = [f"Workflow {name}: {count(len(subject.tasks), 'task')}"]
    others = [visible(part, 80) for part in sorted(subject.library) if part and part != subject.workflow.name]
    if overview and others:
        more = f" and {len(others) - MOST} more" if len(others) > MOST else ""
        lines.append(f"Other workflows in the file (--workflow NAME): {', '.join(others[:MOST])}{more}")
    for group, title in _GROUPS.items():
        here = [each for each in answered if FACTS[each.id].group == group]
        plain = [each for each in here if not (overview and each.id in _PER_TASK)]
        if overview and group == "functionality":
            plain = [each for each in plain if each.answer.value]
        if plain and overview:
            lines += ["", f"{title}:"]
        lines += _listed(plain, overview=overview)
    if overview:
        lines += _by_task(answered)
    return guarded(lines)


class _ToolFacts(Frozen):
    """The tool that wrote the report."""

    name: Literal["wfgate"] = "wfgate"
    version: str


class _Fact(Frozen):
    """One answered question: the fact, its version and metric, the given parameters and the answer."""

    id: str
    version: int
    metric: Metric
    question: dict[str, JsonValue]
    answer: Answer


class FactsReport(Frozen):
    """Answered questions about one workflow: `wfgate.facts/1`."""

    schema_id: Literal["wfgate.facts/1"] = Field(default="wfgate.facts/1", alias="schema")
    tool: _ToolFacts
    workflow: str
    facts: tuple[_Fact, ...]


def facts_record(subject: FactSubject, answered: Iterable[Answered], version: str) -> dict[str, Any]:
    """Return the answers as a JSON document: `wfgate.facts/1`."""
    report = FactsReport(
        tool=_ToolFacts(version=version),
        workflow=subject.workflow.name,
        facts=tuple(
            _Fact(
                id=each.id,
                version=FACTS[each.id].version,
                metric=FACTS[each.id].metric,
                question=each.question.model_dump(mode="json", exclude_defaults=True),
                answer=each.answer,
            )
            for each in answered
        ),
    )
    return report.model_dump(mode="json", by_alias=True)


def facts_schema() -> dict[str, Any]:
    """Return the published JSON Schema of the report.

    Example:
        >>> facts_schema()["$id"]
        'urn:wfgate:facts:1'
    """
    schema = FactsReport.model_json_schema(by_alias=True, mode="serialization")
    for part in (schema, *schema["$defs"].values()):
        if "properties" in part:
            part["required"] = list(part["properties"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:wfgate:facts:1", **schema}


def _listed(answered: Sequence[Answered], *, overview: bool) -> list[str]:
    lines: list[str] = []
    shown: dict[str, int] = {}
    margin = "  " if overview else ""
    for each in answered:
        shown[each.id] = shown.get(each.id, 0) + 1
        if overview and shown[each.id] > MOST:
            continue
        lines += [f"{margin}{line}" for line in _lines(_title(each), each.answer, MOST if overview else None)]
    left = [f"{margin}{name}: and {number - MOST} more, {_ALL}" for name, number in shown.items() if number > MOST]
    return [*lines, *left] if overview else lines


def _title(answered: Answered) -> str:
    given = answered.question.given()
    parts = [", ".join(f"{name} {_value(value)}" for name, value in given.items())] if given else []
    fact = FACTS[answered.id]
    if fact.answers == "yes-no":  # an id such as missing-link does not say what "yes" means
        asked = summary_of(fact).removesuffix(".")
        parts.append(asked[:1].lower() + asked[1:])
    return visible(f"{answered.id} ({'; '.join(parts)})" if parts else answered.id)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items())
    if isinstance(value, tuple):
        return ", ".join(f"'{each}'" for each in value)
    return f"'{value}'" if isinstance(value, str) and value not in {"control", "data"} else str(value)


def _lines(title: str, answer: Answer, most: int | None) -> list[str]:
    """Return the lines of an answer: one line, or one line per part if one line would be too long."""
    parts = [visible(part) for part in _parts(answer)]
    left = len(parts) - most if most is not None and len(parts) > most + 1 else 0
    parts = parts[: len(parts) - left] + ([f"and {left} more, {_ALL}"] if left else [])
    why = _why(answer)
    together = "; ".join(parts) if answer.type in {"sets", "text"} else _joined(parts)
    line = f"{title}: {together}"
    if len(line) + len(why) <= WIDE or len(parts) == 1:
        return [line + why]
    if most is not None:
        why = _why(answer, brief=True)
    return [f"{title}:{why}", *(f"  {mark}{part}" for mark, part in _marked(parts, answer))]


def _joined(names: Sequence[str]) -> str:
    """Return names in one line; names with commas are separated by semicolons."""
    return ("; " if any("," in name for name in names) else ", ").join(names)


def _marked(parts: Sequence[str], answer: Answer) -> Iterable[tuple[str, str]]:
    return ((f"{number}. " if answer.type == "list" else "- ", part) for number, part in enumerate(parts, 1))


def _parts(answer: Answer) -> list[str]:
    if answer.value is None and not answer.exact:
        return ["unknown"]
    if answer.type == "yes-no":
        yes = "yes" if answer.exact else "possibly"
        return ["not applicable" if answer.value is None else (yes if answer.value else "no")]
    if answer.type == "task":
        several = "several" if answer.witness else "none"
        return [several if answer.value is None else answer.value]
    if answer.value is None:
        return ["none"]
    if answer.type == "sets":
        return [", ".join(each) for each in answer.value] or ["none"]
    return [*answer.value] or ["none"]


def _why(answer: Answer, *, brief: bool = False) -> str:
    """Return the reason for an answer in brackets.

    If `brief`, the witness (an example that proves the answer) is left out.
    """
    reasons = [answer.because] if answer.because else []
    said = all(f"'{each}'" in (answer.because or "") for each in answer.witness)
    if not said and not brief:
        reasons.append("; ".join(answer.witness) if answer.type in {"set", "sets"} else _joined(answer.witness))
    if not answer.exact and answer.value is not None and answer.type not in {"text", "yes-no"}:
        reasons.insert(0, "not certain")
    return f" ({visible(': '.join(reasons), 600)})" if reasons else ""


def _by_task(answered: Sequence[Answered]) -> list[str]:
    about: dict[str, dict[str, Answer]] = {}
    for each in answered:
        if each.id in _PER_TASK:
            about.setdefault(each.question.task or "", {})[each.id] = each.answer
    lines = ["", "Tasks:"] if about else []
    for name, answers in about.items():
        lines.append(f"  {visible(name)}")
        following = answers.get("next-tasks")
        if following is not None:
            shown = _lines("next", following, MOST) if following.value else ["next: none"]
            lines += [f"    {line}" for line in shown]
        parallel = answers.get("parallel-to-task")
        if parallel is not None and parallel.value:
            lines += [f"    {line}" for line in _lines("in parallel", parallel, MOST)]
        runs = answers.get("runs-in-every-situation")
        if runs is not None and not runs.value:
            why = " and ".join(runs.witness) or runs.because
            start = "unknown whether it always runs: " if runs.value is None else "does not run if "
            lines.append(
                f"    {start}{visible(why or '')}" if runs.witness or runs.value is None else "    never runs"
            )
    return lines
