"""What became of each step: the same words in every report, and what is in doubt is named."""

from pathlib import Path

import pytest

from wfgate.alignment import compare
from wfgate.alignment.embedders import load_embedder
from wfgate.alignment.meaning import load_meaning_model
from wfgate.evidence import Demands, StepState, step_states
from wfgate.formats import read_file
from wfgate.gating.result import AlignedPair, AlignedStep, AlignmentView
from wfgate.report.markdown import MarkdownReporter
from wfgate.report.picture import changes_text, pair_picture
from wfgate.report.steps import added_steps, steps_of, unnamed_steps
from wfgate.report.text import TextReporter
from wfgate.report.wording import headline, step_words

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"


def step(name):
    return AlignedStep(id=name.casefold().replace(" ", "-"), name=name)


def pairs(*names):
    return tuple(AlignedPair(golden=step(name), candidate=step(name), similarity=1.0) for name in names)


@pytest.fixture
def doubtful(make_block):
    """A case with a reason, a doubtful step and a moved step."""
    texts = {"golden_text": "Build the image", "candidate_text": "Build what is new"}
    return make_block(
        reasons=("'Require MFA' is missing",),
        demands=Demands(total=4, gone=1, doubtful=1, moved=1),
        alignment=AlignmentView(matched=pairs("Build", "Deploy", "Notify"), missing=(step("Require MFA"),)),
        steps=(
            StepState(id="build", state="doubtful", candidate=("build",), **texts),
            StepState(id="require-mfa", state="missing"),
            StepState(id="deploy", state="same", candidate=("deploy",), moved=True),
            StepState(id="notify", state="same", candidate=("notify",)),
        ),
    )


def test_what_no_reason_names_is_named(doubtful, make_result):
    assert [step.id for step in unnamed_steps(doubtful)] == ["build", "deploy"]
    shown = TextReporter().render(make_result(doubtful))
    assert "  doubtful: Build [-the image-] -> Build {+what is new+}\n" in shown
    assert "  the same, moved: 'Deploy'\n" in shown
    assert "How bad: 1 of 4 steps missing, 1 doubtful, 1 moved; about 30 %" in shown
    assert len(TextReporter().case(doubtful, make_result(doubtful)).splitlines()) > len(shown.splitlines())
    assert "- doubtful: Build <del>the image</del> -&#62; Build <ins>what is new</ins>" in MarkdownReporter().render(
        make_result(doubtful)
    )


def test_a_result_of_an_earlier_version_has_the_names_of_its_alignment(make_block):
    case = make_block(alignment=AlignmentView(matched=pairs("Build"), missing=(step("Scan"),), extra=(step("Clean"),)))
    assert [(each.id, each.state) for each in steps_of(case)] == [("build", "same"), ("scan", "missing")]
    assert [each.name for each in added_steps(case)] == ["Clean"]
    assert step_words(case) == "1 of 6 steps gone, 1 doubtful"


def test_diff_and_gate_say_the_same(make_pass):
    golden, candidate = (
        read_file(DEPLOY / name).workflow for name in ("approved/deploy.yaml", "generated/scan-if-there-is-time.yaml")
    )
    comparison = compare(golden, candidate, load_embedder(), load_meaning_model())
    steps = step_states(comparison)
    counted = "1 changed meaning, 11 reworded"
    assert changes_text(pair_picture(golden, candidate, comparison.alignment, steps)).endswith(f"{counted}\n")
    case = make_pass("deploy").model_copy(update={"steps": steps, "p_value": None})
    assert f"12 of 12 steps found, {counted}" in headline(case)
