"""Writes the generated parts of docs/, or checks that they are up to date.

Generated are a page per check and per format, the tables and sections between markers in other pages (README, docs/,
CONTRIBUTING, and the lab book in calibration/), the figures (of the shipped profile, and of the results of
`make bench-peers`), and the output of the commands in the pages that are run (see `docs_commands.py`). The stubs of
the rooms are written, too.

usage: docs.py --write | --check [--slow] [PAGE ...]

With PAGE, only the commands of these pages are run; those of slow pages are run with --slow.
"""

import inspect
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "bench" / "peers"))

import beside
import docs_commands
import docs_doors
import docs_numbers
import docs_pictures
import docs_reference

from wfgate.base import summary_of
from wfgate.calibration import PERTURBATIONS
from wfgate.catalogue import FACTS
from wfgate.compare import METRICS
from wfgate.decide import RUN_CHECKS
from wfgate.language.embedders import EMBEDDERS
from wfgate.language.meaning import MEANING_MODELS
from wfgate.read import FORMATS
from wfgate.rules.checks import ABSOLUTE, OWN, RELATIVE
from wfgate.show import REPORTERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RESULTS = ROOT / "calibration" / "bench" / "results"
ADAPTERS = ROOT / "examples" / "adapters"
LAB = [ROOT / name for name in ("CONTRIBUTING.md", "calibration/lab-book.md", "calibration/beside-others.md")]
"""Pages with measurements for those who work on wfgate; nothing in them is run."""
CHECKS: dict[str, Any] = {**ABSOLUTE, **RELATIVE, **OWN, **RUN_CHECKS}
WARNING = "<!-- Generated from {source} by `make docs`: do not edit. -->"
VALUE_CLASSES = {
    "effect": "A changed value has an effect; it blocks",
    "argument": "An argument: another number, switch, word or command blocks; another text leads to a review",
    "structure": "The value is read as steps, links or conditions; the checks of these compare it",
    "text": "The value is a text; it is compared as a text",
    "identity": "The value says which workflow this is, for what replaces or calls it; another leads to a review",
    "unknown": "What a changed value means is not known; it leads to a review",
    "presentation": "A changed value has no effect",
}
"""What a class of the tables in `wfgate/data/consequences` means."""


# --- the parts ---
def cell(text: str) -> str:
    """Return a text as it stands in a cell of a table."""
    return text.replace("|", "&#124;").replace("\n", " ")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def ids(entries: Mapping[str, Any], link: str = "") -> str:
    """Return a table of ids and one-sentence descriptions; `link` is the target of an id, with `{}` for the id."""
    rows = [
        (f"[`{name}`]({link.format(name)})" if link else f"`{name}`", cell(summary_of(entry)))
        for name, entry in entries.items()
    ]
    return table(("id", "what"), rows)


def checks_table() -> str:
    """Return the table of all checks with their levels and defects."""
    rows = [
        (f"[`{name}`]({name}.md)", level(check), check.defect, cell(summary_of(check)))
        for name, check in CHECKS.items()
    ]
    return table(("id", "level", "defect", "what"), rows)


def level(check: Any) -> str:
    """Return the default level of a check, and whether it reports proven changes."""
    return f"{check.severity}{', proven' * getattr(check, 'proven', False)}"


def documentation(entry: Any) -> str:
    """Return the documentation that `wfgate explain` shows."""
    documented = entry if isinstance(entry, type) else type(entry)
    return str(entry.documentation if hasattr(entry, "documentation") else inspect.getdoc(documented) or "")


def paragraphs(text: str) -> str:
    """Return a text of a docstring as Markdown: doctests and indented lines become blocks of code."""
    parts = []
    for part in map(textwrap.dedent, re.split(r"\n\s*\n", text.strip("\n"))):
        if part.startswith(">>> "):
            parts.append(f"```pycon\n{part}\n```")
        else:
            parts.append(part.replace("``", "`"))
    return "\n\n".join(parts)


def markdown(docstring: str, heading: str) -> str:
    """Return a docstring without its first line as Markdown; its sections get headings."""
    text = docstring.partition("\n")[2].strip("\n")
    made = []
    for block in re.split(r"(?m)^(?=\S[^\n]*:\n(?:\n*    ))", text):
        title, found, body = block.partition(":\n")
        if found and "\n" not in title and body.startswith("    "):
            end = next((line.start() for line in re.finditer(r"^(?=\S)", body, re.MULTILINE)), len(body))
            made += [f"{heading} {title}", paragraphs(textwrap.dedent(body[:end])), paragraphs(body[end:])]
        else:
            made.append(paragraphs(block))
    return "\n\n".join(part for part in made if part.strip())


def sections(entries: Mapping[str, Any], heading: str = "##") -> str:
    """Return a section for each entry: its documentation."""
    made = [f"{heading} {name}\n\n{documented(entry, heading + '#')}" for name, entry in entries.items()]
    return "\n\n".join(made)


def documented(entry: Any, heading: str) -> str:
    """Return the whole documentation of an entry as Markdown."""
    return "\n\n".join(filter(None, (summary_of(entry), markdown(documentation(entry), heading))))


# --- the pages ---
def check_page(name: str, check: Any) -> str:
    """Return the page of a check."""
    level_set = f'The default level is `{level(check)}`. To set another one: `{check.defect} = "off"` under `[checks]`'
    how = "" if name in RUN_CHECKS else f"{level_set} (see [policy](../policy.md))."
    return "\n\n".join(
        filter(
            None,
            (
                WARNING.format(source="the docstring of the check"),
                f"# {name} {check.defect}",
                summary_of(check),
                how,
                markdown(documentation(check), "##"),
                "[All checks](index.md)",
            ),
        )
    )


def format_page(name: str, entry: Any) -> str:
    """Return the page of a format."""
    parts = [
        WARNING.format(source="the docstring of the reader"),
        f"# {name}",
        summary_of(entry),
        markdown(documentation(entry), "##"),
        values(name),
        "[All formats](index.md)",
    ]
    return "\n\n".join(filter(None, parts))


def values(name: str) -> str:
    """Return the section that says what a changed value of a format means; empty if the format has no table."""
    file = files("wfgate") / "data" / "consequences" / f"{name}.toml"
    if not file.is_file():
        return ""
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    rows = [
        (VALUE_CLASSES[kind] + (f" (dialect {dialect})" if dialect else ""), ", ".join(f"`{path}`" for path in paths))
        for dialect, classes in {"": read["classes"], **read.get("dialects", {})}.items()
        for kind in VALUE_CLASSES
        if (paths := classes.get(kind))
    ]
    about = (
        "Every value of a file is compared, also those that the reader does not use. `*` stands for any key and `**`"
        " for all keys below. If several paths fit, the most specific one decides."
    )
    return f"## What a changed value means\n\n{about}\n\n{table(('consequence', 'values'), rows)}"


def source(path: Path) -> str:
    """Return a file of Python as a block of code."""
    return f"```python\n{path.read_text(encoding='utf-8')}```"


def measured(path: Path) -> str:
    """Return the output of a section of `make bench`, its headings one level down."""
    return re.sub(r"(?m)^#", "##", path.read_text(encoding="utf-8").strip())


PARTS: dict[str, Callable[[], str]] = {
    "checks": checks_table,
    "formats": lambda: ids(FORMATS, "{}.md"),
    "metrics": lambda: ids(METRICS, "#{}"),
    "metrics-sections": lambda: sections(METRICS),
    "perturbations": lambda: ids(PERTURBATIONS, "#{}"),
    "perturbations-sections": lambda: sections(PERTURBATIONS),
    "embedders": lambda: sections(EMBEDDERS),
    "meaning-models": lambda: sections(MEANING_MODELS),
    "reporters": lambda: ids(REPORTERS),
    "facts": lambda: ids(FACTS),
    "first-number": docs_numbers.first,
    "numbers": docs_numbers.actionable,
    "commands": docs_reference.commands,
    "settings": docs_reference.settings,
    **{f"adapter-{path.parent.name}": partial(source, path) for path in sorted(ADAPTERS.glob("*/*.py"))},
    **{f"bench-{path.stem}": partial(measured, path) for path in sorted(RESULTS.glob("*.md"))},
    "peers-setup": lambda: beside.setup(beside.read()),
    "peers-better": lambda: beside.better(beside.read()),
    "peers-results": lambda: beside.sections(beside.read()),
    "peers-same": lambda: beside.unchanged(beside.read()),
    "peers-cost": lambda: beside.costs(beside.read()),
    "peers-missing": lambda: beside.missing(beside.read()),
}
"""What stands between the markers `<!-- generated: NAME -->` and `<!-- end: NAME -->`, once in all pages."""


def filled(text: str, used: set[str]) -> str:
    """Return a page with its generated parts made again; adds their names to `used`."""

    def part(match: re.Match[str]) -> str:
        name = match[1]
        used.add(name)
        return f"<!-- generated: {name} -->\n{PARTS[name]()}\n<!-- end: {name} -->"

    return re.sub(r"<!-- generated: ([\w-]+) -->\n.*?<!-- end: \1 -->", part, text, flags=re.DOTALL)


def pages(chosen: set[Path], *, slow: bool) -> Iterator[tuple[Path, str]]:
    """Yield each page with generated parts: path and text. Only the commands of the chosen pages are run."""
    used: set[str] = set()
    for path in (*docs_commands.written_pages(ROOT), *LAB):
        text = filled(path.read_text(encoding="utf-8"), used)
        yield path, docs_commands.with_output(text, ROOT, slow=slow) if path in chosen else text
    if used != PARTS.keys():
        raise SystemExit(f"no markers for: {', '.join(sorted(PARTS.keys() - used))}")
    for name, check in CHECKS.items():
        yield DOCS / "checks" / f"{name}.md", check_page(name, check) + "\n"
    for name, entry in FORMATS.items():
        yield DOCS / "formats" / f"{name}.md", format_page(name, entry) + "\n"
    for name, picture in {**docs_pictures.pictures(), **beside.pictures(beside.read())}.items():
        yield DOCS / "pictures" / name, picture


def main() -> None:
    """Write the generated parts, or check them."""
    if sys.argv[1:2] not in (["--write"], ["--check"]):
        raise SystemExit(__doc__)
    named = {Path(name).resolve() for name in sys.argv[2:] if name != "--slow"}
    fresh = dict(docs_doors.stubs(ROOT / "wfgate")) | dict(
        pages(named or set(docs_commands.written_pages(ROOT)), slow="--slow" in sys.argv)
    )
    old = {path: path.read_text(encoding="utf-8") if path.is_file() else "" for path in fresh}
    stale = [path for path, text in fresh.items() if text != old[path]]
    made = {path for path in fresh if path.parent in (DOCS / "checks", DOCS / "formats")}
    gone = {path for name in ("checks", "formats") for path in (DOCS / name).glob("*.md")} - made
    if sys.argv[1] == "--check" and (stale or gone):
        names = ", ".join(str(path.relative_to(ROOT)) for path in sorted({*stale, *gone}))
        raise SystemExit(f"not up to date: {names}: run `make docs`")
    if sys.argv[1] == "--write":
        for path in stale:
            path.write_text(fresh[path], encoding="utf-8")
        for path in gone:
            path.unlink()


if __name__ == "__main__":
    main()
