import re

import pytest

from wfgate.show.github import GithubReporter

COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")


def commands(text):
    return [match.groups() for line in text.splitlines() if (match := COMMAND.fullmatch(line))]


def properties(given):
    return dict(part.split("=", 1) for part in given.split(","))


def test_report(result, snapshot):
    assert GithubReporter().render(result) == snapshot


def test_hostile_text_commands_nothing(hostile, make_hostile):
    text = GithubReporter().render(make_hostile(hostile))
    calm = GithubReporter().render(make_hostile("calm"))
    assert len(text.splitlines()) == len(calm.splitlines())
    for line in text.splitlines():
        assert line.isprintable()
        assert "##[" not in line
        assert "##vso[" not in line
        if line.lstrip().startswith("::") and "group" not in line:
            level, given, _ = COMMAND.fullmatch(line).groups()
            assert level in {"error", "warning"}
            assert set(properties(given)) <= {"title", "file", "line", "col"}


def test_a_reason_stands_at_its_line(make_result, make_block):
    found = commands(GithubReporter().render(make_result(make_block())))
    assert [level for level, _, _ in found] == ["error"] * 3
    _, given, words = found[1]
    assert properties(given) == {"title": "BLOCK deploy", "file": "out/deploy.yaml", "line": "9", "col": "5"}
    assert words.endswith("[WR106]")
    assert "(p <= 0.0042)" in words


def test_files_outside_the_checkout_and_inline_workflows_have_no_place(make_result, make_block):
    for name in ("/tmp/deploy.yaml", "deploy (candidate)"):  # noqa: S108 - only named
        for _, given, _ in commands(GithubReporter().render(make_result(make_block(candidate=name)))):
            assert set(properties(given)) == {"title"}


@pytest.mark.parametrize("reasons", [9, 10, 11, 40])
def test_at_most_ten_and_the_rest_is_named(make_result, make_block, reasons):
    text = GithubReporter().render(make_result(make_block(reasons=tuple(f"reason {n}" for n in range(reasons)))))
    found = commands(text)
    assert len(found) == min(reasons, 10)
    for number in range(reasons):
        assert f"reason {number}" in text
    if reasons > 10:
        assert "reason 9" in found[-1][2]
        assert f"{reasons - 9} further reasons" in found[-1][1]
    assert ("::group::" in text) == (reasons > 10)


def test_what_fails_comes_first(make_result, make_review, make_inconclusive):
    found = commands(GithubReporter().render(make_result(make_review(), make_inconclusive())))
    assert [level for level, _, _ in found] == ["error", "warning"]
    lenient = make_result(make_review(), make_inconclusive(), inconclusive_blocks=False)
    assert {level for level, _, _ in commands(GithubReporter().render(lenient))} == {"warning"}


def test_a_percent_sign_is_escaped(make_result, make_block):
    text = GithubReporter().render(make_result(make_block(reasons=("20 % of the steps are missing",))))
    assert "20 %25 of the steps" in text
