import pytest

from wfgate.approvals import review_text
from wfgate.compare import compare
from wfgate.decide import ComparedPair
from wfgate.language import StaticEmbedder
from wfgate.model import END, START, Link, Task, Workflow
from wfgate.read import read_text
from wfgate.rules import review
from wfgate.show import changes_text, pair_picture


def chain(*names):
    ids = [name.casefold().replace(" ", "-") for name in names]
    ends = zip([START, *ids], [*ids, END], strict=True)
    return Workflow(
        tasks=tuple(Task(id=i, name=n) for i, n in zip(ids, names, strict=True)),
        links=tuple(Link(source=a, target=b) for a, b in ends),
    )


GOLDEN = chain("Check out", "Build", "Run the unit tests", "Require MFA", "Deploy", "Notify")
CANDIDATE = chain("Check out", "Lint", "Build", "Run the unit tests", "Deploy", "Notify")


def compared(case, golden, candidate):
    alignment = compare(golden, candidate, StaticEmbedder()).alignment
    pair = ComparedPair(golden=golden, candidate=candidate, alignment=alignment)
    return case.model_copy(update={"pair": pair})


def test_a_review_shows_reasons_and_differences(make_block):
    lines = review_text(compared(make_block(), GOLDEN, CANDIDATE), width=80).splitlines()
    assert lines[0].startswith("BLOCK deploy: step 'Require MFA' is missing")
    assert any(line.startswith("- step 'Deploy' changed meaning") for line in lines)
    assert {"+ Lint  (added)", "- Require MFA  (missing)"} <= set(lines)
    assert max(map(len, lines)) <= 80


def test_a_new_workflow_is_an_outline(make_inconclusive):
    shown = review_text(make_inconclusive(), CANDIDATE)
    assert shown.startswith("NEW tiny: its workflow has no reference yet")
    assert all(task.name in shown for task in CANDIDATE.tasks)


@pytest.mark.parametrize("width", [1, 40, 200])
def test_untrusted_text_is_escaped(make_hostile, hostile, width):
    for case in make_hostile(hostile).cases:
        for shown in (review_text(case, chain(*{hostile, "x"}), width=width), review_text(case, width=width)):
            assert "\x1b" not in shown
            assert "\u202e" not in shown
            assert "##[" not in shown


def test_colour_changes_no_word(make_block):
    case = compared(make_block(), GOLDEN, CANDIDATE)
    assert "\x1b[" in review_text(case, color=True)
    assert "\x1b[" not in review_text(case)


def test_changed_values_are_marked_as_in_diff(make_block):
    golden, candidate = (
        read_text(
            f'wfgate: "1"\nsteps:\n- {{name: Build, params: {{run: make}}}}\n- {{name: Ship, params: {shown}}}\n', "w"
        ).workflow
        for shown in ("{run: ./ship --env staging}", '{run: ./ship --env production, note: "::error::\\e[1m"}')
    )
    comparison = compare(golden, candidate, StaticEmbedder())
    case = make_block().model_copy(update={"findings": tuple(review(comparison))})
    shown = review_text(compared(case, golden, candidate), width=80)
    assert "! Ship  (changed inside)" in shown
    changed = (
        "! step 'Ship' has another params.run: `./ship --env {+production+}` instead of `./ship --env [-staging-]`"
    )
    assert changed in " ".join(shown.split())
    assert "1 the same, 1 changed inside; 2 values changed" in shown
    assert "\x1b" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())


def test_a_long_value_keeps_the_words_that_differ():
    script = "set -e\\ndocker build --tag shop --file Dockerfile {} . && {}"
    options = " ".join(f"--build-arg OPTION_{number}=1" for number in range(9))
    golden, candidate = (
        read_text(
            f'wfgate: "1"\nsteps:\n- {{name: Ship, params: {{run: "{script.format(options, where)}"}}}}\n', "w"
        ).workflow
        for where in ("./ship staging now", "./ship production now")
    )
    comparison = compare(golden, candidate, StaticEmbedder())
    findings = review(comparison)
    shown = changes_text(pair_picture(golden, candidate, comparison.alignment), findings)
    assert "! step 'Ship' has another params.run:\n" in shown
    assert "[-staging-] now\n" in shown
    assert "{+production+} now\n" in shown
    assert "… Dockerfile" not in shown
    assert "./ship [-staging-] now" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80
