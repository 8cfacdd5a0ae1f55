"""The code owners of a path, and the references of a pull request that a code owner approved."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from wfgate.approvals.approvals import approvals_file, last_approval
from wfgate.approvals.references import digest
from wfgate.decide import BaseInfo, Blob, Kind
from wfgate.errors import ConfigError, printable
from wfgate.read import APPROVALS, DETECTED, Formats, key_of, workflow_name
from wfgate.run import Revision, reference_files

FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where forges look for code owners; the first file counts."""
MAX_BYTES = 3 * 1024 * 1024
"""GitHub does not load a larger file of code owners."""
_WILDCARDS = re.compile(r"(/\*\*/|^\*\*/|/\*\*$|\*+|\?)")
_MEANINGS = {"/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}


class OwnedRevision(Revision):
    """A base revision together with references of the pull request that a code owner approved.

    Such a reference counts as if it were merged. It needs a record of an approval of exactly its bytes, and the base
    revision's code owners of the reference and of the record must include somebody who approved the pull request. A
    further reference of a workflow (a variant, another suffix) needs an owner of the references that it has already.

    Args:
        ref: A branch, tag or commit.
        folder: A folder of the repository; relative paths start there.
        approvers: Logins of those who approved the head commit of the pull request, as the forge reports them.

    Raises:
        ConfigError: As for `Revision`; or if an approver is a team.
    """

    def __init__(self, ref: str, folder: Path, approvers: Collection[str]) -> None:
        super().__init__(ref, folder)
        self._approvers = {login(each) for each in approvers} - {""}
        if team := next((each for each in sorted(self._approvers) if "/" in each), None):
            raise ConfigError(f"{printable(team)} is a team", fix="give the logins of the persons who approved")
        self._accepted: dict[str, bytes] = {}
        self._owner_of: dict[str, str] = {}

    def accept(self, reference: Path, formats: Formats = DETECTED) -> None:
        """Accept the approved references of the working tree.

        Args:
            reference: The folder of references, or one reference.
            formats: Patterns of files that are workflows whatever their suffix.

        Raises:
            ConfigError: If an approval record or the file of code owners cannot be read.
        """
        rules = code_owners(self)
        known = self._known(reference)
        listed = {"": [reference]} if reference.is_file() else reference_files(reference, formats)
        for workflow, path in ((workflow, path) for workflow, paths in listed.items() for path in paths):
            names = [self._inside(each) for each in (path, approvals_file(path))]
            asked = [*names, *(self._inside(each) for each in known[workflow])]  # a variant is one more way to pass
            owners = [owners_of(name, rules) & self._approvers for name in asked if name is not None]
            both = set.intersection(*owners) if len(owners) == len(asked) else set()
            approval = last_approval(path) if both and not path.is_symlink() else None
            content = self._on_disk(names[0]) if approval and names[0] else None  # no folder on the way is a link
            if (
                approval is not None
                and content is not None
                and approval.sha256 == digest(content)
                and content != super().read(path)
            ):
                self._owner_of |= {printable(name): min(both) for name in names if name is not None}
                self._accepted |= {name: content for name in names[:1] if name is not None}

    def accepts(self, name: str) -> bool:
        """Return whether a code owner of a file approved what the change does to it.

        Raises:
            ConfigError: If the file of code owners cannot be read.
        """
        owners = owners_of(name, code_owners(self)) & self._approvers
        if owners:
            self._owner_of[printable(name)] = min(owners)
        return bool(owners)

    def _known(self, reference: Path) -> defaultdict[str, list[Path]]:
        """Return the references of the base revision with their records, by workflow; none for a single reference."""
        known: defaultdict[str, list[Path]] = defaultdict(list)
        try:
            blobs = Revision.files(self, reference) if reference.is_dir() else []
        except ConfigError:  # the base revision has no such folder
            blobs = []
        for blob in blobs:
            known[workflow_name(key_of(blob.path, reference))] += [blob.path, approvals_file(blob.path)]
        return known

    def read(self, path: Path) -> bytes | None:
        """Return the content of a file; None if it does not exist."""
        accepted = self._accepted.get(self._inside(path) or "")
        return super().read(path) if accepted is None else accepted

    def files(self, path: Path) -> list[Blob]:
        """Return the file at `path`, or all files in the folder at `path`, sorted by name.

        Raises:
            ConfigError: If there is no such file or folder, or the path is outside the repository.
        """
        inside = self._inside(path)
        below = "" if inside == "." else f"{inside}/"
        added = {
            path if name == inside else path / name.removeprefix(below): content
            for name, content in self._accepted.items()
            if name == inside or name.startswith(below)
        }
        try:
            committed = {blob.path: blob.content for blob in super().files(path)}
        except ConfigError:
            if not added:
                raise
            committed = {}
        contents = sorted((committed | added).items())
        return [Blob(name, content, self.beside(name)) for name, content in contents]

    def info(self, protected: "Collection[tuple[Kind, Path]]") -> BaseInfo:
        """Return which protected files differ from the base revision, and who approved those that are used.

        References of which no approver is a code owner are named, because their approval has no effect.
        """
        info = super().info(list(protected))
        changed = [one.model_copy(update={"approved_by": self._owner_of.get(one.path)}) for one in info.changed]
        rules, people = code_owners(self), printable(", ".join(sorted(self._approvers)))
        are = "is" if len(self._approvers) == 1 else "are"
        refused = [
            f"{people} {are} no code owner of {one.path}, so this does not count"
            for one in changed
            if one.kind == "reference" and not one.approved_by and not one.path.endswith(APPROVALS)
            if not owners_of(one.path, rules) & self._approvers
        ]
        return info.model_copy(update={"changed": tuple(changed), "refused": (*info.refused, *refused)})


def code_owners(revision: Revision) -> list[tuple[re.Pattern[str], set[str]]]:
    """Return the rules of the file of code owners of a revision; none if it has no such file.

    Raises:
        ConfigError: If the file is larger than GitHub reads, or as for `code_owner_rules`.
    """
    contents = revision.contents(*FILES)
    text = next((contents[name] for name in FILES if name in contents), b"")
    if len(text) > MAX_BYTES:
        raise ConfigError("CODEOWNERS: larger than 3 MB, so that GitHub ignores it", fix="shorten the file")
    return list(code_owner_rules(text.decode("utf-8", errors="replace")))


def code_owner_rules(text: str) -> Iterator[tuple[re.Pattern[str], set[str]]]:
    """Yield the patterns of a CODEOWNERS file and their owners; of those that match a path, the last one counts.

    Example:
        >>> rules = list(code_owner_rules("/approved/ @Ada bob@example.org # both"))
        >>> sorted(owners_of("approved/deploy.yaml", rules)), owners_of("new/deploy.yaml", rules)
        (['ada', 'bob@example.org'], set())

    Raises:
        ConfigError: If the file has sections, which only GitLab reads, or something that is no owner.
    """
    for line in text.split("\n"):
        if line.lstrip().startswith(("[", "^[")):
            raise ConfigError("CODEOWNERS: sections are not supported", fix="list the owners without sections")
        glob, *owners = re.sub(r"(^|\s)#.*", "", line).replace("\\ ", "\0").split() or [""]
        if wrong := [owner for owner in owners if "@" not in owner]:  # GitHub skips the line, GitLab the owner
            fix = "write @login or the e-mail address of a person, @organization/team"
            raise ConfigError(f"CODEOWNERS: {printable(wrong[0])} is no owner", fix=fix)
        if glob and not glob.startswith("!"):
            yield _pattern(glob.replace("\0", " ")), {login(owner) for owner in owners}


def owners_of(path: str, rules: "list[tuple[re.Pattern[str], set[str]]]") -> set[str]:
    """Return the code owners of a path, which is relative to the top of the repository."""
    return next((owners for pattern, owners in reversed(rules) if pattern.fullmatch(path)), set())


def login(owner: str) -> str:
    """Return the login of a person as it is compared: without the leading @, in lower case."""
    return owner.strip().removeprefix("@").casefold()


def _pattern(glob: str) -> re.Pattern[str]:
    """Return a pattern of CODEOWNERS as a regular expression for whole paths."""
    parts = _WILDCARDS.split(glob.strip("/"))
    body = "".join(_MEANINGS.get(part, "[^/]*") if _WILDCARDS.fullmatch(part) else re.escape(part) for part in parts)
    anywhere = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    below = "/.*" if glob.endswith("/") else "" if glob.endswith("/*") else "(?:/.*)?"
    return re.compile(f"{anywhere}{body}{below}", re.DOTALL)
