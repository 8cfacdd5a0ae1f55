"""Workflows from a language model: a prompt with two examples, and answers read as any other file is."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from wfgate.errors import ConfigError, FormatError, LlmAnswerError
from wfgate.formats import Diagnostic, find, read_text, write
from wfgate.gating.suite import VARIANT_MARK
from wfgate.llm import Client, Message, Question
from wfgate.model.workflow import Frozen

RULES = """\
You write workflows. For a task you answer with one workflow that does it: every step that is needed, none that is not,
each with a name that says what is done, and what has to wait for what. Steps that do not depend on each other are not
put in a row. Answer with the workflow alone, in the notation of the examples, in one fenced block."""
"""What a model is told, unless somebody brings a prompt of their own."""

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
"""Tasks and workflows, in wfgate's short form; in another notation the same is shown."""
_SHORT = "native"


class Sample(Frozen):
    """One answer of a model.

    Attributes:
        file: Its name in the output folder.
        format: What it was read as; None if nothing could be read.
        tasks: How many steps were read.
        problem: Why there is no workflow: no answer, or none that can be read.
    """

    file: str
    format: str | None
    tasks: int
    problem: str | None


class Generation(Frozen):
    """What was asked for, and what came of it: the first line of the record, before one line for each sample.

    Attributes:
        schema_id: What this record is.
        tool: The wfgate that asked.
        model: Who answered.
        service: Hash of the service's address and the model.
        date: When it was asked.
        task: What the workflow was to do.
        notation: The notation of the examples.
        prompt: Hash of all that was said to the model.
        temperature: How freely it chose.
        samples: How often it was asked.
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
    """One answer with its words.

    Attributes:
        sample: What is recorded of it.
        text: Its words as they came; empty where there is no answer.
        diagnostics: What the reader had to say.
    """

    sample: Sample
    text: str
    diagnostics: tuple[Diagnostic, ...] = ()


def prompt_for(task: str, notation: str = _SHORT, rules: str = RULES) -> tuple[Message, ...]:
    """Return the conversation that asks for a workflow: the rules, two examples, the task.

    Args:
        task: What the workflow is to do.
        notation: The notation of the examples, and so of the answer.
        rules: What to tell the model first.

    Raises:
        ConfigError: If the task is empty, or the notation cannot be written.

    Example:
        >>> [message.role for message in prompt_for("Deploy the service", "worfbench")]
        ['system', 'user', 'assistant', 'user', 'assistant', 'user']
    """
    if not task.strip():
        raise ConfigError("the task is empty", fix="say what the workflow is to do")
    if not find(notation).writes:
        raise ConfigError(f"wfgate does not write {notation!r}", fix="use --notation native")
    shots = []
    for said, workflow in _EXAMPLES:
        shown = workflow if notation == _SHORT else write(read_text(workflow, "example", _SHORT).workflow, notation)
        shots += [Message("user", f"Task: {said}"), Message("assistant", f"```\n{shown.rstrip()}\n```")]
    return (Message("system", rules.strip()), *shots, Message("user", f"Task: {task.strip()}"))


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return a hash of a conversation: equal ones say the same."""
    said = json.dumps([[message.role, message.content] for message in messages])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def file_name(name: str, place: int) -> str:
    """Return what the file of a sample is called: `wfgate gate` compares it with the reference called `name`.

    Raises:
        ConfigError: If that cannot be the name of a file, or tells samples apart itself.

    Example:
        >>> file_name("deploy", 3)
        'deploy@3.md'
    """
    if not name or name[0] == "." or not name.isprintable() or {*name} & {*f"/\\{VARIANT_MARK}"}:
        raise ConfigError(f"{name!r} cannot be the name of a workflow file", fix="use letters, digits, '-' and '_'")
    return f"{name}{VARIANT_MARK}{place}.md"


def generate(
    client: Client, messages: Sequence[Message], *, name: str, samples: int, temperature: float
) -> list[Drawn]:
    """Ask a model for a workflow several times, and read what it says.

    The format is found by the content, as of any file; what cannot be read is a sample with its problem. Nothing that
    a model says is thrown away, mended or asked for again because it cannot be read.

    Args:
        client: Asks the model.
        messages: The conversation.
        name: What the workflow is called.
        samples: How often to ask.
        temperature: How freely the model chooses.

    Raises:
        LlmServiceError: If the service cannot be reached or fails again and again.
        ConfigError: If the name cannot be that of a file.
    """
    files = [file_name(name, place) for place in range(1, samples + 1)]
    asked = [Question(tuple(messages), temperature, sample=place) for place in range(samples)]
    found = []
    for file, answer in zip(files, client.write_all(asked), strict=True):
        if isinstance(answer, LlmAnswerError):
            found.append(Drawn(Sample(file=file, format=None, tasks=0, problem=answer.message), ""))
            continue
        try:
            reading = read_text(answer.text, file)
        except FormatError as error:
            sample = Sample(file=file, format=None, tasks=0, problem=error.message)
            found.append(Drawn(sample, answer.text))
            continue
        tasks = len(reading.workflow.tasks)
        problem = None if tasks else "the workflow has no steps"
        sample = Sample(file=file, format=reading.format, tasks=tasks, problem=problem)
        found.append(Drawn(sample, answer.text, reading.diagnostics))
    return found
