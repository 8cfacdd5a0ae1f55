"""The files below a folder."""

import os
from pathlib import Path

import pytest

from wfgate.errors import ConfigError
from wfgate.read import files_below


def test_a_file_that_is_deleted_meanwhile_is_not_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The temporary file of another process's atomic write made an approval fail now and then."""
    (tmp_path / "golden.yaml").write_text("tasks: [Deploy]")
    (tmp_path / ".golden.yaml.k2j1").write_text("")
    walk = os.walk

    def and_delete(*given, **named):
        for current, folders, names in walk(*given, **named):
            (tmp_path / ".golden.yaml.k2j1").unlink()
            yield current, folders, names

    monkeypatch.setattr(os, "walk", and_delete)
    assert [path.name for path in files_below(tmp_path)] == ["golden.yaml"]


def test_what_can_lead_to_other_files_later_is_an_error(tmp_path: Path):
    (tmp_path / "real.yaml").write_text("tasks: [Deploy]")
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    assert {path.name for path in files_below(tmp_path)} == {"real.yaml", "link.yaml"}
    (tmp_path / "later.yaml").symlink_to("not there")
    with pytest.raises(ConfigError, match="a link to a folder or to nothing"):
        list(files_below(tmp_path))
    (tmp_path / "later.yaml").unlink()
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ConfigError, match="not a regular file"):
        list(files_below(tmp_path))
