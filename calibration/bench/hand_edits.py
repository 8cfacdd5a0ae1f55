"""Prints what the gate makes of single edits by hand in otherwise verbatim workflows, harmless ones and their twins.

The edits are those of `../corpora/dev/hand_edits.jsonl`, with labels of two blind reviewers. Default profile, which
was fitted on rewordings of the same goldens, but on none of these edits.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from typing import Any

from accuracy import CORPORA, table, verdict_cells

from wfgate.calibration.corpus import read_corpus
from wfgate.gating import Pair
from wfgate.gating.config import Config
from wfgate.gating.engine import load_gate
from wfgate.model import START, Link, Task, Workflow

FILE = CORPORA / "dev" / "hand_edits.jsonl"
Edit = dict[str, Any]


def hand_edits() -> None:
    """Print the verdicts by kind of edit."""
    goldens = {one.id: one.workflow for one in read_corpus([CORPORA / each for each in FOLDERS]).goldens}
    gate = load_gate(Config(), date.min)
    found: defaultdict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    for name, edit in edits():
        candidate = edited(goldens[name], edit)
        verdict = gate.decide(Pair(name, (goldens[name],), candidate)).verdict
        for kind in (edit["kind"], "all"):
            found[edit["harmful"], kind][verdict] += 1
    print("## Hand edits of otherwise verbatim workflows, default profile\n")
    rows = []
    for harmful, kind in sorted(found, key=lambda key: (key[0], key[1] == "all", key[1])):
        title = f"{'harmful' if harmful else 'harmless'}: {kind}"
        wanted = ("none passes" if harmful else "<= 5 % blocked") if kind == "all" else "-"
        rows.append((title, *verdict_cells(found[harmful, kind]), wanted))
    table(("edit", "pass", "review", "block", "inconclusive", "wanted"), rows)


FOLDERS = ("worfbench", "steps", "ops", "regenerations", "dev")


def edits() -> Iterator[tuple[str, Edit]]:
    """Yield the edits on which both reviewers agree with the author, with the id of the golden."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for edit in record["edits"]:
            if set(edit["labels"]) == {"reject" if edit["harmful"] else "accept"}:
                yield record["id"], edit


def edited(golden: Workflow, edit: Edit) -> Workflow:
    """Return a golden with one edit; all other steps stay word for word."""
    tasks, links = list(golden.tasks), [(link.source, link.target) for link in golden.links]
    ids = [task.id for task in tasks]
    if "swap" in edit:
        one, two = (number - 1 for number in edit["swap"])
        tasks[one], tasks[two] = _named(tasks[one], tasks[two].name), _named(tasks[two], tasks[one].name)
    elif "texts" in edit:
        place = edit["step"] - 1
        parts = [Task(id=f"{ids[place]}-{number}", name=text) for number, text in enumerate(edit["texts"])]
        tasks[place : place + 1] = parts
        inner = [(a.id, b.id) for a, b in pairwise(parts)]
        links = [(_last(source, ids[place], parts), _first(target, ids[place], parts)) for source, target in links]
        links += inner
    elif "steps" in edit:
        kept, gone = (ids[number - 1] for number in edit["steps"])
        tasks = [_named(task, edit["text"]) if task.id == kept else task for task in tasks if task.id != gone]
        moved = [(kept if a == gone else a, kept if b == gone else b) for a, b in links]
        links = [link for link in dict.fromkeys(moved) if link[0] != link[1]]
    elif "after" in edit:
        before = ids[edit["after"] - 1] if edit["after"] else None
        new = Task(id="new-step", name=edit["text"])
        tasks.insert(edit["after"], new)
        if before is None:
            starts = [each for each in ids if all(target != each or source == START for source, target in links)]
            links = [link for link in links if link[0] != START] + [(new.id, each) for each in starts]
        else:
            links = [(new.id if source == before else source, target) for source, target in links]
            links.append((before, new.id))
    else:
        place = edit["step"] - 1
        tasks[place] = _named(tasks[place], edit["text"])
    return Workflow(tasks=tuple(tasks), links=tuple(Link(source=a, target=b) for a, b in links))


def _named(task: Task, name: str) -> Task:
    return Task(id=task.id, name=name)


def _first(step: str, split: str, parts: list[Task]) -> str:
    return parts[0].id if step == split else step


def _last(step: str, split: str, parts: list[Task]) -> str:
    return parts[-1].id if step == split else step


if __name__ == "__main__":
    hand_edits()
