"""One case of a result, with what its rules mean."""

from typing import get_args

import pytest

from wfgate.decide import AlignedStep, AlignmentView, GateRule, Reason, StepState
from wfgate.language import beginning
from wfgate.model import named
from wfgate.rules import NAME
from wfgate.show import TextReporter, case_names, explained_text
from wfgate.show.explained import RULES
from wfgate.show.view import RunCase


def test_everything_about_a_case_and_only_this_case(make_result, make_block, make_pass):
    result = make_result(make_block(), make_pass())
    text = explained_text("deploy", result)
    assert text.startswith(TextReporter(verbose=True, whole=True).case(RunCase(result.cases[0], result)))
    assert "PASS" not in text
    meanings = text.partition("What the rules mean:\n")[2]
    assert [line.split()[0] for line in meanings.splitlines() if line[:3].strip()] == ["WR101", "WR106", "WR203"]
    assert meanings.count("    How to fix: ") == 3
    assert "Golden:" not in meanings
    assert max(map(len, text.splitlines())) <= 80


def test_nothing_is_cut(make_result, make_block):
    name = f"Copy the backup of {'the invoices of the third quarter and ' * 20}stop"
    short = beginning(name, NAME)
    texts = {"golden_text": name, "candidate_text": f"{name} now"}
    case = make_block(
        reasons=(f"{named(short, name)} is missing",),
        alignment=AlignmentView(missing=(AlignedStep(id="copy", name=name),)),
        steps=(StepState(id="copy", state="doubtful", candidate=("copy",), **texts),),
    )
    shown = " ".join(explained_text("deploy", make_result(case)).split())
    assert f"'{name}' is missing" in shown
    assert f"{name} {{+now+}}" in shown
    assert "…" not in shown
    assert "more characters" not in shown


def test_a_pass_has_no_rules(make_result, make_block, make_pass):
    result = make_result(make_block(), make_pass())
    assert explained_text("fine", result).startswith("PASS fine: ")
    assert "rules" not in explained_text("fine", result)


@pytest.mark.parametrize("rule", get_args(GateRule))
def test_every_rule_without_a_check_is_explained(rule, make_result, make_block):
    case = make_block().model_copy(update={"reasons": (Reason.by_rule(rule, "so it is"),)})
    meanings = explained_text("deploy", make_result(case), width=1000).partition("What the rules mean:\n")[2]
    assert meanings == f"  {rule}: {RULES[rule][0]}\n    How to fix: {RULES[rule][1]}\n"


def test_a_rule_of_another_version_is_named(make_result, make_block):
    case = make_block().model_copy(update={"reasons": (Reason(rule="WR999\x1b[1m", message="new"),)})
    assert "WR999\\x1b[1m: not a rule of this version of wfgate" in explained_text("deploy", make_result(case))


def test_untrusted_text_is_escaped(make_hostile, hostile):
    result = make_hostile(hostile)
    for name in case_names(result):
        shown = explained_text(name, result)
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "##[" not in shown
