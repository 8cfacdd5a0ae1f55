import json
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import GOLDEN, Run, inline, is_error, on_no_build_server, wfgate

WORSE = GOLDEN.replace("  - {id: c, name: Convert every amount to euros, needs: [b]}\n", "").replace(
    "needs: [c]", "needs: [b]"
)
BROKEN = GOLDEN.replace("needs: [c]", "needs: [f]")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    on_no_build_server(monkeypatch)
    monkeypatch.setenv("COLUMNS", "80")
    for folder in ("approved", "new"):
        (tmp_path / folder).mkdir()
    (tmp_path / "approved" / "report.yaml").write_text(GOLDEN)
    (tmp_path / "new" / "report.yaml").write_text(WORSE)
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n')
    return tmp_path


def names(project: Path) -> list[str]:
    return sorted(path.name for path in (project / "approved").iterdir())


def approvals(reference: Path) -> list[dict[str, object]]:
    return list(json.loads(reference.with_name(reference.name + ".approvals").read_text())["approvals"])


def review(project: Path, answers: str) -> Run:
    return wfgate("review", "new", "--by", "Ada", cwd=project, stdin=answers.encode(), terminal=True)


def test_an_approved_candidate_passes_and_git_says_who_and_at_which_commit(project: Path):
    for arguments in (
        ("init", "-q"),
        ("config", "user.name", "Ada"),
        ("config", "user.email", "ada@example.org"),
        ("config", "commit.gpgsign", "false"),
        ("add", "."),
        ("commit", "-qm", "x"),
    ):
        subprocess.run(["git", *arguments], cwd=project, check=True)
    assert inline("gate", "new/report.yaml").code == 1
    run = wfgate("approve", "new/report.yaml", "--reason", "no foreign currency any more", cwd=project)
    assert (run.code, run.err) == (0, "")
    assert run.out == "approved new/report.yaml: it replaces approved/report.yaml, by Ada <ada@example.org>\n"
    (one,) = approvals(project / "approved" / "report.yaml")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True)
    assert (one["by"], one["commit"]) == ("Ada <ada@example.org>", head.stdout.strip())
    assert (one["verdict"], one["reason"]) == ("block", "no foreign currency any more")
    assert inline("gate", "new/report.yaml").code == 0
    again = inline("approve", "new/report.yaml")
    assert (again.code, "is approved already, as approved/report.yaml" in again.out) == (0, True)
    assert names(project) == ["report.yaml", "report.yaml.approvals"]


def test_a_variant_is_asked_for_and_what_it_frees_is_listed(project: Path):
    run = inline("approve", "new/report.yaml", "--variant", "--by", "Ada", "--reason", "meant by all")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("approved new/report.yaml as approved/report@2.yaml, by Ada\n")
    assert "  now free:\n  - step 'Convert every amount to euros' becomes optional\n" in run.out
    assert names(project) == ["report.yaml", "report@2.yaml", "report@2.yaml.approvals"]
    assert inline("gate", "new/report.yaml").code == 0


def test_bytes_that_are_approved_and_still_blocked_say_why_and_replacing_helps(project: Path):
    """A variant without a critical step does not make the step free."""
    config = project / "wfgate.toml"
    config.write_text(config.read_text() + '[policy]\ncritical = ["Convert*"]\n')
    given = ("approve", "new/report.yaml", "--by", "Ada", "--reason", "meant by all")
    assert inline(*given, "--variant").code == 0
    blocked = inline("gate", "new")
    said = " ".join(blocked.out.split())
    assert blocked.code == 1
    assert (
        "these bytes are a further reference already, but approved/report.yaml still requires what they lack" in said
    )
    assert "--replace approved/report.yaml --reason '<why>'" in said
    replaced = inline(*given, "--replace", "approved/report.yaml")
    assert replaced.out.splitlines()[:2] == [
        "approved new/report.yaml: it replaces approved/report.yaml, by Ada",
        "  beside it, approved/report@2.yaml still applies",
    ]
    assert inline("gate", "new").code == 0
    again = inline(*given, "--replace", "approved/report.yaml")
    assert again.out.startswith("new/report.yaml is approved already, as approved/report.yaml\n")
    assert len(approvals(project / "approved" / "report.yaml")) == 1


@pytest.mark.parametrize("reason", ["ok", "meant, meant, meant", "- . !", "reviewed twice"])
def test_a_reason_explains(project: Path, reason: str):
    run = inline("approve", "new/report.yaml", "--by", "Ada", "--reason", reason)
    assert is_error(run, 2, "has fewer than 3 words")
    assert names(project) == ["report.yaml"]
    assert inline("approve", "new/report.yaml", "--by", "Ada", "--reason", "換算は不要").code == 0


def test_a_candidate_can_take_the_place_of_the_reference(project: Path):
    run = inline(
        "approve", "new/report.yaml", "--replace", "approved/report.yaml", "--by", "Ada", "--reason", "meant by all"
    )
    assert (run.code, run.err) == (0, "")
    assert names(project) == ["report.yaml", "report.yaml.approvals"]
    assert (project / "approved" / "report.yaml").read_text() == WORSE
    both = ("--replace", "approved/report.yaml", "--variant")
    assert is_error(inline("approve", "new", *both), 2, "cannot be used together")
    assert is_error(inline("approve", "new", "--name", "x"), 2, "--name needs --variant")
    assert is_error(inline("approve", "new", "--replace", "approved/gone.yaml"), 2, "does not exist")


def test_a_reference_that_could_not_be_read_is_not_written(project: Path):
    """A pattern of [formats] that matches the candidate and not the reference would make every case inconclusive."""
    (project / "new" / "tips.md").write_text("Some hints:\n\n- Look\n- Ask\n\nTell us what is missing.\n")
    config = 'reference = "approved"\n[formats]\n"{}" = "markdown"\n'
    (project / "wfgate.toml").write_text(config.format("new/*.md"))
    refused = inline("approve", "new/tips.md", "--by", "Ada", "--reason", "meant by all")
    assert is_error(refused, 2, "not for its reference", '"*.md" = "markdown"')
    assert "tips.md" not in names(project)
    (project / "wfgate.toml").write_text(config.format("*.md"))
    assert inline("approve", "new/tips.md", "--by", "Ada", "--reason", "meant by all").code == 0


def test_samples_approved_together_become_variants_of_their_own(project: Path):
    (project / "new" / "report.yaml").rename(project / "new" / "report@1.yaml")
    other = GOLDEN.replace("Email the link to all managers", "Delete the intranet and everything on it")
    (project / "new" / "report@2.yaml").write_text(other)
    (project / "new" / "report@3.yaml").write_text(other)
    run = inline("approve", "new", "--variant", "--by", "Ada", "--reason", "meant by all")
    assert run.code == 0
    assert [name for name in names(project) if name.endswith("yaml")] == [
        "report.yaml",
        "report@2.yaml",
        "report@3.yaml",
        "report@4.yaml",
    ]
    assert (project / "approved" / "report@2.yaml").read_text() == WORSE


def test_samples_do_not_replace_each_other(project: Path):
    (project / "new" / "report.yaml").rename(project / "new" / "report@1.yaml")
    other = GOLDEN.replace("Email the link to all managers", "Delete the intranet and everything on it")
    for number in (2, 3):
        (project / "new" / f"report@{number}.yaml").write_text(other if number == 2 else WORSE)
    run = inline("approve", "new", "--by", "Ada", "--reason", "meant by all")
    assert run.code == 2
    assert "report@2.yaml: it would replace new/report@1.yaml, which was approved in this run" in run.err
    assert "report@3.yaml is approved already, as approved/report.yaml" in run.out
    assert (project / "approved" / "report.yaml").read_text() == WORSE


@pytest.mark.parametrize("command", ["approve", "review"])
@pytest.mark.parametrize(
    ("name", "value"),
    [("CI", "true"), ("CI", "1"), ("CI", "yes"), ("TF_BUILD", "True"), ("BUILD_NUMBER", "7"), ("JENKINS_URL", "x")],
)
def test_nothing_is_written_on_a_build_server(
    project: Path, command: str, name: str, value: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(name, value)
    assert is_error(inline(command, "new"), 2, f"({name} is set)")
    assert names(project) == ["report.yaml"]


@pytest.mark.parametrize("place", ["new", "new/report.yaml"])
def test_several_workflows_never_become_variants_of_one(project: Path, place: str):
    (project / "new" / "backup.yaml").write_text(WORSE)
    for command in ("approve", "pending"):
        run = inline(command, place, "new/backup.yaml", "-r", "approved/report.yaml")
        assert is_error(run, 2, "there are several candidates, but only one reference file")
    assert names(project) == ["report.yaml"]


def test_ci_that_is_said_to_be_false_is_still_a_build_server(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CI", "false")
    assert inline("approve", "new/report.yaml", "--by", "Ada", "--reason", "meant by all").code == 0
    monkeypatch.setenv("BUILD_NUMBER", "7")
    assert is_error(inline("approve", "new", "--by", "Ada"), 2, "(BUILD_NUMBER is set)")


def test_a_broken_workflow_is_refused_without_a_reason(project: Path):
    (project / "new" / "report.yaml").write_text(BROKEN)
    run = inline("approve", "new/report.yaml")
    assert is_error(run, 2, "an approval needs a reason", "[WF", "--reason '<why>'")
    assert names(project) == ["report.yaml"]
    assert inline("approve", "new/report.yaml", "--reason", "meant by all", "--by", "Ada").code == 0
    assert approvals(project / "approved" / "report.yaml")[0]["accepted"]


@pytest.mark.parametrize("option", [[], ["--replace", "approved/report.yaml"], ["--variant", "--name", "two"]])
def test_a_difference_that_blocks_needs_a_reason(project: Path, option: list[str]):
    old = "{id: c, name: Convert every amount to euros, needs: [b]}"
    for folder, script in (("approved", "convert --strict"), ("new", "convert || true")):
        step = old.replace("needs", f'params: {{run: "{script}"}}, needs')
        (project / folder / "report.yaml").write_text(GOLDEN.replace(old, step))
    before = (project / "approved" / "report.yaml").read_bytes()
    run = inline("approve", "new/report.yaml", "--by", "Ada", *option)
    assert is_error(run, 2, "an approval needs a reason", "[WR107]", "--reason '<why>'")
    assert names(project) == ["report.yaml"]
    assert (project / "approved" / "report.yaml").read_bytes() == before
    assert inline("approve", "new/report.yaml", "--by", "Ada", "--reason", "meant by all", *option).code == 0
    (written,) = (project / "approved").glob("*.approvals")
    (one,) = json.loads(written.read_text())["approvals"]
    assert any(accepted.startswith("WR107 ") for accepted in one["accepted"])


def test_an_error_of_one_candidate_does_not_stop_the_others(project: Path):
    (project / "new" / "broken.yaml").write_text(BROKEN)
    (project / "new" / "more.yaml").write_text(GOLDEN)
    (project / "new" / "text.yaml").write_text("steps: {")
    (project / "new" / "report.yaml").write_text(GOLDEN)
    run = inline("approve", "new", "--by", "Ada")
    assert run.code == 2
    assert run.err.count("not approved: ") == 2
    assert "new/broken.yaml: an approval needs a reason" in run.err
    assert "approved new/more.yaml as approved/more.yaml, by Ada" in run.out
    assert "new/report.yaml passes: nothing to approve" in run.out
    assert run.out.endswith("1 of 4 candidates approved; not approved: new/broken.yaml, new/text.yaml\n")
    assert names(project) == ["more.yaml", "more.yaml.approvals", "report.yaml"]
    (project / "new" / "broken.yaml").unlink()
    assert inline("approve", "new", "--by", "Ada").code == 3


def test_an_approval_in_the_name_of_an_account_hints_at_the_person(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("LOGNAME", "root")
    run = inline("approve", "new", "--reason", "meant by all")
    assert run.code == 0
    assert "by root" in run.out
    assert "--by WHO" in run.err
    assert inline("approve", "new", "--reason", "meant by all", "--by", "Ada", "--variant", "--name", "b").err == ""


def test_pending_lists_candidates_and_references_until_both_are_approved(project: Path):
    run = inline("pending", "new")
    assert (run.code, run.err) == (1, "")
    assert run.out.startswith("BLOCK new/report.yaml: ")
    assert "report.yaml: no record of an approval" in run.out
    assert "1 candidate and 1 reference need an approval" in run.out
    data = inline("pending", "new", "--format", "json").data
    assert data["schema"] == "wfgate.pending/1"
    assert data["candidates"][0]["verdict"] == "block"
    assert data["references"][0]["standing"] == "unrecorded"
    assert inline("approve", "new", "approved", "--by", "Ada", "--reason", "meant by all").code == 0
    done = inline("pending", "new")
    assert (done.code, done.out) == (0, "nothing is pending\n")


def test_usage(project: Path):
    (project / "wfgate.toml").unlink()
    assert is_error(inline("approve", "new"), 2, "no reference was given")
    assert is_error(inline("pending", "nowhere", "-r", "approved"), 2, "nowhere: the file or folder does not exist")
    (project / "new" / "report.yaml").write_text("steps: {")
    assert is_error(inline("approve", "new/report.yaml", "-r", "approved"), 3, "new/report.yaml:")
    (project / "empty").mkdir()
    assert is_error(inline("approve", "empty", "-r", "approved"), 2, "no candidates found")


def test_a_review_shows_both_side_by_side_and_writes_what_was_answered(project: Path):
    (project / "new" / "zebra.yaml").write_text(GOLDEN)
    run = review(project, "yes\n?\nd\na\nmeant\nmeant by all\nreject\n")
    assert (run.code, run.err) == (1, "")
    assert "[1 of 2]" in run.out
    assert "golden  " in run.out
    lines = run.out.splitlines()
    shown = [line for line in lines if not line.startswith(("a accept", "Why"))]  # questions are not folded
    assert max(map(len, shown)) <= 80
    assert any(line.strip() == "- Convert every amount to euros  (missing)" for line in lines)
    assert "-  - {id: c, name: Convert every amount to euros, needs: [b]}" in lines  # the whole difference
    assert "  a  accept: it replaces approved/report.yaml\n" in run.out
    assert "  v  variant: it becomes approved/report@2.yaml; what the references do\n     differently" in run.out
    assert run.out.count("a accept, v variant, r reject, s skip, d whole difference, q quit, ? help: ") == 4
    assert "type a, v, r, s, d, q or ?, which explains them\n" in run.out
    assert "the reason 'meant' has fewer than 3 words" in run.out
    assert "NEW zebra: its workflow has no reference yet" in run.out
    assert "a accept, r reject, s skip, q quit, ? help: " in run.out
    assert run.out.endswith("1 of 2 candidates approved, 1 rejected: generate or correct it again\n")
    assert names(project) == ["report.yaml", "report.yaml.approvals"]
    assert (project / "approved" / "report.yaml").read_text() == WORSE


def test_a_review_can_add_a_variant_and_ends_with_its_input(project: Path):
    added = review(project, "v\nmeant by all\n")
    assert (added.code, names(project)) == (0, ["report.yaml", "report@2.yaml", "report@2.yaml.approvals"])
    (project / "new" / "report.yaml").write_text(GOLDEN.replace("Publish the report", "Do not publish the report"))
    (project / "new" / "more.yaml").write_text(GOLDEN)
    before = names(project)
    for answers in ("", "q\n", "s\ns\n"):
        ended = review(project, answers)
        assert (ended.code, names(project)) == (1, before)
        assert "0 of 2 candidates approved\n" in ended.out


def test_a_review_without_a_terminal_names_the_commands(project: Path):
    run = inline("review", "new", "-r", "approved", stdin=b"a\n")
    assert is_error(run, 2, "wfgate pending new --reference approved", "wfgate approve FILE --reference approved")
    assert names(project) == ["report.yaml"]


def test_a_review_asks_for_the_reason_that_a_broken_workflow_needs(project: Path):
    (project / "new" / "report.yaml").write_text(BROKEN)
    refused = review(project, "a\n\n")
    assert (refused.code, names(project)) == (1, ["report.yaml"])
    assert "The candidate has errors:" in refused.out
    assert refused.out.count("not approved\n") == 1
    assert review(project, "a\nthe engine repeats it\n").code == 0
    assert approvals(project / "approved" / "report.yaml")[0]["reason"] == "the engine repeats it"


def test_a_review_of_nothing_and_of_what_cannot_be_read(project: Path):
    (project / "new" / "report.yaml").write_text("steps: {")
    unread = review(project, "a\n")
    assert (unread.code, names(project)) == (1, ["report.yaml"])
    assert "nothing was compared" in unread.out
    (project / "new" / "report.yaml").write_text(GOLDEN)
    nothing = review(project, "")
    assert (nothing.code, nothing.out) == (0, "nothing is pending\n")
