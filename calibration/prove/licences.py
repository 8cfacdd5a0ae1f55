"""Lists the dependencies of wfgate with their licences; fails on a licence that is not compatible with Apache-2.0.

usage: licences.py --write | --check

Licences are read from the installed packages (`License-Expression`, else `License`, else the classifier). The default
dependencies are the packages locked in `.ci/action/requirements.txt` for this platform, and those that pip installs
besides (`.ci/action/unused.txt` and what they need). For an extra, only its direct dependencies are listed.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = ROOT / ".ci" / "action" / "requirements.txt"
UNUSED = LOCK.with_name("unused.txt")
ONLY_PIP = "pip"
"""Stands in the table for the packages that pip installs, and the action and the container image leave out."""
TABLE = ROOT / "THIRD_PARTY.md"
START, END = "<!-- generated: licences -->", "<!-- end: licences -->"
COMPATIBLE = frozenset(
    {"0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-CMU"}
    | {"MPL-2.0", "PSF-2.0", "Zlib"}
)
"""Licences of packages that can be installed, unchanged, together with a program under Apache-2.0. MPL-2.0 applies to
changes of the package's own files; there are none."""
SAME = {
    "Apache 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Licence texts of packages and their SPDX ids; "BSD" if the number of clauses is not stated."""


def rows() -> list[tuple[str, str, str]]:
    """Return package, licence and the extra that needs it ("" for wfgate itself, or `ONLY_PIP`), in order.

    Packages of extras that are not installed keep the licence in the current table.
    """
    known = {name: licence for name, licence, _ in written()}
    found = [(name, licence(name) or "unknown", "") for name in sorted(locked())]
    found += [(name, licence(name) or known.get(name, "unknown"), ONLY_PIP) for name in sorted(left_out())]
    for extra, names in sorted(extras().items()):
        found += [(name, licence(name) or known.get(name, "unknown"), extra) for name in sorted(names)]
    return found


def locked() -> set[str]:
    """Return the names of all locked packages for this platform."""
    lines = LOCK.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    found = [Requirement(line.split("--hash=")[0].strip()) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(each.name) for each in found if each.marker is None or each.marker.evaluate()}


def unused() -> set[str]:
    """Return the dependencies of dependencies that are never imported."""
    lines = UNUSED.read_text(encoding="utf-8").splitlines()
    return {canonicalize_name(line.split("#")[0].strip()) for line in lines if not line.startswith("#")}


def left_out() -> set[str]:
    """Return the packages that pip installs with wfgate and that are not locked."""
    seen: set[str] = set()
    left = sorted(unused())
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            needed = map(Requirement, requires(name) or ())
            left += [
                canonicalize_name(each.name)
                for each in needed
                if not each.marker or each.marker.evaluate({"extra": ""})
            ]
    return seen - locked()


def extras() -> dict[str, set[str]]:
    """Return the packages of each user extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["optional-dependencies"]
    return {
        extra: {canonicalize_name(Requirement(text).name) for text in texts}
        for extra, texts in named.items()
        if extra != "dev"
    }


def licence(name: str) -> str | None:
    """Return the stated licence of an installed package as an SPDX expression; None if it is not installed."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return None
    classifiers = [text.rpartition(" :: ")[2] for text in said.get_all("Classifier", []) if text.startswith("License")]
    for text in (said.get("License-Expression"), said.get("License"), *classifiers):
        spdx = SAME.get(text or "", text or "")
        if spdx and not unknown(spdx):
            return spdx
    return "unknown"


def unknown(expression: str) -> set[str]:
    """Return the parts of an expression that are not compatible licences.

    Example:
        >>> unknown("MIT AND (GPL-3.0-only OR Zlib)"), unknown("MIT AND GPL-3.0-only"), unknown("")
        (set(), {'GPL-3.0-only'}, {''})
    """
    left: set[str] = set()
    for part in re.split(r"\s+AND\s+(?![^(]*\))", expression):
        choices = set(re.split(r"\s+OR\s+", part.strip("() ")))
        if not choices & COMPATIBLE:
            left |= choices
    return left


def written() -> Iterator[tuple[str, str, str]]:
    """Yield the rows of the current table."""
    text = TABLE.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    for line in text.splitlines()[3:]:
        name, said, needed = (cell.strip() for cell in line.strip("|").split("|"))
        yield name, said, needed.removeprefix("extra ").strip("`").removesuffix(" (not in the action and the image)")


def table() -> str:
    """Return the file with the table generated again."""
    lines = ["| package | licence | needed by |", "| --- | --- | --- |"]
    said_of = {"": "", ONLY_PIP: "pip (not in the action and the image)"}
    lines += [f"| {name} | {said} | {said_of.get(extra, f'extra `{extra}`')} |" for name, said, extra in rows()]
    before, _, rest = TABLE.read_text(encoding="utf-8").partition(START)
    return "\n".join([before + START, *lines, END + rest.partition(END)[2]])


def main() -> None:
    """Write the table, or check it."""
    fresh = table()
    bad = [f"{name}: {said}" for name, said, _ in rows() if unknown(said)]
    if bad:
        raise SystemExit(f"not known to be compatible with Apache-2.0: {'; '.join(bad)}")
    if sys.argv[1:] == ["--write"]:
        TABLE.write_text(fresh, encoding="utf-8")
    elif sys.argv[1:] != ["--check"]:
        raise SystemExit(__doc__)
    elif fresh != TABLE.read_text(encoding="utf-8"):
        raise SystemExit(f"{TABLE.name} is stale: run `make licences`")


if __name__ == "__main__":
    main()
