import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from wfgate.decide import BaseInfo
from wfgate.show import TextReporter

from ..hypothesis_examples import examples

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_plain_report(result, snapshot):
    assert TextReporter().render(result) == snapshot


def test_colour_adds_nothing_but_colour(result, snapshot):
    coloured = TextReporter(color=True).render(result)
    assert coloured == snapshot
    assert ANSI.sub("", coloured) == TextReporter().render(result)


def test_verbose_report(result, snapshot):
    assert TextReporter(verbose=True).render(result) == snapshot


def test_quiet_says_the_first_line_and_the_summary(make_result, make_block, make_pass):
    report = TextReporter(quiet=True, width=200).render(make_result(make_pass(), make_block()))
    why = "step 'Require MFA' is missing (and 2 more)"
    assert report.splitlines() == [
        f"BLOCK deploy: {why}; 1 of 6 steps missing (17 %)",
        "2 cases: 1 blocked, 1 passed",
    ]


def test_gravest_first(make_result, make_block, make_review, make_inconclusive, make_pass):
    cases = make_pass(), make_review(), make_inconclusive(), make_block()
    report = TextReporter(quiet=True, width=200).render(make_result(*cases))
    assert [line.split()[0] for line in report.splitlines()] == ["BLOCK", "INCONCLUSIVE", "REVIEW", "4"]


def test_blocked_by_a_rule_is_said_so(make_result, make_block):
    case = make_block(p_value=0.63, degradation=(), reasons=("critical step 'Require MFA' is missing",))
    report = " ".join(TextReporter(verbose=True).render(make_result(case)).split())
    assert "63 of 100 harmless rewrites differ at least as much" in report
    assert "blocked by a rule" in report
    assert "estimate" not in report


def test_review_below_block_severity_is_said_so(make_result, make_block):
    report = TextReporter(verbose=True).render(
        make_result(make_block(verdict="review", p_value=0.004), block_severity=0.4)
    )
    assert "reviewed only, as the policy blocks from a severity of 40 % on" in " ".join(report.split())


def test_many_failing_cases_keep_their_first_line(make_result, make_block):
    report = TextReporter().render(make_result(*(make_block(id=f"case-{n}") for n in range(40))))
    assert all(f"BLOCK case-{n}: " in report for n in range(40))
    assert report.count("Severity:") == 25
    assert "40 cases: 40 blocked" in report


def test_approving_is_a_command_to_copy(make_result, make_block):
    case = make_block(golden="golden/deploy@two.yaml", candidate="out/de ploy.yaml")
    report = TextReporter(width=200).render(make_result(case))
    assert "wfgate approve 'out/de ploy.yaml' --replace golden/deploy@two.yaml" in report


def test_profile_own_level_is_said_where_the_policy_is_stricter(make_result, make_pass):
    report = TextReporter(width=200, verbose=True).render(make_result(make_pass(), alpha_block=0.01))
    assert "at the profile's own rate" in " ".join(report.split())


def harmless(report, width):
    for line in report.split("\n"):
        assert cell_len(line) <= width
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "##vso[" not in line
    assert all(character == "\n" or character.isprintable() for character in report)


@pytest.mark.parametrize("width", [30, 80, 200])
def test_hostile_text_never_reaches_the_terminal(hostile, make_hostile, width):
    result = make_hostile(hostile)
    report = TextReporter(width=width, verbose=True).render(result)
    harmless(report, width)
    assert "4 cases: 1 blocked, 1 inconclusive, 2 passed" in " ".join(report.split())
    harmless(TextReporter(width=width).render(result), width)
    coloured = TextReporter(width=width, verbose=True, color=True).render(result)
    assert ANSI.sub("", coloured) == report


def test_markup_is_shown_not_obeyed(make_result, make_pass):
    report = TextReporter(color=True).render(make_result(make_pass("[red]x[/red] :warning:")))
    assert "[red]x[/red] :warning:" in report


@given(st.text(max_size=300), st.integers(min_value=30, max_value=120))
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_line_is_wider_than_the_page(make_hostile, text, width):
    harmless(TextReporter(width=width).render(make_hostile(text)), width)


@pytest.mark.parametrize("commit", ["123456789012", "c0ffee123456"])
def test_line_breaks_do_not_depend_on_the_digits_of_a_commit(make_result, make_pass, commit):
    base = BaseInfo(ref="main", commit=commit * 3, changed=())
    report = TextReporter().render(make_result(make_pass()).model_copy(update={"base": base}))
    assert f"are read from main\n  ({commit})" in report
