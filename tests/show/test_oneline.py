"""One line per reason and finding, for editors and scripts."""

import re

import pytest

from wfgate.show import summary
from wfgate.show.oneline import OnelineReporter

LINE = re.compile(
    r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<verdict>block|inconclusive|review|pass|note) "
    r"(?P<id>[A-Za-z0-9-]+)( (error|warning|info))?: (?P<message>\S.*)"
)


def lines(result):
    report = OnelineReporter().render(result)
    assert report.endswith("\n")
    *found, last = report.splitlines()
    assert last == f"wfgate: {result.verdict}: {summary(result)}"
    return found


def test_reasons_and_findings_are_sorted_by_position(make_result, make_block, make_review, make_pass):
    found = lines(make_result(make_block(), make_review(), make_pass()))
    at = "out/deploy.yaml"
    assert found == [
        "golden/deploy.yaml:12:3: block WR101 error: step 'Require MFA' is missing",
        f"{at}:2:3: review WR104 error: steps 'Check out' and 'Build' were merged into one step: 'Prepare'",
        "out/deploy.yaml:4:3: block WR105 warning: step 'Build' was split into 2 steps: 'Build' and 'Package'",
        f"{at}:9:5: block WR106 error: step 'Deploy' changed meaning: 'staging' became 'production' (p <= 0.0042)",
        "out/deploy.yaml:9:5: block WR203 error: step 'Deploy' now runs after 'Notify' instead of before",
    ]


def test_a_reason_without_a_position_has_the_candidate_at_its_start(make_result, make_block):
    case = make_block(reasons=("taken together, it differs",), findings=())
    assert lines(make_result(case)) == ["out/deploy.yaml:1:1: block statistics: taken together, it differs"]


def test_an_unreadable_file_has_the_position_of_its_error_once(make_result, make_unreadable):
    assert lines(make_result(make_unreadable())) == [
        "out/bad.yaml:3:1: inconclusive statistics: the mapping is never closed"
    ]


def test_what_concerns_the_run_is_not_lost(make_result, make_pass):
    assert lines(make_result()) == []  # the last line says that nothing was compared
    assert lines(make_result(make_pass())) == []


@pytest.mark.parametrize("text", ["a\nb.yaml", "a\x1b[31m\r.yaml", "::error::x", "##[error] a\u202eb", "a\u2028b"])
def test_hostile_names_stay_on_their_line(make_hostile, text):
    report = OnelineReporter().render(make_hostile(text))
    assert report.count("\n") == len(report.splitlines()) > 0
    for line in report.splitlines()[:-1]:
        assert LINE.fullmatch(line.removeprefix("\\"))
    for line in report.splitlines():
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
