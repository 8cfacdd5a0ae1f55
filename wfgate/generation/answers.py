"""Generates workflows with a language model.

The prompt contains two examples. The answers are read in the same way as workflow files. An answer that the gate does
not pass can be given back with the findings as instructions, until the gate passes (`generate_until_pass`). This is
the iterative refinement of WorkflowPerturb (appendix A.4).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from wfgate.decide import Blob, CaseResult, Pair, Source, Verdict
from wfgate.errors import ConfigError, FormatError, LlmAnswerError
from wfgate.llm import Client, LlmAnswer, LlmQuestion, Message, spelled
from wfgate.model import Frozen
from wfgate.read import VARIANT_MARK, Diagnostic, find, read_text, write
from wfgate.run import Gate

RULES = """\
You write workflows. For a task you answer with one workflow that does it: every step that is needed, none that is not,
each with a name that says what is done, and what has to wait for what. Steps that do not depend on each other are not
put in a row. Answer with the workflow alone, in the notation of the examples, in one fenced block."""
"""The default system prompt."""

_EXAMPLES = (
    (
        "Publish the monthly sales report.",
        """\
wfgate: "1"
name: Publish the monthly sales report
steps:
  - {id: collect, name: Collect the sales figures of the month}
  - {id: clean, name: Remove duplicate rows from the figures, needs: [collect]}
  - {id: chart, name: Draw a chart of revenue by region, needs: [clean]}
  - {id: summary, name: Write a summary of the three largest changes, needs: [clean]}
  - {id: approve, name: Ask the finance lead to approve chart and summary, needs: [chart, summary]}
  - {id: publish, name: Publish the report on the intranet, needs: [approve]}
""",
    ),
    (
        "Take a database server out of service.",
        """\
wfgate: "1"
name: Take a database server out of service
steps:
  - {id: announce, name: Announce the maintenance window to all teams}
  - {id: backup, name: Make a full backup of the databases}
  - {id: verify, name: Restore the backup on a spare server and compare row counts, needs: [backup]}
  - {id: drain, name: Direct all connections to the replica, needs: [announce, verify]}
  - {id: stop, name: Stop the database server, needs: [drain]}
  - {id: revoke, name: Revoke its certificates and network rules, needs: [stop]}
  - {id: record, name: Mark the server as retired in the inventory, needs: [stop]}
""",
    ),
)
"""Example tasks and workflows in wfgate's short form; converted for other notations."""
_SHORT = "native"


class GeneratedSample(Frozen):
    """One answer of the model, without its text.

    Attributes:
        file: Name of the file in the output folder.
        format: Format of the answer; None if no workflow could be read from the answer.
        tasks: Number of steps of the workflow.
        problem: Why there is no workflow: the model gave no answer, or no workflow could be read from the answer. None
            if there is a workflow.
    """

    file: str
    format: str | None
    tasks: int
    problem: str | None


class Attempt(Frozen):
    """An answer that the gate did not pass and that was given back.

    Attributes:
        text: The text of the answer, unchanged; empty if there was no answer.
        verdict: The verdict of the gate on it.
        instructions: What the model was told to correct.
    """

    text: str
    verdict: Verdict
    instructions: tuple[str, ...]


class GatedSample(GeneratedSample):
    """The last answer of a sample that was repeated until the gate passes.

    Attributes:
        verdict: The verdict of the gate on the last answer.
        attempts: The answers before it.
    """

    verdict: Verdict
    attempts: tuple[Attempt, ...] = ()


class Generation(Frozen):
    """The settings of a generation. They are the first line of the record; each further line is a sample.

    Attributes:
        schema_id: Schema of this record.
        tool: Version of wfgate.
        model: The model.
        service: Hash of the service's address and the model.
        date: Date of the requests.
        task: What the workflow should do.
        notation: The notation (format) of the examples.
        prompt: Hash of the whole prompt.
        temperature: Sampling temperature.
        samples: Number of requested workflows.
        until_pass: How often findings were given back at most; 0 if the answers were not compared.
        reference: The approved workflows that the answers were compared with; None if they were not compared.
    """

    schema_id: Literal["wfgate.generation/1"] = Field(default="wfgate.generation/1", alias="schema")
    tool: str
    model: str
    service: str
    date: str
    task: str
    notation: str
    prompt: str
    temperature: float
    samples: int
    until_pass: int = 0
    reference: str | None = None


@dataclass(frozen=True)
class Drawn:
    """One answer with its text.

    Attributes:
        sample: The data of the answer that are recorded.
        text: The text of the answer, unchanged; empty if there is no answer.
        diagnostics: Diagnostics of the reader.
    """

    sample: GeneratedSample
    text: str
    diagnostics: tuple[Diagnostic, ...] = ()


def prompt_for(task: str, notation: str = _SHORT, rules: str = RULES) -> tuple[Message, ...]:
    """Return the prompt for a workflow: the rules, two examples, the task.

    Args:
        task: What the workflow should do.
        notation: The notation (format) of the examples. The model is expected to answer in the same notation.
        rules: The system prompt.

    Raises:
        ConfigError: If the task is empty, or wfgate cannot write workflows in the notation.

    Example:
        >>> [message.role for message in prompt_for("Deploy the service", "worfbench")]
        ['system', 'user', 'assistant', 'user', 'assistant', 'user']
    """
    if not task.strip():
        raise ConfigError("the task is empty", fix="describe what the workflow should do")
    if not find(notation).writes:
        raise ConfigError(f"workflows cannot be written in the notation {notation!r}", fix="use --notation native")
    shots = []
    for example, workflow in _EXAMPLES:
        shown = workflow if notation == _SHORT else write(read_text(workflow, "example", _SHORT).workflow, notation)
        shots += [Message("user", f"Task: {example}"), Message("assistant", f"```\n{shown.rstrip()}\n```")]
    return (Message("system", rules.strip()), *shots, Message("user", f"Task: {task.strip()}"))


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return a hash of a prompt."""
    content = json.dumps([[message.role, message.content] for message in messages])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def file_name(name: str, number: int) -> str:
    """Return the file name of a sample. `wfgate gate` compares it with the reference called `name`.

    Raises:
        ConfigError: If `name` is not a valid file name, or contains `@`, which marks samples and variants.

    Example:
        >>> file_name("deploy", 3)
        'deploy@3.md'
    """
    if not name or name[0] == "." or not name.isprintable() or {*name} & {*f"/\\{VARIANT_MARK}"}:
        raise ConfigError(f"{name!r} cannot be the name of a workflow file", fix="use letters, digits, '-' and '_'")
    return f"{name}{VARIANT_MARK}{number}.md"


def generate(
    client: Client, messages: Sequence[Message], *, name: str, samples: int, temperature: float
) -> list[Drawn]:
    """Request a workflow from a model several times and read the answers.

    The format is detected from the content. If no workflow can be read from an answer, the sample has a `problem`.
    Such an answer is not dropped, not repaired and not requested again.

    Args:
        client: The client for the model.
        messages: The prompt.
        name: Name of the workflow.
        samples: Number of requests.
        temperature: Sampling temperature.

    Raises:
        LlmServiceError: If the service cannot be reached or keeps failing.
        ConfigError: If the name is not a valid file name.
    """
    files = [file_name(name, number) for number in range(1, samples + 1)]
    questions = [LlmQuestion(tuple(messages), temperature, sample=number) for number in range(samples)]
    return [_drawn(file, answer) for file, answer in zip(files, client.write_all(questions), strict=True)]


def generate_until_pass(  # noqa: PLR0913 - a request, and what its answers are compared with
    client: Client,
    messages: Sequence[Message],
    gate: Gate,
    goldens: Sequence[Source],
    *,
    name: str,
    samples: int,
    temperature: float,
    rounds: int,
) -> list[Drawn]:
    """Request workflows, and repeat each request with the gate's findings as instructions until the gate passes.

    The model sees the first prompt, its last answer and the findings about it, not the whole history. The findings
    contain names of steps of the golden. So a workflow that passes after a round shows that the model can correct an
    answer, not that it writes such answers by itself.

    Args:
        client: The client for the model.
        messages: The prompt.
        gate: The gate.
        goldens: The approved references of the workflow; at least one.
        name: Name of the workflow.
        samples: Number of workflows.
        temperature: Sampling temperature.
        rounds: Maximum number of repeated requests for each workflow.

    Returns:
        For each workflow the last answer; its sample is a `GatedSample`.

    Raises:
        LlmServiceError: If the service cannot be reached or keeps failing.
        ConfigError: If the name is not a valid file name, or there is no reference.
    """
    if not goldens:
        raise ConfigError("there is no reference to compare with", fix="give --reference FILE or FOLDER")
    files = [file_name(name, number) for number in range(1, samples + 1)]
    questions = {number: LlmQuestion(tuple(messages), temperature, sample=number) for number in range(samples)}
    attempts: list[list[Attempt]] = [[] for _ in range(samples)]
    last: dict[int, Drawn] = {}
    for left in range(rounds, -1, -1):
        for number, answer in zip([*questions], client.write_all([*questions.values()]), strict=True):
            drawn = _drawn(files[number], answer)
            result = gate.decide(Pair(name, tuple(goldens), Blob(Path(files[number]), drawn.text.encode())))
            sample = GatedSample(**drawn.sample.model_dump(), verdict=result.verdict, attempts=tuple(attempts[number]))
            last[number] = Drawn(sample, drawn.text, drawn.diagnostics)
            question = questions.pop(number)
            if result.verdict != "pass" and left:
                told = instructions(drawn.sample, result)
                attempts[number].append(Attempt(text=drawn.text, verdict=result.verdict, instructions=told))
                questions[number] = LlmQuestion(
                    corrected(messages, drawn.text, told), question.temperature, sample=question.sample
                )
        if not questions:
            break
    return [last[number] for number in range(samples)]


def instructions(sample: GeneratedSample, result: CaseResult) -> tuple[str, ...]:
    """Return what a model should correct in an answer, one sentence per finding, the reasons for the verdict first.

    Findings that are information, waived, or in the golden too are left out. Reasons without a place in the workflow
    (p-values, grades) are only returned if there are no other ones.

    Args:
        sample: The answer.
        result: The result of the gate.
    """
    if sample.problem is not None:
        return (f"no workflow can be read from the answer: {sample.problem}",)
    if result.why_not_compared is not None:
        return (result.why_not_compared.message,)
    names = {finding.fingerprint: finding.tasks for finding in result.findings}
    placed = [reason for reason in result.reasons if reason.rule not in _WITHOUT_PLACE]
    told = [(reason.message, names.get(reason.fingerprint or "", ())) for reason in placed]
    reasons = {reason.fingerprint for reason in placed}
    told += [
        (finding.message, finding.tasks)
        for finding in result.findings
        if finding.is_open and not finding.waived and finding.fingerprint not in reasons
    ]
    told = told or [(reason.message, ()) for reason in result.reasons]
    return tuple(dict.fromkeys(_with_full_names(message, tasks) for message, tasks in told))


def corrected(messages: Sequence[Message], answer: str, told: Sequence[str]) -> tuple[Message, ...]:
    """Return the prompt for the next attempt: the first prompt, the last answer, and what to correct in it.

    Names of steps in the instructions cannot end the list or add a line (`spelled`).
    """
    lines = "\n".join(f"- {spelled(each)}" for each in told)
    before = (Message("assistant", answer),) if answer.strip() else ()
    return (*messages, *before, Message("user", _AGAIN.format(lines=lines)))


_AGAIN = """\
This answer is not accepted. It was compared with an approved workflow ("now" is your wording of its step):
{lines}
Write the workflow again, so that none of this holds any more. Keep everything else as it is. Answer with the whole
workflow alone, in the same notation, in one fenced block."""
_WITHOUT_PLACE = frozenset({"statistics", "undecided", "judge", "quotes"})
"""Rules of reasons that name no part of the workflow."""


def _with_full_names(message: str, tasks: Sequence[str]) -> str:
    """Return a message with the names that it shortens."""
    cut = [name for name in tasks if name not in message]
    return f"{message} (in full: {'; '.join(repr(name) for name in cut)})" if cut else message


def _drawn(file: str, answer: LlmAnswer[str] | LlmAnswerError) -> Drawn:
    """Return an answer with what the readers say about it."""
    if isinstance(answer, LlmAnswerError):
        return Drawn(GeneratedSample(file=file, format=None, tasks=0, problem=answer.message), "")
    try:
        reading = read_text(answer.text, file)
    except FormatError as error:
        return Drawn(GeneratedSample(file=file, format=None, tasks=0, problem=error.message), answer.text)
    tasks = len(reading.workflow.tasks)
    problem = None if tasks else "the workflow has no steps"
    sample = GeneratedSample(file=file, format=reading.format, tasks=tasks, problem=problem)
    return Drawn(sample, answer.text, reading.diagnostics)
