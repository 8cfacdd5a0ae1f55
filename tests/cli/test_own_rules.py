"""Own rules on the command line: where they come from, what they decide, and what `rules`, `explain`, `lint` show."""

from pathlib import Path

import pytest

from .conftest import GOLDEN, inline, is_error, wfgate
from .test_base import git

RULES = """[[rules]]
id = "clean-first"
because = "a chart of duplicates is wrong"
before = ["Remove duplicate rows from the table", "Draw a chart of revenue by region"]

[[rules]]
id = "no-mail"
never = {pattern = "*post it on social media*"}

[[rules]]
id = "euros"
critical = "Convert every amount to euros"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("approved", "generated"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.yaml").write_text(GOLDEN)
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n')
    (tmp_path / "approved" / "report.rules.toml").write_text(RULES)
    return tmp_path


def candidate(project: Path, text: str) -> None:
    (project / "generated" / "report.yaml").write_text(text)


def test_a_broken_rule_blocks_with_its_name_reason_place_and_fix(project: Path):
    assert inline("gate", "generated").code == 0
    candidate(project, GOLDEN.replace("Email the link to all managers", "Post it on social media"))
    run = inline("gate", "generated", "--verbose")
    assert run.code == 1
    assert "rule no-mail is broken: it has the forbidden step 'Post it on social media'" in " ".join(run.out.split())
    result = inline("gate", "generated", "--format", "json")
    (project / "result.json").write_text(result.out)
    finding = next(one for one in result.data["cases"][0]["findings"] if one["id"] == "WO001")
    assert (finding["defect"], finding["weight"], finding["proven"]) == ("no-mail", "proof", True)
    said = inline("explain", "no-mail", "--result", "result.json").out
    assert "rule: approved/report.rules.toml:6:1" in said
    assert "certainty: proven" in said
    assert "how to fix: remove the step" in said
    for form in ("sarif", "junit", "html", "markdown", "github"):
        assert "no-mail" in inline("gate", "generated", "--format", form).out


def test_a_mark_makes_a_step_critical_and_optional_frees_one(project: Path):
    lost = "\n".join(line for line in GOLDEN.splitlines() if "{id: c" not in line).replace("needs: [c]", "needs: [b]")
    candidate(project, lost)
    assert "the critical step 'Convert every amount to euros' is missing" in inline("gate", "generated").out
    (project / "approved" / "report.rules.toml").write_text(RULES.replace("critical =", "optional ="))
    assert "critical" not in inline("gate", "generated").out
    candidate(project, GOLDEN)
    run = inline("gate", "generated", "--format", "json")
    assert [one for one in run.data["cases"][0]["findings"] if one["severity"] != "info"] == []


def test_a_mark_permits_additional_steps_that_fit_exactly(project: Path):
    mail = "  - {id: x, name: Post it on social media, needs: [f]}\n"
    candidate(project, GOLDEN.replace("needs: [f]", "needs: [x]") + mail)
    assert inline("gate", "generated").code == 1
    for rule, code in (("Post it on social media", 0), ("Publish it on social networks", 1)):
        (project / "approved" / "report.rules.toml").write_text(f'[[rules]]\nid = "x"\nadditional = "{rule}"\n')
        run = inline("gate", "generated", "--verbose")
        assert run.code == code, run.out
        said = "additional steps that own rules permit (1): 'Post it on social media'"
        assert (said in " ".join(run.out.split())) is (code == 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[rules]]\nid = "x"\ncontains = "Feed the dog"\n', "report.rules.toml:1:1: the golden itself breaks"),
        ('[[rules]]\nid = "x"\nbefore = ["Feed the dog", "Walk it"]\n', "names a step that the golden does not have"),
        ('[[rules]]\nid = "x"\ncritical = "Feed the dog"\n', "names a step that the golden does not have"),
        ('[[rules]]\nid = "x"\nnever = "Publish the report on the intranet"\n', "the golden itself breaks"),
        ('[[rules]]\nid = "x"\nstep = {pattern = "*euros*"}\nonly_if = "x == ("\n', "`x == (` cannot be read"),
        ("[[rules]\n", "report.rules.toml:1:8: not TOML"),
        ('[[rules]]\nid = "x"\nnever = 1\n', "report.rules.toml:3:1: never"),
    ],
)  # fmt: skip
def test_a_rule_that_does_not_fit_the_golden_never_passes(project: Path, text: str, message: str):
    (project / "approved" / "report.rules.toml").write_text(text)
    run = inline("gate", "generated")
    assert run.code == 3
    assert message in " ".join(run.out.split())
    assert "To fix this" in run.out
    shown = inline("rules")
    assert shown.code == 2
    assert message in shown.err


def test_rules_of_the_configuration_are_for_the_cases_that_they_name(project: Path):
    rule = '\n[[rules]]\nid = "x"\ncases = "{}"\nnever = {{id = "g"}}\n'
    (project / "wfgate.toml").write_text('reference = "approved"\n' + rule.format("other*"))
    assert inline("gate", "generated").code == 0
    assert "warning: `cases` of the rule x names no golden: other*" in inline("rules").err
    (project / "wfgate.toml").write_text('reference = "approved"\n' + rule.format("rep*"))
    assert "wfgate.toml:3:1: the golden itself breaks the rule 'x'" in " ".join(
        inline("gate", "generated").out.split()
    )
    (project / "wfgate.toml").write_text("[[rules]]\nid = 1\n")
    run = inline("gate", "generated")
    assert (run.code, "wfgate.toml:2:1: id: " in run.err) == (2, True)


def test_only_the_side_of_the_reference_has_rules(project: Path):
    """A file beside the candidate and a change of the pull request do not count; no rules are taken for a workflow."""
    candidate(project, GOLDEN.replace("Email the link to all managers", "Post it on social media"))
    git(project, "init", "-q", "-b", "main")
    git(project, "add", "approved", "wfgate.toml")
    git(project, "commit", "-q", "-m", "base")
    git(project, "checkout", "-q", "-b", "request")
    (project / "approved" / "report.rules.toml").unlink()
    (project / "generated" / "report.rules.toml").write_text('[[rules]]\nid = "x"\noptional = {pattern = "*"}\n')
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "no rules")
    run = wfgate("gate", "generated", "--base", "main", cwd=project)
    assert "rule no-mail is broken" in " ".join(run.out.split())
    data = wfgate("gate", "generated", "--base", "main", "--format", "json", cwd=project).data
    assert [case["id"] for case in data["cases"]] == ["report"]
    assert "no-mail" not in wfgate("gate", "generated", cwd=project).out


def test_rules_shows_what_each_rule_matches_in_80_columns(project: Path):
    candidate(project, GOLDEN.replace("Remove duplicate rows from the table", "Delete repeated rows of the table"))
    run = inline("rules", "approved/report.yaml", "--candidate", "generated/report.yaml")
    assert (run.code, run.err) == (0, "")
    assert max(map(len, run.out.splitlines())) <= 80
    assert "clean-first: before (approved/report.rules.toml:1:1)" in run.out
    assert "golden: 'Remove duplicate rows from the table' (line 5, same words)" in " ".join(run.out.split())
    assert "candidate: 'Delete repeated rows of the table' (line 5, meaning, p = " in " ".join(run.out.split())
    data = inline("rules", "--format", "json").data
    assert [rule["id"] for rule in data["goldens"][0]["rules"]] == ["clean-first", "no-mail", "euros"]


def test_explain_finds_a_rule_in_the_configuration_and_beside_goldens(project: Path):
    (project / "wfgate.toml").write_text(
        '[[rules]]\nid = "wf101"\nnever = "x"\n[[rules]]\nid = "two"\nstep = "x"\nat_least = 2\n'
    )
    run = inline("explain", "clean-first")
    assert (run.code, run.err) == (0, "")
    assert max(map(len, run.out.splitlines())) <= 80
    said = " ".join(run.out.split())
    assert said.startswith("clean-first own rule, block (approved/report.rules.toml:1:1)")
    assert "before: Each of these steps runs only after the one before it" in said
    assert "'Remove duplicate rows from the table' 'Draw a chart of revenue by region'" in said
    assert "Because: a chart of duplicates is wrong" in said
    assert "at_least 2: The workflow has at least so many steps" in " ".join(inline("explain", "two").out.split())
    assert "own rule" not in inline("explain", "wf101").out  # a check of wfgate wins
    assert is_error(inline("explain", "clean-fist"), 2, "did you mean clean-first?")
    (project / "approved" / "other.rules.toml").write_text("[[rules]]\n")
    run = inline("explain", "three")
    assert run.code == 2
    assert "warning: approved/other.rules.toml:1:1: id: Field required\nerror: unknown id 'three'" in run.err


def test_lint_applies_rules_without_a_golden(project: Path):
    assert inline("lint", "approved").code == 0
    (project / "approved" / "report.rules.toml").write_text('[[rules]]\nid = "x"\nnever = {pattern = "*email*"}\n')
    run = inline("lint", "approved")
    assert run.code == 1
    assert "rule x is broken: it has the forbidden step 'Email the link to all managers'" in " ".join(run.out.split())


def test_a_contract_as_rules_is_kept_by_all_references(project: Path):
    other = GOLDEN.replace("Email the link to all managers", "Send the link to all managers by email")
    lost = "\n".join(line for line in other.splitlines() if "{id: d" not in line).replace("needs: [d]", "needs: [c]")
    (project / "approved" / "report@2.yaml").write_text(lost)
    text = inline("contract", "approved/report.yaml", "--as-rules").out
    assert "Draw a chart" not in text
    assert 'contains = ["Publish the report on the intranet"]' in text
    assert 'before = ["Publish the report on the intranet", "Email the link to all managers"]' in text
    (project / "approved" / "report.rules.toml").write_text(text)
    assert inline("gate", "generated").code == 0
    assert inline("rules", "approved/report.yaml").code == 0


def test_a_changed_rule_counts_once_a_code_owner_approves_it(project: Path):
    """Rules and golden can change together, such as the name of a step."""
    (project / "CODEOWNERS").write_text("/approved/ @ada\n")
    git(project, "init", "-q", "-b", "main")
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "base")
    git(project, "checkout", "-q", "-b", "request")
    (project / "approved" / "report.rules.toml").write_text('[[rules]]\nid = "no-link"\nnever = {pattern = "*dog*"}\n')
    candidate(project, GOLDEN.replace("Email the link to all managers", "Feed the dog"))
    git(project, "commit", "-q", "-am", "other rules")
    for approver, broken in (("bob", False), ("ada", True)):
        run = wfgate("gate", "generated", "--base", "main", "--approved-by", approver, cwd=project)
        assert ("rule no-link is broken" in " ".join(run.out.split())) == broken


def test_another_name_of_the_case_avoids_no_rule(project: Path):
    """The list of a suite and a second candidate of the name change what a case is called."""
    rule = '[[rules]]\nid = "no-dog"\ncases = "{}"\nnever = {{pattern = "*dog*"}}\n'
    candidate(project, GOLDEN.replace("Email the link to all managers", "Feed the dog"))
    (project / "generated" / "report.yml").write_text(GOLDEN)
    suite = '{"id": "x", "golden": "approved/report.yaml", "candidate": "generated/report.yaml"}\n'
    (project / "suite.jsonl").write_text(suite)
    for cases, broken in (("report", True), ("approved/rep*", True), ("other*", False), ("appr*", False)):
        (project / "wfgate.toml").write_text('reference = "approved"\n' + rule.format(cases))
        for given in (("generated",), ("--pairs", "suite.jsonl")):
            assert ("rule no-dog is broken" in " ".join(inline("gate", *given).out.split())) == broken


def test_another_name_of_the_case_frees_no_step(project: Path):
    rule = '[[rules]]\nid = "free"\ncases = "{}"\noptional = {{pattern = "*"}}\n'
    lost = GOLDEN.replace("Convert every amount to euros", "Draw another chart")
    candidate(project, lost)
    suite = '{"id": "old", "golden": "approved/report.yaml", "candidate": "generated/report.yaml"}\n'
    (project / "suite.jsonl").write_text(suite)
    (project / "approved" / "report.rules.toml").unlink()
    for cases, free in (("old", False), ("report", True)):
        (project / "wfgate.toml").write_text('reference = "approved"\n' + rule.format(cases))
        run = inline("gate", "--pairs", "suite.jsonl", "--format", "json")
        states = {step["state"] for step in run.data["cases"][0]["steps"]}
        assert ("left-out" in states) == free
