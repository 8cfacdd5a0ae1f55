import os
import subprocess
from pathlib import Path

import pytest

from wfgate.errors import ConfigError, FormatError
from wfgate.gating import Revision, pair_files, read_pairs
from wfgate.gating.config import load_config
from wfgate.gating.suite import read_source

STEPS = 'wfgate: "1"\nsteps: [Build, Test, Deploy]\n'
OTHER = 'wfgate: "1"\nsteps: [Build]\n'


def git(folder, *arguments):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environ)


def write(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_toml", ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def commit(folder, message="x"):
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", message)


@pytest.fixture
def repo(tmp_path):
    """A branch `main` with references, and a branch of it on which everything was loosened."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write(
        folder,
        approved__a_yaml=STEPS,
        approved__gone_yaml=STEPS,
        new__a_yaml=OTHER,
        wfgate_toml='reference = "approved"\n[policy]\nreview_blocks = true\n',
    )
    commit(folder)
    git(folder, "checkout", "-q", "-b", "request")
    (folder / "approved" / "gone.yaml").unlink()
    write(folder, approved__a_yaml=OTHER, approved__extra_yaml=OTHER, wfgate_toml="[policy]\nmin_steps = 9\n")
    commit(folder)
    return folder


def test_files_are_those_of_the_revision(repo):
    base = Revision("main", repo)
    assert base.read(Path("approved/a.yaml")) == STEPS.encode()
    assert base.read(repo / "approved" / "a.yaml") == STEPS.encode()
    assert base.read(Path("approved/extra.yaml")) is None
    assert base.read(Path("approved")) is None
    assert [blob.path.as_posix() for blob in base.files(Path("approved"))] == ["approved/a.yaml", "approved/gone.yaml"]
    assert len(base.commit) == 40


def test_paths_are_relative_to_the_folder(repo):
    base = Revision("main", repo / "new")
    assert base.read(Path("../approved/a.yaml")) == STEPS.encode()
    (blob,) = base.files(Path("a.yaml"))
    assert (blob.path, blob.content) == (Path("a.yaml"), OTHER.encode())
    changed = base.info([("reference", Path("../approved"))]).changed
    assert [change.path for change in changed] == ["approved/a.yaml", "approved/extra.yaml", "approved/gone.yaml"]


def test_pairs_are_made_with_the_references_of_the_revision(repo, monkeypatch):
    monkeypatch.chdir(repo)
    pairs = {pair.id: pair for pair in pair_files([Path("new")], Path("approved"), Revision("main", repo))}
    assert set(pairs) == {"a", "gone"}
    (golden,) = pairs["a"].goldens
    assert len(read_source(golden, "approved/a.yaml").workflow.tasks) == 3
    assert pairs["gone"].problem == "no candidate named 'gone'"


def test_a_reference_that_only_the_request_has_is_none(repo, monkeypatch):
    monkeypatch.chdir(repo)
    write(repo, new__extra_yaml=OTHER)
    (pair,) = pair_files([Path("new/extra.yaml")], Path("approved"), Revision("main", repo))
    assert pair.problem == "no reference named 'extra' in approved of the base revision main"


def test_a_link_in_the_working_tree_leads_nowhere_else(repo, monkeypatch):
    monkeypatch.chdir(repo)
    (repo / "approved" / "a.yaml").unlink()
    (repo / "approved" / "extra.yaml").unlink()
    (repo / "approved").rmdir()
    (repo / "approved").symlink_to("new")
    (pair,) = pair_files([Path("new/a.yaml")], Path("approved"), Revision("main", repo))
    assert len(read_source(pair.goldens[0], "a").workflow.tasks) == 3


def test_a_link_in_the_revision_is_no_reference(repo):
    git(repo, "checkout", "-q", "main")
    (repo / "approved" / "link.yaml").symlink_to("a.yaml")
    commit(repo)
    base = Revision("main", repo)
    assert base.read(Path("approved/link.yaml")) is None
    assert len(base.files(Path("approved"))) == 2


def test_the_configuration_is_the_one_of_the_revision(repo):
    base = Revision("main", repo)
    assert load_config(None, repo, base).policy.review_blocks
    assert load_config(Path("wfgate.toml"), repo, base).policy.min_steps == 3
    assert load_config(None, repo).policy.min_steps == 9


def test_suites_take_their_goldens_from_the_revision(repo):
    base = Revision("main", repo)
    lines = (
        '{"id": "1", "golden": "approved/a.yaml", "candidate": "new/a.yaml"}',
        '{"id": "2", "golden": "approved/extra.yaml", "candidate": "new/a.yaml"}',
        '{"id": "3", "golden": {"wfgate": "1", "steps": ["Build"]}, "candidate": "new/a.yaml"}',
    )
    known, unknown, own = read_pairs(iter(lines), "suite", repo, base)
    assert len(read_source(known.goldens[0], "a").workflow.tasks) == 3
    assert "not in the base revision main" in unknown.problem
    assert "not a file of the base revision" in own.problem


def test_what_was_changed_is_listed_also_before_it_is_committed(repo):
    write(repo, approved__new_yaml=OTHER)
    info = Revision("main", repo).info([("configuration", Path("wfgate.toml")), ("reference", Path("approved"))])
    assert [(change.path, change.kind, change.change) for change in info.changed] == [
        ("approved/a.yaml", "reference", "changed"),
        ("approved/extra.yaml", "reference", "added"),
        ("approved/gone.yaml", "reference", "removed"),
        ("approved/new.yaml", "reference", "added"),
        ("wfgate.toml", "configuration", "changed"),
    ]


def test_what_others_changed_in_the_base_since_is_not_the_requests(repo):
    git(repo, "checkout", "-q", "main")
    write(repo, approved__late_yaml=STEPS)
    commit(repo)
    git(repo, "checkout", "-q", "request")
    base = Revision("main", repo)
    assert "approved/late.yaml" not in [change.path for change in base.info([("reference", Path("approved"))]).changed]
    assert base.read(Path("approved/late.yaml")) == STEPS.encode()


@pytest.mark.parametrize(
    "name", ["ü ö.yaml", "tab\there.yaml", "[a]*.yaml", '"quoted".yaml', "-x.yaml", ":(top).yaml"]
)
def test_strange_names_are_only_names(repo, name):
    git(repo, "checkout", "-q", "main")
    (repo / "approved" / name).write_text(STEPS)
    commit(repo)
    base = Revision("main", repo)
    assert base.read(Path("approved") / name) == STEPS.encode()
    (repo / "approved" / name).write_text(OTHER)
    assert [change.path for change in base.info([("reference", Path("approved"))]).changed] == [f"approved/{name}"]


@pytest.mark.parametrize("ref", ["nowhere", "--help", "-p", "", "main:approved", "a\nb"])
def test_a_revision_that_does_not_exist_is_an_error(repo, ref):
    with pytest.raises(ConfigError, match="no such base revision") as caught:
        Revision(ref, repo)
    assert "fetch the base revision with its history" in caught.value.fix


def test_no_repository_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="no such base revision"):
        Revision("main", tmp_path)


def test_what_is_outside_the_repository_is_read_from_disk(repo, tmp_path):
    write(tmp_path, outside_yaml=OTHER)
    base = Revision("main", repo)
    assert base.read(tmp_path / "outside.yaml") == OTHER.encode()
    with pytest.raises(ConfigError, match="not in the repository"):
        base.files(tmp_path)
    with pytest.raises(ConfigError, match="not in the base revision"):
        base.files(Path("nowhere"))


def test_a_link_from_outside_leads_to_what_the_revision_has(repo, tmp_path):
    (tmp_path / "link").symlink_to(repo)
    (tmp_path / "deeper").symlink_to(repo / "approved")
    (tmp_path / "a.yaml").symlink_to(repo / "approved" / "a.yaml")
    base = Revision("main", repo)
    paths = [tmp_path / "link/approved/a.yaml", tmp_path / "deeper/a.yaml", tmp_path / "a.yaml"]
    for path in [*paths, Path("../link/approved/a.yaml")]:
        assert base.read(path) == STEPS.encode()
        assert [change.path for change in base.info([("reference", path)]).changed] == ["approved/a.yaml"]
    assert [blob.path.name for blob in base.files(tmp_path / "deeper")] == ["a.yaml", "gone.yaml"]
    (repo / "away").symlink_to(tmp_path)
    assert base.read(tmp_path / "link/away/a.yaml") is None  # within the repository links are not followed


def test_content_that_is_no_workflow_is_an_error_of_the_file(repo):
    git(repo, "checkout", "-q", "main")
    (repo / "approved" / "a.yaml").write_bytes(b"\xff\xfe\x00")
    commit(repo)
    (blob,) = Revision("main", repo).files(Path("approved/a.yaml"))
    with pytest.raises(FormatError, match=r"approved/a\.yaml"):
        read_source(blob, "approved/a.yaml")
