"""The words of a report follow from the verdict: real damaged workflows in all sizes and styles."""

import pytest

import wfgate
from wfgate.decide import Pair, Policy, default_profile
from wfgate.run import Gate
from wfgate.show import CaseView, TextReporter
from wfgate.show.github import GithubReporter
from wfgate.show.junit import JunitReporter
from wfgate.show.markdown import MarkdownReporter
from wfgate.show.oneline import OnelineReporter

from .damage import DAMAGE, damaged, goldens, styled

REPORTERS = (TextReporter(), OnelineReporter(), MarkdownReporter(), GithubReporter(), JunitReporter())
CHANGED, PROBABLY = "changed meaning", "probably changed meaning"


@pytest.fixture(scope="module")
def results(assessor):
    """One result for each damaged or reworded golden."""
    gate = Gate(assessor, default_profile(), Policy())
    found = []
    for golden in goldens():
        candidates = [styled(golden, reworded=True).workflow]
        for operator in DAMAGE:
            candidates += [damaged(golden, operator, 0.1, reworded=reworded) for reworded in (False, True)]
        pairs = [Pair(golden.id, (golden.workflow,), one) for one in candidates if one is not None]
        found += [gate.run([pair], tool="0") for pair in pairs]
    return found


def sentences(result):
    """Everything that a result and its reports say, by its source, without line breaks."""
    (case,) = result.cases
    found = {type(reporter).__name__: reporter.render(result) for reporter in REPORTERS}
    found |= {"findings": "\n".join(finding.message for finding in case.findings)}
    found |= {"reasons": "\n".join(reason.message for reason in case.reasons)}
    found |= {"steps": "\n".join(name for _, name in CaseView(case).steps.counts())}
    return {source: " ".join(text.split()) for source, text in found.items()}


@pytest.mark.slow
def test_every_verdict_is_among_the_pairs(results):
    assert {result.verdict for result in results} == {"pass", "review", "block"}


@pytest.mark.slow
def test_a_case_that_passes_says_of_no_step_that_it_changed(results):
    passed = [result for result in results if result.verdict == "pass"]
    said = [
        (result.cases[0].id, source)
        for result in passed
        for source, text in sentences(result).items()
        if CHANGED in text.casefold() or "probably changed" in text.casefold()
    ]
    assert passed
    assert said == []
    assert {step.state for result in passed for step in result.cases[0].steps} <= {"same", "reworded", "doubtful"}


@pytest.mark.slow
def test_only_a_block_or_a_contradiction_says_that_a_step_changed(results):
    """ "Changed" is as sure as a block; a review says "probably", except where words contradict each other."""
    for result in results:
        (case,) = result.cases
        exact = {step for finding in case.findings if finding.exact for step in finding.golden_steps}
        changed = {step.id for step in case.steps if step.state == "changed"}
        assert result.verdict == "block" or changed <= exact, case.id
        for finding in case.findings:
            if finding.id == "WR106" and not finding.exact and result.verdict != "block":
                assert PROBABLY in finding.message, case.id


@pytest.mark.slow
def test_the_finding_and_the_state_of_a_step_use_the_same_word(results):
    compared = 0
    for result in results:
        (case,) = result.cases
        states = {step.id: step.state for step in case.steps}
        for finding in case.findings:
            if finding.id == "WR106" and finding.wording is not None and not finding.exact:
                compared += 1
                probable = states[finding.golden_steps[0]] == "probably-changed"
                assert (PROBABLY in finding.message) == probable, case.id
    assert compared > len(goldens())


@pytest.mark.slow
def test_a_report_says_changed_only_of_steps_that_changed(results):
    """The probable kinds of damage, one of which is called "changed meaning", are of the whole workflow."""
    for result in results:
        case = result.cases[0].model_copy(update={"degradation": ()})
        states = {step.state for step in case.steps}
        for source, text in sentences(result.model_copy(update={"cases": (case,)})).items():
            assert "changed" in states or CHANGED not in text.replace(PROBABLY, ""), (case.id, source)
            assert "probably-changed" in states or PROBABLY not in text, (case.id, source)


def test_another_environment_in_a_reworded_step_is_a_review_beside_a_step_that_names_the_right_one(tmp_path):
    """The step that tests "in the staging environment" is similar, but it does not deploy there."""
    golden = ["Build the image", "Deploy the image to the staging environment", "Run the smoke tests against staging"]
    candidate = [
        "Create the image",
        "Install the image in the production environment",
        "Smoke-test the staging environment",
    ]
    files = []
    for name, steps in (("golden", golden), ("candidate", candidate)):
        files.append(tmp_path / f"{name}.md")
        files[-1].write_text("".join(f"{place}. {step}\n" for place, step in enumerate(steps, start=1)))
    case = wfgate.gate(*files)
    assert case.verdict in {"review", "block"}
    assert case.steps[1].state == "changed"
