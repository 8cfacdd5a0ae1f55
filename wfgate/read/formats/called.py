"""The local files that a workflow calls: they decide what it does, although its own bytes stay the same."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document, Path
from wfgate.read.documents.fences import fenced_blocks

COMMANDS = frozenset(
    {
        *("run", "command", "commands", "cmd", "script", "scripts", "before_script", "after_script", "shell", "exec"),
        *("args", "source", "entrypoint", "pre_get_sources_script"),
    }
)
"""Keys whose values are commands, in any format."""
ACTION = ("action.yml", "action.yaml", "Dockerfile")
"""What an action of GitHub is, in its folder."""
MAX_CALLS = 1_000
"""Most different names in a text that are looked at."""
MAX_NAME = 500
"""A longer name is none of a file."""
_PROGRAMS = frozenset(
    {
        *(".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".py", ".js", ".mjs", ".cjs", ".ts", ".mts"),
        *(".rb", ".pl", ".php", ".lua", ".r", ".jl", ".go", ".mk", ".gradle"),
    }
)
_EXPRESSION = re.compile(r"\$\{\{[^{}]*\}\}|\$\((?:dirname|pwd|git rev-parse)\b[^()]*\)|\$\{[^{}]*\}|\$\w+|%\w+%")
"""What stands for a folder before a path; every known folder is tried in its place."""
_WORD = re.compile(r"(?<![\w.@+/\\-])[\w.@+/\\-]*[\w@+]")
_INTERPRETED = re.compile(
    r"(?:^|[\s;&|(`])(?:bash|sh|zsh|source|\.|python[\d.]*|node|ruby|perl|pwsh|Rscript|ansible-playbook)"
    r"(?:\s+-(?!m\b)[\w-]+)*\s+[\"']?(?!-)([\w.@+/\\-]*[\w@+])"
)
_MODULE = re.compile(r"python[\d.]*(?:\s+-(?!m\b)\w+)*\s+-m\s+([\w.]+)")
_FOLDER = re.compile(r"(?:^|[\s;&|(])(?:cd|pushd)[ \t]+[\"']?([\w.@+/-]+)|\bmake[ \t]+-C[ \t]*[\"']?([\w.@+/-]+)")
_FIRST = r"(?:^|[;&|({`!]|\b(?:if|then|else|do|time|exec|sudo)[ \t])[ \t]*"
_BUILDS = (
    (re.compile(rf"{_FIRST}make(?=\s|$|[`;&|)])", re.MULTILINE), ("Makefile", "makefile", "GNUmakefile")),
    (re.compile(rf"{_FIRST}just(?=\s|$|[`;&|)])", re.MULTILINE), ("justfile", "Justfile", ".justfile")),
)
"""Commands that run what a file of a fixed name says."""
_NO_NAME = re.compile("[\0-\x1f\ud800-\udfff]")
_SIGNS = re.compile(
    r"\b(?:bash|sh|zsh|source|python[\d.]*|node|ruby|perl|pwsh|Rscript|ansible-playbook|make|just)\b"
    r"|\b(?:include|implementation)\b"
)
"""Words of a text that may call local files without naming a program by its suffix."""
_TOLD = re.compile(r"\b(?:run|execute|call|invoke|launch)\s+[`\"']?([\w.@+/\\-]*[\w@+])", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]+)`")


class Call(NamedTuple):
    """A call of a local file.

    Attributes:
        places: Where the file may be, relative to the top of the repository; `/` separates folders.
        span: Where the call is.
        folder: The pattern of the files below that are called, if the places are folders; None for files.
    """

    places: tuple[str, ...]
    span: SourceSpan | None = None
    folder: str | None = None


def call(name: str, *folders: str, span: SourceSpan | None = None, folder: str | None = None) -> Iterator[Call]:
    """Yield the call of a name in one of several folders; nothing if none of the places is in the repository.

    Example:
        >>> [*call("./tools/x.sh", "", "app")][0].places, [*call("../x.sh", "")]
        (('tools/x.sh', 'app/tools/x.sh'), [])
    """
    name = name.replace("\\", "/").lstrip("/")
    if not name or len(name) > MAX_NAME or _NO_NAME.search(name):
        return
    places = (posixpath.normpath(posixpath.join(each, name)) for each in dict.fromkeys(folders))
    inside = tuple(place for place in places if place != ".." and not place.startswith("../"))
    if inside:
        yield Call(inside, span, folder)


def called_by_commands(text: str, *folders: str, span: SourceSpan | None = None) -> Iterator[Call]:
    """Yield the calls of local programs in commands: names that look like one, wherever they stand.

    Only files of the repository count in the end, so that other words do no harm. Cost: linear in the text.

    Args:
        text: The commands, or a whole program.
        folders: The folders in which they may run.
        span: Where the text is.

    Example:
        >>> [called.places for called in called_by_commands("cd app && bash -e ci/test.sh --all; make", "")]
        [('ci/test.sh', 'app/ci/test.sh'), ('Makefile', 'app/Makefile'), ('makefile', 'app/makefile'), \
('GNUmakefile', 'app/GNUmakefile')]
    """
    text = _EXPRESSION.sub("", text)
    entered = [posixpath.join(each, one or two) for one, two in _FOLDER.findall(text)[:10] for each in folders]
    names = [word for word in _WORD.findall(text) if _is_program(word)]
    names += _INTERPRETED.findall(text)
    for module in _MODULE.findall(text):
        path = module.replace(".", "/")
        names += [f"{path}.py", f"{path}/__main__.py"]
    for command, files in _BUILDS:
        names += files if command.search(text) else ()
    for name in list(dict.fromkeys(names))[:MAX_CALLS]:
        yield from call(name, *folders, *entered, span=span)


def called_by_values(document: Document, *folders: str) -> Iterator[Call]:
    """Yield the calls of local programs in a document of any format.

    In data, commands stand under the keys of `COMMANDS`. In prose, commands are code of several words, and what a
    sentence says to run.
    """
    if document.data is None:
        blocks = {block.line: block for block in fenced_blocks(document.text)}
        end = 0
        for number, line in enumerate(document.text.split("\n"), start=1):
            place = SourceSpan(line=document.lines_above + number, column=1)
            if number in blocks:
                end = blocks[number].end
                yield from called_by_commands(blocks[number].text, *folders, span=place)
            elif number > end:
                yield from _called_by_prose(line, place, *folders)
        return
    for path, text in _texts(document.data):
        span = document.span(*path)
        if COMMANDS.isdisjoint(path):
            yield from _called_by_prose(text, span, *folders)
        else:
            yield from called_by_commands(text, *folders, span=span)


def may_call(text: str) -> bool:
    """Return whether a text may call local files: quick, and true too often."""
    return _SIGNS.search(text) is not None or any(_is_program(match[0]) for match in _WORD.finditer(text))


def value_at(data: Any, *path: str | int) -> Any:
    """Return the value at a path; None without one."""
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def items(value: Any) -> list[Any]:
    """Return a list, or another value as its only item; none for None."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _is_program(word: str) -> bool:
    """Return whether a word has the suffix of a program, or is a path whose last part has none."""
    name = re.split(r"[/\\]", word)[-1]
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        return f".{suffix.lower()}" in _PROGRAMS
    return name != word and name not in {"", "."}


def _called_by_prose(text: str, span: SourceSpan | None, *folders: str) -> Iterator[Call]:
    code = [one for one in _CODE.findall(text) if one.startswith("./") or " " in one.strip()]
    told = [one for one in _TOLD.findall(text) if _is_program(one)]
    for part in (*code, *told):
        yield from called_by_commands(part, *folders, span=span)


def _texts(data: Any) -> Iterator[tuple[Path, str]]:
    waiting: list[tuple[Path, Any]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            yield path, "\n".join(value)  # a command as a list of words, or several commands
        elif isinstance(value, list):
            waiting += [((*path, at), item) for at, item in enumerate(value)]
        elif isinstance(value, dict):
            waiting += [((*path, key), item) for key, item in value.items()]
