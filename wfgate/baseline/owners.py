"""The code owners of a path, and the references of a pull request that a code owner approved."""

import re
from collections.abc import Collection, Iterator
from itertools import chain
from pathlib import Path

from wfgate.baseline.approvals import approvals_file, last_approval
from wfgate.baseline.references import content_of, digest
from wfgate.errors import ConfigError, printable
from wfgate.formats import Formats
from wfgate.formats.choice import DETECTED
from wfgate.gating.revision import BaseInfo, Blob, Kind, Revision
from wfgate.gating.suite import reference_files

FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where forges look for code owners; the first file counts."""
_WILDCARDS = re.compile(r"(/\*\*/|^\*\*/|/\*\*$|\*+|\?)")
_MEANINGS = {"/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}


class OwnedRevision(Revision):
    """A base revision together with references of the pull request that a code owner approved.

    Such a reference counts as if it were merged. It needs a record of an approval of exactly its bytes, and the base
    revision's code owners of the reference and of the record must include somebody who approved the pull request.

    Args:
        ref: A branch, tag or commit.
        folder: A folder of the repository; relative paths start there.
        approvers: Logins of those who approved the head commit of the pull request, as the forge reports them.

    Raises:
        ConfigError: As for `Revision`.
    """

    def __init__(self, ref: str, folder: Path, approvers: Collection[str]) -> None:
        super().__init__(ref, folder)
        self._approvers = {_login(each) for each in approvers} - {""}
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
        texts = (Revision.read(self, self._top / name) for name in FILES)
        text = next((found for found in texts if found is not None), b"")
        rules = list(code_owner_rules(text.decode("utf-8", errors="replace")))
        listed = [reference] if reference.is_file() else [*chain(*reference_files(reference, formats).values())]
        for path in listed:
            names = [self._inside(each) for each in (path, approvals_file(path))]
            owners = [owners_of(name, rules) & self._approvers for name in names if name is not None]
            both = set.intersection(*owners) if len(owners) == len(names) else set()
            approval = last_approval(path) if both and not path.is_symlink() else None
            content = content_of(path) if approval else b""
            if approval is not None and approval.sha256 == digest(content) and content != super().read(path):
                self._owner_of |= {printable(name): min(both) for name in names if name is not None}
                self._accepted |= {name: content for name in names[:1] if name is not None}

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
            found = {blob.path: blob.content for blob in super().files(path)}
        except ConfigError:
            if not added:
                raise
            found = {}
        return [Blob(name, content) for name, content in sorted((found | added).items())]

    def info(self, protected: "Collection[tuple[Kind, Path]]") -> BaseInfo:
        """Return which protected files differ from the base revision, and who approved those that are used."""
        info = super().info(list(protected))
        changed = [one.model_copy(update={"approved_by": self._owner_of.get(one.path)}) for one in info.changed]
        return info.model_copy(update={"changed": tuple(changed)})


def code_owner_rules(text: str) -> Iterator[tuple[re.Pattern[str], set[str]]]:
    """Yield the patterns of a CODEOWNERS file and their owners; of those that match a path, the last one counts.

    Example:
        >>> rules = list(code_owner_rules("/approved/ @Ada bob@example.org # both"))
        >>> sorted(owners_of("approved/deploy.yaml", rules)), owners_of("new/deploy.yaml", rules)
        (['ada', 'bob@example.org'], set())

    Raises:
        ConfigError: If the file has sections, which only GitLab reads.
    """
    for line in text.splitlines():
        if line.startswith(("[", "^[")):
            raise ConfigError("CODEOWNERS: sections are not supported", fix="list the owners without sections")
        glob, *owners = re.sub(r"(^|\s)#.*", "", line).replace("\\ ", "\0").split() or [""]
        if glob and not glob.startswith("!"):
            yield _pattern(glob.replace("\0", " ")), {_login(owner) for owner in owners}


def owners_of(path: str, rules: "list[tuple[re.Pattern[str], set[str]]]") -> set[str]:
    """Return the code owners of a path, which is relative to the top of the repository."""
    return next((owners for pattern, owners in reversed(rules) if pattern.fullmatch(path)), set())


def _login(owner: str) -> str:
    return owner.strip().removeprefix("@").casefold()


def _pattern(glob: str) -> re.Pattern[str]:
    """Return a pattern of CODEOWNERS as a regular expression for whole paths."""
    parts = _WILDCARDS.split(glob.strip("/"))
    body = "".join(_MEANINGS.get(part, "[^/]*") if _WILDCARDS.fullmatch(part) else re.escape(part) for part in parts)
    anywhere = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    below = "/.*" if glob.endswith("/") else "" if glob.endswith("/*") else "(?:/.*)?"
    return re.compile(f"{anywhere}{body}{below}", re.DOTALL)
