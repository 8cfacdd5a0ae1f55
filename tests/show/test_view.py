"""What reports say is derived once, and commands are values."""

import pytest

from wfgate.decide import BaseInfo
from wfgate.show import REPORTERS, CaseView, TextReporter
from wfgate.show.advice import Advice, Command
from wfgate.show.escape import visible
from wfgate.show.steps import Steps


@pytest.mark.parametrize("name", sorted(set(REPORTERS) - {"json", "jsonl"}))
def test_a_report_asks_once_what_became_of_the_steps(
    make_result, make_block, make_review, make_pass, name, monkeypatch
):
    result = make_result(make_block(), make_review(), make_pass())
    asked, of = [], Steps.of
    monkeypatch.setattr(Steps, "of", lambda case: asked.append(case.id) or of(case))
    REPORTERS[name].render(result)
    assert len(asked) == len(set(asked))


def test_a_reason_and_the_same_finding_of_another_case_are_said_alike(make_block):
    case = make_block()
    left = CaseView(case.model_copy(update={"reasons": case.reasons[1:]}))
    reason, finding = CaseView(case).reasons[0], left.others[0]
    assert (reason.pieces, reason.sentence, reason.place) == (finding.pieces, finding.sentence, finding.place)


def test_commands_are_code_whatever_stands_around_them(make_result, make_block):
    line = "wfgate approve 'a (b), c;d.yaml' --replace x.yaml"
    sentence = Advice.of("or, on BRANCH, ", Command(line), ", as `owner`")
    assert str(sentence) == f"or, on BRANCH, {line}, as `owner`"
    from wfgate.show.markdown import _advice  # noqa: PLC0415

    assert _advice(sentence) == f"or, on BRANCH, `{line}`, as `owner`"
    case = make_block(golden=f"golden/{'long' * 300}.yaml", candidate="out/a.yaml")
    for name in ("text", "markdown"):
        report = REPORTERS[name].render(make_result(case))
        assert visible(f"--replace {case.golden} --reason '<why>'", 9999) in report  # nothing is cut


def test_quiet_names_acceptances_that_do_not_count(make_result, make_block):
    base = BaseInfo(ref="main", commit="c0ffee" * 6, refused=("the comment of x: no code owner",))
    result = make_result(make_block()).model_copy(update={"base": base})
    assert "not accepted: the comment of x: no code owner\n" in TextReporter(quiet=True).render(result)


def test_the_page_names_the_rule_of_a_reason_without_a_finding(make_result, make_block):
    result = make_result(make_block(findings=(), reasons=("the whole differs",)))
    assert 'data-label="Rules">differs too much overall</td>' in REPORTERS["html"].render(result)
