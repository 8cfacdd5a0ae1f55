"""The text of one item: its name, marks, files, condition, and references to other items."""

import re
from dataclasses import dataclass, field

from wfgate.language import FINDING_OUT, LIKING, NEGATIVE, PARALLEL, VAGUE, alternatives, turns_off
from wfgate.read.formats.markdown.refs import Dependencies, dependencies_in

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
_SAID = r"(?:[^,.;:]|(?<=\d)[.:](?=\d))"
"""A character of a condition; a full stop or a colon inside of a number or a time is one."""
_IF_WORD = r"(if|unless|in case|(?<=only[ \t])when)"
"""The conjunction of a condition; "when" alone may only say at what time."""
_IF = re.compile(
    rf"(?:only[ \t](?!should))?({_IF_WORD[1:-1]}|should)[ \t]+({_SAID}{{2,120}}?)[ \t]*"
    r"(?:(?!(?<=\d):\d)[,:\u2192]|->|(?<=[ \t])(?=then\b))[ \t]*"
    r"(?:then\b[:,]?[ \t]*)?(?=\S)",
    re.IGNORECASE,
)
_IF_ALONE = re.compile(rf"(?:only )?{_IF_WORD}[ \t]+({_SAID}{{2,120}}?)(?:,?[ \t]+then)?:$", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:and|or|but)\b", re.IGNORECASE)
_ONLY = re.compile(rf"[ \t]*\((?:only ){_IF_WORD}[ \t]+([^()]{{2,120}})\)\.?$", re.IGNORECASE)
_LAST_IF = re.compile(
    rf"([^,.;:]{{2,160}}?)[ \t]+(?<!even )(?<!as )(?<!what ){_IF_WORD}[ \t]+"
    rf"({_SAID}{{2,120}})\.?$",
    re.IGNORECASE,
)
_OPEN = re.compile(rf"\b(?:and|or|then|make sure|{alternatives(FINDING_OUT)})\b", re.IGNORECASE)
"""Words before an "if" at the end that may leave open what it belongs to ("stop and page the owner if ..."), or after
which it means "whether" ("check if ...")."""
_OTHERWISE = re.compile(r"(?:otherwise|else|if not?)(?:[,:\u2192]|->)[ \t]*(?=\S)", re.IGNORECASE)
_OTHERWISE_ALONE = re.compile(r"(?:otherwise|else|if not?)[:,]?$", re.IGNORECASE)
_NEEDS = re.compile(
    r"[ \t]*[(\[](?:depend|deps|needs?\b|requires?\b|blocked by|after|once|in parallel (?:with|to))[^()\[\]]*[)\]]",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    rf"(?:it is |it's )?(?:{alternatives(VAGUE)}|any\b|so\b|not\b|you (?:{alternatives(LIKING)})|in doubt|"
    r"time permits)",
    re.IGNORECASE,
)
_JUMP = re.compile(
    r"(?:go|jump|return|skip|proceed|move|loop|start|continue)(?: on| back| straight| over| again| directly)* "
    r"(?:to|from|with|at) |repeat|stop\b|abort\b|exit\b|end\b|(?:you(?:'re| are) )?done",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"(?:only (?:if|when)|if)[ \t]|unless |otherwise|.*\(optional\)", re.IGNORECASE)
_PARALLEL = re.compile(rf"\b(?:{alternatives(PARALLEL)})\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(?:in parallel (?:with|to)|simultaneously with|at the same time as|concurrently with) ", re.IGNORECASE
)
_NEGATED = re.compile(rf"\b(?:{alternatives(NEGATIVE)}|can't|don't|avoid)\b", re.IGNORECASE)
NOT_RENDERED = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}
"""What a renderer of Markdown takes as HTML that shows nothing, with its end; `<!X ...>` is a further kind."""
DECLARATION = re.compile("<![a-z]", re.IGNORECASE)
_TAG = (
    r"<(?P<tag>[a-z][a-z0-9-]*+)"
    r"(?P<attributes>(?>(?:\s++[\w:.-]++(?:\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=`]++))?)*))\s*+/?>"
)
_HIDING_TAG = re.compile(_TAG, re.IGNORECASE)
_HIDDEN_ELEMENTS = frozenset({"script", "style", "template", "noscript"})
_WITHOUT_CONTENT = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_HIDING = re.compile(
    r"\shidden(?:[\s=]|$)|\sstyle\s*=[^<>]{0,400}?\b(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE
)
_QUOTED = re.compile(r"\b(?!style\b)([\w:.-]++)\s*=\s*(?:\"[^\"]*+\"|'[^']*+')", re.IGNORECASE)
_OPENING = re.compile(
    rf"(?P<code>`+)|<!--|<\?|<!\[CDATA\[|<![a-z]|<(?:del|s|strike)>|{_TAG}|(?<![~\\])~~(?=[^\s~])|(?<![\w~\\])~(?=[^\s~])",
    re.IGNORECASE,
)
_CLOSING = {
    **{opening.lower(): re.compile(re.escape(end)) for opening, end in NOT_RENDERED.items()},
    "~~": re.compile(r"(?<=[^\s~])~~(?!~)"),
    "~": re.compile(r"(?<=[^\s~])~(?![\w~])"),
    **{f"<{tag}>": re.compile(f"</{tag}>", re.IGNORECASE) for tag in ("del", "s", "strike")},
}
"""What ends a text that a renderer does not show, or shows as struck out."""
_END = re.compile(">")
LABEL = re.compile(r"\**([A-Za-z][\w /-]{1,30}?)\**[ \t]*:\**(?:[ \t]+|$)")
ABOUT_ITEM = re.compile(
    r"acceptance(?: criteria)?|action required|alternative|approach|artifacts?|assignee|benefit|commands?|cost|"
    r"criteria|deliverables?|dependenc(?:y|ies)|depends on|deps|description|details?|done when|due|duration|effort|"
    r"estimate|estimated time|examples?|expected(?: output| result)?|files?|focus|goals?|hint|how|important|inputs?|"
    r"link|location|needs|notes?|objective|outcome|outputs?|owner|paths?|prerequisites?|priority|purpose|rationale|"
    r"reason|references?|requirements?|requires|result|risks?|role|severity|source|status|success criteria|summary|"
    r"target|time|timeline|tip|tools?|type|usage|warning|what|when|where|who|why",
    re.IGNORECASE,
)
"""What a bullet begins with that says something about its item, and is no step of its own."""


@dataclass(eq=False, kw_only=True)
class Words:
    """The parts of the text of an item.

    Attributes:
        own_id: Id of the item, such as `T001`.
        parallel: Whether the item is marked as parallel to its neighbours.
        beside: Whether the item says that it runs in parallel with another item.
        marks: Other marks in brackets, such as `[US1]`.
        condition: The condition under which the item is done. The name contains it too, because another wording may
            have it elsewhere in the sentence.
        otherwise: Whether the item is done only if the item before it is not done.
        alone: Whether the item is nothing but a condition, such as `Else:` above a step.
        hint: A condition that stays text, because it is not modelled.
    """

    name: str
    description: str = ""
    own_id: str = ""
    parallel: bool = False
    beside: bool = False
    marks: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    condition: str = ""
    otherwise: bool = False
    alone: bool = False
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


def hidden_element(text: str) -> str:
    """Return the name of the HTML element that begins with a text and whose content a browser does not show, or "".

    Example:
        >>> (
        ...     hidden_element("<div class='x' hidden>"),
        ...     hidden_element('<p style="display: none">'),
        ...     hidden_element("<p>"),
        ... )
        ('div', 'p', '')
        >>> hidden_element("<template>"), hidden_element('<b title="the hidden one">'), hidden_element("<img hidden>")
        ('template', '', '')
    """
    match = _HIDING_TAG.match(text)
    if match is None or match["tag"].lower() in _WITHOUT_CONTENT:
        return ""
    name = match["tag"].lower()
    return name if name in _HIDDEN_ELEMENTS or _HIDING.search(_QUOTED.sub(r"\1", match["attributes"])) else ""


def end_of(name: str, text: str, place: int = 0, depth: int = 0) -> tuple[int, int]:
    """Return how deep elements of a name are nested after a text, and where in it the outermost one ends (else -1).

    Example:
        >>> end_of("b", "<b hidden><b>x</b></b> y"), end_of("b", "<b>x</b>", depth=1)
        ((0, 22), (1, -1))
    """
    for tag in re.compile(rf"<(/?){name}(?![\w-])[^<>]*+>?", re.IGNORECASE).finditer(text, place):
        depth += -1 if tag[1] else 1
        if depth <= 0:
            return 0, tag.end()
    return depth, -1


def shown(text: str) -> str:
    """Return what a renderer shows of a line: without comments, other hidden HTML and struck out text, except in code.

    Example:
        >>> shown("Scan <!-- not --> it ~~and fail~~"), shown("Run `a <!-- b -->` in ~/x and ~/y")
        ('Scan it', 'Run `a <!-- b -->` in ~/x and ~/y')
    """
    if "~" not in text and "<" not in text:
        return text
    parts, place, never = [], 0, set()
    while opening := _OPENING.search(text, place):
        parts.append(text[place : opening.start()])
        mark, place = opening[0].lower(), opening.end()
        if opening["tag"]:
            name = hidden_element(mark)
            end = end_of(name, text, opening.start())[1] if name and name not in never else -1
            never |= {name} if end < 0 else set()
            place = max(place, end)
            parts += [opening[0]] if end < 0 else []
            continue
        ending = _END if DECLARATION.match(mark) else _CLOSING.get(mark)
        closing = ending or re.compile(f"(?<!`){mark}(?!`)")
        closed = None if mark in never else closing.search(text, place)
        if closed is None:
            never.add(mark)  # so that the cost is linear
        place = closed.end() if closed else place
        if opening["code"] or not closed:
            parts.append(text[opening.start() : place])
    return " ".join("".join([*parts, text[place:]]).split()) if parts else text


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
        >>> words = words_of("T012 [P] [US1] Create the user model in src/models/user.py")
        >>> words.own_id, words.parallel, words.marks, words.files
        ('T012', True, ['US1'], ['src/models/user.py'])
        >>> words = words_of("If the tests fail, **roll back**")
        >>> words.name, words.condition
        ('If the tests fail, roll back', 'the tests fail')
        >>> words_of("**Build**: run make").name
        'Build'
    """
    rest = text.strip()
    words = Words(name="", own_id=id_of(rest))
    if match := _ID.match(rest):
        rest = rest[match.end() :]
    while (match := _MARK.match(rest)) and not turns_off(match[1], bracketed=True):
        if match[1].lower() in {"p", "parallel"}:
            words.parallel = True
        else:
            words.marks.append(match[1])
        rest = rest[match.end() :]
    if not words.own_id and (own_id := id_of(rest)):
        words.own_id, rest = own_id, _ID.sub("", rest, count=1)
    rest, marks = _SUFFIX.subn("", rest)
    words.parallel = words.parallel or marks > 0
    words.files = files_in(rest)
    rest = _NEEDS.sub(
        lambda match: match[0] if dependencies_in(plain(match[0])) == Dependencies() else "", rest
    ).strip(" \t")
    whole = plain(rest)
    rest = _condition(words, rest, inside=inside)
    bold = _BOLD.match(rest)
    if bold and (bold[2] or bold[1].rstrip().endswith(":")) and bold.end() < len(rest):
        words.name, words.description = plain(bold[1].strip(" \t:")), plain(rest[bold.end() :])
    else:
        words.name = plain(rest).rstrip(" :") or plain(text)
    if words.otherwise or words.condition:
        words.name = whole.removesuffix(words.description).rstrip(" :\u2013\u2014-")
    if announces(text, beside=True):
        words.beside = _BESIDE.search(text) is not None
        words.hint = words.hint or "the words that this step runs in parallel are kept as text only"
    return words


def _condition(words: Words, text: str, *, inside: bool) -> str:
    """Separate a condition that is unambiguous, and return the rest; any other condition becomes `hint`."""
    bare = plain(text)
    if inside and _OTHERWISE_ALONE.match(bare):
        words.otherwise = words.alone = True
        return text
    if inside and (alone := _IF_ALONE.match(bare)) and _takes(words, alone[1], alone[2]):
        words.alone = True
        return text
    other = _OTHERWISE.match(bare)
    rest = bare[other.end() :] if other else ""
    if rest and not _JUMP.match(rest) and rest[:3].lower() != "if ":
        words.otherwise = True
        return rest
    match = _IF.match(bare)
    rest = bare[match.end() :] if match else ""
    if match and not _JUMP.match(rest) and not _GOES_ON.match(rest) and _takes(words, match[1], match[2]):
        return rest
    last = _at_the_end(bare)
    if last and _takes(words, last[1], last[2]):
        return last[0]
    if other or _ONLY.search(bare[-140:]) or _CONDITIONAL.match(bare):
        words.hint = "the condition is kept as text only and does not become a guard"
    return text


def _at_the_end(bare: str) -> tuple[str, str, str] | None:
    """Return the text before a condition at the end, its conjunction, and the condition; None if there is none."""
    if only := _ONLY.search(bare[-140:]):
        return bare[: len(bare) - len(only[0])], only[1], only[2]
    last = _LAST_IF.match(bare)
    if last is None or _OPEN.search(last[1]) or _JUMP.match(last[1]):
        return None
    return last[1], last[2], last[3]


def _takes(words: Words, conjunction: str, condition: str) -> bool:
    """Set the condition, and return whether it is not too vague for a guard."""
    if _VAGUE.match(condition):
        return False
    words.condition = f"unless {condition}" if conjunction.lower() == "unless" else condition.strip()
    return True


def announces(text: str, *, beside: bool = False) -> bool:
    """Return whether a text says that the following steps run in parallel; `beside` also accepts a named neighbour."""
    match = _PARALLEL.search(text)
    if match is None or _NEGATED.search(text[max(0, match.start() - 40) : match.start()]):
        return False
    return beside or _BESIDE.search(text) is None


def files_in(text: str) -> list[str]:
    """Return the paths of files and folders in a text.

    Example:
        >>> files_in("Add and/or fix `pyproject.toml` and src/a.py (see https://x.org/a.html), docs/")
        ['pyproject.toml', 'src/a.py', 'docs/']
        >>> files_in("Write the model (src/a.py), ./src/b.py and app/(shop)/page.tsx")
        ['src/a.py', 'src/b.py', 'app/(shop)/page.tsx']
    """
    quoted = {match[1] for match in _TICKS.finditer(text)}
    bare = _LINK.sub(r"\1", text).replace("`", " ").replace("**", " ")
    files: dict[str, None] = {}
    for match in _PATH.finditer(bare):
        path = _bare_path(match[0])
        named = _EXTENSION.search(path) is not None
        before = bare[max(0, match.start() - _VERB_LENGTH) : match.start()]
        if bare[match.end() : match.end() + 3] == "://" or not path.strip("./") or before.endswith(_VERBS):
            continue
        if ("/" in path and (named or path.endswith("/") or path[0] in "./" or path in quoted)) or (
            named and path in quoted and not path[0].isupper()
        ):
            files[path.removeprefix("./") or path] = None
    return list(files)


def _bare_path(text: str) -> str:
    """Return a path without the punctuation and the parentheses around it; those of its folders belong to it."""
    text = text.rstrip(".,;:")
    depth, ends = 0, list[int]()
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        ends += [at] if char == ")" and not depth else []
    if text.startswith("(") and (not ends or ends[0] == len(text) - 1):
        text = text[1:]
    return text if text.count("(") == text.count(")") else text.rstrip(".,;:)")
