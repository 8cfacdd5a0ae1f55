import os
import subprocess
from pathlib import Path

import pytest

from wfgate.errors import ConfigError, FormatError
from wfgate.run import Revision, load_config, pair_files, read_pairs, read_source, with_missing

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
    base = Revision("HEAD", repo)
    assert base.read(Path("approved/link.yaml")) is None
    assert len(base.files(Path("approved"))) == 2


def test_the_configuration_is_the_one_of_the_revision(repo):
    base = Revision("main", repo)
    assert load_config(None, repo, base).policy.reviews_fail
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


def test_a_comparison_that_vanishes_from_the_suite_is_a_case_that_fails(repo):
    base = Revision("main", repo)
    line = '{"id": "%s", "golden": "approved/%s.yaml", "candidate": %s}'
    before = [
        line % ("1", "a", '"new/a.yaml"'),
        line % ("2", "gone", '"new/b.yaml"'),
        line % ("3", "a", '{"steps": []}'),
    ]

    def now(*lines):
        suites = (read_pairs(iter(given), "suite", repo, base) for given in (lines, before))
        return {pair.id: pair.problem for pair in with_missing(*suites)}

    assert set(now(*before).values()) == {None}
    inline = line % ("5", "a", '{"steps": [1]}')
    renamed = now(before[1].replace('"2"', '"x"'), before[0].replace("new/", "./new/"), inline)
    assert set(renamed.values()) == {None}
    assert [name for name, problem in now(before[0], inline).items() if problem] == ["2 (base revision)"]
    assert "new/b.yaml" in now(before[0], inline)["2 (base revision)"]
    laxer = now(before[0], before[1].replace("gone", "a"), inline)
    assert [name for name, problem in laxer.items() if problem] == ["2 (base revision)"]
    elsewhere = now(before[0].replace("new/", "copies/"), before[1], inline)
    assert [name for name, problem in elsewhere.items() if problem] == ["1 (base revision)"]


def test_a_brief_that_changes_in_the_suite_is_a_case_that_fails(repo):
    base = Revision("main", repo)
    line = '{"id": "1", "golden": "approved/a.yaml", "candidate": "new/a.yaml", "brief": "%s"}'

    def problems(brief):
        suites = (read_pairs(iter([line % given]), "suite", repo, base) for given in (brief, "Scan and ship."))
        return [pair.problem for pair in with_missing(*suites) if pair.problem]

    assert problems("Scan and ship.") == []
    (problem,) = problems("Ship; a scan is not needed.")
    assert problem.endswith("new/a.yaml with its brief that this suite does not have")


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
    base = Revision("HEAD", repo)
    assert base.read(Path("approved") / name) == STEPS.encode()
    (repo / "approved" / name).write_text(OTHER)
    assert [change.path for change in base.info([("reference", Path("approved"))]).changed] == [f"approved/{name}"]


@pytest.mark.parametrize("ref", ["nowhere", "--help", "-p", "", "main:approved", "a\nb"])
def test_a_revision_that_does_not_exist_is_an_error(repo, ref):
    with pytest.raises(ConfigError, match="no such base revision") as caught:
        Revision(ref, repo)
    assert "fetch the base revision with its history" in caught.value.fix


def test_a_repository_of_another_owner_is_an_error_with_git_s_advice(repo, monkeypatch):
    """As in a container that runs as another user than the one who cloned."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(ConfigError, match="dubious ownership") as caught:
        Revision("HEAD", repo)
    assert "safe.directory" in caught.value.fix


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
    (blob,) = Revision("HEAD", repo).files(Path("approved/a.yaml"))
    with pytest.raises(FormatError, match=r"approved/a\.yaml"):
        read_source(blob, "approved/a.yaml")


def commit_of(repo, name):
    done = subprocess.run(["git", "rev-parse", name], cwd=repo, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def clone(repo):
    """A clone in which the remote branch `main` is the protected one, and the request is checked out."""
    folder = repo.parent / "clone"
    git(repo, "clone", "-q", "-b", "request", str(repo), str(folder))
    return folder


@pytest.mark.parametrize("kind", ["tag", "branch", "checked-out branch"])
def test_a_ref_of_the_name_of_the_remote_branch_is_not_the_base(clone, kind):
    command = {"tag": ("tag",), "branch": ("branch",), "checked-out branch": ("checkout", "-q", "-b")}[kind]
    git(clone, *command, "origin/main")
    base = Revision("origin/main", clone)
    assert base.commit == commit_of(clone, "refs/remotes/origin/main")
    assert base.read(Path("approved/a.yaml")) == STEPS.encode()
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")  # a clone of one branch only
    with pytest.raises(ConfigError, match=r"no such base revision|checked out"):
        Revision("origin/main", clone)


def test_a_name_with_two_meanings_is_refused(repo):
    main = commit_of(repo, "main")
    for name in ("main", main[:7], "HEAD"):
        git(repo, "update-ref", f"refs/tags/{name}", "HEAD" if name != "HEAD" else main)
        with pytest.raises(ConfigError, match=f"several meanings: .*refs/tags/{name}") as caught:
            Revision(name, repo)
        assert "the full name" in caught.value.fix
    assert Revision("refs/heads/main", repo).commit == Revision(main, repo).commit == main
    git(repo, "update-ref", f"refs/heads/{main}", "HEAD")
    assert Revision(main, repo).commit == main
    git(repo, "update-ref", "refs/tags/main", main)  # two refs, one commit
    assert Revision("main", repo).commit == main
    with pytest.raises(ConfigError, match="is the branch that is checked out"):
        Revision("request", repo)
    git(repo, "tag", "-d", "HEAD")
    assert Revision("HEAD~1", repo).commit == Revision("HEAD^", repo).commit == main
    for ref in ("main@{0}", "@{-1}", ":/x", "main:approved", "request^{/x}"):
        with pytest.raises(ConfigError, match="no such base revision"):
            Revision(ref, repo)


def test_the_name_is_resolved_once(repo):
    base = Revision("main", repo)
    git(repo, "branch", "-f", "main", "request")
    assert base.read(Path("approved/a.yaml")) == STEPS.encode()


@pytest.mark.parametrize("kind", ["commit", "tree", "blob"])
def test_replaced_objects_are_not_read(repo, kind):
    suffix = {"commit": "^{commit}", "tree": "^{tree}", "blob": ":approved/a.yaml"}[kind]
    git(repo, "replace", commit_of(repo, f"main{suffix}"), commit_of(repo, f"request{suffix}"))
    base = Revision("main", repo)
    assert base.read(Path("approved/a.yaml")) == STEPS.encode()
    assert base.info([("reference", Path("approved"))]).changed


def test_grafts_are_refused(repo):
    main, request = commit_of(repo, "main"), commit_of(repo, "request")
    (repo / ".git" / "info" / "grafts").write_text(f"{main} {request}\n{request}\n")
    for folder in (repo, repo / "approved"):
        with pytest.raises(ConfigError, match="grafts change the history"):
            Revision("main", folder)


@pytest.mark.parametrize("kind", ["commit", "tree", "blob"])
@pytest.mark.parametrize("alternate", [False, True])
def test_an_object_that_is_not_what_its_hash_says_is_an_error(repo, tmp_path, kind, alternate):
    suffix = {"commit": "^{commit}", "tree": "^{tree}", "blob": ":approved/a.yaml"}[kind]
    good, bad = (commit_of(repo, f"{name}{suffix}") for name in ("main", "request"))
    objects = repo / ".git" / "objects"
    store = tmp_path / "alternate" if alternate else objects
    if alternate:
        objects.rename(store)
        (objects / "info").mkdir(parents=True)
        (objects / "info" / "alternates").write_text(f"{store}\n")
        assert Revision("refs/heads/main", repo).read(Path("approved/a.yaml")) == STEPS.encode()
    target = store / good[:2] / good[2:]
    target.chmod(0o644)
    target.write_bytes((store / bad[:2] / bad[2:]).read_bytes())
    with pytest.raises(ConfigError, match=r"was changed|cannot read|no such base"):
        Revision("refs/heads/main", repo).read(Path("approved/a.yaml"))


def test_no_configured_program_runs(repo):
    script = repo.parent / "ran.sh"
    script.write_text('#!/bin/sh\necho "$0 $@" >> "$(dirname "$0")/ran.txt"\ncat\n')
    script.chmod(0o755)
    for name in ("clean", "smudge", "process"):
        git(repo, "config", f"filter.x.{name}", str(script))
    for name in ("core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "core.pager"):
        git(repo, "config", name, str(script))
    hooks = repo.parent / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout"):
        (hooks / name).symlink_to(script)
    git(repo, "config", "core.hooksPath", str(hooks))
    (repo / ".gitattributes").write_text("* filter=x diff=x\n")
    write(repo, approved__a_yaml=STEPS + "# edited\n")  # its size and time differ from those in the index
    base = Revision("main", repo)
    changed = base.info([("reference", Path("approved")), ("configuration", Path("wfgate.toml"))]).changed
    assert "approved/a.yaml" in [change.path for change in changed]
    assert base.read(Path("approved/a.yaml")) == STEPS.encode()
    assert not (repo.parent / "ran.txt").exists()


def test_a_folder_that_became_a_link_is_listed(repo):
    for path in sorted((repo / "approved").iterdir()):
        path.unlink()
    (repo / "approved").rmdir()
    (repo / "approved").symlink_to("new")
    (repo / "wfgate.toml").write_bytes(b'reference = "approved"\r\n[policy]\r\nreview_blocks = true\r\n')
    info = Revision("main", repo).info([("reference", Path("approved")), ("configuration", Path("wfgate.toml"))])
    assert [(change.path, change.change) for change in info.changed] == [
        ("approved", "added"),
        ("approved/a.yaml", "removed"),
        ("approved/gone.yaml", "removed"),
    ]  # converted line ends are no change


@pytest.mark.parametrize("through", ["suite", "candidate", "golden", "configuration"])
def test_a_path_that_leads_to_another_file_than_its_name_is_refused(repo, monkeypatch, through):
    monkeypatch.chdir(repo)
    (repo / "new" / "real" / "deep").mkdir(parents=True)
    (repo / "new" / "link").symlink_to("real/deep")
    write(repo, new__real__a_yaml=STEPS, **{"new/real/wfgate_toml": ""})
    base = Revision("main", repo)
    line = '{"id": "1", "golden": "%s.yaml", "candidate": "%s.yaml"}'
    calls = {
        "suite": lambda: [*read_pairs(iter([line % ("approved/a", "new/link/../a")]), "suite", Path(), base)],
        "golden": lambda: [*read_pairs(iter([line % ("new/link/../a", "new/a")]), "suite", Path(), base)],
        "candidate": lambda: pair_files([Path("new/link/../a.yaml")], Path("approved"), base),
        "configuration": lambda: load_config(Path("new/link/../wfgate.toml"), Path(), base),
    }
    with pytest.raises(ConfigError, match="leads to another file than the name"):
        calls[through]()
    same = line % ("new/../approved/a", "new/real/deep/../../a")
    assert [pair.problem for pair in read_pairs(iter([same]), "suite", Path(), base)] == [None]


def test_the_base_is_not_that_of_a_submodule(repo, tmp_path):
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "-b", "main", str(repo), "inner")
    commit(repo)
    for folder in (repo / "inner", repo / "inner" / "approved"):
        with pytest.raises(ConfigError, match="in a git submodule") as caught:
            Revision("origin/main", folder)
        assert str(repo.resolve()) in caught.value.fix
    with pytest.raises(ConfigError, match="not in the base revision"):
        Revision("HEAD", repo).files(Path("inner/approved"))
    git(repo, "clone", "-q", str(repo), "other")  # a repository of its own in the folder of another one
    assert Revision("origin/request", repo / "other").read(Path("wfgate.toml")) is not None
