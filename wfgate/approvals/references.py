"""The references of a candidate, and the path under which an approved candidate is saved.

A reference is a file with an approved workflow (a golden). `deploy.yaml` is the main reference of the workflow
`deploy`; `deploy@2.yaml` is a variant.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from wfgate.decide import Blob, Pair
from wfgate.errors import ConfigError, os_words, printable
from wfgate.read import DETECTED, VARIANT_MARK, Formats, is_workflow, workflow_name
from wfgate.run import Revision, candidate_files, namesakes, only_file, reference_files

_VARIANT = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True)
class Entry:
    """A candidate and the references of its workflow.

    Attributes:
        candidate: The file of the candidate.
        home: The folder of its references.
        name: Name of the workflow: the name of its main reference without the suffix.
        references: The approved references of the workflow, the main reference first; empty if there is none.
        formats: Patterns of files that are workflows whatever their suffix.
        blob: The candidate in a git revision; None if it is the file of the working tree.
    """

    candidate: Path
    home: Path
    name: str
    references: tuple[Path, ...]
    formats: Formats = field(default_factory=dict, compare=False)
    blob: Blob | None = None

    @property
    def adopted(self) -> Path | None:
        """The reference that is the same file as the candidate; None if there is none.

        The approval of such a candidate records the current content of the file.
        """
        if self.blob is not None:
            return None
        here = self.candidate.resolve()
        return next((path for path in self.references if path.resolve() == here), None)

    def now(self) -> "Entry":
        """Return the entry with the references that exist now; an earlier approval may have added one.

        Raises:
            ConfigError: If two references have one name (see `wfgate.run.pairing.namesakes`).
        """
        _require_one_name(self.references)
        main = self.references[0] if self.references else self.home / f"{self.name}{self.candidate.suffix}"
        return replace(self, references=variants_of(main, self.formats))

    @property
    def case(self) -> str:
        """Name of the case: that of the candidate file, or of the workflow if the candidate is a reference."""
        return printable(self.name if self.adopted else self.candidate.stem)

    def pair(self) -> Pair:
        """Return the candidate and its references as a case of the gate."""
        problem, fix = namesakes(self.references)
        if not self.references:
            problem = f"no reference named {printable(self.name)!r} in {self.home}"
        return Pair(self.case, self.references, self.blob or self.candidate, problem, fix=fix)

    @property
    def content(self) -> bytes:
        """The bytes of the candidate.

        Raises:
            ConfigError: If the file cannot be read.
        """
        return content_of(self.candidate) if self.blob is None else self.blob.content

    def reference_named(self, path: Path) -> Path:
        """Return the reference of the workflow that a path leads to.

        Raises:
            ConfigError: If the path leads to no reference of the workflow.
        """
        here = path.resolve()
        reference = next((each for each in self.references if each.resolve() == here), None)
        if reference is None:
            known = ", ".join(printable(str(each)) for each in self.references)
            raise ConfigError(
                f"{printable(str(path))}: not a reference of the workflow {printable(self.name)!r}",
                fix=f"give one of {known}" if known else "approve the candidate without --replace",
            )
        return reference

    @property
    def free_variant(self) -> str:
        """The default name of a new variant: the smallest unused number, starting at 2."""
        taken = {path.stem for path in self.references}
        return next(f"{number}" for number in count(2) if f"{self.name}{VARIANT_MARK}{number}" not in taken)

    def target(self, variant: str | None = None) -> Path:
        """Return the path under which the candidate is saved as a new reference.

        The first reference of a workflow has no variant name (`deploy.yaml`). Each further reference has one
        (`deploy@2.yaml`).

        Args:
            variant: Name of the variant; by default the smallest unused number, starting at 2.

        Raises:
            ConfigError: If the variant exists already, or its name is invalid.
        """
        suffix = self.candidate.suffix
        if variant is None:
            if not self.references:
                return self.home / f"{self.name}{suffix}"
            variant = self.free_variant
        if not _VARIANT.fullmatch(variant):
            raise ConfigError(
                f"{variant!r} is not a valid name of a variant", fix="use only letters, digits, dashes and dots"
            )
        stem = f"{self.name}{VARIANT_MARK}{variant}"
        if any(path.stem == stem for path in self.references):
            raise ConfigError(
                f"{self.home / stem}{suffix}: a variant with this name exists already", fix="choose another name"
            )
        return self.home / f"{stem}{suffix}"

    def replacement(self, replaced: Path) -> Path:
        """Return the path under which the candidate is saved if it replaces a reference; the suffix may change.

        Raises:
            ConfigError: If another file exists at this path.
        """
        target = replaced.with_suffix(self.candidate.suffix)
        if target != replaced and target.exists():
            raise ConfigError(
                f"{target}: the file exists already",
                fix="approve the candidate as a variant (--variant), or rename the candidate file",
            )
        return target


def entries(
    candidates: Sequence[Path], reference: Path, formats: Formats = DETECTED, revision: Revision | None = None
) -> list[Entry]:
    """Return each candidate with its references, paired in the same way as by the gate.

    Args:
        candidates: Files, or folders of them; a file in the folder of references is a reference itself.
        reference: The folder of references, which need not exist yet, or one reference.
        formats: Patterns of files that are workflows whatever their suffix.
        revision: Git revision to read the candidates from; None reads from the disk.

    Raises:
        ConfigError: If a candidate does not exist, or several candidates are compared with a single reference.
    """
    if revision is not None:
        return _of_revision(candidates, reference, formats, revision)
    for path in candidates:
        if not path.is_file() and not path.is_dir():
            raise ConfigError(f"{path}: the file or folder does not exist", fix="check the path")
    if reference.is_file():
        name = workflow_name(reference.stem)
        return [Entry(only_file(candidates), reference.parent, name, variants_of(reference, formats), formats)]
    known = reference_files(reference, formats)
    own = {path.resolve(): name for name, paths in known.items() for path in paths}
    return [
        _entry(path, own.get(path.resolve()) or workflow_name(key), reference, known, formats)
        for path, key in candidate_files(candidates, formats)
    ]


def _of_revision(candidates: Sequence[Path], reference: Path, formats: Formats, revision: Revision) -> list[Entry]:
    """Return each candidate of a git revision with its references, paired by its path as on the disk."""
    keyed = [
        (blob, (Path(blob.path.name) if blob.path == given else blob.path.relative_to(given)).with_suffix(""))
        for given in candidates
        for blob in revision.files(given)
        if blob.path == given or is_workflow(blob.path, formats)
    ]
    if reference.is_file():
        alone = only_file([blob.path for blob, _ in keyed])
        name = workflow_name(reference.stem)
        return [Entry(alone, reference.parent, name, variants_of(reference, formats), formats, keyed[0][0])]
    known = reference_files(reference, formats)
    paired = [
        (_entry(blob.path, workflow_name(key.as_posix()), reference, known, formats), blob) for blob, key in keyed
    ]
    return [replace(entry, blob=blob) for entry, blob in paired]


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        ConfigError: If the file cannot be read.
    """
    return digest(content_of(path))


def digest(content: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def content_of(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        ConfigError: If the file cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix="check the path") from error


def variants_of(reference: Path, formats: Formats = DETECTED) -> tuple[Path, ...]:
    """Return all references of one workflow in the folder of a reference, the main reference first.

    Args:
        reference: The path of any reference of the workflow. If the file exists, another file whose name differs only
            by the suffix is not its variant.
        formats: Patterns of files that are workflows whatever their suffix.

    Raises:
        ConfigError: If two references have one name (see `wfgate.run.pairing.namesakes`).
    """
    if not reference.parent.is_dir():
        return ()
    variants = reference_files(reference.parent, formats).get(workflow_name(reference.stem), [])
    if reference.is_file():
        variants = [path for path in variants if path.stem != reference.stem or path.name == reference.name]
    _require_one_name(variants)
    return tuple(variants)


def _require_one_name(references: Sequence[Path]) -> None:
    problem, fix = namesakes(references)
    if problem is not None:
        raise ConfigError(problem, fix=fix)


def _entry(candidate: Path, name: str, reference: Path, known: dict[str, list[Path]], formats: Formats) -> Entry:
    place = reference / name
    return Entry(candidate, place.parent, place.name, tuple(known.get(name, ())), formats)
