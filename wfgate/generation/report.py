"""The output of `wfgate generate`: which answers of the model could be read as workflows, as text or JSON."""

import json
import textwrap
from collections.abc import Sequence
from typing import Any

from wfgate.generation.answers import GatedSample, GeneratedSample, Generation
from wfgate.show import count, visible

_WIDE = 80


def generation_text(samples: Sequence[GeneratedSample], folder: str) -> str:
    """Return one answer per line, then the number of answers and the command to run next."""
    lines = []
    for sample in samples:
        if sample.problem is None:
            content = f"{sample.format}, {count(sample.tasks, 'step')}{_gated(sample)}"
        else:
            content = f"NOT READABLE: {visible(sample.problem, 200)}"
        lines += textwrap.wrap(f"{visible(sample.file)}: {content}", _WIDE, subsequent_indent="  ")
    bad = sum(sample.problem is not None for sample in samples)
    lines += ["", f"{count(len(samples), 'answer')}: {len(samples) - bad} readable, {bad} unreadable"]
    gated = [sample for sample in samples if isinstance(sample, GatedSample)]
    if gated:
        passed = sum(sample.verdict == "pass" for sample in gated)
        lines.append(f"{count(passed, 'answer')} of {len(gated)} {'passes' if passed == 1 else 'pass'} the gate")
    lines.append(f"Next: wfgate gate {visible(folder)} --reference FOLDER")
    return "\n".join(lines)


def _gated(sample: GeneratedSample) -> str:
    """Return the verdict and the number of corrections of an answer that was compared; else nothing."""
    if not isinstance(sample, GatedSample):
        return ""
    return f", {sample.verdict} after {count(len(sample.attempts), 'correction')}"


def generation_record(asked: Generation, samples: Sequence[GeneratedSample]) -> dict[str, Any]:
    """Return the result as a JSON document: `wfgate.generation/1`."""
    head = asked.model_dump(mode="json", by_alias=True)
    bad = sum(sample.problem is not None for sample in samples)
    return {**head, "unreadable": bad, "answers": [sample.model_dump(mode="json") for sample in samples]}


def generation_lines(asked: Generation, samples: Sequence[GeneratedSample]) -> str:
    """Return the record that is stored next to the answers.

    The record is in JSON Lines: the settings on the first line, then one line per answer. Before the last answer of a
    workflow that was repeated until the gate passes, one line per earlier answer, with its text. No value is a list or
    an object, so that the gate knows the file as a record (`wfgate.read.formats.folders.is_record`).
    """
    records = [asked.model_dump(mode="json", by_alias=True)]
    for sample in samples:
        if isinstance(sample, GatedSample):
            records += [
                {
                    "file": sample.file,
                    "attempt": number,
                    "answer": attempt.text,
                    "verdict": attempt.verdict,
                    "instructions": "\n".join(attempt.instructions),
                }
                for number, attempt in enumerate(sample.attempts, start=1)
            ]
            records.append({**sample.model_dump(mode="json"), "attempts": len(sample.attempts)})
        else:
            records.append(sample.model_dump(mode="json"))
    return "".join(f"{json.dumps(record)}\n" for record in records)
