import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from wfgate import __version__
from wfgate.errors import ConfigError
from wfgate.model import Task, Workflow
from wfgate.run import load_config
from wfgate.setup import NO_COMMIT, installed_ref, scaffold
from wfgate.setup.files import CI_SYSTEMS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("ci", CI_SYSTEMS)
def test_every_file_can_be_read_and_says_where_the_workflows_are(ci, tmp_path):
    made = scaffold(ci, "golden/flows", "out")
    assert len(made) == 1 + len(CI_SYSTEMS[ci])
    for path, text in made.items():
        assert re.search("@[A-Z]+@", text) is None
        assert text.endswith("\n")
        assert yaml.safe_load(text) if path.endswith("yml") else tomllib.loads(text)
    (tmp_path / "wfgate.toml").write_text(made["wfgate.toml"])
    found = load_config(None, tmp_path)
    assert found.reference == tmp_path / "golden" / "flows"
    assert found.policy.reviews_fail
    assert found.policy.inconclusive_blocks
    assert found.checks == {"WR202": "error"}


@pytest.mark.parametrize(
    ("step", "critical"),
    [
        ("Back up the order database", True),
        ("Take a backup", True),
        ("Wait for the approval of the manager", True),
        ("Scan the image", True),
        ("Roll back on errors", True),
        ("Roll the release out and collect feedback", False),
        ("Watch the feedback until support closes", False),
    ],
)
def test_the_critical_steps_are_those_of_an_ordinary_deployment(tmp_path, step, critical):
    (tmp_path / "wfgate.toml").write_text(scaffold("none", "approved", "generated")["wfgate.toml"])
    assert load_config(None, tmp_path).policy.is_critical(Task(id="s", name=step)) is critical


def critical(tmp_path, *names):
    golden = Workflow(tasks=tuple(Task(id=str(at), name=name) for at, name in enumerate(names)))
    text = scaffold("none", "approved", "generated", goldens={"approved/a.yaml": golden})["wfgate.toml"]
    (tmp_path / "wfgate.toml").write_text(text)
    return load_config(None, tmp_path).policy.critical, text


def test_critical_steps_are_proposed_from_the_approved_workflows(tmp_path):
    patterns, text = critical(tmp_path, "Back up the data", "Approve the [new] plan", "Deploy; no approval needed")
    assert patterns == ("Approve the [[]new] plan", "*back up*")
    assert '  "*back up*",\n  #   approved/a.yaml: Back up the data\n' in text
    assert load_config(None, tmp_path).policy.is_critical(Task(id="x", name="Approve the [new] plan"))
    assert critical(tmp_path, "Build", "Deploy")[0] == ()
    hostile = critical(tmp_path, 'Approve "x"\n]\nreview_blocks = false \x1b[31m\u2028#')
    assert (hostile[0], "\x1b" in hostile[1]) == (("*approv*",), False)


def test_every_setting_has_one_line_of_comment(tmp_path):
    text = scaffold("none", "approved", "generated")["wfgate.toml"]
    lines = text.splitlines()
    settings = [number for number, line in enumerate(lines) if re.match(r'(# )?["\w./*]+ = ', line)]
    assert len(settings) >= 11
    for number in settings:
        assert re.match("# [A-Z]", lines[number - 1])
        assert not re.match("# [A-Z]", lines[number - 2])
    for line in lines:  # what is commented out is valid, too
        text = text.replace(line, line[2:]) if re.match(r'# ["\w./*]+ = ', line) else text
    (tmp_path / "wfgate.toml").write_text(text)
    config = load_config(None, tmp_path)
    assert (config.policy.alpha_block, config.profile_file) == (0.01, tmp_path / "profile.json")
    assert sorted(config.formats.values()) == ["ignored", "markdown"]


def test_whatever_names_a_release_names_this_one():
    """The version is in one place; the pages, examples and CI files that name a release follow it."""
    texts = {path: path.read_text() for path in ROOT.joinpath("examples", "ci").iterdir()}
    texts |= {ROOT / name: (ROOT / name).read_text() for name in ("README.md", "SECURITY.md")}
    texts |= {path: path.read_text() for path in (ROOT / "docs").rglob("*.md")}
    for ci in CI_SYSTEMS:
        texts |= {Path(name): text for name, text in scaffold(ci, "approved", "generated").items()}
    for path, text in texts.items():
        named = re.findall(r"(?:wfgate==|wfgate/wfgate(?:/\S+)?@v|e \(v|--ref v|wfgate[:-])(\d+(?:\.\d+)*)", text)
        assert set(named) <= {__version__, "0"}, path


def test_gitlab_installs_a_commit_and_gates_what_was_named():
    texts = "\n".join(scaffold("gitlab", "approved", "out/flows", "a1" * 20).values())
    assert f'"wfgate @ git+https://github.com/wfgate/wfgate@{"a1" * 20}"' in texts
    assert "wfgate gate out/flows " in texts


def test_github_runs_the_action_on_what_was_named():
    text = scaffold("github", "approved", "out/flows")[".github/workflows/wfgate.yml"]
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    checkout, gate = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0  # else the base revision is not there
    assert gate["uses"] == f"wfgate/wfgate@{'0' * 40}"  # which does not exist: nothing runs that nobody chose
    assert gate["with"]["candidates"] == "out/flows"
    everything = yaml.safe_load(re.sub("# (comment|upload-sarif|pull-requests|security-events):", r"\1:", text))
    job = everything["jobs"]["gate"]
    assert {"comment", "upload-sarif"} <= set(job["steps"][1]["with"]) <= set(inputs)
    assert set(job["permissions"]) == {"contents", "pull-requests", "security-events", "statuses"}


@pytest.mark.parametrize("name", ["", "a b", "a;b", "$(x)", "-r", "a\nb", "'", "a\\b"])
def test_a_folder_that_needs_quoting_is_refused(name):
    for folders in ((name, "x"), ("x", name)):
        with pytest.raises(ConfigError, match="not a plain path"):
            scaffold("github", *folders)


@pytest.mark.parametrize("ref", ["v0.2.0", "v0", "v10.20"])
def test_a_release_is_named_by_its_tag(ref):
    github = scaffold("github", "approved", "generated", ref)[".github/workflows/wfgate.yml"]
    assert f"uses: wfgate/wfgate@{ref} # the release\n" in github
    gitlab = scaffold("gitlab", "approved", "generated", ref)[".gitlab/wfgate.yml"]
    assert f'"wfgate @ git+https://github.com/wfgate/wfgate@{ref}"' in gitlab


@pytest.mark.parametrize(
    ("origin", "ref"),
    [
        (None, f"v{__version__}"),  # from a package index
        ('{"url": "https://x/y.git", "vcs_info": {"vcs": "git", "commit_id": "' + "a1" * 20 + '"}}', "a1" * 20),
        ('{"url": "file:///src", "dir_info": {"editable": true}}', NO_COMMIT),
        ('{"url": "file:///dist/wfgate.whl", "archive_info": {}}', NO_COMMIT),
        ('{"url": "https://x/y.git", "vcs_info": {"vcs": "git", "commit_id": "x\\"\\n"}}', NO_COMMIT),
        ("{", NO_COMMIT),
    ],
)
def test_ci_runs_what_is_installed_here(monkeypatch, origin, ref):
    class Installed:
        def read_text(self, name):
            assert name == "direct_url.json"
            return origin

    monkeypatch.setattr(sys.modules[installed_ref.__module__], "distribution", lambda _: Installed())
    assert installed_ref() == ref


def test_github_runs_no_branch():
    for ref in ("main", "v", "v1.x", "v1.2.3.4", "a" * 39, "A" * 40, "a" * 40 + "\n", "v1\n"):
        with pytest.raises(ConfigError, match="is neither a release nor a commit"):
            scaffold("github", "approved", "generated", ref)
    text = scaffold("github", "approved", "generated", "a1" * 20)[".github/workflows/wfgate.yml"]
    assert f"uses: wfgate/wfgate@{'a1' * 20} # " in text
    assert all(re.search(r"@[0-9a-f]{40} # ", line) for line in text.splitlines() if " uses: " in line)
