"""Prints what the gate makes of instruction files of coding agents: regenerations and damages, by kind and style.

The files are real; `../instructions/sources.jsonl` names them, `../instructions/README.md` says how they were chosen.
Their text is not part of this project. `INSTRUCTIONS=/folder/with/clones` names a folder in which the repository
OWNER/NAME is OWNER+NAME/repo (a clone, bare or not, that has the commit); without it, nothing is measured.
"""

import hashlib
import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from accuracy import table
from scipy.stats import binomtest

from wfgate.decide import Pair
from wfgate.errors import WfgateError
from wfgate.read import read_text
from wfgate.run import Config, load_gate

FOLDER = Path(__file__).parents[1] / "instructions"
TITLES = {
    "fit": "Not looked at for the rules on force, preferences and headings",
    "dev": "Looked at while these rules were written",
}
"""The halves: the first one was looked at while the reader was written, before these rules."""
_FENCE = re.compile(r"^```\w*\n.*?^```$", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.|\|) ?\S|\s*$|#")


class Case(NamedTuple):
    """A candidate of a file: its half, whether it is meant as harmless or harmful, its style and kind."""

    file: str
    half: str
    meant: str
    style: str
    kind: str
    golden: str
    candidate: str


def instructions() -> None:
    """Print the verdicts by half, kind and style."""
    print("## Instruction files of coding agents\n")
    clones = os.environ.get("INSTRUCTIONS")
    if clones is None:
        print(
            "Not measured: INSTRUCTIONS names no folder with the clones of `calibration/instructions/sources.jsonl`."
        )
        return
    gate = load_gate(Config(), date.min)
    counts: defaultdict[tuple[str, str, str, str], Counter[str]] = defaultdict(Counter)
    unread: Counter[str] = Counter()
    for case in cases(Path(clones)):
        try:
            golden = read_text(case.golden, "AGENTS.md", "instructions").workflow
        except WfgateError as refused:
            unread[f"{case.file}: {refused}"] += 1
            continue
        result = gate.decide(
            Pair(case.file, (golden,), read_text(case.candidate, "AGENTS.md", "instructions").workflow)
        )
        for kind in (case.kind, "all"):
            counts[case.half, case.meant, case.style, kind][result.verdict] += 1
    for half, above in TITLES.items():
        rows = []
        for key in sorted(counts, key=lambda key: (key[1], key[2], key[3] == "all", key[3])):
            if key[0] == half:
                title = f"{key[1]}, {key[2]}: {key[3]}"
                n = counts[key].total()
                rows.append((title, str(n), *(_share(counts[key][each], n) for each in ("pass", "review", "block"))))
        print(f"### {above}\n")
        table(("candidates", "n", "passed", "reviewed", "blocked"), rows)
        print()
    for line in sorted(unread):
        print(f"- not read: {line}")


def cases(clones: Path) -> Iterator[Case]:
    """Yield all candidates of all files.

    Raises:
        ValueError: If a text is not the one that was measured, or an edit does not fit it.
    """
    rewritten = {row["id"]: row["text"] for row in _rows("rewritten")}
    damages: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _rows("damages"):
        damages[row["id"]].append(row)
    for source in _rows("sources"):
        own = source["id"]
        golden = original(source, clones)
        blocks = _FENCE.findall(golden)
        anew = re.sub(r"<<code (\d+)>>", lambda match, blocks=blocks: blocks[int(match[1]) - 1], rewritten[own])
        for style, kind, text in (
            ("edited", "unchanged", golden),
            ("edited", "sections reordered", reordered(golden)),
            ("edited", "reformatted", reformatted(golden)),
            ("rewritten", "in other words, reordered", anew),
        ):
            yield Case(own, source["half"], "harmless", style, kind, golden, text)
        for row in damages[own]:
            base = golden if row["style"] == "edited" else anew
            yield Case(own, source["half"], "harmful", row["style"], row["kind"], golden, damaged(base, row))


def original(source: dict[str, Any], clones: Path) -> str:
    """Return the measured lines of a file, from a clone of its repository."""
    folder = clones / source["repository"].replace("/", "+") / "repo"
    command = ["git", "-C", str(folder), "show", f"{source['commit']}:{source['path']}"]
    lines = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace").split("\n")
    text = "\n".join("\n".join(lines[first - 1 : last]) for first, last in source["lines"]).rstrip() + "\n"
    if hashlib.sha256(text.encode()).hexdigest() != source["sha256"]:
        raise ValueError(f"{source['id']}: {source['path']} is not the text that was measured")
    return text


def damaged(text: str, row: dict[str, Any]) -> str:
    """Return a text with one edit: words replaced, or the item, row or paragraph lost in which they stand."""
    if row["was"] not in text:
        raise ValueError(f"{row['id']}: {row['was']!r} is not in the text")
    if "now" in row:
        return text.replace(row["was"], row["now"], 1)
    lines = text.split("\n")
    first = text[: text.index(row["was"])].count("\n")
    indent = len(lines[first]) - len(lines[first].lstrip())
    last = first + 1
    while last < len(lines) and lines[last].strip():
        inside = len(lines[last]) - len(lines[last].lstrip()) > indent
        if not inside and _ITEM.match(lines[last]):
            break
        last += 1
    return "\n".join(lines[:first] + lines[last:])


def reordered(text: str) -> str:
    """Return a text with its sections of the second level in reverse order; a heading inside code is none."""
    marks, fenced = [], False
    lines = text.split("\n")
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith("```")
        if not fenced and re.match(r"##? ", line) and (number == 0 or not lines[number - 1].strip()):
            marks.append(number)
    tops = [mark for mark in marks if lines[mark].startswith("## ")] or marks[1:]
    ends = [*tops[1:], len(lines)][: len(tops)]
    parts = ["\n".join(lines[a:b]).strip("\n") for a, b in zip(tops, ends, strict=True)]
    return "\n".join(lines[: tops[0]] if tops else lines) + "\n" + "\n\n".join(reversed(parts)) + "\n"


def reformatted(text: str) -> str:
    """Return a text with other marks for items, and no blank lines below headings."""
    out, fenced = [], False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        item = None if fenced else re.match(r"(\s*)([-*]) (?!\[)", line)
        if item:
            out.append(f"{item[1]}{'*' if item[2] == '-' else '-'} {line[item.end() :]}")
        elif fenced or line.strip() or not (out and out[-1].startswith("#")):
            out.append(line)
    return "\n".join(out)


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


def _share(count: int, n: int) -> str:
    """Return a share with its 95 % interval (Clopper-Pearson)."""
    low, high = binomtest(count, n).proportion_ci(method="exact")
    return f"{100 * count / n:.0f} % ({100 * low:.0f}-{100 * high:.0f})"


if __name__ == "__main__":
    instructions()
