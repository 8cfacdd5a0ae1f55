import pytest

from wfgate.approvals import review_text
from wfgate.catalogue import FactSubject, all_answers, facts_text
from wfgate.read import read_text
from wfgate.rules import Finding
from wfgate.show import LintedFile, lint_text, outline

COMMAND = "::add-mask::x"
STEPS = f'wfgate: "1"\nsteps:\n- {{id: a, name: "{COMMAND}"}}\n- {{id: b, name: "::stop-commands::y", needs: [a]}}\n'


@pytest.fixture
def workflow():
    return read_text(STEPS, "w.yaml").workflow


def told(text, *words):
    """Assert that no line commands GitHub's runner, which trims blanks, and that the words are still there."""
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    for each in words:
        assert f"\\{each}" in text


@pytest.mark.parametrize("overview", [True, False])
def test_a_step_of_facts_commands_no_build_server(workflow, overview):
    subject = FactSubject.of(workflow)
    text = facts_text(subject, all_answers(subject, None), overview=overview)
    assert COMMAND in text
    told(text, *([COMMAND] if overview else []))


def test_a_reviewed_step_commands_no_build_server(workflow, make_block):
    told(review_text(make_block(), workflow))


def test_a_file_of_lint_commands_no_build_server():
    finding = Finding(id="WF106", defect="dead-end", severity="warning", message="m", fingerprint="f")
    told(lint_text([LintedFile(f"{COMMAND}.yaml", (finding,))]), COMMAND)


def test_a_description_in_an_outline_commands_no_build_server(workflow):
    told(outline(workflow.model_copy(update={"description": COMMAND})), COMMAND)


def test_names_with_commas_can_be_told_apart():
    text = 'wfgate: "1"\nsteps: [{name: "Lint, then test"}, {name: Sign, needs: []}]\n'
    subject = FactSubject.of(read_text(text, "w.yaml").workflow)
    assert "flow-end: Lint, then test; Sign" in facts_text(subject, all_answers(subject, ["flow-end"]), overview=False)
