"""The parts of two texts that are compared word by word or sign by sign: code, quoted commands, targets of links."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from wfgate.language import CODE, folded

_QUOTED = re.compile(r"(?<!\w)'([^'\n]{1,500})'(?!\w)|\"([^\"\n]{1,500})\"")
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_OPTION = re.compile(r"(?:^|\s)-{1,2}\w")
_PROMPT = re.compile(r"(?:(?:\[[^\[\]\n]{1,80}\]|[\w.-]{1,40}@[\w.-]{1,60}(?::\S{1,80})?)[$#>]|[$>]) ")
_COMMENT = re.compile(r"(?:#(?!\[)|//|--) ?(?![^\n]*(?:^|\s)(?:-{1,2}\w|[.~]{0,2}/\w|[|<>&;]+\s|\$[\w({]))")
"""A comment line; without an option, path or operator, which the prompt of root may precede (`# rm -r /srv`); nor
an attribute (`#[Tool]`)."""
_READING = re.compile(
    r"(?:(?:cat|head|tail|wc)(?: -\w+)*(?: \w[\w.-]*)+|ls(?: -\w+)*(?: \w[\w./-]*)*|pwd|date|whoami|uname(?: -\w+)?|"
    r"df(?: -\w+)*|git (?:status|log|diff|describe|rev-parse)(?: [\w-]+)*|\w[\w-]* (?:--version|-version|version)|"
    r"echo(?: [\w.,!?-]+| '[\w .,!?-]*'| \"[\w .,!?-]*\")*)"
)
"""A command that only prints something: without substitutions, redirections and files outside the folder."""
_STATEFUL = re.compile(
    r"\s*(?:(?:cd|pushd|popd|export|set|unset|exit|return|source|\.|trap|exec|alias|umask|shopt)(?!\S)|\w+=\S*\s*$)"
)
"""A line that changes what the lines after it do."""
_PLACEHOLDER = re.compile(r"<[^<>]{1,60}>|\$\{?\w{1,60}\}?|\{\{?[^{}]{1,60}\}?\}")
_ALIKE = 0.5
"""Least share of common words of two commands that are compared."""
_KEPT = 0.5
"""Least share of the golden's commands that a candidate which copies commands has unchanged."""
_CALL = re.compile(r"[a-z./][\w./-]*\s")
"""The call of a program; not a line of a table or of its output."""
_MOST = 200
"""Most changed commands of a text that are compared with those of the other."""

_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\(([^()\s]{1,2000})\)")
_PART_OF_COMMAND = re.compile(r"(?:^|\s)(?:-{1,2}\w|[.~]{0,2}/\w|[|<>&;]+(?:\s|$))|\w/(?:\s|$)|>>|<<|&&|\|\||\$[\w({]")
"""An option, a path or an operator: what a quoted command has and a quoted title has not."""
_PUNCTUATION = re.compile(r"(?:\(\)|[/.,:;!?])+$")


class CommandChange(NamedTuple):
    """A changed command; empty if one text has none. `certain` says that no rewording explains it."""

    golden: str
    candidate: str
    certain: bool


def commands_of(text: str) -> Counter[str]:
    r"""Return the code in a text, without prompts, comments and repeated blanks.

    Example:
        >>> sorted(commands_of("Run `make  test`, then `$ make ship`.\n`# the next line is optional`"))
        ['make ship', 'make test']
    """
    commands: Counter[str] = Counter()
    for match in CODE.finditer(text):
        code = without_prompt(" ".join(match[1].split()))
        if code and not _COMMENT.match(code):
            commands[code] += 1
    return commands


def changed_commands(
    golden: str, candidate: str, files: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
) -> Iterator[CommandChange]:
    """Yield the commands of a text that have other words.

    If the rest of the texts is the same, every difference counts. Otherwise a command is compared with the most
    similar new one of the same program that has at least half of its words: it differs certainly if it has as many
    words and some of them are exchanged, apart from placeholders; with fewer or more words (another option, a lost
    argument) it is reported as doubtful. If the candidate has at least half of the golden's commands unchanged, it
    copies commands and does not reword them, so a lost or new one with several words counts, too. Other case,
    punctuation and white space are left to `changed_pieces`.

    Args:
        golden: The text of the golden.
        candidate: The text of the candidate.
        files: All commands of both files. A command that both have as often has only moved.

    Cost: quadratic in the changed commands, up to 200.

    Example:
        >>> list(changed_commands("Remove it: `oc delete vmim -A`", "Delete it with `oc delete vmi -A`."))
        [CommandChange(golden='oc delete vmim -A', candidate='oc delete vmi -A', certain=True)]
        >>> list(changed_commands("Build with `make build --signed`", "Build the image: `make build`"))
        [CommandChange(golden='make build --signed', candidate='make build', certain=False)]
        >>> list(changed_commands("Start the database: `compose up -d db`", "Start it all with `compose up -d`"))
        [CommandChange(golden='compose up -d db', candidate='compose up -d', certain=False)]
        >>> list(changed_commands("Look with `oc get pods`", "Look with `oc describe pod x`, then go on"))
        []
        >>> list(changed_commands("Log in: `ssh <host>`", "Use `ssh $HOST` to log in"))
        []
    """
    if golden == candidate:
        return
    golden, candidate = (text.translate(_STRAIGHT) for text in (golden, candidate))
    programs = {
        quoted.split()[0] for text in (golden, candidate) for quoted in _quoted(text) if _OPTION.search(quoted)
    }
    was, now = (
        commands_of(text) + Counter(quoted for quoted in _quoted(text) if quoted.split()[0] in programs)
        for text in (golden, candidate)
    )
    gone, new = _only_in(was, now, files), _only_in(now, was, files[::-1])
    same_rest = _prose(golden, was) == _prose(candidate, now)
    for one in list(gone):
        other = next((other for other in new if folded(other) == folded(one)), None) or _nearest(one, new)
        if other is None:
            continue
        gone.remove(one)
        new.remove(other)
        if folded(one) != folded(other) and (change := _change(one, other, same_rest=same_rest)):
            yield change
    if same_rest:
        for place in range(max(len(gone), len(new))):
            yield CommandChange("".join(gone[place : place + 1]), "".join(new[place : place + 1]), certain=True)
    elif (files[0] & files[1]).total() >= _KEPT * max(1, files[0].total()):
        yield from (CommandChange(one, "", certain=bool(_CALL.match(one))) for one in gone if " " in one)
        yield from (CommandChange("", one, certain=False) for one in new if " " in one)


def _only_in(own: Counter[str], other: Counter[str], files: tuple[Counter[str], Counter[str]]) -> list[str]:
    """Return the commands that a text has more often than the other, and its file as well; those of quotes always."""
    spare = files[0] - files[1]
    return [one for one in own - other if spare[one] or not files[0][one]][:_MOST]


def _quoted(text: str) -> Iterator[str]:
    """Yield what a text has in quotes, without repeated blanks."""
    for match in _QUOTED.finditer(text):
        if words := (match[1] or match[2]).split():
            yield " ".join(words)


def _prose(text: str, code: Counter[str]) -> str:
    """Return a text without code, and without the lines that are repeated as code."""

    def unquoted(match: re.Match[str]) -> str:
        return " " if " ".join((match[1] or match[2]).split()) in code else match[0]

    lines = (_QUOTED.sub(unquoted, CODE.sub(" ", line)) for line in text.split("\n"))
    bare = (" ".join(line.split()) for line in lines)
    return "\n".join(line for line in bare if line and without_prompt(line) not in code)


def without_prompt(code: str) -> str:
    """Return a command without the prompt of a shell.

    Example:
        >>> without_prompt("$ make"), without_prompt("[root@db1 ~]# make"), without_prompt("make > log")
        ('make', 'make', 'make > log')
    """
    prompt = _PROMPT.match(code)
    return code[prompt.end() :] if prompt else code


def _nearest(command: str, others: Sequence[str]) -> str | None:
    """Return the most similar command of the same program; None if none has enough common words."""
    words = command.split()
    alike = [
        (SequenceMatcher(None, words, other.split(), autojunk=False).ratio(), other)
        for other in others
        if other.split()[0] == words[0]
    ]
    share, best = max(alike, default=(0.0, None), key=lambda pair: pair[0])
    return best if share >= _ALIKE else None


def _change(golden: str, candidate: str, *, same_rest: bool) -> CommandChange | None:
    was, now = golden.split(), candidate.split()
    if _spelled(was) == _spelled(now):
        return CommandChange(golden, candidate, certain=False)
    if same_rest:
        return CommandChange(golden, candidate, certain=True)
    was, now = ([_PLACEHOLDER.sub("<>", word) for word in words] for words in (was, now))
    if len(was) == len(now):
        exchanged = [pair for pair in zip(was, now, strict=True) if pair[0] != pair[1]]
        return CommandChange(golden, candidate, certain=not all(map(_is_plural, exchanged))) if exchanged else None
    return CommandChange(golden, candidate, certain=False)


def _spelled(words: Sequence[str]) -> list[str]:
    """Return the words with long options as their first letter: `--namespace=shop` is mostly `-n shop`."""
    spelled: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        spelled.append(name[1:3] if name.startswith("--") else word)
        if name.startswith("--") and equals:
            spelled.append(value)
    return sorted(spelled)


def _is_plural(pair: tuple[str, str]) -> bool:
    short, long = sorted(pair, key=len)
    return long in {f"{short}s", f"{short}es"}


def changed_pieces(golden: str, candidate: str) -> Iterator[tuple[str, str, str]]:
    r"""Yield the pieces of a text that are written differently: what the piece is, both pieces.

    Code and quoted commands are compared with those that have the same letters and digits; targets of links with those
    of the same linked words. So another operator or path is reported; for other words see `changed_commands`.

    Cost: linear in the texts.

    Example:
        >>> list(changed_pieces("Connect by `ssh -X host`", "Then connect by 'ssh -x host'"))
        [('code', 'ssh -X host', 'ssh -x host')]
        >>> list(changed_pieces("Ask for [approval](https://a.example)", "Ask for [Approval](https://b.example)"))
        [('link', 'https://a.example', 'https://b.example')]
        >>> list(
        ...     changed_pieces('Set it to "In Review" with `make`', "Set it to \u201cin review\u201d with `make all`")
        ... )
        []
    """
    if golden == candidate:
        return
    was, now = _pieces(golden), _pieces(candidate)
    for (what, key), pieces in was.items():
        others = now.get((what, key), {})
        gone = [piece for piece in pieces if piece not in others]
        new = [piece for piece in others if piece not in pieces]
        for one, other in zip(gone, new, strict=False):
            if (pieces[one] and others[other]) or _PART_OF_COMMAND.search(f"{one}\n{other}"):
                yield what, one, other


def _pieces(text: str) -> dict[tuple[str, str], dict[str, bool]]:
    """Return the pieces of a text, by what they are and what they must share; and whether each is marked as such."""
    pieces: defaultdict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for match in _LINK.finditer(text):
        pieces["link", folded(match[1])][match[2]] = True
    text = text.translate(_STRAIGHT)
    for pattern in (CODE, _QUOTED):
        for match in pattern.finditer(text):
            piece = without_prompt(" ".join(match[match.lastindex or 1].split()))
            if " " not in piece:
                piece = _PUNCTUATION.sub("", piece)
            if key := folded(piece):
                pieces["code", key].setdefault(piece, pattern is CODE)
    return pieces


def only_prints(script: Any) -> bool:
    r"""Return whether a script, a text or a list of lines, only prints what is there.

    Example:
        >>> only_prints("cat VERSION\nnode --version"), only_prints("cat VERSION > a"), only_prints("./run --version")
        (True, False, False)
    """
    lines = script.split("\n") if isinstance(script, str) else script
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return False
    written = [line.strip() for line in lines if line.strip()]
    return bool(written) and all(_READING.fullmatch(line) for line in written)


def are_joined(scripts: Sequence[str], joined: str) -> bool:
    r"""Return whether a script has the lines of several scripts in their order, and none of them changes the others.

    Example:
        >>> (
        ...     are_joined(["make test", "make lint"], "make test\nmake lint\n"),
        ...     are_joined(["cd a", "make"], "cd a\nmake"),
        ... )
        (True, False)
    """
    lines = [line.rstrip() for script in scripts for line in script.split("\n") if line.strip()]
    unsafe = any(_STATEFUL.match(line) or line.endswith("\\") or "<<" in line for line in lines)
    return not unsafe and lines == [line.rstrip() for line in joined.split("\n") if line.strip()]
