"""Judges consecutive versions of the workflow files of git repositories, as a pull request of each commit would be.

usage: histories.py REPOSITORY... [--most N] [--list FILE]

A repository is a clone, or a git folder without a work tree. Read are workflows of GitHub Actions and GitLab CI,
state machines, manifests of Argo and runbooks, by their paths; of each repository the `--most` newest changes
(200 if not given). The older version is the reference. Versions that differ only in comments or layout (equal data,
or equal text up to white space) must pass. `--list` writes every change that passes with another content, and every
alarm on comments or layout, as JSON Lines, to be read by somebody. Nothing of a repository is kept.

It prints, for each repository and format: changes; verdicts of changes of the content; verdicts of changes of comments
or layout; pairs that could not be read.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml
from accuracy import table

from wfgate.decide import Pair
from wfgate.errors import WfgateError
from wfgate.run import Config, Gate, git, load_gate

WHERE = {
    "GitHub Actions": re.compile(r"\.github/workflows/[^/]+\.ya?ml"),
    "GitLab CI": re.compile(r"(?:.*/)?(?:[\w.-]*\.gitlab-ci|\.gitlab/ci/[\w/.-]+)\.ya?ml"),
    "Step Functions": re.compile(r".*(?:\.asl\.(?:json|ya?ml)|statemachine[^/]*\.json)", re.IGNORECASE),
    "Argo": re.compile(r"(?:examples|manifests|workflows|test/e2e)/.*\.ya?ml"),
    "runbook": re.compile(r"(?:.*/)?(?:alerts|runbooks?|content)/.*\.md", re.IGNORECASE),
}
"""Which files are workflows, by path; the first that matches. A file that no reader knows is left out."""
MOST = 200
LARGEST = 200_000
"""Largest file that is judged, in bytes."""


@dataclass(frozen=True)
class Change:
    """Two consecutive versions of a file.

    Attributes:
        commit: The commit that changed it.
        path: Its path in the repository.
        kind: Kind of workflow.
        before: The version before.
        after: The version of the commit.
    """

    commit: str
    path: str
    kind: str
    before: bytes
    after: bytes

    @property
    def is_layout(self) -> bool:
        """Whether only comments or layout differ."""
        if self.path.endswith(".md"):
            return self.before.split() == self.after.split()
        try:
            return bool(_data(self.before) == _data(self.after))
        except (yaml.YAMLError, ValueError, RecursionError):
            return False


def changes(repository: Path, most: int) -> Iterator[Change]:
    """Yield the newest changes of workflow files, newest first; renamed, new and deleted files are none."""
    shown = ("--no-merges", "--diff-filter=M", "--raw", "--no-abbrev", "--format=%H")
    log = git(repository, "log", f"-n{50 * most}", *shown)
    commit, left = "", most
    for line in log.stdout.decode(errors="replace").splitlines():
        if not line.startswith(":"):
            commit = line or commit
            continue
        fields, _, path = line.partition("\t")
        _, mode, old, new, _ = fields.split()
        kind = next((name for name, pattern in WHERE.items() if pattern.fullmatch(path)), None)
        if kind is None or mode == "120000":
            continue
        before, after = (git(repository, "cat-file", "blob", blob).stdout for blob in (old, new))
        if max(len(before), len(after)) > LARGEST:
            continue
        yield Change(commit, path, kind, before, after)
        left -= 1
        if not left:
            return


def judged(gate: Gate, change: Change, folder: Path) -> tuple[str, list[str]]:
    """Return the verdict, "unreadable" or "no workflow", and the reasons."""
    paths = [folder / side / change.path for side in ("before", "after")]
    for path, text in zip(paths, (change.before, change.after), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    try:
        case = gate.decide(Pair(change.path, (paths[0],), paths[1]))
    except WfgateError as error:
        return "no reference", [str(error).splitlines()[0]]
    verdict = "unreadable" if case.error is not None else case.verdict
    return verdict, [reason.message for reason in case.reasons]


def histories(repositories: list[Path], most: int, listed: Path | None) -> None:
    """Print the table, and write what somebody has to read."""
    gate = load_gate(Config(), date.min)
    rows, lines = [], []
    total: Counter[tuple[bool, str]] = Counter()
    for repository in repositories:
        found: dict[str, Counter[tuple[bool, str]]] = {}
        for change in changes(repository, most):
            with tempfile.TemporaryDirectory() as folder:
                verdict, reasons = judged(gate, change, Path(folder))
            layout = change.is_layout
            found.setdefault(change.kind, Counter())[layout, verdict] += 1
            if (verdict == "pass") is not layout:
                about = {"repository": _name(repository), "layout": layout}
                lines.append(about | _record(change, verdict, reasons))
        for kind, verdicts in sorted(found.items()):
            total += verdicts
            rows.append(_row(f"{_name(repository)}, {kind}", verdicts))
    rows.append(_row("all", total))
    print(f"## Real histories: {total.total()} changes of workflow files in {len(repositories)} repositories\n")
    table(("repository", "content changed: pass", "review", "block", "layout only: pass", "alarm", "not read"), rows)
    if listed is not None:
        listed.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _row(title: str, verdicts: Counter[tuple[bool, str]]) -> tuple[str, ...]:
    content = [verdicts[False, verdict] for verdict in ("pass", "review", "block")]
    alarms = sum(verdicts[True, verdict] for verdict in ("review", "block"))
    judged_at_all = sum(content) + alarms + verdicts[True, "pass"]
    counts = (*content, verdicts[True, "pass"], alarms, verdicts.total() - judged_at_all)
    return (title, *(f"{count:,}" for count in counts))


def _record(change: Change, verdict: str, reasons: list[str]) -> dict[str, Any]:
    return {"commit": change.commit, "path": change.path, "verdict": verdict, "reasons": reasons[:5]}


def _name(repository: Path) -> str:
    """Return the name of a repository: its folder, or the one around its git folder."""
    return repository.parent.name if repository.name in {".git", "repo"} else repository.name


class _Plain(yaml.BaseLoader):
    """Scalars as texts, and own tags as their nodes."""


def _built(loader: Any, node: Any) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    return loader.construct_sequence(node, deep=True) if isinstance(node, yaml.SequenceNode) else repr(node)


_Plain.add_multi_constructor("!", lambda loader, suffix, node: (suffix, _built(loader, node)))


def _data(text: bytes) -> Any:
    return list(yaml.load_all(text, _Plain))


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--list", dest="listed", type=Path)
    given = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    histories(given.repositories, given.most, given.listed)


if __name__ == "__main__":
    main()
