"""Hostile documents of any size and format: graphs, long texts, much of anything, the same again and again."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from wfgate.read import document_of

from .format_graphs import GRAPHS, Links
from .format_seeds import SEEDS

Make = Callable[[int], str]
"""A document of about that many characters."""

SHAPES: dict[str, Callable[[int], Links]] = {
    "chain": lambda n: [(k, k + 1) for k in range(n - 1)],
    "cycle": lambda n: [(k, (k + 1) % n) for k in range(n)],
    "back": lambda n: [*((k, k + 1) for k in range(n - 1)), *((k, 0) for k in range(1, n))],
    "into one": lambda n: [(k, n - 1) for k in range(n - 1)],
    "out of one": lambda n: [(0, k) for k in range(1, n)],
    "ladder": lambda n: [(k, k + d) for k in range(n - 2) for d in (1, 2)],
    "dangling": lambda n: [(k, n + k) for k in range(n)],
    "dangling into one": lambda n: [(n + k, 0) for k in range(n)],
    "twice": lambda n: [(0, 1)] * n,
    "two layers": lambda n: [(a, n - 1 - b) for w in [int(n**0.5)] for a in range(w) for b in range(w)],
    "no links": lambda _n: [],
}
"""Links by the number of nodes."""
MOST_NODES = 19_000
"""Below the limit of tasks: a document beyond it is refused at once."""

PARTS = [
    *("a", "a ", "(", "((a) ", "[", "{", "{{", "{{a}} ", "${{ a }} ", "${{ ", "$('a')", "$.a", "a.b.", "!"),
    *("-", "->", "--", "&&", " and ", " or not ", "|", "`", "``` ", "*", "_", "\\", "%", "%% ", "#", "<"),
    *("<br/>", "<!--", "&amp;", "<a>", ": ", "/*", "//", "1. ", "a, ", "T001 ", "step 1 ", "if a ", "then "),
    *("a\n", "\n\n", "é", "\u3000", "'", "=", "~", "$", " \n", "a=b ", "- a\n", "\t"),
]
"""What long texts consist of."""
FEWER = 26
"""Each place of a document gets two or three of them: all of them in all places would take an hour."""
RAW = [
    *("[", '{"a":', "<a>", "- ", "> ", "(", "a: ", "# ", "{{", "```\n", "~~~\n\n", "1. a\n", "- [ ] a\n"),
    *("a\n", "a ", "\n", "a: b\n", "&a [*a, ", "graph TD\n", "a --> b\n", "Node:\n", "Edge: ", "<!--"),
    *("<definitions ", "graph {"),
    *("/*", "workflow a {", "---\na: b\n", '"', "\\", "\u2028", "%%{", "subgraph a\n", "task a;", "|a"),
    *("<?a ", "  - a\n", '{"', "x:\n "),
]
"""What whole documents consist of."""


def graph(make: Callable[..., str], shape: str, size: int) -> str:
    """A document of about that size: as many nodes as there may be, with names as long as it takes."""
    sample = 200
    each = len(make(["s"] * sample, SHAPES[shape](sample))) / sample
    nodes = min(MOST_NODES, int(size / (each + 3)))
    spare = max(1, int(size / nodes - each - 3))
    return make([("step " * (spare // 5 + 1))[:spare].strip()] * nodes, SHAPES[shape](nodes))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every path into the data."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The data with another value at a path."""
    if not path:
        return value
    copied = data.copy()
    copied[path[0]] = put(data[path[0]], path[1:], value)
    return copied


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def many(value: Any, size: int) -> Any:
    """What a list or a mapping holds, again and again."""
    times = size // len(json.dumps(value)) + 1
    if isinstance(value, list):
        return value * times
    return {f"{key}{'_' * bool(k)}{k or ''}": part for k in range(times) for key, part in value.items()}


def texts(format_id: str) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Where a long text may stand in a document of a format."""
    data = document_of(SEEDS[format_id], "x").data
    if isinstance(data, dict):
        for path in places(data):
            if isinstance(at(data, path), str | int | float):
                yield ".".join(map(str, path)), lambda text, path=path: json.dumps(put(data, path, text))
        return
    seed = SEEDS[format_id]
    escape = (lambda text: text.replace("&", "&amp;").replace("<", "&lt;")) if seed.startswith("<") else str
    for word in dict.fromkeys(word for word in seed.replace('"', " ").split() if word.isalnum()):
        before, _, after = seed.partition(word)
        yield word, lambda text, before=before, after=after: before + escape(text) + after


def graphs(format_id: str) -> Iterator[tuple[str, Make]]:
    """Graphs of every shape."""
    for shape in SHAPES:
        for make in GRAPHS[format_id]:
            yield f"{make.__name__}, {shape}", lambda size, make=make, shape=shape: graph(make, shape, size)


def long_texts(format_id: str) -> Iterator[tuple[str, Make]]:
    """Long texts where a text may stand."""
    for place, (where, make) in enumerate(texts(format_id)):
        for part in PARTS[place % FEWER :: FEWER]:
            yield f"{part!r} at {where}", lambda size, make=make, part=part: make(part * (size // len(part)))


def much_of_anything(format_id: str) -> Iterator[tuple[str, Make]]:
    """What a list or mapping holds, many times."""
    data = document_of(SEEDS[format_id], "x").data
    for path in places(data):
        value = at(data, path)
        if isinstance(value, list | dict) and value:
            name = f"many at {'.'.join(map(str, path))}"
            yield name, lambda size, path=path, value=value: json.dumps(put(data, path, many(value, size)))


def again_and_again(format_id: str | None) -> Iterator[tuple[str, Make]]:
    """The same part behind a document, or alone."""
    head = "" if format_id is None else SEEDS[format_id]
    for part in RAW:
        yield f"{part!r} behind", lambda size, part=part: head + part * (size // len(part))


def aliases(_format_id: str | None) -> Iterator[tuple[str, Make]]:
    """YAML that stands for far more than it says."""
    for width in (2, 10, 1000):
        rows = [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * width)}]\n" for k in range(1, 90)]
        yield f"aliases, {width}", lambda _size, rows=rows: "a0: &a0 x\n" + "".join(rows)
