"""The output of `wfgate generate`: which answers of the model could be read as workflows, as text or JSON."""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from wfgate.generation import Generation, Sample
from wfgate.report.escape import visible
from wfgate.report.wording import count

_WIDE = 80


def generation_text(samples: Sequence[Sample], folder: str) -> str:
    """Return one answer per line, then the number of answers and the command to run next."""
    lines = []
    for sample in samples:
        if sample.problem is None:
            content = f"{sample.format}, {count(sample.tasks, 'step')}"
        else:
            content = f"NOT READABLE: {visible(sample.problem, 200)}"
        lines += textwrap.wrap(f"{visible(sample.file)}: {content}", _WIDE, subsequent_indent="  ")
    bad = sum(sample.problem is not None for sample in samples)
    lines += ["", f"{count(len(samples), 'answer')}: {len(samples) - bad} readable, {bad} unreadable"]
    lines.append(f"Next: wfgate gate {visible(folder)} --reference FOLDER")
    return "\n".join(lines)


def generation_record(asked: Generation, samples: Sequence[Sample]) -> dict[str, Any]:
    """Return the result as a JSON document: `wfgate.generation/1`."""
    head = asked.model_dump(mode="json", by_alias=True)
    bad = sum(sample.problem is not None for sample in samples)
    return {**head, "unreadable": bad, "answers": [sample.model_dump(mode="json") for sample in samples]}


def generation_lines(asked: Generation, samples: Sequence[Sample]) -> str:
    """Return the record that is stored next to the answers.

    The record is in JSON Lines: the settings on the first line, then one line per answer.
    """
    records = [asked.model_dump(mode="json", by_alias=True), *(sample.model_dump(mode="json") for sample in samples)]
    return "".join(f"{json.dumps(record)}\n" for record in records)
