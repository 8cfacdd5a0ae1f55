"""The files of an exported benchmark: labels, a suite for the gate, and a sample to inspect by hand."""

import json
from collections.abc import Sequence

from wfgate.calibration.export import BenchmarkLabel, BenchmarkVariant
from wfgate.model import TaskGraph, Workflow, content_order
from wfgate.show import count, markdown_text


def label_lines(labels: Sequence[BenchmarkLabel]) -> str:
    """Return the labels as JSON Lines."""
    return "".join(f"{label.model_dump_json()}\n" for label in labels)


def suite_lines(labels: Sequence[BenchmarkLabel], goldens: dict[str, str], variants: dict[str, str]) -> str:
    """Return a suite for `wfgate gate --pairs`.

    Args:
        labels: The labels.
        goldens: The path of each golden in the folder, by id.
        variants: The path of each variant, by id.
    """
    records = ({"id": each.id, "golden": goldens[each.golden], "candidate": variants[each.id]} for each in labels)
    return "".join(f"{json.dumps(record)}\n" for record in records)


def inspection_markdown(chosen: Sequence[BenchmarkVariant]) -> str:
    """Return a page with a check box for each variant, and the steps of golden and variant that differ."""
    lines = [
        "# Sample to inspect by hand",
        "",
        f"{count(len(chosen), 'variant')}. Tick a variant if its label, its affected steps and its order are right.",
    ]
    for each in chosen:
        label = each.label
        score = "" if label.score is None else f", score {label.score:g}"
        lines += ["", f"## [ ] {markdown_text(label.id)}", ""]
        lines.append(
            f"{label.operator}, {label.label}, severity {label.severity:g}{score}; {label.steps[0]} -> "
            f"{count(label.steps[1], 'step')}; affected: {', '.join(map(str, label.affected)) or 'none'}"
        )
        lines.append("")
        lines += _differences(each)
    return "\n".join([*lines, ""])


def _differences(each: BenchmarkVariant) -> list[str]:
    """Return the affected steps of the golden, the steps that only the variant has, and whether the order differs."""
    ours, theirs = _texts(each.golden), _texts(each.workflow)
    tasks = each.golden.tasks
    shown = [f"- golden step {number}: {markdown_text(tasks[number - 1].text)}" for number in each.label.affected]
    added = [text for text in theirs if text not in set(ours)]
    shown += [f"- only in the variant: {markdown_text(text)}" for text in added]
    kept = [text for text in theirs if text in set(ours)]
    if kept != [text for text in ours if text in set(theirs)]:
        shown.append("- the steps that both have are in another order")
    if not added and len(ours) == len(theirs) and kept == ours:
        shown.append("- the steps and their order are the same; links, conditions or data may differ")
    return shown


def _texts(workflow: Workflow) -> list[str]:
    return [workflow.tasks[task].text for task in content_order(workflow, TaskGraph.of(workflow))]
