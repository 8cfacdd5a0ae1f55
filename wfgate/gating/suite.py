"""Which candidate is compared with which golden: single files, folders, or a suite of pairs."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wfgate.errors import ConfigError, FormatError
from wfgate.formats import Reading, read_data, read_file, suffixes
from wfgate.model import Workflow

VARIANT_MARK = "@"
"""`deploy@two.yaml` is a second approved reference of `deploy.yaml`."""
MAX_LINE_BYTES = 16 * 1024 * 1024

Source = Path | str | dict[str, Any] | Workflow
"""A file, the text of a workflow, a workflow as JSON, or one that was read already."""


@dataclass(frozen=True)
class Pair:
    """One case of a suite.

    Attributes:
        id: Name of the case.
        goldens: One or more approved references; the best match decides. Empty where there is none.
        candidate: What is to be judged; None where a reference has no candidate.
        problem: Why there is nothing to compare.
    """

    id: str
    goldens: tuple[Source, ...]
    candidate: Source | None
    problem: str | None = None


def read_source(source: Source, name: str) -> Reading:
    """Read a workflow from wherever it is.

    Raises:
        FormatError: If there is no workflow to be had.
    """
    if isinstance(source, Workflow):
        return Reading(source, "workflow")
    return read_file(source) if isinstance(source, Path) else read_data(source, name)


def described(source: Source | None, name: str) -> str:
    """Return what to call a source in a report."""
    return printable(str(source)) if isinstance(source, Path) else ("none" if source is None else name)


def printable(text: str) -> str:
    r"""Return the text with what is no Unicode (half a character, a byte of a strange file name) replaced.

    Example:
        >>> printable("caf\udce9")
        'caf?'
    """
    return text.encode("utf-8", "replace").decode()


def pair_files(candidates: Sequence[Path], reference: Path) -> list[Pair]:
    """Pair candidates with references by name.

    A file is compared with a file. With a folder of references, `x/deploy.yaml` is compared with `deploy.*` and
    `deploy@*.*` of that folder, and a folder of candidates is searched for workflow files. What has no partner is
    a case of its own that cannot be judged: it never disappears.

    Raises:
        ConfigError: If a path does not exist, or a folder is compared with a single reference.
    """
    for path in (*candidates, reference):
        if not path.exists():
            raise ConfigError(f"{path}: there is no such file or folder", fix="check the path")
        if not path.is_file() and not path.is_dir():  # a pipe or a device may never end
            raise ConfigError(f"{path}: neither a file nor a folder", fix="give a workflow file or a folder")
    if reference.is_file():
        if len(candidates) != 1 or candidates[0].is_dir():
            raise ConfigError(
                "several candidates but a single reference file", fix="give --reference a folder, or one candidate"
            )
        return [Pair(printable(candidates[0].stem), (reference,), candidates[0])]
    references: dict[str, list[Path]] = {}
    for path in _workflow_files(reference):
        key = _key(path, reference)
        folder, slash, name = key.rpartition("/")
        references.setdefault(folder + slash + name.split(VARIANT_MARK)[0], []).append(path)
    keyed = list(_keyed(candidates))
    times = Counter(key for _, key in keyed)
    pairs: list[Pair] = []
    for candidate, key in keyed:
        goldens = tuple(references.get(key, ()))
        problem = None if goldens else f"no reference named {printable(key)!r} in {printable(str(reference))}"
        name = key if times[key] == 1 else candidate.as_posix()  # names tell cases apart
        pairs.append(Pair(printable(name), goldens, candidate, problem))
    if any(path.is_dir() for path in candidates):
        pairs += [
            Pair(printable(key), tuple(paths), None, f"no candidate named {printable(key)!r}")
            for key, paths in sorted(references.items())
            if key not in times
        ]
    return pairs


def read_pairs(lines: Iterator[str], name: str, folder: Path) -> Iterator[Pair]:
    """Read a suite: JSON Lines of `{"id", "golden", "candidate"}`.

    Each of golden and candidate is a path (relative to the suite's folder), a text, or an inline workflow in any
    JSON form; `golden` may be a list of approved references. A line that cannot be read becomes a case that says so.

    Args:
        lines: The lines of the suite.
        name: What to call the suite in messages.
        folder: Paths are relative to it.
    """
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            pair = _pair(line, where, folder)
        except FormatError as error:
            pair = Pair(where, (), None, printable(str(error)))
        if pair.id in seen:
            pair = Pair(where, (), None, f"{where}: a second case with the id {pair.id!r}; ids tell cases apart")
        seen.add(pair.id)
        yield pair


def _pair(line: str, where: str, folder: Path) -> Pair:
    if len(line) > MAX_LINE_BYTES:
        raise FormatError("the line is too long", path=where, fix="give paths instead of inline workflows")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path=where, fix="one JSON object a line") from None
    if not isinstance(record, dict) or not {"golden", "candidate"} <= record.keys():
        raise FormatError("a case needs `golden` and `candidate`", path=where, fix='{"id", "golden", "candidate"}')
    unknown = record.keys() - {"id", "golden", "candidate"}
    if unknown:
        raise FormatError(f"unknown key {min(unknown)!r}", path=where, fix="a case has `id`, `golden` and `candidate`")
    goldens = record["golden"] if isinstance(record["golden"], list) else [record["golden"]]
    if not goldens:
        raise FormatError("`golden` is an empty list", path=where, fix="give at least one reference")
    return Pair(
        printable(str(record.get("id", where))),
        tuple(_source(golden, where, folder) for golden in goldens),
        _source(record["candidate"], where, folder),
    )


def _source(value: object, where: str, folder: Path) -> Source:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str) or not value.strip():
        raise FormatError("neither a path nor a workflow", path=where, fix="give a path, a text or an object")
    return value if "\n" in value or value.lstrip()[0] in "{[" else folder / value


def _keyed(candidates: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    for given in candidates:
        for path in _workflow_files(given) if given.is_dir() else [given]:
            yield path, _key(path, given)


def _key(path: Path, root: Path) -> str:
    relative = path.relative_to(root) if root.is_dir() else Path(path.name)
    return relative.with_suffix("").as_posix()


def _workflow_files(folder: Path) -> list[Path]:
    known = suffixes()
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix.lower() in known)
