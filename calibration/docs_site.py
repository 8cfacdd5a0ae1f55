"""Adds files outside of docs/ to the site that mkdocs builds: every file that a page links to.

A page links to files of the repository by relative paths (`../SECURITY.md`), so that the links also work where the
pages are read as plain Markdown. The documents for readers become pages; all other files are copied as they are.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
PAGES = {
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "calibration/lab-book.md": "lab-book.md",
    "calibration/beside-others.md": "beside-others.md",
}
LINK = re.compile(r"(\]\()((?:\.\./)*[\w./-]+?)(/?(?:#[\w-]+)?\))")


def on_files(files: Any, config: Any) -> Any:
    """Add the linked files of the repository to those of the site."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    for file in list(files.documentation_pages()):
        for match in LINK.finditer(file.content_string):
            source = _source(match[2], file.src_uri)
            if source and source not in PAGES and files.get_file_from_path(_copied(source)) is None:
                added = File.generated(config, _copied(source), abs_src_path=str(ROOT / source))
                files.append(added)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links to files of the repository point to where they are in the site."""
    here = page.file.src_uri

    def there(match: re.Match[str]) -> str:
        source = _source(match[2], here)
        inside = _path(match[2], here).removeprefix("docs/")
        if source is None and (here not in PAGES.values() or not (ROOT / "docs" / inside).is_file()):
            return match[0]
        target = inside if source is None else PAGES.get(source) or _copied(source)
        return match[1] + posixpath.relpath(target, posixpath.dirname(here)) + match[3]

    return LINK.sub(there, markdown)


def _source(link: str, page: str) -> str | None:
    """Return the file of the repository that a link of a page leads to; None if it is in docs/ or does not exist."""
    path = _path(link, page)
    inside = path.startswith(("docs/", ".."))
    return None if inside or not (ROOT / path).is_file() else path


def _path(link: str, page: str) -> str:
    """Return the path in the repository that a link of a page leads to."""
    of = next((source for source, name in PAGES.items() if name == page), f"docs/{page}")
    return posixpath.normpath(posixpath.join(posixpath.dirname(of), link))


def _copied(source: str) -> str:
    """Return where a file is copied: Markdown as text, because it is no page of the site."""
    hidden = source.removeprefix(".").replace("/.", "/")
    return f"repository/{hidden}.txt" if source.endswith((".md", ".yml", ".yaml")) else f"repository/{hidden}"
