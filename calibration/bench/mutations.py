"""Single changes of workflow files, made in the text of the file and in its own syntax.

A file is divided into *parts*: ranges of its text, each with a role. In YAML and JSON they are the nodes of the parsed
text, and the key says the role; in BPMN, Mermaid, DOT, XXP, Markdown and WorFBench texts they are found by one regular
expression per role. All other characters stay as they are, with comments, anchors and tags.

- condition: a condition of a step, link or rule; it is negated, or gets another operator or literal, or is always true
- target: the id of another step (a dependency, the end of a link, a datum); another id of the file replaces it
- link, case: an item of a list of links or rules, and step: a step; removed, repeated, exchanged with the next one
- command, image, number, text, value: a value, of which one word or number changes; a word of `SWITCHED` is exchanged
- operator: a key that is an operator; another operator replaces it
- setting: an entry of a mapping, which is removed or exchanged with the next one (no change of the workflow)

Further mutations add an entry to a step or link (`ADDED`), add a remark and rename an id everywhere.

Which mutations of a file are made follows from hashes of their kinds and places, so that a further file changes no
other choice. A mutated file need not be a readable workflow.
"""

import hashlib
import json
import re
import runpy
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from wfgate.errors import FormatError
from wfgate.read import read_text, write

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "read" / "formats" / "data"
SEEDS = ROOT / "tests" / "read" / "formats" / "format_seeds.py"
WRITTEN = ("native", "mermaid", "dot")
"""Formats in which real files are written once more, to be changed there."""
PER_FILE = 14
"""Mutations per file."""
PER_SEED = 40
"""Mutations of a small document, of which there is one per format."""
PER_WRITTEN = 4
"""Mutations per real file and format in which it is written once more."""
ENDING = {
    "native": "yaml",
    "graph-json": "json",
    "markdown": "md",
    "mermaid": "mmd",
    "n8n": "json",
    "dot": "dot",
    "xxp": "xxp",
    "worfbench": "txt",
    "instructions": "instructions.md",
}
"""Endings of the names of documents that are no files, by format."""

_ROLES = {
    "condition": "if when expr condition Condition expression depends while join until",
    "target": """needs dependencies from to Next Default StartAt then source target node entrypoint template extends
        stage inputs outputs attachedTo default data workflow""",
    "link": "flow edges needs dependencies dataflow task_links connections inputs outputs",
    "case": "rules Choices cases conditions switch Catch Retry",
    "step": "steps tasks nodes do branches Branches try States jobs script gateways task_nodes templates",
    "command": "run script before_script after_script command cmd args source code jsCode",
    "image": "image uses action Resource call type",
    "text": "name title description Comment label",
}
ROLES = {role: frozenset(keys.split()) for role, keys in _ROLES.items()}
"""The role of the values of a key in YAML and JSON. `link`, `case` and `step` are roles of the items below a key."""
_NAMES = ("id", "name", "title")
_MARKS = re.compile(r"(?s)(\s*(?:[$#]\{\{?|=?\{\{|\{%)\s*)((?:(?![%}]\}).)*?)(\s*[%}]?\}\s*)")
"""A condition with marks around it, as `${{ ... }}`."""
_COMPARISON = re.compile(r"(?:String|Numeric|Boolean|Timestamp)\w+|Is(?:Present|Null|String|Numeric)")
"""Keys that are operators: rules of Amazon States Language."""

_EXCHANGED = (
    *(("==", "!="), ("===", "!=="), ("<=", ">"), (">=", "<"), ("=~", "!~"), ("=", "≠"), ("&&", "||")),
    *((" and ", " or "), (" is ", " is not "), ("yes", "no"), ("any", "all"), ("IsPresent", "IsNull")),
    *(("success()", "failure()"), ("always()", "success()"), (".Succeeded", ".Failed")),
    *(("Equals", "LessThan"), ("GreaterThan", "LessThan")),
)
OPERATORS = {old: new for pair in _EXCHANGED for old, new in (pair, pair[::-1])}
"""Each operator of conditions with the one that replaces it; the longest that occurs is replaced."""
_WORDS = (
    *(("true", "false"), ("read", "write"), ("always", "never"), ("on_success", "on_failure"), ("success", "failure")),
    *(("XOR", "AND"), ("and", "or"), ("equals", "notEquals"), ("is", "is not"), ("empty", "not empty"), ("=", "≠")),
    *(("contains", "not contains"), ("production", "staging"), ("main", "develop"), ("manual", "delayed")),
    *(("until", "while"), ("dag", "token"), ("error", "warning"), ("latest", "edge"), ("Wait", "Pass")),
)
SWITCHED = {old: new for pair in _WORDS for old, new in (pair, pair[::-1])}
"""Each keyword with the one that replaces it."""
NEGATED = {"github-actions": "!({})", "argo": "!({})", "bpmn": "!({})", "serverless": "({} | not)", "n8n": "!({})"}
"""How a condition of a format is negated; `not (...)` in the others."""
ADDED = {
    "github-actions": ("step", 'if: "false"', "if: always()", "continue-on-error: true", "environment: production"),
    "gitlab-ci": ("step", "when: manual", "when: always", "allow_failure: true", "environment: production"),
    "argo": ("step", 'when: "1 == 2"', 'when: "1 == 1"', "withItems: [1, 2]"),
    "serverless": ("step", 'if: "${ .x > 3 }"', 'if: "${ true }"', "then: end"),
    "n8n": ("step", '"disabled": true', '"onError": "continueErrorOutput"'),
    "native": ("link", "guard: {expr: x > 3}", "guard: {expr: now() < x}", "outcome: failure", "back: true"),
}
"""The entries that are added to a part with this role."""


@dataclass(frozen=True)
class Grammar:
    """How parts are found in a text that is neither YAML nor JSON: one regular expression per role.

    Attributes:
        parts: By role; the group `part` is the part, else the whole match.
        remark: A remark, which is added at the end of a line.
    """

    parts: dict[str, str]
    remark: str


_DRAWN = {
    "condition": r"""\|"?(?P<part>[^|"\n]+)"?\||->[^\n]*\blabel="(?P<labelled>[^"\n]+)" *\];?""",
    "text": r"""(?:[\[({]"?|^ *"[^"\n]+" \[label=")(?P<part>[^\W\d][^"\[\](){}|;\n=]+)(?=["\])}])""",
    "link": r"^.*->.*\n",
    "step": r"""^ *(?!(?:di|sub)?graph\b|flowchart\b|node\b|edge\b)"?\w+"? *[\[({@](?:(?!->).)*\n""",
    "target": r"""->(?:\|[^|\n]*\|)? *(?P<part>\w+|"[^"\n]+")""",
}
GRAMMARS = {
    "mermaid": Grammar(_DRAWN, "%% A remark\n"),
    "dot": Grammar(_DRAWN, "// A remark\n"),
    "xxp": Grammar(
        {
            "condition": r'condition "(?P<part>[^"]+)"',
            "value": r'(?:implementation|description|dependency|path) "(?P<part>[^"]+)"',
            "number": r"param \w+ = (?P<part>\d+)",
            "link": r" *EXCLUSIVE_1 [^;]*;|D --> [^;]*;| PARALLEL_1 -> [^;]*;",
            "step": r"^ *(?:define|configure) task .*\n",
            "target": r"-> (?P<part>\w+)",
        },
        "// A remark\n",
    ),
    "markdown": Grammar(
        {
            "condition": r"[Ii]f (?P<part>[^,\n]+),",
            "text": r"^(?:- \[.\] |\d+\. |   - )(?P<part>.+)$",
            "step": r"^(?:- \[.\] |\d+\. ).*\n",
            "link": r" \(depends on [^)]*\)| go back to step \d+",
            "target": r"(?:depends on|step) (?P<part>\w+)",
            "number": r"T00(?P<part>\d)",
        },
        "<!-- A remark -->\n",
    ),
    "instructions": Grammar(
        {
            "condition": r"[Ii]f (?P<part>[^,\n]+),",
            "text": r"^(?:- |\d+\. |#+ )(?P<part>.+)$",
            "step": r"^(?:- |\d+\. ).*\n",
        },
        "<!-- A remark -->\n",
    ),
    "worfbench": Grammar(
        {
            "text": r"^\d+: *(?P<part>.+)$",
            "step": r"^\d+:.*\n",
            "link": r" ?\(\w+, ?\w+\)",
            "target": r"\(\w+, ?(?P<part>\w+)\)",
        },
        "",
    ),
    "bpmn": Grammar(
        {
            "condition": r"<(?:\w+:)?conditionExpression[^>]*>(?:<!\[CDATA\[)?(?P<part>[^<\]]+)",
            "text": r'''\bname="(?P<part>[^"\n]+)"''',
            "value": r'''\b(?:isInterrupting|cancelActivity|isSequential|gatewayDirection)="(?P<part>\w+)"''',
            "step": r"<((?:\w+:)?(?:\w*[tT]ask|callActivity))\b(?:[^>]*/>|.*?</\1>)",
            "link": r"<((?:\w+:)?(?:sequenceFlow|messageFlow|dataInputAssociation))\b(?:[^>]*/>|.*?</\1>)",
            "target": r'''\b(?:targetRef|sourceRef|attachedToRef|default)="(?P<part>[^"]+)"''',
            "case": r"<((?:\w+:)?(?:\w+EventDefinition|boundaryEvent|\w+Gateway))\b(?:[^>]*/>|.*?</\1>)",
            "command": r"<(?:\w+:)?(?:script|timeDuration|documentation|text)\b[^>]*>(?P<part>[^<]+)",
        },
        "<!-- A remark -->\n",
    ),
}


@dataclass(frozen=True)
class File:
    """A workflow file: its name in the names of cases, the id of its format, its file name and its text."""

    name: str
    format: str
    file: str
    text: str


@dataclass(frozen=True)
class Mutation:
    """One changed file: what was done ("condition negated"), where, and the new text."""

    kind: str
    place: str
    text: str


@dataclass(frozen=True)
class Part:
    """A range of a text.

    Attributes:
        role: See the module.
        place: Path of keys with dots, or the line.
        start: First character.
        end: Behind the last character.
        dropped: The range without which the file lacks this part, from and to.
        between: What stands between this part and the next one; None if it cannot be repeated.
        after: Start and end of the next part of the same list; None for the last one.
        quoted: Whether another text can stand here as it is; else it is written in quotes.
        name: Start and end of its name or id.
    """

    role: str
    place: str
    start: int
    end: int
    dropped: tuple[int, int]
    between: str | None = None
    after: tuple[int, int] | None = None
    quoted: bool = False
    name: tuple[int, int] | None = None


def files() -> Iterator[tuple[File, int]]:
    """Yield the files that are changed, each with the number of its mutations.

    They are the format corpora, the examples, one small document of each format without files, and the
    real files written in `WRITTEN` formats.
    """
    real = []
    for root in (DATA, ROOT / "examples"):
        for path in sorted(root.rglob("*")):
            if path.suffix not in {".yaml", ".yml", ".json", ".bpmn"} or not path.is_file():
                continue
            try:
                text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
                reading = read_text(text, path.name)
            except (FormatError, UnicodeDecodeError):
                continue
            file = File(path.relative_to(DATA if root == DATA else ROOT).as_posix(), reading.format, path.name, text)
            real.append((file, reading.workflow))
            yield file, PER_FILE
    for format_id, text in runpy.run_path(str(SEEDS))["SEEDS"].items():
        if format_id not in {file.format for file, _ in real}:
            yield File(f"small/{format_id}", format_id, f"seed.{ENDING[format_id]}", text), PER_SEED
    for file, workflow in real:
        for format_id in WRITTEN:
            if format_id != file.format:
                text = write(workflow, format_id)
                name = f"{format_id}/{file.name}"
                yield File(name, format_id, f"{file.file}.{ENDING[format_id]}", text), PER_WRITTEN


def chosen(file: File, count: int) -> Iterator[Mutation]:
    """Yield `count` mutations of a file, as many kinds as possible: one of each kind, then a second one, and so on."""
    kinds: defaultdict[str, dict[str, Mutation]] = defaultdict(dict)
    for mutation in mutations(file):
        if mutation.text != file.text:
            kinds[mutation.kind].setdefault(mutation.place, mutation)
    turns = []
    for kind, found in kinds.items():
        places = sorted(found, key=lambda place: _number(f"{file.name}/{kind}/{place}"))
        turns += [(turn, _number(f"{file.name}/{kind}"), found[place]) for turn, place in enumerate(places)]
    turns.sort(key=lambda one: one[:2])
    yield from (mutation for _, _, mutation in turns[:count])


def mutations(file: File) -> Iterator[Mutation]:
    """Yield all mutations of a file."""
    grammar = GRAMMARS.get(file.format)
    parts = list(_found(file.text, grammar) if grammar else _nodes(file))
    ids = sorted({file.text[part.start : part.end] for part in parts if part.role == "target"})
    for part in parts:
        for kind, text in _changes(file, part, ids):
            yield Mutation(f"{part.role} {kind}", part.place, text)
    yield from _harmless(file, "# A remark\n" if grammar is None else grammar.remark, ids)


def _number(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest(), 16)


# --- parts --------------------------------------------------------------------------------------------------------
def _found(text: str, grammar: Grammar) -> Iterator[Part]:
    """Yield the parts that regular expressions find."""
    for role, pattern in grammar.parts.items():
        matches = list(re.finditer(pattern, text, re.MULTILINE | re.DOTALL if "</" in pattern else re.MULTILINE))
        for at, match in enumerate(matches):
            group = next((name for name, value in match.groupdict().items() if value is not None), None)
            start, end = match.span(group or 0)
            after = matches[at + 1].span() if at + 1 < len(matches) and group is None else None
            line = text.count("\n", 0, start) + 1
            place = f"line {line}.{start - text.rfind(chr(10), 0, start)}"
            whole = match.span()
            yield Part(role, place, start, end, whole, None if group else "", after, quoted=group is not None)


class _Loader(yaml.SafeLoader):
    """A loader that lets an anchor be set again, as YAML 1.2 does."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if not self.check_event(yaml.AliasEvent):
            self.anchors.pop(self.peek_event().anchor, None)  # type: ignore[no-untyped-call]
        return super().compose_node(parent, index)


def _nodes(file: File) -> Iterator[Part]:
    """Yield the parts of YAML or JSON."""
    for number, document in enumerate(yaml.compose_all(file.text, _Loader)):
        if document is not None:
            yield from _below(file, document, (str(number),) if number else (), "")


def _below(file: File, node: yaml.Node, path: tuple[str, ...], key: str) -> Iterator[Part]:
    """Yield the parts in a node. `key` is the key that it stands under, also if it is an item of a list there."""
    if isinstance(node, yaml.ScalarNode):
        yield _scalar(file, node, path, key)
    if not isinstance(node, yaml.CollectionNode):
        return
    pairs = node.value if isinstance(node, yaml.MappingNode) else [(item, item) for item in node.value]
    spans = [_span(file.text, first, last) for first, last in pairs]
    in_list = isinstance(node, yaml.SequenceNode)
    column = " " * node.start_mark.column + ("- " if in_list else "")
    between = ", " if node.flow_style else f"\n{column}"
    role = next((role for role in ("link", "case", "step") if key in ROLES[role]), "" if in_list else "setting")
    for at, ((first, last), (start, end)) in enumerate(zip(pairs, spans, strict=True)):
        name = first.value if isinstance(first, yaml.ScalarNode) and not in_list else str(at)
        own = (*path, name)
        after = spans[at + 1] if at + 1 < len(spans) else None
        dropped = (start, after[0]) if after else (spans[at - 1][1] if at else start, end)
        if role and (len(spans) > 1 or node.flow_style):
            is_job = file.format == "gitlab-ci" and not path and isinstance(last, yaml.MappingNode)
            own_role = "step" if is_job else role
            yield Part(own_role, ".".join(own), start, end, dropped, between, after, name=_name(first, last))
        if not in_list and _COMPARISON.fullmatch(name):
            yield Part("operator", ".".join(own), *_span(file.text, first, first), (0, 0), quoted=True)
        if first.start_mark.index <= last.start_mark.index:  # an alias stands for a node before it
            below = name
            if in_list or (role == "step" and isinstance(last, yaml.MappingNode)):
                below = "" if isinstance(last, yaml.MappingNode) else key  # the entries of a step are no steps
            yield from _below(file, last, own, below)


def _name(first: yaml.Node, last: yaml.Node) -> tuple[int, int] | None:
    """Return where the name of a step stands: its key, or its id, name or title."""
    found = first if first is not last else None
    if first is last and isinstance(last, yaml.MappingNode):
        names = {key.value: value for key, value in last.value if isinstance(key, yaml.ScalarNode)}
        found = next((names[key] for key in _NAMES if isinstance(names.get(key), yaml.ScalarNode)), None)
        if found is None and len(last.value) == 1:
            found = last.value[0][0]
    return (found.start_mark.index, found.end_mark.index) if isinstance(found, yaml.ScalarNode) else None


def _span(text: str, first: yaml.Node, last: yaml.Node) -> tuple[int, int]:
    """Return where a node or an entry of a mapping stands, without the white space behind it."""
    start, end = first.start_mark.index, last.end_mark.index
    if end < start:  # an alias stands for a node before it
        end = min(at for at in (text.find(one, first.end_mark.index) for one in ",}]\n") if at >= 0)
    return start, start + len(text[start:end].rstrip())


def _scalar(file: File, node: yaml.ScalarNode, path: tuple[str, ...], key: str) -> Part:
    start, end = _span(file.text, node, node)
    quotes = 1 if node.style in {"'", '"'} else 0
    number = node.tag.endswith(("int", "float"))
    roles = ("condition", "target", "command", "image", "text")
    role = "number" if number else next((role for role in roles if key in ROLES[role]), "value")
    if node.value in SWITCHED or (file.format == "gitlab-ci" and key == "when"):
        role = "value"
    return Part(
        role, ".".join(path), start + quotes, end - quotes, (0, 0), quoted=bool(quotes) or node.style is not None
    )


# --- changes ------------------------------------------------------------------------------------------------------
def _changes(file: File, part: Part, ids: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what is done to a part, with the text of the file then."""
    text = file.text
    old = text[part.start : part.end]

    def with_new(new: str) -> str:
        if not part.quoted and part.role == "condition":
            new = json.dumps(new, ensure_ascii=False)
        return text[: part.start] + new + text[part.end :]

    if part.role in {"link", "case", "step", "setting"}:
        yield from _moves(file, part)
    elif part.role == "operator":
        yield from ((kind, with_new(new)) for kind, new in _conditions(old, "") if "operator" in kind)
    elif part.role == "condition":
        yield from ((kind, with_new(new)) for kind, new in _conditions(old, file.format))
    elif part.role == "target":
        others = [one for one in ids if one != old and one not in SWITCHED]
        if others:
            yield "redirected", with_new(others[_number(part.place + old) % len(others)])
    elif old in SWITCHED:
        yield "switched", with_new(SWITCHED[old])
    else:
        yield from ((kind, with_new(new)) for kind, new in _values(old, text, part))


def _moves(file: File, part: Part) -> Iterator[tuple[str, str]]:
    text, (start, end) = file.text, (part.start, part.end)
    own = text[start:end]
    yield "removed", text[: part.dropped[0]] + text[part.dropped[1] :]
    if part.after:
        first, last = part.after
        yield "exchanged", text[:start] + text[first:last] + text[end:first] + own + text[last:]
    if part.role == "setting":
        return
    if part.between is not None:
        copy = own
        if part.name:
            at = part.name[1] - start - (text[part.name[1] - 1] in "'\"")
            copy = f"{own[:at]}-again{own[at:]}"
        yield "repeated", text[:end] + part.between + copy + text[end:]
    if part.name and part.role == "step":
        at = part.name[1] - (text[part.name[1] - 1] in "'\"")
        yield "renamed", f"{text[:at]}-new{text[at:]}"
    role, *entries = ADDED.get(file.format, ("",))
    if part.role == role:
        # An entry stands before the first one of the mapping, which for an entry of a mapping is below its key.
        inner = re.compile(r'[\w.-]+:\n +(?=[\w"])|"[^"]+": \{\s*|\{\s*|(?=[\w"]+: )').match(own)
        if inner:
            at = start + inner.end()
            flow = own[: inner.end()].rstrip().endswith("{")
            column = at - text.rfind("\n", 0, at) - 1
            for entry in entries:
                key = entry.partition(":")[0].strip('"')
                if not re.search(rf"(?<![\w-]){key}\"?:", own):
                    yield f"with {entry}", text[:at] + entry + (", " if flow else "\n" + " " * column) + text[at:]


def _conditions(old: str, format_id: str) -> Iterator[tuple[str, str]]:
    """Yield changed conditions; marks around an expression stay."""
    marks = _MARKS.fullmatch(old)
    before, core, after = marks.groups() if marks else ("", old, "")
    if not core:
        return
    negated = NEGATED.get(format_id, "not ({})").format(core)
    yield "negated", before + negated + after
    yield "always true", f"{before}true{after}"
    either = "||" if negated.startswith("!") else "or"
    yield "always true in other words", f"{before}({core}) {either} {negated}{after}"
    operator = max((one for one in OPERATORS if one in core), key=len, default=None)
    if operator:
        yield "with another operator", before + core.replace(operator, OPERATORS[operator], 1) + after
    literal = re.search(r"\d+|(?<=')[^']+(?=')|(?<=\")[^\"]+(?=\")|\b(?:true|false)\b|\w+$", core)
    if literal:
        value = literal[0]
        new = str(int(value) + 1) if value.isdecimal() else SWITCHED.get(value, f"{value}x")
        yield "with another literal", before + core[: literal.start()] + new + core[literal.end() :] + after


def _values(old: str, text: str, part: Part) -> Iterator[tuple[str, str]]:
    """Yield changed values: another number, one word replaced by a word of the file, one word left out."""
    number = re.search(r"\d+", old)
    if number:
        new = str(int(number[0]) + 1)
        yield "with another number", old[: number.start()] + new + old[number.end() :]
    words = list(re.finditer(r"[^\W\d_]{3,}", old))
    if words:
        word = words[_number(part.place) % len(words)]
        others = sorted({*re.findall(r"\b[a-z]{4,12}\b", text), "other"} - {word[0], "true", "false", "null"})
        other = others[_number(part.place + old) % len(others)]
        yield "with another word", old[: word.start()] + other + old[word.end() :]
        if len(words) > 1:
            yield "without a word", old[: word.start()].rstrip() + old[word.end() :]


def _harmless(file: File, remark: str, ids: list[str]) -> Iterator[Mutation]:
    """Yield a file with a remark, and files with an id renamed everywhere."""
    if remark and file.text[:1] not in "{[":
        yield Mutation("remark added", "end", file.text.rstrip("\n") + "\n" + remark)
    for name in ids:
        if re.fullmatch(r"[A-Za-z][\w-]{2,}", name) and name not in {"START", "END", "source", "main"}:
            renamed = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", f"{name}2", file.text)
            yield Mutation("id renamed", name, renamed)
