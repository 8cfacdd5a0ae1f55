import hashlib
import json
from datetime import date
from pathlib import Path

import pytest

from wfgate.decide import default_profile

from .conftest import GOLDEN, Run, inline, is_error, on_no_build_server, wfgate
from .test_base import git

WORSE = GOLDEN.replace("Convert every amount to euros", "Order pizza for the whole team")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    on_no_build_server(monkeypatch)
    for folder in ("approved", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "report.yaml").write_text(GOLDEN)
    assert inline("approve", "approved", "-r", "approved", "--by", "Ada").code == 0
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n[policy]\ninconclusive_blocks = false\n')
    return tmp_path


def attested() -> dict[str, object]:
    return dict(json.loads(Path("new/report.yaml.attestation").read_text()))


def test_ready_attested_and_verified_by_processes(project: Path):
    run = wfgate("predeploy", "new/report.yaml", cwd=project, env={"CI": "true"})
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("READY new/report.yaml: PASS against ")
    verified = wfgate("predeploy", "--verify", "new/report.yaml.attestation", "new/report.yaml", cwd=project)
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.startswith("VERIFIED new/report.yaml: its content was gated (pass by wfgate ")


def test_what_is_worse_leaves_no_older_attestation_that_passes(project: Path):
    assert inline("predeploy", "new/report.yaml").code == 0
    (project / "new" / "report.yaml").write_text(WORSE)
    assert inline("predeploy", "new/report.yaml").code == 1
    assert not (project / "new" / "report.yaml.attestation").exists()
    run = inline("predeploy", "new/report.yaml", "-o", "new/report.yaml.attestation")
    assert run.code == 1
    assert run.out.startswith("NOT READY new/report.yaml: ")
    assert attested()["predicate"]["result"] == "FAILED"  # type: ignore[index]
    again = inline("predeploy", "--verify", "new/report.yaml.attestation", "new/report.yaml")
    assert (again.code, "did not pass" in again.out) == (1, True)
    (project / "approved" / "report.yaml.approvals").write_text("{")
    assert is_error(inline("predeploy", "new/report.yaml"), 2, "report.yaml.approvals")
    assert not (project / "new" / "report.yaml.attestation").exists()


def test_the_project_s_policy_cannot_make_it_lenient(project: Path):
    for folder, more in (("approved", ""), ("new", ", Tell the team")):
        (project / folder / "report.yaml").write_text(
            f'wfgate: "1"\nsteps: [Build the image, Deploy the image{more}]\n'
        )
    assert inline("approve", "approved", "--by", "Ada").code == 0
    assert inline("gate", "new/report.yaml").code == 0
    assert inline("predeploy", "new/report.yaml").code == 1


def test_waivers_are_read_as_by_the_gate_and_named(project: Path):
    text = '[[waiver]]\nfingerprint = "0123456789abcdef"\nreason = "x"\nowner = "ops"\nexpires = 9999-01-01\n'
    (project / "wfgate-waivers.toml").write_text(text)
    assert inline("predeploy", "new/report.yaml").code == 0
    parts = attested()["predicate"]["configuration"]  # type: ignore[index]
    (named,) = [part for part in parts if part["name"] == "waivers"]
    assert named["digest"] == {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    assert named["annotations"] == {"path": "wfgate-waivers.toml", "waived": []}
    (project / "wfgate-waivers.toml").rename(project / "other.toml")
    assert inline("predeploy", "new/report.yaml", "--waivers", "other.toml").code == 0
    assert '"other.toml"' in Path("new/report.yaml.attestation").read_text()
    (project / "other.toml").write_text("[[waiver]]\n")
    assert is_error(inline("predeploy", "new/report.yaml", "--waivers", "other.toml"), 2, "other.toml: waiver 1")
    assert not Path("new/report.yaml.attestation").exists()


def test_a_profile_that_does_not_fit_or_has_expired(project: Path):
    other = default_profile().model_copy(update={"expires": date(2020, 1, 1)})
    (project / "old.json").write_text(other.to_json())
    assert is_error(inline("predeploy", "new/report.yaml", "--profile", "old.json"), 4, "expired on 2020-01-01")
    signature = default_profile().signature.model_copy(update={"embedder": "word2vec"})
    (project / "other.json").write_text(default_profile().model_copy(update={"signature": signature}).to_json())
    assert is_error(inline("predeploy", "new/report.yaml", "--profile", "other.json"), 4, "has another signature")
    assert not (project / "new" / "report.yaml.attestation").exists()


def test_usage(project: Path):
    assert is_error(inline("predeploy", "nowhere.yaml"), 2, "the file does not exist")
    assert is_error(inline("predeploy", "new"), 2, "new: the file does not exist")
    assert is_error(inline("predeploy", "--verify", "nowhere", "new/report.yaml"), 3, "nowhere: ")
    assert inline("predeploy", "new/report.yaml").code == 0
    verifying = ("predeploy", "--verify", "new/report.yaml.attestation", "new/report.yaml")
    for more in (("-o", "x"), ("--allowed-signers", "x"), ("--expect", "reference=0", "-r", "approved")):
        assert is_error(inline(*verifying, *more), 2, "cannot be used with these options")
    assert is_error(inline(*verifying, "--expect", "reference=0"), 2, "must name reference, profile and policy")
    assert is_error(inline("predeploy", "new/report.yaml", "--max-age", "1"), 2, "need --verify")
    (project / "wfgate.toml").unlink()
    assert is_error(inline(*verifying), 2, "no reference was given")
    assert is_error(inline("predeploy", "new/report.yaml"), 2, "no reference was given")
    trusting = inline("predeploy", "new/report.yaml", "-r", "approved", "--allowed-signers", "x")
    assert is_error(trusting, 2, "the working directory is not in a git repository")


@pytest.mark.parametrize("target", ["new/report.yaml", "approved/report.yaml", "wfgate.toml"])
def test_what_is_no_attestation_is_never_overwritten(project: Path, target: str):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    run = inline("predeploy", "new/report.yaml", "--attestation", target)
    assert is_error(run, 2, f"{target}: the file exists and is not an attestation")
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_an_empty_file_may_become_the_attestation(project: Path):
    (project / "made").touch()
    assert inline("predeploy", "new/report.yaml", "--attestation", "made").code == 0
    assert inline("predeploy", "--verify", "made", "new/report.yaml").code == 0


def test_a_copy_of_another_name_is_verified_too(project: Path):
    assert inline("predeploy", "new/report.yaml", "--attestation", "out/proof.json").code == 0
    (project / "deployed.yaml").write_bytes((project / "new" / "report.yaml").read_bytes())
    verifying = ("predeploy", "--verify", "out/proof.json", "deployed.yaml")
    run: Run = inline(*verifying, "-r", "approved/report.yaml")
    assert run.code == 0
    assert inline(*verifying).code == 1  # "deployed" has no references
    (project / "deployed.yaml").write_text(GOLDEN + "\n")
    assert inline(*verifying, "-r", "approved/report.yaml").code == 1


def test_the_one_who_deploys_says_what_it_was_checked_against(project: Path):
    """By the files here, or by digests: an attestation of a check by other rules, or long ago, is refused."""
    assert inline("predeploy", "new/report.yaml").code == 0
    verifying = ("predeploy", "--verify", "new/report.yaml.attestation", "new/report.yaml")
    assert inline(*verifying).code == 0
    parts = attested()["predicate"]["configuration"]  # type: ignore[index]
    pins = [f"--expect={part['name']}={part['digest']['sha256']}" for part in parts if "digest" in part]
    assert inline(*verifying, *pins).code == 0
    for number, pin in enumerate(pins):
        other = [*pins[:number], pin[:-1] + ("1" if pin[-1] == "0" else "0"), *pins[number + 1 :]]
        run = inline(*verifying, *other)
        assert (run.code, "is not the expected one" in run.out) == (1, True)
    assert "more than" in inline(*verifying, "--max-age", "0").out
    for file, text in (
        ("wfgate.toml", 'reference = "approved"\n[policy]\nblock_severity = 0.5\n'),
        ("wfgate-waivers.toml", ""),
        ("approved/report@2.yaml", GOLDEN),
        ("approved/report.yaml", GOLDEN + "\n"),
    ):
        path = project / file
        before = path.read_text() if path.exists() else None
        path.write_text(text)
        run = inline(*verifying)
        assert (run.code, "is not the expected one" in run.out) == (1, True)
        assert run.out.startswith("NOT VERIFIED")
        path.write_text(before) if before else path.unlink()
    assert inline(*verifying).code == 0
    assert inline("predeploy", "new/report.yaml", "--from", "native").code == 0  # read in another way, who knows
    assert "policy of the check is not the expected one" in inline(*verifying).out
    assert inline(*verifying, "--from", "native").code == 0


def test_an_attestation_for_another_workflow_is_refused(project: Path):
    """The bytes of one workflow that passed are not deployed under the name of another."""
    for folder in ("approved", "new"):
        (project / folder / "other.yaml").write_text(GOLDEN.replace("Email the link", "Send the link"))
    assert inline("approve", "approved", "--by", "Ada").code == 0
    assert inline("predeploy", "new/other.yaml").code == 0
    (project / "new" / "report.yaml").write_bytes((project / "new" / "other.yaml").read_bytes())
    assert inline("predeploy", "--verify", "new/other.yaml.attestation", "new/report.yaml").code == 1


def test_in_a_repository_the_rules_are_those_of_its_commit(project: Path):
    """Each change below made a worse file ready, or dropped a rule."""
    git(project, "init", "-q")
    (project / "new" / "report.yaml").write_text(WORSE)
    git(project, "add", ".")
    git(project, "commit", "-q", "-m", "x")
    run = inline("predeploy", "new/report.yaml")
    assert (run.code, "rule file" in run.out) == (1, False)
    (project / "new" / "report.yaml").write_text(GOLDEN)
    assert inline("predeploy", "new/report.yaml").code == 0
    (project / "pinned.json").write_text(default_profile().to_json())
    for name, text in (
        ("wfgate.toml", 'reference = "approved"\n[checks]\nWR107 = "off"\n'),
        ("wfgate-waivers.toml", ""),
    ):
        before = (project / name).read_text() if (project / name).exists() else None
        (project / name).write_text(text)
        run = inline("predeploy", "new/report.yaml")
        assert (run.code, f"the rule file {name} is not as in the checked-out commit" in run.out) == (3, True)
        assert not Path("new/report.yaml.attestation").exists()
        (project / name).write_text(before) if before else (project / name).unlink()
    run = inline("predeploy", "new/report.yaml", "--profile", "pinned.json")
    assert is_error(run, 2, "pinned.json: not in the base revision HEAD")
    git(project, "add", "pinned.json")
    git(project, "commit", "-q", "-m", "x")
    assert inline("predeploy", "new/report.yaml", "--profile", "pinned.json").code == 0
    (project / "wfgate.toml").unlink()
    run = inline("predeploy", "new/report.yaml", "-r", "approved")
    assert (run.code, "the rule file wfgate.toml" in run.out) == (3, True)


def test_a_reference_without_a_record_is_approved(project: Path):
    (project / "approved" / "report.yaml.approvals").unlink()
    run = inline("predeploy", "approved/report.yaml")
    assert run.code == 3
    assert "fix: wfgate approve approved/report.yaml\n" in run.out
    assert not (project / "approved" / "report.yaml.attestation").exists()


def test_own_rules_count_are_attested_and_have_to_be_committed(project: Path):
    rules = project / "approved" / "report.rules.toml"
    forbidden = '[[rules]]\nid = "no-pizza"\nnever = {{pattern = "*{}*"}}\n'.format
    rules.write_text(forbidden("pizza"))
    assert inline("predeploy", "new/report.yaml").code == 0
    verified = ("predeploy", "--verify", "new/report.yaml.attestation", "new/report.yaml")
    assert inline(*verified).code == 0
    rules.write_text(forbidden("cake"))
    run = inline(*verified)
    assert (run.code, "the policy of the check is not the expected one" in run.out) == (1, True)
    (project / "wfgate.toml").write_text('reference = "approved"\n' + forbidden("pie").replace("no-pizza", "no-pie"))
    assert inline("predeploy", "new/report.yaml").code == 0
    policy = next(one for one in attested()["predicate"]["configuration"] if one["name"] == "policy")  # type: ignore[index]
    digest = hashlib.sha256(forbidden("cake").encode()).hexdigest()
    assert policy["annotations"]["rules"] == [{"id": "no-pie", "never": {"pattern": "*pie*"}}, {"sha256": digest}]
    rules.write_text(forbidden("pizza"))
    (project / "new" / "report.yaml").write_text(WORSE)
    run = inline("predeploy", "new/report.yaml")
    assert (run.code, "rule no-pizza is broken" in run.out) == (1, True)
    git(project, "init", "-q")
    git(project, "add", "approved/report.yaml", "approved/report.yaml.approvals", "wfgate.toml")
    git(project, "commit", "-q", "-m", "x")
    (project / "new" / "report.yaml").write_text(GOLDEN)
    for change in (lambda: None, rules.unlink):  # a file that HEAD does not have; a file that only HEAD has
        change()
        run = inline("predeploy", "new/report.yaml")
        said = "the rule file approved/report.rules.toml is not as in the checked-out commit"
        assert (run.code, said in " ".join(run.out.split())) == (3, True)
        git(project, "add", ".")
        git(project, "commit", "-q", "-m", "x")
        assert inline("predeploy", "new/report.yaml").code == 0
