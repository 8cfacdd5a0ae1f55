import json
import os
from pathlib import Path

import pytest

from wfgate.errors import ConfigError
from wfgate.run import Config, load_config
from wfgate.run.waiver_file import load_waivers

from .conftest import GOLDEN, inline, is_error, on_no_build_server, wfgate


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "approved").mkdir()
    (tmp_path / "approved" / "report.yaml").write_text(GOLDEN)
    (tmp_path / "new" / "deep").mkdir(parents=True)
    (tmp_path / "new" / "deep" / "report.yaml").write_text(GOLDEN)
    return tmp_path


def test_the_file_is_found_upwards_and_its_paths_are_relative_to_it(project: Path):
    (project / "wfgate.toml").write_text('reference = "approved"\n[policy]\nblock_severity = 0.25\n')
    run = wfgate("gate", "report.yaml", "-f", "json", cwd=project / "new" / "deep")
    assert (run.code, run.data["verdict"]) == (0, "pass")
    assert run.data["policy"]["block_severity"] == 0.25
    assert Path(run.data["cases"][0]["golden"]) == project / "approved" / "report.yaml"
    flags = ("--block-severity", "0.5", "--critical", "*approve*", "-r", project / "new")
    laid_over = wfgate("gate", "report.yaml", "-f", "json", *flags, cwd=project / "new" / "deep")
    assert laid_over.data["policy"]["block_severity"] == 0.5
    assert laid_over.data["policy"]["critical"] == ["*approve*"]
    assert laid_over.code == 3  # `new` has no report.yaml of its own at this level


def test_a_table_in_pyproject_counts_and_wfgate_toml_comes_first(project: Path):
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.wfgate]\nreference = 'approved'\n")
    assert load_config(None, project / "new").reference == project / "approved"
    (project / "wfgate.toml").write_text("reference = 'other'\n")
    assert load_config(None, project / "new").reference == project / "other"
    (project / "new" / "pyproject.toml").write_text("[project]\nname = 'y'\n")  # says nothing about wfgate
    assert load_config(None, project / "new").reference == project / "other"


def test_a_path_below_the_working_directory_is_named_from_it(project: Path, monkeypatch: pytest.MonkeyPatch):
    (project / "wfgate.toml").write_text("reference = 'new/../approved'\nprofile = 'p.json'\nwaivers = '../w.toml'\n")
    monkeypatch.chdir(project)
    for path in (None, project / "wfgate.toml"):
        found = load_config(path, Path())
        assert (found.reference, found.profile) == (Path("new/../approved"), Path("p.json"))  # a link stays one
        assert found.waivers.resolve() == project.parent / "w.toml"
    monkeypatch.chdir(project / "new")  # the configuration lies above it
    (project / "wfgate.toml").write_text("reference = 'new/deep'\nprofile = 'p.json'\nwaivers = 'newer/w.toml'\n")
    found = load_config(None, Path())
    assert found.reference == Path("deep")
    assert (found.profile, found.waivers) == (project / "p.json", project / "newer" / "w.toml")
    (project / "wfgate.toml").write_text(f"reference = {json.dumps(str(project / 'new'))}\n")
    assert load_config(None, Path()).reference == Path()


def test_every_report_names_what_can_be_typed_here(project: Path):
    (project / "wfgate.toml").write_text('reference = "approved"\n')
    worse = GOLDEN.replace("  - {id: e, name: Ask the finance lead to approve the numbers, needs: [d]}\n", "")
    (project / "new" / "report.yaml").write_text(worse.replace("needs: [e]", "needs: [d]"))
    formats = ("markdown", "text", "sarif", "junit", "json", "github")
    files = [argument for name in formats for argument in ("-f", name, "-o", project / f"told.{name}")]
    run = wfgate("gate", "new/report.yaml", *files, cwd=project)
    assert run.code == 1
    for name in formats:
        told = (project / f"told.{name}").read_text()
        assert str(project) not in told, name
        assert "file:/" not in told, name
    approve = "wfgate approve new/report.yaml --replace approved/report.yaml"
    assert approve in " ".join((project / "told.text").read_text().split())
    assert wfgate(*approve.split()[1:], "--by", "me", "--reason", "meant by all", cwd=project).code == 0


def test_without_a_file_the_defaults_hold(tmp_path: Path):
    assert load_config(None, tmp_path) == Config()


def test_an_absolute_path_stays(tmp_path: Path):
    (tmp_path / "wfgate.toml").write_text(f"profile = {json.dumps(str(tmp_path / 'p.json'))}\n")
    assert load_config(tmp_path / "wfgate.toml", Path("/")).profile == tmp_path / "p.json"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("referense = 'x'\n", ("referense: unknown key", "did you mean reference?")),
        ("zzz = 1\n", ("zzz: unknown key", "known keys are reference, profile")),
        ("block_severity = 0.3\n", ("block_severity: unknown key", "move block_severity to [policy]")),
        ("[prices.'gpt-4.1']\ninput = 2\n", ("prices.gpt-4.1.output: Field required",)),
        ("[judge]\nmodel = 'm'\nrequire_exm = 1\n", ("judge.require_exm: unknown key", "did you mean require_exam?")),
        ("[policy]\nblock_severty = 0.3\n", ("policy.block_severty: unknown key", "did you mean block_severity?")),
        ("[policy]\nblock_severity = 'high'\n", ("policy.block_severity: ", "schema config")),
        ("[policy]\nblock_severity = 2\n", ("policy.block_severity: ", "less than or equal to 1")),
        ("metrics = 'bleu'\n", ("metrics: ", "schema config")),
        ("policy = 3\n", ("policy: ",)),
        ("reference = 'a'\nreference = 'b'\n", (":2:", "not TOML")),
        ("\nreference = \n", (":2:", "not TOML", "correct the file")),
        ("a = " + "[" * 5000, ("not TOML",)),
        ("a = " + "9" * 5000, ("too long to be read", "fewer digits")),
        ('waivers = "a\\u0000b"\n', ("waivers: ", "NUL")),
        ("[policy]\nblock_severity = nan\n", ("policy.block_severity: ", "finite number")),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, text: str, said: tuple[str, ...]):
    path = tmp_path / "wfgate.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(None, tmp_path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n  fix: " in message
    for words in said:
        assert words in message


@pytest.mark.parametrize("text", ["tool = 1\n[project]\n", "[tool]\nwfgate = 'x'\n", "[tool]\n"])
def test_a_pyproject_without_settings_that_was_asked_for(tmp_path: Path, text: str):
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"tool\.wfgate"):
        load_config(tmp_path / "pyproject.toml", tmp_path)


def test_the_process_says_where_and_ends_with_2(project: Path, monkeypatch: pytest.MonkeyPatch):
    (project / "wfgate.toml").write_text("reference = approved\n")
    run = wfgate("gate", "report.yaml", cwd=project / "new" / "deep")
    assert is_error(run, 2, f"{project / 'wfgate.toml'}:1:13: not TOML")
    (project / "wfgate.toml").write_text("metrics = ['bleu', 'chain-f2']\n")
    monkeypatch.chdir(project)
    assert is_error(inline("gate", "report.yaml"), 2, "unknown metric 'chain-f2'")
    (project / "wfgate.toml").write_bytes(b"\xff\xfe")
    assert is_error(inline("gate", "report.yaml"), 2, "wfgate.toml: not UTF-8")


@pytest.mark.parametrize("name", ["/dev/zero", "."])
def test_a_configuration_that_is_no_file(tmp_path: Path, name: str):
    with pytest.raises(ConfigError, match="not a regular file"):
        load_config(Path(name), tmp_path)


@pytest.mark.parametrize("name", ["wfgate.toml", "pyproject.toml", "wfgate-waivers.toml"])
def test_a_pipe_device_or_folder_is_not_taken_as_absent(tmp_path: Path, name: str):
    for make in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to("no")):
        path = tmp_path / name
        make(path)
        with pytest.raises(ConfigError, match=f"{name}: not a regular file"):
            load_waivers(load_config(None, tmp_path).waivers or Path())
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def test_the_search_ends_at_the_top_of_the_repository(project: Path):
    """What is above it is neither in the base revision nor signed."""
    inner = project / "repo" / "deep"
    inner.mkdir(parents=True)
    (project / "wfgate-waivers.toml").write_text("")
    assert load_config(None, inner).waivers == project / "wfgate-waivers.toml"
    (inner.parent / ".git").touch()
    assert load_config(None, inner) == Config()
    (inner.parent / "wfgate-waivers.toml").write_text("")
    assert load_config(None, inner).waivers == inner.parent / "wfgate-waivers.toml"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[checks]\nWR299 = "eror"\nWR107 = "wrong"\n[policy]\nblock_severity = 7\njudge_blocks = "ja"\n',
            (
                "checks.WR107: ",
                "checks.WR299: ",
                "unknown check 'WR299'",
                "policy.block_severity: ",
                "'ja' is neither",
            ),
        ),
        ("[policy]\njudge_blocks = yes\n", ("wfgate.toml:2:", "write true or false")),
        ('[checks]\nWR298 = "error"\nWR299 = "off"\n', ("unknown check 'WR298'", "unknown check 'WR299'")),
    ],
)
def test_all_mistakes_are_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: tuple[str]):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wfgate.toml").write_text(text)
    assert is_error(inline("gate", "a.yaml", "-r", "b.yaml"), 2, *said)


def test_outside_of_a_project_the_missing_configuration_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    on_no_build_server(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for command in ("gate", "approve", "pending"):
        assert is_error(inline(command, "a.yaml"), 2, "no reference was given, and no wfgate.toml was found")
    (tmp_path / "wfgate.toml").write_text("")
    assert is_error(inline("gate", "a.yaml"), 2, "no reference was given, and wfgate.toml sets none")


@pytest.mark.parametrize("content", ["{}", '{"wfgate": "1", "steps": []}', "steps: {"])
def test_a_new_file_without_a_workflow_is_not_suggested_for_approval(tmp_path: Path, content: str):
    for folder in ("approved", "new"):
        (tmp_path / folder).mkdir()
    (tmp_path / "new" / "a.yaml").write_text(content)
    run = inline("gate", tmp_path / "new", "-r", tmp_path / "approved")
    assert run.code == 3
    assert "generate it again, or delete it" in " ".join(run.out.split())
    assert "wfgate approve" not in run.out


def test_doctor_lists_one_problem_of_several_files_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "approved").mkdir()
    for name in "abc":
        (tmp_path / "approved" / f"{name}.yaml").write_text(
            'wfgate: "1"\nsteps: [Build it, Test it, Scan it, Ship it]\n'
        )
    (tmp_path / "wfgate.toml").write_text('reference = "approved"\n')
    run = inline("doctor")
    assert run.out.count("no record of an approval") == 1
    assert "approved/a.yaml, approved/b.yaml, approved/c.yaml: the reference has no record" in run.out
    assert run.out.endswith("0 errors, 1 warning\n")


def test_init_names_no_folder_that_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert "wfgate doctor generated  " in inline("init").out
    (tmp_path / "generated").mkdir()
    assert "wfgate doctor generated   #" in inline("init").out


def test_init_says_that_no_step_is_critical(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "approved").mkdir()
    (tmp_path / "approved" / "a.yaml").write_text('wfgate: "1"\nsteps: [Build it, Test it]\n')
    inline("init")
    text = (tmp_path / "wfgate.toml").read_text()
    assert "# No approved step has the words approv, backup" in text
    assert "\ncritical = []\n" in text
