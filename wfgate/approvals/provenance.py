"""Where approvals and rules come from: their commit in the history, the author, and the verified signature."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from wfgate.approvals.approvals import approvals_file
from wfgate.approvals.references import content_of
from wfgate.errors import ConfigError
from wfgate.read import repository_of
from wfgate.run import PYPROJECT, Revision, complaint, git

SIGNERS = (".github/allowed_signers", "allowed_signers", ".gitlab/allowed_signers")
"""Whose signatures count, in the format of `ssh-keygen` (ALLOWED SIGNERS); the first file counts."""
_PERSON = re.compile(rb"(?P<name>[^\n]*<(?P<address>[^<>\n]*)>) -?\d+ [+-]\d+")


@dataclass(frozen=True)
class Provenance:
    """Where the approval of a reference comes from.

    Attributes:
        problem: Why the approval does not count; None if it counts, or outside a git repository.
        commit: The commit that recorded the approval; None outside a git repository, and in a shallow clone.
        author: The author of this commit.
        signer: The address of its committer if the signature was verified; None if no signature is needed.
    """

    problem: str | None = None
    commit: str | None = None
    author: str | None = None
    signer: str | None = None

    @property
    def facts(self) -> dict[str, str]:
        """Commit, author and signer for an attestation, without those that are not known."""
        known = {"approved_commit": self.commit, "approved_author": self.author, "approved_signer": self.signer}
        return {name: value for name, value in known.items() if value}


class Rules(Revision):
    """The commit that is checked out, from which the rules of a check are read.

    Attributes:
        asked: The files that were read, or looked for in vain, in this order.
    """

    def __init__(self, commit: str, folder: Path) -> None:
        super().__init__(commit, folder)
        self.ref = "HEAD"
        self.asked: list[Path] = []

    def read(self, path: Path) -> bytes | None:
        """Return the content of a file; None if it does not exist."""
        self.asked.append(path)
        return super().read(path)

    def name_of(self, path: Path) -> str | None:
        """Return the path of a file from the top; None if it is outside of the repository."""
        return self._inside(path)

    def is_as_committed(self, name: str) -> bool:
        """Return whether the work tree has the same file as the commit, or neither has one."""
        committed = self.contents(name).get(name)
        # a link or a pipe in the work tree is none of the commit's files, even if both have no content
        exists = os.path.lexists(self._top / name)
        return self._on_disk(name) == committed and exists == (committed is not None)


class Repository:
    """The git repository of the working directory, which decides whose approvals and rules count.

    An approval on the disk is what anybody can write. It counts if reference and record are committed in this
    repository, because the forge decides who may change the branch; and, if there are allowed signers, if one of them
    signed the commit of the record. Both files are compared with git's objects at their path from the top, and links
    are not followed: neither a repository in a folder of references nor a link out of the work tree has an effect.

    The rules (configuration, waivers, profile) are read from the commit that is checked out (`rules`). They count if
    the work tree has the same files and, if there are allowed signers, if one of them signed the last change of each.
    This includes files that were looked for in vain: one that was deleted is a change of the rules, too.

    The list of the signers is in the repository. A commit that changes it must be signed by a signer of the list
    before; the commit that creates it is trusted. A list from outside of the repository replaces it.

    Args:
        folder: The working directory.
        signers: A file outside of the repository, with the allowed signers.

    Attributes:
        rules: The commit that is checked out; None outside of all repositories, or without a commit.

    Raises:
        ConfigError: If git cannot read the repository, or it has another work tree; if the folder is in a submodule;
            or if the file of the signers is in the work tree.
    """

    def __init__(self, folder: Path, signers: Path | None = None) -> None:
        self._folder = folder.resolve()
        self._top = repository_of(self._folder)
        self._given: bytes | None = None
        self.rules: Rules | None = None
        if self._top is not None:
            self.rules, self._shallow = _opened(self._folder, self._top)
        if signers is not None:
            self._given = self._outside(signers)

    def provenance(self, reference: Path, content: bytes) -> Provenance:
        """Return where the approval of a reference comes from.

        Outside of all repositories nothing is known, and the approval counts.

        Args:
            reference: The file of a reference that has a record.
            content: Its bytes.

        Raises:
            ConfigError: If the reference is in another repository than the working directory, or in none, or if the
                record cannot be read.
        """
        record = approvals_file(reference)
        name, record_name = (self._name(path) for path in (reference, record))
        if self._top is None:
            return Provenance()
        head, recorded = self.rules, content_of(record)
        if head is None or head.contents(name, record_name) != {name: content, record_name: recorded}:
            return Provenance(f"has an approval that is not committed in the repository {self._top}")
        return self._origin(head, record_name, "an approval")

    def problems_of_rules(self, given: Sequence[Path | None]) -> list[str]:
        """Return why files that were read through `rules` do not count, or files that were looked for in vain.

        Args:
            given: Files that the command line names. They count if they are outside of the repository, and so do the
                files outside of it that a given configuration outside of it names.
        """
        head = self.rules
        if head is None or not head.asked:
            return []
        names = {path: head.name_of(path) for path in head.asked}
        trusted = names[head.asked[0]] is None  # a configuration that was found is in the repository
        problems = []
        for name in dict.fromkeys(name for name in names.values() if name is not None):
            problem = self._problem_of_rule(head, name)
            if problem is not None:
                problems.append(f"the rule file {name} {problem}")
        foreign = [] if trusted else [path for path, name in names.items() if name is None and path not in given]
        return problems + [
            f"the rule file {path} is outside of the repository {self._top}, where no commit determines it "
            "(move it into the repository, or name it on the command line)"
            for path in foreign
        ]

    def _problem_of_rule(self, head: Rules, name: str) -> str | None:
        if not head.is_as_committed(name):
            return (
                f"is not as in the checked-out commit of the repository {self._top} "
                f"(commit its change, or restore it: git checkout HEAD -- :/{name}; remove it if HEAD has none)"
            )
        problem = self._origin(head, name, "a change").problem
        if problem is None:
            return None
        advice = "one of the signers must commit its last change"
        if PurePosixPath(name).name == PYPROJECT:
            advice += ", or a wfgate.toml beside it, which may be empty: then it is not read"
        return f"{problem} ({advice})"

    def _origin(self, head: Rules, name: str, what: str) -> Provenance:
        """Return where the last change of a file comes from, which need not exist any more.

        Args:
            head: The commit that is checked out.
            name: Its path from the top.
            what: What the change is, with an article, for messages.
        """
        content = head.contents(name)
        if self._shallow:
            signed = content and (self._given is not None or _signers(head) is not None)
            unknown = f"has {what} with a signature that a shallow clone cannot verify (fetch the whole history)"
            return Provenance(unknown if signed else None)
        commits = head.changed_in(name)
        if not commits:  # there never was one
            return Provenance()
        commit = head.at(commits[0])
        written = commit.commit_object()
        author, committer = (_person(written, role) for role in (b"author", b"committer"))
        allowed, problem = self._allowed
        if allowed is None:
            return Provenance(problem and f"has {what} by {problem}", commit.commit, author["name"])
        # The walk is git's; that this commit contains this file is shown by hashes.
        if _signed(written, allowed) and commit.contents(name) == content:
            return Provenance(None, commit.commit, author["name"], committer["address"])
        problem = (
            f"has {what} that none of the allowed signers signed (commit {commit.commit}: no signature by a key "
            f"that is valid now for its committer {committer['address']})"
        )
        return Provenance(problem, commit.commit, author["name"])

    @cached_property
    def _allowed(self) -> tuple[bytes | None, str | None]:
        """The list of the signers, None if no signature is needed; and why no signature counts, or None."""
        head = self.rules
        if head is None or self._given is not None:
            return self._given, None
        for name in head.changed_in(*SIGNERS):
            commit = head.at(name).commit_object()
            before = (_signers(head.at(parent.decode())) for parent in _headers(commit, b"parent"))
            if not all(_signed(commit, allowed) for allowed in before if allowed is not None):
                return None, (
                    f"a list of signers that commit {name} changed without the signature "
                    "of a signer of the list before (give a list that you trust: --allowed-signers)"
                )
        return _signers(head), None

    def _name(self, path: Path) -> str:
        """Return the path of a file from the top; empty outside of all repositories."""
        whole = Path(os.path.abspath(self._folder / path))  # noqa: PTH100 - Path.resolve would follow links
        if self._top is None:
            other = repository_of(whole.parent) or repository_of(whole.resolve().parent)
            if other is None:
                return ""
            raise ConfigError(
                f"{path}: in the git repository {other}, but the working directory is in none",
                fix="run the command from the repository",
            )
        if not whole.is_relative_to(self._top):
            raise ConfigError(
                f"{path}: not in {self._top}, the git repository of the working directory",
                fix="run the command from the repository of the references, or give their path without links",
            )
        return whole.relative_to(self._top).as_posix()

    def _outside(self, signers: Path) -> bytes:
        whole = Path(os.path.abspath(self._folder / signers))  # noqa: PTH100 - Path.resolve would follow links
        if self._top is None:
            raise ConfigError(
                "--allowed-signers: the working directory is not in a git repository",
                fix="run the command from the repository",
            )
        if any(path.is_relative_to(self._top) for path in (whole, whole.resolve())):
            raise ConfigError(
                f"--allowed-signers: {signers} is in the work tree of {self._top}", fix="give a file outside of it"
            )
        return content_of(whole)


def _opened(folder: Path, top: Path) -> tuple[Rules | None, bool]:
    """Return the commit that is checked out, None if there is none; and whether the clone is shallow.

    Raises:
        ConfigError: If git cannot read the repository, it has another work tree, or it is a submodule.
    """
    where = ("--is-shallow-repository", "--show-toplevel", "--show-superproject-working-tree")
    done = git(folder, "rev-parse", *where)
    if done.returncode:
        said, advice = complaint(done)
        raise ConfigError(
            f"{top}: git cannot read this repository, so no approval counts: {said}",
            fix=advice or "run `git status` there and repair what it reports",
        )
    shallow, work_tree, *outer = os.fsdecode(done.stdout).removesuffix("\n").split("\n")
    if Path(work_tree).resolve() != top:
        raise ConfigError(
            f"{top}: the work tree of this repository is {work_tree}, so no approval counts",
            fix="run the command in its work tree, or unset core.worktree",
        )
    if outer:
        raise ConfigError(
            f"{top}: a submodule of {outer[0]}, so no approval counts", fix="run the command from the outer repository"
        )
    head = git(top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").stdout.decode().strip()
    return (Rules(head, folder) if head else None), shallow != "false"


def _signers(revision: Revision) -> bytes | None:
    contents = revision.contents(*SIGNERS)
    return next((contents[name] for name in SIGNERS if name in contents), None)


def _signed(commit: bytes, allowed: bytes) -> bool:
    """Return whether an allowed signer signed a commit: with a key of its committer that is valid now.

    git would take any principal of the key, and the time that the commit states.

    Raises:
        ConfigError: If `ssh-keygen` is not installed.
    """
    program = shutil.which("ssh-keygen")
    if program is None:
        raise ConfigError("ssh-keygen, which verifies signatures, is not installed", fix="install OpenSSH")
    lines, empty, message = commit.partition(b"\n\n")
    headers = re.split(rb"\n(?! )", lines)
    signatures = [header for header in headers if header.startswith(b"gpgsig")]
    if len(signatures) != 1:
        return False
    signature = signatures[0].partition(b" ")[2].replace(b"\n ", b"\n") + b"\n"
    signed = b"\n".join(header for header in headers if header not in signatures) + empty + message
    with TemporaryDirectory() as temp:
        files = Path(temp, "allowed_signers"), Path(temp, "signature")
        for file, content in zip(files, (allowed, signature), strict=True):
            file.write_bytes(content)
        who = ("-I", _person(commit, b"committer")["address"], "-n", "git")
        done = subprocess.run(  # noqa: S603 - no shell, no options
            [program, "-Y", "verify", "-f", str(files[0]), *who, "-s", str(files[1])],
            input=signed,
            capture_output=True,
            check=False,
        )
    return done.returncode == 0


def _headers(commit: bytes, name: bytes) -> Iterator[bytes]:
    for header in commit.partition(b"\n\n")[0].split(b"\n"):
        if header.startswith(name + b" "):
            yield header.removeprefix(name + b" ")


def _person(commit: bytes, role: bytes) -> dict[str, str]:
    """Return name (with the address) and address of the author or the committer."""
    parsed = _PERSON.fullmatch(next(_headers(commit, role), b""))
    person = parsed.groupdict() if parsed else {"name": b"", "address": b""}
    return {key: value.decode(errors="replace") for key, value in person.items()}
