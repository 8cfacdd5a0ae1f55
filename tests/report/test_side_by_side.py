import pytest

from wfgate.model import END, START, Link, Task, Workflow
from wfgate.report.side_by_side import side_by_side


def chain(*names):
    ids = [name.casefold().replace(" ", "-") for name in names]
    ends = zip([START, *ids], [*ids, END], strict=True)
    return Workflow(
        tasks=tuple(Task(id=i, name=n) for i, n in zip(ids, names, strict=True)),
        links=tuple(Link(source=a, target=b) for a, b in ends),
    )


GOLDEN = chain("Check out", "Build", "Run the unit tests", "Require MFA", "Deploy", "Notify")
CANDIDATE = chain("Check out", "Lint", "Build", "Run the unit tests", "Deploy", "Notify")


def test_rows_run_in_the_golden_s_order_and_added_steps_stand_where_the_candidate_has_them(make_block):
    case = make_block()
    view = case.alignment.model_copy(
        update={"extra": (case.alignment.matched[0].golden.model_copy(update={"id": "lint", "name": "Lint"}),)}
    )
    shown = side_by_side(case.model_copy(update={"alignment": view}), GOLDEN, CANDIDATE, width=80).splitlines()
    rows = [" ".join(line.split()) for line in shown]
    start = next(n for n, row in enumerate(rows) if row.startswith("golden "))
    assert rows[start + 1 : -1] == [
        "Check out Check out",
        "+ Lint",
        "Build Build",
        "Run the unit tests Run the unit tests",
        "Require MFA -",
        "Deploy Deploy",
        "Notify Notify",
    ]
    assert shown[0].startswith("BLOCK deploy: step 'Require MFA' is missing")
    assert max(map(len, shown)) <= 80


def test_merged_steps_stand_together(make_review):
    shown = side_by_side(make_review(), GOLDEN, chain("Prepare", "Run the unit tests"), width=60)
    lines = shown.splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith("Check out"))
    assert "> Prepare" in lines[place]
    assert lines[place + 1].startswith("Build")


def test_a_new_workflow_is_shown_as_it_is(make_inconclusive):
    shown = side_by_side(make_inconclusive(), None, CANDIDATE)
    assert shown.startswith("NEW tiny: its workflow has no reference yet")
    assert [line.split("+ ")[1] for line in shown.splitlines() if "+ " in line] == [t.name for t in CANDIDATE.tasks]


@pytest.mark.parametrize("width", [1, 40, 80, 200])
def test_nothing_that_a_stranger_wrote_is_obeyed_or_wider_than_the_terminal(make_hostile, hostile, width):
    for case in make_hostile(hostile).cases:
        shown = side_by_side(case, GOLDEN, chain(*{hostile, "x"}), width=width)
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "##[" not in shown


def test_colour_changes_no_word(make_block):
    plain, coloured = (side_by_side(make_block(), GOLDEN, CANDIDATE, color=color) for color in (False, True))
    assert "\x1b[" in coloured
    assert [part for part in coloured.replace("\x1b", " ").split() if part == "Lint"] == plain.split().count(
        "Lint"
    ) * ["Lint"]
