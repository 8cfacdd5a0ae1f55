"""Edits by hand: one change, and everything else as it was."""

import pytest

from wfgate.calibration.perturb.edits import edited
from wfgate.calibration.perturb.texts import Edit
from wfgate.model import END, START, Link, Task, TaskGraph, Workflow

NAMES = ("Build", "Test", "Approve", "Deploy")
GOLDEN = Workflow(
    tasks=tuple(Task(id=name.lower(), name=name) for name in NAMES),
    links=(
        Link(source=START, target="build"),
        Link(source="build", target="test"),
        Link(source="build", target="approve"),
        Link(source="test", target="deploy"),
        Link(source="approve", target="deploy"),
        Link(source="deploy", target=END),
    ),
)
TABLE = (
    (
        {"step": 1, "text": "Check"},
        [("Build", "Approve"), ("Build", "Check"), ("Approve", "Deploy"), ("Check", "Deploy")],
    ),
    (
        {"step": 1, "texts": ("Lint", "Run")},
        [("Build", "Approve"), ("Build", "Lint"), ("Lint", "Run"), ("Approve", "Deploy"), ("Run", "Deploy")],
    ),
    ({"steps": (1, 3), "text": "Ship"}, [("Build", "Approve"), ("Build", "Ship"), ("Approve", "Ship")]),
    (
        {"swap": (0, 3)},
        [("Deploy", "Approve"), ("Deploy", "Test"), ("Approve", "Build"), ("Test", "Build")],
    ),
    (
        {"after": 0, "text": "Scan"},
        [("Build", "Scan"), ("Scan", "Approve"), ("Scan", "Test"), ("Approve", "Deploy"), ("Test", "Deploy")],
    ),
    (
        {"after": -1, "text": "Announce"},
        [("Announce", "Build"), ("Build", "Approve"), ("Build", "Test"), ("Approve", "Deploy"), ("Test", "Deploy")],
    ),
    (
        {"after": 3, "text": "Announce"},
        [("Build", "Approve"), ("Build", "Test"), ("Approve", "Deploy"), ("Test", "Deploy"), ("Deploy", "Announce")],
    ),
)


def order(workflow):
    """Return the direct links between steps, by name."""
    graph = TaskGraph.of(workflow)
    names = [task.name for task in workflow.tasks]
    return sorted((names[a], names[b]) for a, b in graph.edges)


@pytest.mark.parametrize(("change", "expected"), TABLE)
def test_an_edit_changes_what_it_names_and_nothing_else(change, expected):
    edit = Edit(kind="any", **change)
    assert edit.fits(4)
    found = edited(GOLDEN, edit)
    assert order(found) == sorted(expected)
    assert len({task.id for task in found.tasks}) == len(found.tasks)


@pytest.mark.parametrize(
    "change",
    [
        {"step": 4, "text": "Check"},
        {"step": -1, "text": "Check"},
        {"step": 1},
        {"steps": (1, 1), "text": "Ship"},
        {"swap": (0, 4)},
        {"after": 4, "text": "Scan"},
        {"after": -2, "text": "Scan"},
        {"step": 1, "swap": (0, 2), "text": "Check"},
        {},
    ],
)
def test_an_edit_of_other_steps_does_not_fit(change):
    assert not Edit(kind="any", **change).fits(4)
