from pathlib import Path

import pytest

from .conftest import GOLDEN, inline, is_error, on_no_build_server, wfgate


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    on_no_build_server(monkeypatch)
    return tmp_path


def written(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("ci", "files"),
    [
        ("none", ["wfgate.toml"]),
        ("github", [".github/workflows/wfgate-accept.yml", ".github/workflows/wfgate.yml", "wfgate.toml"]),
        ("gitlab", [".gitlab-ci.yml", ".gitlab/wfgate.yml", "wfgate.toml"]),
    ],
)
def test_init_writes_what_the_build_server_needs_and_keeps_what_is_there(project: Path, ci: str, files: list[str]):
    run = inline("init", "--ci", ci, "--reference", "flows/approved")
    assert (run.code, run.err) == (0, "")
    assert written(project) == files
    assert run.out.count("wrote ") == len(files)
    (project / "wfgate.toml").write_text("# mine\n")
    assert "kept wfgate.toml" in inline("init", "--ci", ci).out
    assert (project / "wfgate.toml").read_text() == "# mine\n"
    assert inline("init", "--ci", ci, "--force").code == 0
    assert 'reference = "approved"' in (project / "wfgate.toml").read_text()


def test_what_is_replaced_is_kept_and_said(project: Path):
    for number, folder in enumerate(("replaced-by-init", "replaced-by-init-2")):
        (project / "wfgate.toml").write_text(f"# mine {number}\n")
        run = inline("init", "--force")
        assert f"replaced wfgate.toml; the old file is {folder}/wfgate.toml\n" in run.out
        assert (project / folder / "wfgate.toml").read_text() == f"# mine {number}\n"
    assert "kept wfgate.toml: it is up to date\n" in inline("init", "--force").out
    assert len([*project.glob("replaced-by-init*")]) == 2


def test_doctor_names_an_approval_that_works(project: Path):
    assert inline("init").code == 0
    (project / "generated").mkdir()
    (project / "approved").mkdir()
    broken = GOLDEN.replace("needs: [a]", "needs: [zz]")
    (project / "generated" / "report.yaml").write_text(broken)
    (fix,) = [each["fix"] for each in inline("doctor", "generated", "--format", "json").data["complaints"][1:]]
    assert "wfgate approve generated/report.yaml --reason '<why>', because of " in fix
    assert inline("approve", "generated/report.yaml", "--by", "Ada").code == 2
    assert inline("approve", "generated/report.yaml", "--by", "Ada", "--reason", "meant by all").code == 0


def test_an_include_that_cannot_be_written_is_shown(project: Path):
    (project / ".gitlab-ci.yml").write_text("stages: [test]\n")
    assert (
        "kept .gitlab-ci.yml; add these lines to it:\n  include:\n    - local: .gitlab/wfgate.yml"
        in inline("init", "--ci", "gitlab").out
    )


def test_from_init_to_a_gate_that_a_process_runs(project: Path):
    assert inline("init", "--ci", "github", "--ref", "v0").code == 0
    before = inline("doctor", "generated")
    assert before.code == 2
    assert "approved: the file or folder does not exist" in before.out
    (project / "generated").mkdir()
    (project / "generated" / "report.yaml").write_text(GOLDEN)
    assert inline("approve", "generated", "--by", "Ada").code == 0
    healthy = wfgate("doctor", "generated", cwd=project)
    assert (healthy.code, healthy.out, healthy.err) == (0, "no problems found\n", "")
    assert inline("gate", "generated").code == 0
    (project / "approved" / "report.yaml").write_text(GOLDEN + "\n")
    warned = inline("doctor", "--format", "json")
    assert warned.code == 0
    assert [(one["level"], one["fix"]) for one in warned.data["complaints"]] == [
        ("warning", "review it: wfgate approve approved/report.yaml")
    ]


def test_usage(project: Path):
    assert is_error(inline("init", "--reference", "a b"), 2, "not a plain path")
    (project / "wfgate.toml").write_text("referense = 'x'\n")
    assert is_error(inline("doctor"), 2, "did you mean reference?")
    (project / "wfgate.toml").write_text("reference = 'approved'\nembedder = 'word2vec'\n")
    unknown = inline("doctor")
    assert (unknown.code, "unknown embedder 'word2vec'" in unknown.out) == (2, True)


def test_the_example_gives_a_pass_and_a_block(project: Path):
    """In an empty folder without git, with the commands that `init` prints."""
    run = inline("init", "--example")
    assert (run.code, run.err) == (0, "")
    assert max(map(len, run.out.splitlines())) <= 80
    commands = [line.partition("#")[0].split()[1:] for line in run.out.partition("next:\n")[2].splitlines()]
    good, bad = (inline(*command) for command in commands)
    assert (good.code, good.err, good.out.startswith("PASS deploy: all 8 steps found, 8 reworded")) == (0, "", True)
    assert (bad.code, bad.err) == (1, "")
    assert bad.out.startswith(
        "BLOCK deploy: step missing, meaning changed\n  WR101 the critical step 'Back up the order"
    )
    found = inline("gate", "regressed", "--format", "json").data["cases"][0]
    assert [reason["rule"] for reason in found["reasons"]] == ["WR101", "WR106"]
    assert inline("lint", "approved", "generated", "regressed").code == 0
    assert inline("doctor", "generated").code == 0


def test_the_example_overwrites_nothing(project: Path):
    (project / "generated").mkdir()
    (project / "generated" / "deploy.yaml").write_text(GOLDEN)
    assert is_error(inline("init", "--example"), 2, "generated/deploy.yaml: the file exists")
    assert written(project) == ["generated/deploy.yaml"]
    assert inline("init", "--example", "new place").out.partition("next:\n")[2].startswith("  cd 'new place'\n")
    assert is_error(inline("init", "--example", "--candidates", "regressed"), 2, "must differ")
    assert inline("init", "--example", "--force").code == 0


def test_a_file_without_a_commit_is_completed_and_named_until_then(project: Path):
    assert "it does not run yet" in inline("init", "--ci", "github").out
    assert "it does not run yet" in inline("init", "--ci", "github", "--commit", "0" * 40).out
    (project / "approved").mkdir()
    assert "the job does not run: it names no release and no commit of wfgate" in inline("doctor").out
    ready = inline("init", "--ci", "github", "--commit", "a" * 40)
    assert (ready.code, "wrote .github/workflows/wfgate.yml" in ready.out, "not run" in ready.out) == (0, True, False)
    assert "kept wfgate.toml" in ready.out
    assert "names no release" not in inline("doctor").out
    again = inline("init", "--ci", "github", "--commit", "b" * 40)  # somebody may have edited it since
    assert "kept .github/workflows/wfgate.yml" in again.out
