"""Each command that a report prints works in the state in which it is printed, and then the gate passes."""

import html
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from wfgate.approvals import Acceptances
from wfgate.approvals.forge.acceptances import command as parsed
from wfgate.decide import Acceptance, GateResult
from wfgate.show.html.case import case_view
from wfgate.show.view import RunCase

from .conftest import GOLDEN, inline, is_error, on_no_build_server

WORSE = GOLDEN.replace("  - {id: g, name: Email the link to all managers, needs: [f]}\n", "")
REVIEWED = GOLDEN.replace("name: Ship a report\n", "name: Ship a report\nparams: {team: a}\n")
BROKEN = GOLDEN.replace("needs: [a]", "needs: [zz]")
CRITICAL = 'critical = ["Email*"]\n'


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True, env=environ)


def write(**files: str) -> None:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    on_no_build_server(monkeypatch)
    monkeypatch.setenv("COLUMNS", "1000")  # no printed command is folded
    Path("approved").mkdir()
    write(**{"wfgate.toml": 'reference = "approved"\n[policy]\nfail_on = "review"\n'})
    return tmp_path


def printed(gate: str) -> list[str]:
    """Return the commands for accepting a change that the reports of a run print, without duplicates."""
    run = inline(*shlex.split(gate))
    assert run.code in {1, 3, 5}
    texts = {"short": run.out}
    for name in ("text", "markdown", "json"):
        texts[name] = inline(*shlex.split(gate), "--verbose", "-f", name).out
    result = GateResult.from_json(texts.pop("json"))
    views = "".join(case_view(RunCase(case, result), place) for place, case in enumerate(result.cases))
    texts["html"] = "\n".join(re.findall(r'<code class="command">(.*?)</code>', views))
    found = {name: commands(html.unescape(text.replace("<br>", "\n"))) for name, text in texts.items()}
    for name, said in found.items():
        assert said or (name == "html" and any(case.error for case in result.cases)), (name, texts[name])
    return sorted(set().union(*found.values()))


def commands(text: str) -> list[str]:
    """Return the commands in a text: to the end of their last option."""
    ends = r"(?=$|\n|,|;|`|<(?!why>))"
    return [one.strip() for one in re.findall(rf"wfgate approve .*?{ends}", text) if "CANDIDATE" not in one]


def run_printed(command: str, branch: str = "request") -> None:
    arguments = shlex.split(command.replace("<why>", "meant by all").replace("BRANCH", branch))[1:]
    assert inline(*arguments, "--by", "Ada").code == 0, command


def each_from_here(commands: list[str], tmp_path: Path):
    """Yield each command in the state that the project has now."""
    kept = tmp_path.with_name(tmp_path.name + "-kept")
    shutil.copytree(tmp_path, kept, symlinks=True)
    for command in commands:
        for path in tmp_path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(kept, tmp_path, symlinks=True, dirs_exist_ok=True)
        yield command


@pytest.mark.parametrize(
    ("golden", "candidate", "gate", "text"),
    [
        ("approved/report.yaml", "new/report.yaml", "gate new --reference approved", WORSE),
        ("approved/eu/report.yaml", "new/eu/report.yaml", "gate new --reference approved", WORSE),
        ("approved/report.yaml", "new/report.yaml", "gate new/report.yaml --reference approved/report.yaml", WORSE),
        ("approved/report.yaml", "new/other.yaml", "gate new/other.yaml --reference approved/report.yaml", WORSE),
        ("approved/a b.yaml", "new/a b.yaml", "gate new", WORSE),
        ("approved/report.yaml", "new/report.yaml", "gate new", BROKEN),
        ("", "new/report.yaml", "gate new --reference approved", GOLDEN),
        ("", "new/eu/report.yaml", "gate new --reference approved", GOLDEN),
    ],
)
def test_the_printed_approval_works_and_the_gate_passes_then(
    project: Path, golden: str, candidate: str, gate: str, text: str
):
    write(**{name: content for name, content in ((golden, GOLDEN), (candidate, text)) if name})
    found = printed(gate)
    assert not golden or any("--replace" in command for command in found)
    for command in each_from_here(found, project):
        run_printed(command)
        assert inline(*shlex.split(gate)).code == 0, command


def together(text: str) -> list[str]:
    """Return the commands that accept several cases."""
    return [line.partition("wfgate approve ")[2] for line in text.splitlines() if line.startswith("To accept all")]


def test_several_cases_to_review_are_accepted_with_one_command_for_each_folder(project: Path):
    """A blocked case is in none of them: it is accepted alone."""
    names = ("a b", "report", "eu/one", "eu/two")
    write(**{f"approved/{name}.yaml": GOLDEN for name in (*names, "worse")})
    write(**{f"new/{name}.yaml": REVIEWED for name in (*names, "added")}, **{"new/worse.yaml": WORSE})
    for options in ((), ("-f", "markdown")):
        run = inline("gate", "new", *options)
        text = html.unescape(run.out.replace("<br>", "\n"))
        assert (run.code, len(together(text))) == (1, 2), text
        assert "'new/a b.yaml' new/added.yaml new/report.yaml --reference approved --reason" in text
    write(**{"new/worse.yaml": GOLDEN})
    for command in together(inline("gate", "new").out):
        run_printed(f"wfgate approve {command}")
    assert inline("gate", "new").code == 0
    write(**{"new/report.yaml": REVIEWED.replace("quarter", "year")})
    assert together(inline("gate", "new").out) == []


def test_the_placeholder_of_a_printed_command_is_no_reason(project: Path):
    write(**{"approved/report.yaml": GOLDEN, "new/report.yaml": WORSE})
    for command in printed("gate new"):
        refused = inline(*shlex.split(command)[1:], "--by", "Ada")
        assert is_error(refused, 2, "'<why>' only stands for the reason", "write why, at least 3 words")
    assert is_error(inline("approve", "new/report.yaml", "--reason", "TEXT"), 2, "'TEXT' only stands for the reason")


def test_beside_a_variant_with_the_same_bytes_the_printed_approval_works(project: Path):
    """The variant lacks a critical step, so the gate still blocks: replacing the variant again would not help."""
    write(**{"approved/report.yaml": GOLDEN, "new/report.yaml": WORSE})
    Path("wfgate.toml").write_text(Path("wfgate.toml").read_text() + CRITICAL)
    run_printed("wfgate approve new/report.yaml --variant --reason '<why>'")
    found = printed("gate new")
    assert found == ["wfgate approve new/report.yaml --replace approved/report.yaml --reason '<why>'"]
    run_printed(found[0])
    assert inline("gate", "new").code == 0


@pytest.fixture
def request_branch(project: Path) -> Path:
    """A pull request that drops a step of a candidate, and of a workflow that has no references."""
    write(**{
        "CODEOWNERS": "/approved/ @ada\n/runbooks/ @ada\n",
        "approved/report.yaml": GOLDEN,
        "new/report.yaml": GOLDEN,
        "runbooks/report.yaml": GOLDEN,
    })  # fmt: skip
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "base")
    git("switch", "-qc", "request")
    write(**{"new/report.yaml": WORSE, "runbooks/report.yaml": WORSE})
    git("commit", "-qam", "shorter")
    return project


def test_in_a_pull_request_the_printed_approval_counts_with_a_code_owner(request_branch: Path):
    gate = "gate new --base main"
    found = [command for command in printed(gate) if "--from-rev" not in command and "--variant" not in command]
    assert found == ["wfgate approve new/report.yaml --replace approved/report.yaml --reason '<why>'"]
    run_printed(found[0])
    git("add", ".")
    git("commit", "-qm", "approve")
    blocked = inline(*shlex.split(gate))
    assert blocked.code == 1
    assert "wfgate approve" not in blocked.out  # it would change nothing
    assert "approved/report.yaml has these bytes; it counts once a code owner approves" in blocked.out
    assert inline(*shlex.split(gate), "--approved-by", "ada").code == 0
    assert inline(*shlex.split(gate), "--approved-by", "mallory").code == 1
    again = inline(*shlex.split(found[0].replace("TEXT", "'meant by all'"))[1:])
    assert again.code == 0
    assert "is approved already, as approved/report.yaml" in again.out


def test_in_a_pull_request_the_printed_comment_accepts_the_case(request_branch: Path, tmp_path_factory):
    file = tmp_path_factory.mktemp("forge") / "acceptances.json"
    head = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    file.write_text(Acceptances(head=head).model_dump_json(by_alias=True))
    for gate in ("gate new --base main", "gate --changed --base main runbooks"):
        given = (*shlex.split(gate), "--acceptances", str(file))
        file.write_text(Acceptances(head=head).model_dump_json(by_alias=True))
        blocked = inline(*given)
        (line,) = [line.strip() for line in blocked.out.splitlines() if line.strip().startswith("/wfgate")]
        cases, commit = parsed(line) or ((), "")
        assert (blocked.code, commit) == (1, head)
        one = Acceptance(by="ada", how="comment", commit=commit, cases=cases)
        file.write_text(Acceptances(head=head, accepted=(one,)).model_dump_json(by_alias=True))
        assert inline(*given).code == 0
    assert is_error(inline("gate", "new", "--acceptances", str(file)), 2, "--acceptances needs --base")
    assert inline(*given, "-f", "jsonl").code == 0  # a report that is written case by case


def test_one_printed_comment_accepts_all_cases_of_a_pull_request(request_branch: Path, tmp_path_factory):
    write(**{"approved/other.yaml": GOLDEN, "new/other.yaml": WORSE, "new/roll back.yaml": WORSE})
    git("add", ".")
    git("commit", "-qm", "more")
    head = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    file = tmp_path_factory.mktemp("forge") / "acceptances.json"
    file.write_text(Acceptances(head=head).model_dump_json(by_alias=True))
    gate = ("gate", "new", "--base", "main", "--acceptances", str(file))
    for options in ((), ("-f", "markdown")):
        text = re.sub("<[^>]*>", "\n", inline(*gate, *options).out)
        lines = [html.unescape(line.strip()) for line in text.splitlines() if line.strip().startswith("/wfgate")]
        cases, commit = parsed(max(lines, key=len)) or ((), "")
        assert (sorted(cases), commit) == (["other", "report", "roll back"], head)
    one = Acceptance(by="ada", how="comment", commit=commit, cases=cases)
    file.write_text(Acceptances(head=head, accepted=(one,)).model_dump_json(by_alias=True))
    assert inline(*gate).code == 0


def test_the_approval_that_is_merged_first_works_where_it_must_be_run(request_branch: Path):
    (command,) = [command for command in printed("gate new --base main") if "--from-rev" in command]
    git("switch", "-qc", "accept", "main")
    run_printed(command)
    git("add", ".")
    git("commit", "-qm", "approve")
    git("switch", "-q", "main")
    git("merge", "-q", "accept")
    git("switch", "-q", "request")
    assert inline("gate", "new", "--base", "main").code == 0


def test_a_file_of_a_revision_that_does_not_exist_is_named(request_branch: Path):
    git("switch", "-q", "main")
    given = ("approve", "new/report.yaml", "--by", "Ada", "--from-rev")
    assert is_error(inline(*given, "gone"), 2, "gone: no such revision")
    assert is_error(inline("approve", "new/none.yaml", *given[2:], "request"), 2, "new/none.yaml: not in the revision")


def test_a_workflow_that_is_edited_in_place_is_accepted_in_place(request_branch: Path):
    gate = "gate --changed --base main runbooks"
    found = [command for command in printed(gate) if "--from-rev" not in command]
    assert found == ["wfgate approve runbooks/report.yaml --reference runbooks/report.yaml --reason '<why>'"]
    run_printed(found[0])
    git("add", ".")
    git("commit", "-qm", "approve")
    blocked = inline(*shlex.split(gate))
    assert (blocked.code, "wfgate approve" in blocked.out) == (1, False)
    assert inline(*shlex.split(gate), "--approved-by", "ada").code == 0


def test_pending_and_a_review_without_a_terminal_print_commands_that_work(project: Path):
    write(**{"approved/report.yaml": GOLDEN, "new/report.yaml": WORSE})
    said = inline("review", "new", "--reference", "approved").err
    listed, accepts = re.findall(r"`wfgate ([^`]*)`", said)
    assert inline(*shlex.split(listed)).code == 1
    run_printed(f"wfgate {accepts.replace('FILE', 'new/report.yaml')}")
    assert inline("gate", "new").code == 0
