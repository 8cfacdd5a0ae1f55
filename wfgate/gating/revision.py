"""Reads files from a git revision, the base revision, so that a pull request cannot change its own gate."""

import os
import posixpath
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wfgate.errors import ConfigError, printable
from wfgate.model.workflow import Frozen

Kind = Literal["reference", "configuration", "profile", "waivers", "suite", "pipeline"]
IN_FORCE: frozenset[Kind] = frozenset({"suite", "pipeline"})
"""Kinds that are read from the working tree: the list of candidates, and what starts the gate."""
PIPELINES = (
    ".github/workflows",
    ".github/actions",
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".github/allowed_signers",
    "allowed_signers",
    ".gitlab-ci.yml",
    ".gitlab",
    ".pre-commit-config.yaml",
)
"""Files that define what CI runs, and who must approve a change of them."""
Change = Literal["added", "changed", "removed"]

_CHANGES: dict[str, Change] = {"A": "added", "D": "removed"}
_HINT = "fetch the base revision with its history (actions/checkout: `fetch-depth: 0`), or check its name"


class ProtectedChange(Frozen):
    """A file that affects the verdict and differs from the base revision.

    The gate used the file of the base revision. Files of the kinds in `IN_FORCE` are an exception: the changed file
    has an effect, so a person must review the change.
    """

    path: str
    kind: Kind
    change: Change
    approved_by: str | None = None
    """The code owner who approved a changed reference of the pull request, so that it was used."""


class BaseInfo(Frozen):
    """The revision from which references, configuration, profile and waivers were read.

    Attributes:
        ref: Name of the revision, as given.
        commit: Hash of its commit.
        changed: Protected files of the working tree that differ from the revision, by path.
    """

    ref: str
    commit: str
    changed: tuple[ProtectedChange, ...] = ()


@dataclass(frozen=True)
class Blob:
    """A file of a git revision: path and content."""

    path: Path
    content: bytes


class Revision:
    """The files of one commit, read from git's objects. Nothing is checked out; no git filter and no hook runs.

    All paths are paths in the working tree. Symbolic links are not followed, because a link could lead to a file
    outside the revision. Files outside the repository are read from the disk, because a pull request cannot change
    them.

    Args:
        ref: A branch, tag or commit.
        folder: A folder of the repository; relative paths start there.

    Raises:
        ConfigError: If git is not installed, `folder` is not in a git repository, or the commit does not exist.
    """

    def __init__(self, ref: str, folder: Path) -> None:
        self.ref = ref
        self._folder = folder
        top, prefix = self._lines(
            "rev-parse", "--show-toplevel", "--show-prefix", hint="run the command in a git repository"
        )
        self._top, self._prefix = Path(top), prefix
        (self.commit,) = self._lines("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}", hint=_HINT)

    def read(self, path: Path) -> bytes | None:
        """Return the content of a file; None if it does not exist."""
        inside = self._inside(path)
        if inside is None:
            return path.read_bytes() if path.is_file() else None
        found = self._listed([inside])
        return next(iter(self._contents(list(found.values()))), None) if inside in found else None

    def files(self, path: Path) -> list[Blob]:
        """Return the file at `path`, or all files in the folder at `path`, sorted by name.

        Raises:
            ConfigError: If the revision has no such file or folder, or the path is outside the repository.
        """
        inside = self._inside(path)
        if inside is None:
            raise ConfigError(
                f"{path}: not in the repository of the base revision", fix="give a path inside the repository"
            )
        found = self._listed([inside])
        if not found:
            raise ConfigError(
                f"{path}: not in the base revision {self.ref}",
                fix="check the path, or approve a reference in the base revision",
            )
        names = [path if name == inside else path / posixpath.relpath(name, inside) for name in found]
        return [Blob(name, content) for name, content in zip(names, self._contents(list(found.values())), strict=True)]

    def info(self, protected: Sequence[tuple[Kind, Path]]) -> BaseInfo:
        """Return which of these files, or files in these folders, differ from the base revision.

        The comparison is with the merge base if git finds one, because later changes of the base branch are not
        changes of the pull request.
        """
        known = [(kind, inside) for kind, path in protected if (inside := self._inside(path)) is not None]
        fork = self._git("merge-base", self.commit, "HEAD", check=False).decode().strip() or self.commit
        changes = self._changes(fork, [inside for _, inside in known]) if known else {}
        found = []
        for path, change in sorted(changes.items()):
            kind = next(kind for kind, inside in known if inside in {".", path} or path.startswith(f"{inside}/"))
            found.append(ProtectedChange(path=printable(path), kind=kind, change=change))
        return BaseInfo(ref=self.ref, commit=self.commit, changed=tuple(found))

    def _changes(self, fork: str, paths: list[str]) -> Mapping[str, Change]:
        where = [f"{self._up}{path}" for path in paths]
        fields = self._fields(
            "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-status", "-z", fork, "--", *where
        )
        changes = {
            path: _CHANGES.get(status[:1], "changed") for status, path in zip(fields[::2], fields[1::2], strict=True)
        }
        new = self._fields("ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", *where)
        return {**dict.fromkeys(new, "added"), **changes}

    @property
    def _up(self) -> str:
        """The relative path from the folder to the top of the repository."""
        return "../" * self._prefix.count("/")

    def _inside(self, path: Path) -> str | None:
        """Return a path relative to the top of the repository; None if the path is outside the repository."""
        if path.is_absolute():
            parts = os.path.relpath(path, self._top)
            name = Path(parts).as_posix()
        else:
            name = posixpath.normpath(self._prefix + path.as_posix())
        return self._entered(path) if _leads_out(name) else name

    def _entered(self, path: Path) -> str | None:
        """Return the path in the repository that an outside path leads to; None if it does not lead there.

        An outside path can lead there through a symbolic link or another name of a folder.
        """
        whole, top = Path(os.path.normpath(Path.cwd() / self._folder / path)), self._top.resolve()
        for part in (*reversed(whole.parents), whole):
            same = part.is_dir() and part.samefile(top)
            name = "." if same else Path(os.path.relpath(part.resolve(), top)).as_posix()
            if not _leads_out(name):  # links are not followed from here on
                return posixpath.normpath(posixpath.join(name, whole.relative_to(part).as_posix()))
        return None

    def _listed(self, paths: list[str]) -> dict[str, str]:
        """Return the hash of the content of each regular file at or below these paths."""
        found = {}
        given = () if paths == ["."] else paths
        for entry in self._fields("ls-tree", "-r", "-z", "--full-tree", self.commit, "--", *given):
            head, _, name = entry.partition("\t")
            mode, kind, content = head.split()
            if kind == "blob" and mode != "120000":
                found[name] = content
        return found

    def _contents(self, names: list[str]) -> Iterator[bytes]:
        """Yield the contents with these hashes, read by one git process."""
        if not names:
            return
        answer = memoryview(self._git("cat-file", "--batch", data="".join(f"{name}\n" for name in names).encode()))
        at = 0
        for name in names:
            end = bytes(answer[at : at + 200]).index(b"\n") + at
            found, kind, size = bytes(answer[at:end]).decode().split()
            if (found, kind) != (name, "blob"):
                raise ConfigError(f"{self.ref}: git cannot read {name}", fix=_HINT)
            yield bytes(answer[end + 1 : end + 1 + int(size)])
            at = end + int(size) + 2

    def _fields(self, *arguments: str) -> list[str]:
        return os.fsdecode(self._git(*arguments)).split("\0")[:-1]

    def _lines(self, *arguments: str, hint: str) -> list[str]:
        return os.fsdecode(self._git(*arguments, hint=hint)).removesuffix("\n").split("\n")

    def _git(self, *arguments: str, data: bytes = b"", check: bool = True, hint: str = _HINT) -> bytes:
        program = shutil.which("git")
        if program is None:
            raise ConfigError("git is not installed; --base needs it", fix="install git")
        command = [
            program,
            "--no-pager",
            "--no-optional-locks",
            "--literal-pathspecs",
            "-C",
            str(self._folder),
            *arguments,
        ]
        done = subprocess.run(command, input=data, capture_output=True, check=False)  # noqa: S603 - no shell, no options
        if check and done.returncode:
            output = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
            raise ConfigError(f"{self.ref}: no such base revision: {output[0].removeprefix('fatal: ')}", fix=hint)
        return done.stdout


def _leads_out(name: str) -> bool:
    return name == ".." or name.startswith("../")
