import re
import tomllib
from pathlib import Path

import pytest
import yaml

from wfgate.errors import ConfigError
from wfgate.gating.config import load_config
from wfgate.setup import CI_SYSTEMS, scaffold

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("ci", CI_SYSTEMS)
def test_every_file_can_be_read_and_says_where_the_workflows_are(ci, tmp_path):
    made = scaffold(ci, "golden/flows", "out", "9.8.7")
    assert len(made) == 1 + len(CI_SYSTEMS[ci])
    for path, text in made.items():
        assert re.search("@[A-Z]+@", text) is None
        assert text.endswith("\n")
        assert yaml.safe_load(text) if path.endswith("yml") else tomllib.loads(text)
    (tmp_path / "wfgate.toml").write_text(made["wfgate.toml"])
    found = load_config(None, tmp_path)
    assert found.reference == tmp_path / "golden" / "flows"
    assert found.policy == type(found.policy)()


def test_what_is_commented_out_is_valid_too(tmp_path):
    text = scaffold("none", "approved", "generated", "1")["wfgate.toml"]
    for line in ("# profile = ", "# alpha_block = ", "# [checks]", "# WF102 = "):
        assert line in text
        text = text.replace(line, line[2:])
    (tmp_path / "wfgate.toml").write_text(text)
    assert load_config(None, tmp_path).checks == {"WF102": "off"}


def test_gitlab_installs_this_version_and_gates_what_was_named():
    texts = "\n".join(scaffold("gitlab", "approved", "out/flows", "9.8.7").values())
    assert '"wfgate==9.8.7"' in texts
    assert "wfgate gate out/flows " in texts


def test_github_runs_the_action_of_this_version_on_what_was_named():
    text = scaffold("github", "approved", "out/flows", "9.8.7")[".github/workflows/wfgate.yml"]
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    checkout, gate = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0  # else the base revision is not there
    assert gate["uses"] == f"wfgate/wfgate@{'0' * 40}"  # which does not exist: nothing runs that nobody chose
    assert gate["with"]["candidates"] == "out/flows"
    everything = yaml.safe_load(re.sub("# (comment|upload-sarif|pull-requests|security-events):", r"\1:", text))
    job = everything["jobs"]["gate"]
    assert {"comment", "upload-sarif"} <= set(job["steps"][1]["with"]) <= set(inputs)
    assert set(job["permissions"]) == {"contents", "pull-requests", "security-events"}


@pytest.mark.parametrize("name", ["", "a b", "a;b", "$(x)", "-r", "a\nb", "'", "a\\b"])
def test_a_folder_that_needs_quoting_is_refused(name):
    for folders in ((name, "x"), ("x", name)):
        with pytest.raises(ConfigError, match="not a plain path"):
            scaffold("github", *folders, "1")


def test_github_runs_what_no_tag_can_move():
    for commit in ("v9.8.7", "main", "a" * 39, "A" * 40, "a" * 40 + "\n"):
        with pytest.raises(ConfigError, match="is not a commit"):
            scaffold("github", "approved", "generated", "9.8.7", commit)
    text = scaffold("github", "approved", "generated", "9.8.7", "a1" * 20)[".github/workflows/wfgate.yml"]
    assert f"uses: wfgate/wfgate@{'a1' * 20} # v9.8.7\n" in text
    assert all(re.search(r"@[0-9a-f]{40} # v", line) for line in text.splitlines() if " uses: " in line)
