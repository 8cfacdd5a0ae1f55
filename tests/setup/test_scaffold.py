import re
import tomllib

import pytest
import yaml

from wfgate.errors import ConfigError
from wfgate.gating.config import load_config
from wfgate.setup import CI_SYSTEMS, scaffold


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


@pytest.mark.parametrize("ci", ["github", "gitlab"])
def test_the_build_installs_this_version_and_gates_what_was_named(ci):
    texts = "\n".join(scaffold(ci, "approved", "out/flows", "9.8.7").values())
    assert '"wfgate==9.8.7"' in texts
    assert "wfgate gate out/flows " in texts


@pytest.mark.parametrize("name", ["", "a b", "a;b", "$(x)", "-r", "a\nb", "'", "a\\b"])
def test_a_folder_that_needs_quoting_is_refused(name):
    for folders in ((name, "x"), ("x", name)):
        with pytest.raises(ConfigError, match="no plain path"):
            scaffold("github", *folders, "1")
