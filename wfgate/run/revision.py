"""Reads files from a git revision, the base revision, so that a pull request cannot change its own gate."""

import hashlib
import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path

from wfgate.decide import BaseInfo, Blob, Change, Kind, ProtectedChange
from wfgate.errors import ConfigError, printable
from wfgate.read import Beside
from wfgate.run.repository import complaint, git

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
_REF = re.compile(r"(?P<name>[^~^:]+)(?P<parents>(?:[~^][0-9]*)*)")
"""A name of a commit, and steps to its parents (`main~2`)."""
_COMMIT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}")
_PSEUDO_REF = re.compile(r"[A-Z_]*HEAD")
_LINK, _FOLDER, _SUBMODULE = "120000", "40000", "160000"
_HINT = "fetch the {} with its history (actions/checkout: `fetch-depth: 0`), or check its name"


class Revision:
    """The files of one commit, read from git's objects.

    The name is resolved to a commit once. Each object is checked against its hash, so the commit determines every
    byte: replaced and damaged objects, also those of alternates, are errors or have no effect. Nothing is checked out,
    and no git command runs that applies a filter or starts a hook or fsmonitor.

    All paths are paths in the working tree. Symbolic links are not followed, because a link could lead to a file
    outside the revision. Files outside the repository are read from the disk, because a pull request cannot change
    them.

    Args:
        ref: A branch, tag or commit. `origin/main` is the remote branch only, whatever else has this name.
        folder: A folder of the repository; relative paths start there.
        base: Whether it is a base revision, which must not be the branch that is checked out; it only affects errors.

    Attributes:
        ref: The name, as given.
        commit: Hash of the commit.
        is_branch: Whether the name is that of a branch, tag or other ref, or of a parent of one; not `HEAD`, no hash.

    Raises:
        ConfigError: If git is not installed, `folder` is not in a git repository or is in a submodule, the commit does
            not exist, or the name has several meanings or is the branch that is checked out.
    """

    def __init__(self, ref: str, folder: Path, *, base: bool = True) -> None:
        self.ref = ref
        self._base = base
        self._folder = folder
        where = ("--show-toplevel", "--show-prefix", "--git-path", "info/grafts")
        top, prefix, grafts = self._lines("rev-parse", *where, hint="run the command in a git repository")
        if Path(folder, grafts).exists():
            raise ConfigError(f"{grafts}: grafts change the history of the repository", fix="delete this file")
        outer = self._git("rev-parse", "--show-superproject-working-tree", check=False)
        if outer.strip():  # its branches and files are those of another repository, which the submodule's URL names
            raise ConfigError(
                f"{top}: the working directory is in a git submodule",
                fix=f"run the command in the superproject: {os.fsdecode(outer).strip()}",
            )
        self._top, self._prefix = Path(top), prefix
        self.is_branch, self.commit = self._resolved(ref)

    @property
    def _what(self) -> str:
        return "base revision" if self._base else "revision"

    @property
    def _hint(self) -> str:
        return _HINT.format(self._what)

    @property
    def is_checked_out(self) -> bool:
        """Whether the working tree was checked out from this commit."""
        return self.commit == self._commit("HEAD")

    def read(self, path: Path) -> bytes | None:
        """Return the content of a file; None if it does not exist."""
        inside = self._inside(path)
        if inside is None:
            return path.read_bytes() if path.is_file() else None
        entry = self._listed(self.commit, [inside]).get(inside)
        return next(self._objects([entry], "blob")) if entry else None

    def files(self, path: Path) -> list[Blob]:
        """Return the file at `path`, or all files in the folder at `path`, sorted by name.

        Raises:
            ConfigError: If the revision has no such file or folder, or the path is outside the repository.
        """
        inside = self._inside(path)
        if inside is None:
            raise ConfigError(
                f"{path}: not in the repository of the {self._what}", fix="give a path inside the repository"
            )
        blobs = self.below(path)
        if not blobs:
            approve = ", or approve a reference in the base revision" * self._base
            raise ConfigError(f"{path}: not in the {self._what} {self.ref}", fix=f"check the path{approve}")
        return blobs

    def below(self, path: Path) -> list[Blob]:
        """Return the file at `path`, or all files in the folder at `path`; none if the revision has neither."""
        entries = self._below(path)
        contents = self._objects(list(entries.values()), "blob")
        return [Blob(path, content, self.beside(path)) for path, content in zip(entries, contents, strict=True)]

    def beside(self, path: Path) -> Beside:
        """Return the files around a file: those of the revision; outside of the repository, those of the disk."""
        inside = self._inside(path)
        if inside is None:
            return Beside(path)
        from wfgate.run.beside import BesideRevision  # noqa: PLC0415 - only a gate with a base revision needs it

        return BesideRevision(self, inside, path)

    def in_force(self, name: str) -> bytes | None:
        """Return the content of a file that workflows read their steps from; None if it does not exist.

        A change that somebody who may do so has approved is in force (see `accepts`).

        Args:
            name: The name of the file, relative to the top of the repository.
        """
        if self.accepts(name):
            return None if (self._top / name).is_symlink() else self._on_disk(name)
        return self.contents(name).get(name)

    def names_below(self, folder: str) -> list[str]:
        """Return the names of the regular files below a folder, relative to the top of the repository."""
        return [*self._listed(self.commit, [folder or "."])]

    def paths(self, path: Path) -> list[Path]:
        """Return the paths of the same files, without reading them."""
        return list(self._below(path))

    def _below(self, path: Path) -> dict[Path, str]:
        """Return the hash of the file at `path`, or of all files in the folder at `path`."""
        inside = self._inside(path)
        known = {} if inside is None else self._listed(self.commit, [inside])
        return {path if name == inside else path / posixpath.relpath(name, inside): one for name, one in known.items()}

    def contents(self, *names: str) -> dict[str, bytes]:
        """Return the contents of those of these files that exist, by name; names are relative to the top."""
        listed = self._listed(self.commit, list(names))
        entries = {name: listed[name] for name in names if name in listed}
        return dict(zip(entries, self._objects(list(entries.values()), "blob"), strict=True))

    def at(self, commit: str) -> "Revision":
        """Return another commit of the same repository, given by its whole hash."""
        other = copy(self)
        other.ref = other.commit = commit
        return other

    def commit_object(self) -> bytes:
        """Return the git object of the commit: headers, an empty line, and the message."""
        return next(self._objects([self.commit], "commit"))

    def changed_in(self, *names: str) -> list[str]:
        """Return the hashes of the commits that changed one of these files, descendants first.

        A merge is one of them if its sides changed the files independently, or if it took the older state of one side
        and not a later change of the other. The cost grows with the length of the history.

        Args:
            names: Paths relative to the top of the repository.
        """
        where = [f"{self._up}{name}" for name in names]
        listed = self._lines("rev-list", "--full-history", "--simplify-merges", self.commit, "--", *where)
        return [line for line in listed if line]

    def info(self, protected: Sequence[tuple[Kind, Path]]) -> BaseInfo:
        """Return which of these files, or files in these folders, differ from the base revision.

        The comparison is with the merge base if git finds one, because later changes of the base branch are not
        changes of the pull request.
        """
        known = [(kind, inside) for kind, path in protected if (inside := self._inside(path)) is not None]
        changes = self._changes(self._fork(), [inside for _, inside in known]) if known else {}
        differing = []
        for path, change in sorted(changes.items()):
            kind = next(kind for kind, inside in known if inside in {".", path} or path.startswith(f"{inside}/"))
            content = self._on_disk(path) if kind == "reference" else None
            digest = None if content is None else hashlib.sha256(content).hexdigest()
            differing.append(ProtectedChange(path=printable(path), kind=kind, change=change, content=digest))
        return BaseInfo(ref=self.ref, commit=self.commit, changed=tuple(differing))

    def edits(self, path: Path) -> dict[Path, Change]:
        """Return how the file at `path`, or the files below it, differ from the revision, by path.

        A file is left out if it is as in the merge base: then only the base branch has changed it.

        Raises:
            ConfigError: If the path is outside the repository.
        """
        inside = self._inside(path)
        if inside is None:
            raise ConfigError(
                f"{path}: not in the repository of the {self._what}", fix="give a path inside the repository"
            )
        changes = self.edits_of([inside]).items()
        return {path if name == inside else path / posixpath.relpath(name, inside): change for name, change in changes}

    def edits_of(self, names: Sequence[str]) -> dict[str, Change]:
        """Return the same for files and folders by their names, which are relative to the top of the repository."""
        known = self._listed(self.commit, list(names), links=True)
        changes: dict[str, Change] = {}
        for name, change in self._changes(self._fork(), list(names)).items():
            content = self._on_disk(name)
            same = name not in known if content is None else known.get(name) == _hash(self.commit, "blob", content)
            if not same:
                changes[name] = change
        return changes

    @property
    def top(self) -> Path:
        """The top of the repository."""
        return self._top

    def name_of(self, path: Path) -> str | None:
        """Return the name of a file relative to the top of the repository; None if it is outside."""
        return self._inside(path)

    def accepts(self, name: str) -> bool:
        """Return whether somebody who may do so has approved what the change does to a file that is no reference.

        Args:
            name: The name of the file, relative to the top of the repository.
        """
        del name
        return False

    def _fork(self) -> str:
        """Return the hash of the merge base; of the revision itself if git finds none."""
        return self._git("merge-base", self.commit, "HEAD", check=False).decode().strip() or self.commit

    def _resolved(self, ref: str) -> tuple[bool, str]:
        """Return whether a name is that of a branch or tag, and the hash of the only commit that it means."""
        parsed = _REF.fullmatch(ref)
        if parsed is None:
            raise ConfigError(f"{ref}: no such {self._what}: not a branch, tag or commit", fix=self._hint)
        name = parsed["name"]
        meanings = {} if _COMMIT_ID.fullmatch(name) else self._refs(name)
        if self._base and self._git("symbolic-ref", "--quiet", "HEAD", check=False).decode().strip() in meanings:
            raise ConfigError(
                f"{ref}: the base revision is the branch that is checked out",
                fix="give a remote branch (origin/main) or a commit; HEAD for a comparison with the last commit",
            )
        if _ABBREVIATED.fullmatch(name):
            meanings |= {one: one for one in self._lines("rev-parse", f"--disambiguate={name}") if one}
        elif _PSEUDO_REF.fullmatch(name):
            meanings[name] = name
        commits = {self._commit(meaning) for meaning in meanings.values()} - {None}
        if len(commits) > 1:
            raise ConfigError(
                f"{ref}: the {self._what} has several meanings: {', '.join(sorted(meanings))}",
                fix="give the full name of the ref (refs/remotes/origin/main), or the commit",
            )
        commit = self._commit(f"{commits.pop()}{parsed['parents']}") if commits else None
        if commit is None:
            raise ConfigError(f"{ref}: no such {self._what}", fix=self._hint)
        return all(meaning.startswith("refs/") for meaning in meanings), commit

    def _refs(self, name: str) -> dict[str, str]:
        """Return the hash of each ref with this name: remote branch, branch, tag or other ref."""
        remote = f"refs/remotes/{name}"
        names = [remote, f"refs/heads/{name}", f"refs/tags/{name}", f"refs/{name}"]
        if name.startswith("refs/"):
            names = [name]
        listed = self._lines("for-each-ref", "--format=%(refname) %(objectname)", "--", *names)
        commits = dict(line.split(" ") for line in listed if line)
        if remote in commits or name.partition("/")[0] in self._lines("remote"):
            names = [remote]
        return {name: commits[name] for name in names if name in commits}

    def _commit(self, name: str) -> str | None:
        """Return the hash of the commit with this name or hash, or of one of its parents; None if there is none."""
        commit = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", check=False)
        return commit.decode().strip() or None

    def _changes(self, fork: str, paths: list[str]) -> Mapping[str, Change]:
        """Return how the files of the working tree differ from a commit.

        git itself (`diff`, `status`) would run the filters that are configured for the attributes of a file.
        """
        where = [f"{self._up}{path}" for path in paths]
        before = self._listed(fork, paths, links=True)
        known = self._fields(
            "ls-files", "--cached", "--others", "--exclude-standard", "--full-name", "-z", "--", *where
        )
        changes: dict[str, Change] = {}
        for name in {*before, *known}:
            content = self._on_disk(name)
            if content is None:
                if name in before:
                    changes[name] = "removed"
            elif name not in before:
                changes[name] = "added"
            # line ends may have been converted when the file was checked out
            elif before[name] not in {_hash(before[name], "blob", text) for text in (content, _unix(content))}:
                changes[name] = "changed"
        return changes

    def _on_disk(self, name: str) -> bytes | None:
        """Return the content of a file of the working tree, or the target of a link; None if there is neither."""
        path, top = self._top / name, self._top.resolve()
        if path.parent.resolve() != top / posixpath.dirname(name):  # a folder on the way is a link
            return None
        if path.is_symlink():
            return os.fsencode(path.readlink())
        return path.read_bytes() if path.is_file() else None

    @property
    def _up(self) -> str:
        """The relative path from the folder to the top of the repository."""
        return "../" * self._prefix.count("/")

    def _inside(self, path: Path) -> str | None:
        """Return a path relative to the top of the repository; None if the path is outside the repository."""
        require_plain(path, self._folder)
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

    def _listed(self, commit: str, paths: list[str], *, links: bool = False) -> dict[str, str]:
        """Return the hash of each regular file (with `links`, of each link, too) at or below these paths, by name."""
        (content,) = self._objects([commit], "commit")
        level, files = {"": content.split(b"\n", 1)[0].removeprefix(b"tree ").decode()}, {}
        left_out = {_SUBMODULE} if links else {_SUBMODULE, _LINK}
        while level:
            below = {}
            for folder, tree in zip(level, self._objects(list(level.values()), "tree"), strict=True):
                for mode, name, entry in _entries(tree, len(commit) // 2):
                    path = folder + name
                    wanted = any(given in {".", path} or path.startswith(f"{given}/") for given in paths)
                    if mode == _FOLDER and (wanted or any(given.startswith(f"{path}/") for given in paths)):
                        below[f"{path}/"] = entry
                    elif mode != _FOLDER and mode not in left_out and wanted:
                        files[path] = entry
            level = below
        return dict(sorted(files.items(), key=lambda item: os.fsencode(item[0])))

    def _objects(self, names: list[str], kind: str) -> Iterator[bytes]:
        """Yield the objects with these hashes, read by one git process, each checked against its hash."""
        if not names:
            return
        answer = memoryview(self._git("cat-file", "--batch", data="".join(f"{name}\n" for name in names).encode()))
        at = 0
        for name in names:
            end = bytes(answer[at : at + 200]).index(b"\n") + at
            header = bytes(answer[at:end]).decode().split()
            if header[:2] != [name, kind]:
                raise ConfigError(f"{self.ref}: git cannot read {name}", fix=self._hint)
            content = bytes(answer[end + 1 : end + 1 + int(header[2])])
            if _hash(name, kind, content) != name:
                raise ConfigError(f"{self.ref}: the content of the git object {name} was changed", fix="clone again")
            yield content
            at = end + len(content) + 2

    def _fields(self, *arguments: str) -> list[str]:
        return os.fsdecode(self._git(*arguments)).split("\0")[:-1]

    def _lines(self, *arguments: str, hint: str | None = None) -> list[str]:
        return os.fsdecode(self._git(*arguments, hint=hint)).removesuffix("\n").split("\n")

    def _git(self, *arguments: str, data: bytes = b"", check: bool = True, hint: str | None = None) -> bytes:
        done = git(self._folder, *arguments, data=data)
        if check and done.returncode:
            said, advice = complaint(done)
            raise ConfigError(f"{self.ref}: no such {self._what}: {said}", fix=advice or hint or self._hint)
        return done.stdout


def require_plain(path: Path, folder: Path) -> None:
    """Check that a path leads to the same file by its name and in the file system.

    The file system resolves `link/..` to the parent of the folder that the link leads to; git knows a file by its
    name.

    Args:
        path: The path.
        folder: Where a relative path starts.

    Raises:
        ConfigError: If the path goes through a link and up again, to another file.
    """
    whole = Path.cwd() / folder / path
    if ".." in whole.parts and os.path.realpath(whole) != os.path.realpath(os.path.normpath(whole)):
        raise ConfigError(f"{path}: `..` after a link leads to another file than the name", fix="give the direct path")


def _leads_out(name: str) -> bool:
    return name == ".." or name.startswith("../")


def _entries(tree: bytes, size: int) -> Iterator[tuple[str, str, str]]:
    """Yield mode, name and hash (of `size` bytes) of each entry of a tree object."""
    at = 0
    while at < len(tree):
        end = tree.index(b"\0", at)
        mode, _, name = tree[at:end].partition(b" ")
        at = end + 1 + size
        yield mode.decode(), os.fsdecode(name), tree[end + 1 : at].hex()


def _hash(like: str, kind: str, content: bytes) -> str:
    """Return the hash of a git object, by the algorithm of another hash."""
    algorithm = hashlib.sha256 if len(like) == hashlib.sha256().digest_size * 2 else hashlib.sha1
    return algorithm(b"%s %d\0%s" % (kind.encode(), len(content), content), usedforsecurity=False).hexdigest()


def _unix(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")
