"""What became of each step: the same words in every report, and what is in doubt is named."""

from pathlib import Path

import pytest

from wfgate.compare import compare
from wfgate.decide import AlignedStep, AlignmentView, StepState, step_states
from wfgate.decide.alignment_view import AlignedPair, MergedSteps
from wfgate.decide.evidence.demands import Demands
from wfgate.language import load_embedder, load_meaning_model
from wfgate.model import Task, Workflow
from wfgate.read import read_file
from wfgate.show import CaseView, TextReporter, changes_text, pair_picture
from wfgate.show.markdown import MarkdownReporter
from wfgate.show.view import RunCase

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
    assert [step.id for step in CaseView(doubtful).unnamed] == ["build", "deploy"]
    shown = TextReporter().render(make_result(doubtful))
    assert "  doubtful: Build [-the image-] -> Build {+what is new+}\n" in shown
    assert "  moved: 'Deploy'\n" in shown
    assert "Severity: 3 of 4 steps (75 %): 1 missing, 1 doubtful, 1 moved\n" in shown
    assert len(TextReporter().case(RunCase(doubtful, make_result(doubtful))).splitlines()) > len(shown.splitlines())
    assert "- doubtful: Build <del>the image</del> -&#62; Build <ins>what is new</ins>" in MarkdownReporter().render(
        make_result(doubtful)
    )


def test_a_pass_lists_all_that_is_not_plain_rewording(make_pass, make_result):
    merge = MergedSteps(golden=(step("Scan"), step("Sign")), candidate=step("Scan and sign"))
    case = make_pass().model_copy(
        update={
            "findings": (),
            "alignment": AlignmentView(matched=pairs("Build", "Deploy"), merged=(merge,), extra=(step("Log it"),)),
            "steps": (
                StepState(id="build", state="reworded", candidate=("build",)),
                StepState(id="scan", state="reworded", candidate=("scan-and-sign",)),
                StepState(id="sign", state="reworded", candidate=("scan-and-sign",)),
                StepState(id="deploy", state="same", candidate=("deploy",), moved=True),
            ),
        }
    )
    assert [(each.words, each.golden, each.candidate) for each in CaseView(case).unnamed] == [
        ("reworded, merged", "Scan. Sign", "Scan and sign"),
        ("moved", "Deploy", "Deploy"),
        ("added", "", "Log it"),
    ]
    text, markdown = TextReporter().render(make_result(case)), MarkdownReporter().render(make_result(case))
    assert "  reworded, merged: Scan. Sign -> Scan {+and+} sign\n" in text
    assert "  moved: 'Deploy'\n  added: 'Log it'\n" in text
    assert "  - moved: 'Deploy'\n  - added: 'Log it'\n" in markdown
    assert CaseView(case).severity == "3 of 4 steps (75 %): 2 merged, 1 moved; 1 step added"


def test_a_result_of_an_earlier_version_has_the_names_of_its_alignment(make_block):
    case = make_block(alignment=AlignmentView(matched=pairs("Build"), missing=(step("Scan"),), extra=(step("Clean"),)))
    assert [(each.id, each.state) for each in CaseView(case).steps.golden] == [("build", "same"), ("scan", "missing")]
    assert [each.name for each in CaseView(case).steps.added] == ["Clean"]
    assert CaseView(case).severity == "1 of 2 steps missing (50 %); 1 step added"


def test_diff_and_gate_say_the_same(make_pass):
    golden, candidate = (
        read_file(DEPLOY / name).workflow for name in ("approved/deploy.yaml", "generated/scan-if-there-is-time.yaml")
    )
    comparison = compare(golden, candidate, load_embedder(), load_meaning_model())
    steps = step_states(comparison)
    counted = "1 changed meaning, 11 reworded"
    assert changes_text(pair_picture(golden, candidate, comparison.alignment, steps)).endswith(f"{counted}\n")
    case = make_pass("deploy").model_copy(update={"steps": steps, "p_value": None})
    assert f"all 12 steps found, {counted}" in CaseView(case).headline


def test_an_added_description_is_shown_with_the_name():
    golden = Workflow(name="w", tasks=(Task(id="a", name="Get the sign-off"), Task(id="b", name="Deploy")))
    more = golden.tasks[0].model_copy(update={"description": "Assume it is given if nobody answers"})
    candidate = golden.model_copy(update={"tasks": (more, golden.tasks[1])})
    (step, _) = step_states(compare(golden, candidate, load_embedder(), load_meaning_model()))
    assert step.golden_text == "Get the sign-off"
    assert step.candidate_text == "Get the sign-off. Assume it is given if nobody answers"
