"""The numbers that a user can act on, read from the results of `make bench`, for `docs.py`.

They are read from the tables that the lab book shows, so that a number is measured and written once.
"""

import re
from pathlib import Path

RESULTS = Path(__file__).parent / "bench" / "results"
_SHARE = re.compile(r"(?P<value>[\d.]+) ?%(?: \((?P<low>[\d.]+) ?%?-(?P<high>[\d.]+) ?%\))?")


def row(section: str, label: str, *, of: str = "") -> list[str]:
    """Return the cells of a row in the results of a section.

    Args:
        section: Name of the section of `make bench`.
        label: The first cell.
        of: A heading before the row, if several tables have such a row.

    Raises:
        SystemExit: If there is no such row, so that a renamed one is noticed.
    """
    text = (RESULTS / f"{section}.md").read_text(encoding="utf-8")
    text = text[text.index(of) :]
    found = next((line for line in text.splitlines() if line.startswith(f"| {label} |")), None)
    if found is None:
        raise SystemExit(f"no row {label!r} in {section}.md")
    return [cell.strip() for cell in found.strip("| ").split(" | ")]


def shares(cell: str) -> list[tuple[float, float, float]]:
    """Return the percentages in a cell, each with its interval.

    Example:
        >>> shares("7.6 % (4-14 %) / 59 % (50-68 %)")
        [(7.6, 4.0, 14.0), (59.0, 50.0, 68.0)]
    """
    return [
        (float(found["value"]), float(found["low"] or found["value"]), float(found["high"] or found["value"]))
        for found in _SHARE.finditer(cell)
    ]


def rest(share: tuple[float, float, float]) -> str:
    """Return what a share leaves of 100 %, with its interval.

    Example:
        >>> rest((59.0, 50.0, 68.0))
        '41 % (32-50 %)'
    """
    value, low, high = share
    return f"{100 - value:.0f} % ({100 - high:.0f}-{100 - low:.0f} %)"


def first() -> str:
    """Return the number that a user needs first: how often the strict policy of `init` stops an acceptable rewrite."""
    blocked, passing = shares(row("regenerations", "accepted, one reference: blocked / passing")[2])
    return (
        f"**Of acceptable workflows that were written anew, {rest(passing)} fail under the policy of `wfgate init`**: "
        f"{blocked[0]:.0f} % are blocked, the others are reviews, which fail the build until somebody approves."
    )


def actionable() -> str:
    """Return the table of five numbers, each with what was wanted and what to do."""
    _, count, one, _ = row("regenerations", "accepted, one reference: blocked / passing")
    _, three_count, three, _ = row("regenerations", "accepted, three references: blocked / passing")
    _, refused_count, refused, _ = row("regenerations", "rejected, one reference: blocked / passing")
    critical, marked = (
        shares(row("regenerations", f"{name}, critical steps marked")[2])[0] for name in ("rejected", "accepted")
    )
    lost = row("decision", "missing, one step in ten, verbatim")
    drift = row("decision", "drift, one step in ten, verbatim")
    worded = row("decision", "drift, one step in ten, reworded")
    conditions, runbooks = (row("populations", f"{name}, accepted") for name in ("conditions", "runbooks"))
    of_each = [sum(map(int, cells[1:5])) for cells in (conditions, runbooks)]
    (blocked, passing), (_, three_passing) = shares(one), shares(three)
    rows = [
        (
            "An acceptable workflow, written anew, fails under the policy of `init`",
            f"{rest(passing)} of {_all(count)}, {blocked[0]:.0f} % as blocks; {rest(marked)} with critical steps",
            "at most 30 %, of which 5 % blocks",
            'In the first weeks `fail_on = "block"`: only blocks fail, reviews are shown.',
        ),
        (
            "The same, with three approved references",
            f"{rest(three_passing)} of {_all(three_count)}",
            "at most 15 %",
            "Approve good rewrites instead of undoing them: each becomes a further reference.",
        ),
        (
            "A workflow that reviewers refused passes",
            f"{_with(shares(refused)[1])} of {_all(refused_count)}; with critical steps marked {_with(critical)}",
            "at most 5 %",
            'Mark what must not be lost: `critical = ["*approv*", ...]`.',
        ),
        (
            "A file is edited and one step in ten changes: found (blocked)",
            f"lost step: {_found(lost)}; other meaning: {_found(drift)}, {_found(worded)} if all steps are reworded",
            "blocked: 60 %, and 25 % if reworded",
            "Have the generator keep the wording of steps that it does not change.",
        ),
        (
            "An acceptable rewrite is blocked if steps have conditions as data, or in Markdown runbooks",
            f"{conditions[3]} of {of_each[0]}, and {runbooks[3]} of {of_each[1]}",
            "at most 5 %",
            "[Calibrate on your own goldens](tutorials/calibrate.md): no shipped profile has such workflows.",
        ),
    ]
    lines = ["| what | measured | wanted | what you can do |", "| --- | --- | --- | --- |"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def _all(cell: str) -> str:
    return cell.partition(" of ")[0]


def _with(share: tuple[float, float, float]) -> str:
    return f"{share[0]:g} % ({share[1]:g}-{share[2]:g} %)"


def _found(cells: list[str]) -> str:
    blocked, flagged = shares(cells[1])[0], shares(cells[2])[0]
    return f"{flagged[0]:.0f} % ({blocked[0]:.0f} %)"
