"""Which references a candidate has, and where an approved candidate goes."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from wfgate.errors import ConfigError, os_words, printable
from wfgate.gating import Pair
from wfgate.gating.suite import VARIANT_MARK, candidate_files, only_file, reference_files, workflow_name

_VARIANT = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True)
class Entry:
    """A candidate, and the references of its workflow.

    Attributes:
        candidate: The file.
        home: The folder that its references are in, or belong in.
        name: What the workflow's plain reference is called, without its ending.
        references: Its approved variants, the plain one first; empty where there is none.
    """

    candidate: Path
    home: Path
    name: str
    references: tuple[Path, ...]

    @property
    def adopted(self) -> Path | None:
        """The reference that the candidate itself is, if it is one: approving it records what stands there."""
        here = self.candidate.resolve()
        return next((path for path in self.references if path.resolve() == here), None)

    def now(self) -> "Entry":
        """Return the same with the references that there are now: another candidate may have become one."""
        return replace(self, references=variants_of(self.home / f"{self.name}{self.candidate.suffix}"))

    @property
    def case(self) -> str:
        """What the case is called; of a reference, as its candidates are."""
        return printable(self.name if self.adopted else self.candidate.stem)

    def pair(self) -> Pair:
        """Return the case that the gate judges."""
        problem = None if self.references else f"no reference named {printable(self.name)!r} in {self.home}"
        return Pair(self.case, self.references, self.candidate, problem)

    def target(self, variant: str | None = None) -> Path:
        """Return where the candidate goes: the first reference is plain, further ones are variants.

        Args:
            variant: What to call the variant; the first free number from 2 by default.

        Raises:
            ConfigError: If that variant exists, or cannot be the name of one.
        """
        suffix = self.candidate.suffix
        if variant is None:
            if not self.references:
                return self.home / f"{self.name}{suffix}"
            taken = {path.stem for path in self.references}
            free = next(number for number in count(2) if f"{self.name}{VARIANT_MARK}{number}" not in taken)
            return self.home / f"{self.name}{VARIANT_MARK}{free}{suffix}"
        if not _VARIANT.fullmatch(variant):
            raise ConfigError(f"{variant!r} cannot name a variant", fix="use letters, digits, dashes, dots")
        stem = f"{self.name}{VARIANT_MARK}{variant}"
        if any(path.stem == stem for path in self.references):
            raise ConfigError(f"{self.home / stem}{suffix}: there is such a variant", fix="choose another name")
        return self.home / f"{stem}{suffix}"

    def replacement(self, replaced: Path) -> Path:
        """Return where the candidate goes in place of a reference: its ending may be another one.

        Raises:
            ConfigError: If something else is there.
        """
        target = replaced.with_suffix(self.candidate.suffix)
        if target != replaced and target.exists():
            raise ConfigError(f"{target}: there is such a file", fix="approve it as a variant, or move that file")
        return target


def entries(candidates: Sequence[Path], reference: Path) -> list[Entry]:
    """Return each candidate with its references, by the rule that the gate pairs by.

    Args:
        candidates: Files, or folders of them. What is in the reference folder is a reference itself.
        reference: The folder of references, which need not exist yet, or one of them.

    Raises:
        ConfigError: If a candidate does not exist, or several are to be compared with a single reference.
    """
    for path in candidates:
        if not path.is_file() and not path.is_dir():
            raise ConfigError(f"{path}: there is no such file or folder", fix="check the path")
    if reference.is_file():
        name = workflow_name(reference.stem)
        return [Entry(only_file(candidates), reference.parent, name, variants_of(reference))]
    known = reference_files(reference)
    own = {path.resolve(): name for name, paths in known.items() for path in paths}
    return [
        _entry(path, own.get(path.resolve()) or workflow_name(key), reference, known)
        for path, key in candidate_files(candidates)
    ]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        ConfigError: If the file cannot be read.
    """
    return digest(content_of(path))


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def content_of(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        ConfigError: If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix="check the path") from error


def variants_of(reference: Path) -> tuple[Path, ...]:
    """Return a reference and the variants of the same workflow beside it; the plain one first.

    Args:
        reference: The plain reference or one of the variants; it need not exist.
    """
    if not reference.parent.is_dir():
        return ()
    return tuple(reference_files(reference.parent).get(workflow_name(reference.stem), ()))


def _entry(candidate: Path, name: str, reference: Path, known: dict[str, list[Path]]) -> Entry:
    place = reference / name
    return Entry(candidate, place.parent, place.name, tuple(known.get(name, ())))
