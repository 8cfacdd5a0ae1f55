"""Reads a suite: cases in JSON Lines."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from wfgate.decide import Blob, Pair, Source
from wfgate.errors import FormatError, printable
from wfgate.read import VARIANT_MARK
from wfgate.run.pairing import same_file
from wfgate.run.repository import require_inside
from wfgate.run.revision import Revision, require_plain
from wfgate.run.source import described

MAX_LINE_BYTES = 16 * 1024 * 1024


def read_pairs(lines: Iterator[str], name: str, folder: Path, base: Revision | None = None) -> Iterator[Pair]:
    """Read a suite: JSON Lines of `{"id", "golden", "candidate", "brief"}`; `id` and `brief` may be left out.

    The values of `golden` and `candidate` are paths (relative to the folder of the suite), texts, or workflows in a
    JSON form. `golden` may be a list of approved references. `candidate` may be a list of samples of one case. `brief`
    is the text from which the candidate is generated. A line that cannot be read becomes an inconclusive case.

    Args:
        lines: The lines of the suite.
        name: Name of the suite in messages.
        folder: Folder that relative paths in the suite start from.
        base: Git revision to read goldens from; inline goldens are then an error. None reads from the disk.

    Raises:
        ConfigError: With `base`, if a path leads to another file than its name (see `require_plain`).
    """
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            pairs = _pairs(line, where, folder, base)
        except FormatError as error:
            pairs = [Pair(where, (), None, printable(error.text), fix=error.fix)]
        ids = {name for pair in pairs for name in (pair.id, pair.sample_of) if name is not None}
        if taken := sorted(ids & seen):
            pairs = [Pair(where, (), None, f"{where}: a second case with the id {taken[0]!r}; ids must be unique")]
        seen |= ids
        yield from pairs


def count_cases(lines: Iterable[str]) -> int:
    """Return how many pairs `read_pairs` yields for the lines of a suite; it looks at no file.

    Example:
        >>> count_cases(['{"golden": "a", "candidate": ["b", "c"]}', "", "no JSON"])
        3
    """
    return sum(_samples_in(line) for line in lines if line.strip())


def _samples_in(line: str) -> int:
    """Return the number of candidates in a line of a suite; 1 if it cannot be read, because it becomes one case."""
    if len(line) > MAX_LINE_BYTES:
        return 1
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return 1
    candidate = record.get("candidate") if isinstance(record, dict) else None
    return max(len(candidate), 1) if isinstance(candidate, list) else 1


def with_missing(pairs: Iterable[Pair], before: Iterable[Pair]) -> Iterator[Pair]:
    """Yield the pairs of a suite, and a case that fails for each comparison that only an earlier version of it has.

    A comparison is the candidate file (or an inline candidate) with the paths of its goldens and its brief, which the
    judge reads; ids may change.

    Args:
        pairs: The suite, with goldens of the base revision.
        before: The suite of the base revision.
    """
    missing = {_compared(pair): pair for pair in before if pair.problem is None}
    for pair in pairs:
        if pair.problem is None:
            missing.pop(_compared(pair), None)
        yield pair
    for pair in missing.values():
        candidate = f" of {described(pair.candidate, '')}" if isinstance(pair.candidate, Path) else ""
        brief = " with its brief" if pair.brief else ""
        problem = f"the suite of the base revision has a comparison{candidate}{brief} that this suite does not have"
        yield Pair(f"{pair.id} (base revision)", pair.goldens, None, problem)


def _compared(pair: Pair) -> tuple[object, ...]:
    goldens = [os.path.normpath(golden.path) for golden in pair.goldens if isinstance(golden, Blob)]
    return (isinstance(pair.candidate, Path) and os.path.normpath(pair.candidate), pair.brief, *goldens)


def _pairs(line: str, where: str, folder: Path, base: Revision | None) -> list[Pair]:
    if len(line) > MAX_LINE_BYTES:
        raise FormatError(
            "the line is too long", path=where, fix="write the paths of workflow files instead of inline workflows"
        )
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path=where, fix="write one JSON object per line") from None
    if not isinstance(record, dict) or not {"golden", "candidate"} <= record.keys():
        fix = "write `golden` and `candidate`, and optionally `id` and `brief`"
        raise FormatError("`golden` or `candidate` is missing", path=where, fix=fix)
    unknown = record.keys() - {"id", "golden", "candidate", "brief"}
    if unknown:
        fix = "use `id`, `golden`, `candidate` and `brief` only"
        raise FormatError(f"unknown key {min(unknown)!r}", path=where, fix=fix)
    brief = record.get("brief", "")
    if not isinstance(brief, str):
        raise FormatError("`brief` is not a text", path=where, fix="give the text that the workflow is generated from")
    goldens = record["golden"] if isinstance(record["golden"], list) else [record["golden"]]
    if not goldens:
        raise FormatError("`golden` is an empty list", path=where, fix="give at least one reference")
    case, candidate = printable(str(record.get("id", where))), record["candidate"]
    sources = tuple(_golden(_source(golden, where, folder), where, base) for golden in goldens)
    if not isinstance(candidate, list):
        return [_pair(case, sources, _candidate(candidate, where, folder, base), brief)]
    if not candidate:
        raise FormatError("`candidate` is an empty list", path=where, fix="give at least one sample")
    return [
        _pair(f"{case}{VARIANT_MARK}{number}", sources, _candidate(sample, where, folder, base), brief, case)
        for number, sample in enumerate(candidate, start=1)
    ]


def _pair(case: str, goldens: tuple[Source, ...], candidate: Source, brief: str, sample_of: str | None = None) -> Pair:
    same = same_file(candidate, goldens)
    return Pair(case, goldens, candidate, str(same) if same else None, sample_of, brief=brief)


def _source(value: object, where: str, folder: Path) -> Source:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str) or not value.strip():
        raise FormatError(
            "the value is neither a path nor a workflow", path=where, fix="give a path, a text or an object"
        )
    if "\n" in value or value.lstrip()[0] in "{[":
        return value
    require_inside(folder / value)
    return folder / value


def _candidate(value: object, where: str, folder: Path, base: Revision | None) -> Source:
    source = _source(value, where, folder)
    if base is not None and isinstance(source, Path):  # it is compared by name with the suite of the base revision
        require_plain(source, Path())
    return source


def _golden(source: Source, where: str, base: Revision | None) -> Source:
    if base is None:
        return source
    if not isinstance(source, Path):
        fix = "give the path of a file; a golden inside the suite could be changed by the pull request"
        raise FormatError("`golden` is not a file of the base revision", path=where, fix=fix)
    content = base.read(source)
    if content is None:
        raise FormatError(
            f"{source}: not in the base revision {base.ref}",
            path=where,
            fix="approve the file in the base revision first",
        )
    return Blob(source, content, base.beside(source))
