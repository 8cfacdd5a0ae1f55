"""The text of one item: its name, marks, files, condition, and references to other items."""

import re
from dataclasses import dataclass, field

from wfgate.formats.markdown.refs import dependencies_in

_LINK = re.compile(r"!?\[([^\[\]\n]*+)\]\([^()\s]*+\)")
_TICKS = re.compile(r"`([^`\n]++)`")
_ID = re.compile(r"\**([A-Z]{1,4}-?\d{1,5}|T(?:X{2,4}|\?{2,4}))\**(?:[ \t]*[:.)\u2013\u2014-])?\**[ \t]+(?=\S)")
_MARK = re.compile(r"\[([A-Za-z][\w ./-]{0,19})\](?!\()[ \t]*")
_BOLD = re.compile(r"\*\*([^*]{1,200})\*\*[ \t]*(:|[\u2013\u2014-](?=[ \t])|\.(?=[ \t]|$)|$)?[ \t]*")
_SUFFIX = re.compile(r"[ \t]*[(\[](?:can )?(?:be )?(?:run |done |executed )?(?:in )?parallel[)\]]", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/:.@-])(?:\.{0,2}/)?[\w.@()\[\]*-]+(?>(?:/[\w.@()\[\]*-]+)*)/?")
_VERBS = ("GET ", "POST ", "PUT ", "PATCH ", "DELETE ")
_VERB_LENGTH = 8
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_IF = re.compile(
    r"(if|unless)[ \t]+([^,.;:]{2,120}?)[ \t]*(?:[,:\u2192]|->|(?<=[ \t])(?=then\b))[ \t]*"
    r"(?:then\b[:,]?[ \t]*)?(?=\S)",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(r"(?:otherwise|else|if not?)(?:[,:\u2192]|->)[ \t]*(?=\S)", re.IGNORECASE)
_IF_ALONE = re.compile(r"(if|unless)[ \t]+([^,.;:]{2,120}?)(?:,?[ \t]+then)?:$", re.IGNORECASE)
_OTHERWISE_ALONE = re.compile(r"(?:otherwise|else|if not?)[:,]?$", re.IGNORECASE)
_NEEDS = re.compile(
    r"[ \t]*[(\[](?:depend|deps|needs?\b|requires?\b|blocked by|after|once|in parallel (?:with|to))[^()\[\]]*[)\]]",
    re.IGNORECASE,
)
_ONLY = re.compile(r"[ \t]*\((?:only )(if|unless)[ \t]+([^()]{2,120})\)\.?$", re.IGNORECASE)
_VAGUE = re.compile(
    r"(?:it is |it's )?(?:necessary|needed|required|possible|applicable|desired|appropriate|available|relevant|any\b|"
    r"so\b|not\b|you (?:want|like|wish|prefer)|in doubt|time permits)",
    re.IGNORECASE,
)
_JUMP = re.compile(
    r"(?:go|jump|return|skip|proceed|move|loop|start|continue)(?: on| back| straight| over| again| directly)* "
    r"(?:to|from|with|at) |repeat|stop\b|abort\b|exit\b|end\b|(?:you(?:'re| are) )?done",
    re.IGNORECASE,
)
PARALLEL = re.compile(r"\b(?:in parallel|simultaneously|concurrently|at the same time)\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(?:in parallel (?:with|to)|simultaneously with|at the same time as|concurrently with) ", re.IGNORECASE
)
_NEGATED = re.compile(r"\b(?:not|never|cannot|can't|don't|avoid)\b", re.IGNORECASE)
LABEL = re.compile(r"\**([A-Za-z][\w /-]{1,30}?)\**[ \t]*:\**(?:[ \t]+|$)")
LABELS = frozenset(
    [
        "acceptance",
        "acceptance criteria",
        "action required",
        "alternative",
        "approach",
        "artifact",
        "artifacts",
        "assignee",
        "benefit",
        "command",
        "commands",
        "cost",
        "criteria",
        "deliverable",
        "deliverables",
        "dependencies",
        "dependency",
        "depends on",
        "deps",
        "description",
        "detail",
        "details",
        "done when",
        "due",
        "duration",
        "effort",
        "estimate",
        "estimated time",
        "example",
        "examples",
        "expected",
        "expected output",
        "expected result",
        "file",
        "files",
        "focus",
        "goal",
        "goals",
        "hint",
        "how",
        "important",
        "input",
        "inputs",
        "link",
        "location",
        "needs",
        "note",
        "notes",
        "objective",
        "outcome",
        "output",
        "outputs",
        "owner",
        "path",
        "paths",
        "prerequisite",
        "prerequisites",
        "priority",
        "purpose",
        "rationale",
        "reason",
        "reference",
        "references",
        "requirement",
        "requirements",
        "requires",
        "result",
        "risk",
        "risks",
        "role",
        "severity",
        "source",
        "status",
        "success criteria",
        "summary",
        "target",
        "time",
        "timeline",
        "tip",
        "tool",
        "tools",
        "type",
        "usage",
        "warning",
        "what",
        "when",
        "where",
        "who",
        "why",
    ]
)
"""What a bullet begins with that says something about its item, and is no step of its own."""


@dataclass
class Words:
    """The parts of the text of an item.

    Attributes:
        whole: The name with the condition in it.
        own_id: Id of the item, such as `T001`.
        marks: Other marks in brackets, such as `[US1]`.
        condition: The condition under which the item is done.
        otherwise: Whether the item is done only if the item before it is not done.
        hint: A condition that stays text, because it is not modelled.
    """

    name: str
    description: str = ""
    own_id: str = ""
    parallel: bool = False
    beside: bool = False
    marks: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    whole: str = ""
    condition: str = ""
    otherwise: bool = False
    struck: bool = False
    hint: str = ""


def plain(text: str) -> str:
    """Return a text without emphasis, code marks and link targets.

    Example:
        >>> plain("**Build** the `image` as [told](docs/a.md)")
        'Build the image as told'
    """
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    return text.replace("**", "").replace("__", "").replace("`", "").strip(" \t")


def id_of(text: str) -> str:
    """Return the id at the beginning of an item; empty if there is no id.

    Example:
        >>> id_of("T012 [P] Create the model"), id_of("TXXX To be numbered"), id_of("Create the model")
        ('T012', '', '')
    """
    match = _ID.match(text)
    return "" if match is None or not match[1].strip("TX?") else match[1]


def words_of(text: str, *, inside: bool = False) -> Words:
    """Return the parts of the text of an item; `inside` says whether the item contains steps.

    Example:
        >>> found = words_of("T012 [P] [US1] Create the user model in src/models/user.py")
        >>> found.own_id, found.parallel, found.marks, found.files
        ('T012', True, ['US1'], ['src/models/user.py'])
        >>> words_of("If the tests fail, **roll back**").condition
        'the tests fail'
        >>> words_of("**Build**: run make").name
        'Build'
    """
    found = Words("")
    rest = text.strip()
    found.struck = rest.startswith("~~") and rest.endswith("~~")
    if match := _ID.match(rest):
        found.own_id = id_of(rest)
        rest = rest[match.end() :]
    while match := _MARK.match(rest):
        if match[1].upper() == "P" or match[1].lower() == "parallel":
            found.parallel = True
        else:
            found.marks.append(match[1])
        rest = rest[match.end() :]
    if not found.own_id and (match := _ID.match(rest)) and match[1].strip("TX?"):
        found.own_id, rest = match[1], rest[match.end() :]
    if _SUFFIX.search(rest):
        found.parallel = True
        rest = _SUFFIX.sub("", rest)
    found.files = files_in(rest)
    rest = _NEEDS.sub(
        lambda match: match[0] if dependencies_in(plain(match[0])) == dependencies_in("") else "", rest
    ).strip(" \t")
    found.whole = plain(rest)
    rest = _condition(found, rest, inside=inside)
    bold = _BOLD.match(rest)
    if bold and (bold[2] or bold[1].rstrip().endswith(":")) and bold.end() < len(rest):
        found.name, found.description = plain(bold[1].strip(" \t:")), plain(rest[bold.end() :])
    else:
        found.name = plain(rest).rstrip(" :") or plain(text)
    if found.otherwise or found.condition:
        found.name = found.name[:1].upper() + found.name[1:]
    if announces(text, beside=True):
        found.beside = _BESIDE.search(text) is not None
        found.hint = found.hint or "the words that this step runs in parallel are kept as text only"
    return found


def _condition(found: Words, text: str, *, inside: bool) -> str:
    """Separate a condition that is unambiguous; any other condition becomes `hint`."""
    bare = plain(text)
    lead = bare[:3].lower() in {"if ", "if\t"} or bare[:7].lower() == "unless "
    match = _IF.match(bare)
    if inside and _OTHERWISE_ALONE.match(bare):
        found.otherwise = True
        return text
    if inside and (alone := _IF_ALONE.match(bare)) and not _VAGUE.match(alone[2]):
        found.condition = f"unless {alone[2]}" if alone[1].lower() == "unless" else alone[2].strip()
        return text
    only = _ONLY.search(bare[-140:])
    other = _OTHERWISE.match(bare)
    if other and not _JUMP.match(bare[other.end() :]) and bare[other.end() :][:3].lower() != "if ":
        found.otherwise = True
        return bare[other.end() :]
    if match and not _VAGUE.match(match[2]) and not _JUMP.match(bare[match.end() :]):
        found.condition = f"unless {match[2]}" if match[1].lower() == "unless" else match[2].strip()
        return bare[match.end() :]
    if only and not _VAGUE.match(only[2]):
        found.condition = f"unless {only[2]}" if only[1].lower() == "unless" else only[2].strip()
        return bare[: len(bare) - len(only[0])]
    if lead or other or only or "(optional)" in bare.lower() or bare.lower().startswith("otherwise"):
        found.hint = "the condition is kept as text only and does not become a guard"
    return text


def announces(text: str, *, beside: bool = False) -> bool:
    """Return whether a text says that the following steps run in parallel; `beside` also accepts a named neighbour."""
    match = PARALLEL.search(text)
    if match is None or _NEGATED.search(text[max(0, match.start() - 40) : match.start()]):
        return False
    return beside or _BESIDE.search(text) is None


def files_in(text: str) -> list[str]:
    """Return the paths of files and folders in a text.

    Example:
        >>> files_in("Add and/or fix `pyproject.toml` and src/a.py (see https://x.org/a.html), docs/")
        ['pyproject.toml', 'src/a.py', 'docs/']
    """
    quoted = {match[1] for match in _TICKS.finditer(text)}
    bare = _LINK.sub(r"\1", text).replace("`", " ").replace("**", " ")
    found: dict[str, None] = {}
    for match in _PATH.finditer(bare):
        path = match.group().rstrip(".,;:)") if "(" not in match.group() else match.group().rstrip(".,;:")
        named = _EXTENSION.search(path) is not None
        before = bare[max(0, match.start() - _VERB_LENGTH) : match.start()]
        if bare[match.end() : match.end() + 3] == "://" or not path.strip("./") or before.endswith(_VERBS):
            continue
        if ("/" in path and (named or path.endswith("/") or path[0] in "./" or path in quoted)) or (
            named and path in quoted and not path[0].isupper()
        ):
            found[path] = None
    return list(found)
