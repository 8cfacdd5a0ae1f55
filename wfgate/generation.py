"""Generates workflows with a language model.

The prompt contains two examples. The answers are read in the same way as workflow files.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from wfgate.errors import ConfigError, FormatError, LlmAnswerError
from wfgate.formats import Diagnostic, find, read_text, write
from wfgate.formats.folders import VARIANT_MARK
from wfgate.llm import Client, Message, Question
from wfgate.model.workflow import Frozen

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


class Sample(Frozen):
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


@dataclass(frozen=True)
class Drawn:
    """One answer with its text.

    Attributes:
        sample: The data of the answer that are recorded.
        text: The text of the answer, unchanged; empty if there is no answer.
        diagnostics: Diagnostics of the reader.
    """

    sample: Sample
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
    questions = [Question(tuple(messages), temperature, sample=number) for number in range(samples)]
    drawn = []
    for file, answer in zip(files, client.write_all(questions), strict=True):
        if isinstance(answer, LlmAnswerError):
            drawn.append(Drawn(Sample(file=file, format=None, tasks=0, problem=answer.message), ""))
            continue
        try:
            reading = read_text(answer.text, file)
        except FormatError as error:
            sample = Sample(file=file, format=None, tasks=0, problem=error.message)
            drawn.append(Drawn(sample, answer.text))
            continue
        tasks = len(reading.workflow.tasks)
        problem = None if tasks else "the workflow has no steps"
        sample = Sample(file=file, format=reading.format, tasks=tasks, problem=problem)
        drawn.append(Drawn(sample, answer.text, reading.diagnostics))
    return drawn
