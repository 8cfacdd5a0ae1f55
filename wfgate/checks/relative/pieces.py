"""The parts of a text that count character by character: code, quoted commands, targets of links."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from wfgate.texts.phrases import folded

_Pieces = dict[tuple[str, str], dict[str, bool]]
_CODE = re.compile(r"`([^`\n]{1,2000})`")
_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\(([^()\s]{1,2000})\)")
_QUOTED = re.compile(r"(?<!\w)'([^'\n]{1,500})'(?!\w)|\"([^\"\n]{1,500})\"")
_COMMAND = re.compile(r"(?:^|\s)(?:-{1,2}\w|[.~]{0,2}/\w|[|<>&;]+(?:\s|$))|\w/(?:\s|$)|>>|<<|&&|\|\||\$[\w({]")
"""An option, a path or an operator: what a quoted command has and a quoted title has not."""
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_AT_END = re.compile(r"(?:\(\)|[/.,:;!?])+$")


def changed_pieces(golden: str, candidate: str) -> Iterator[tuple[str, str, str]]:
    r"""Yield the pieces of a text that are written differently: what the piece is, both pieces.

    Code and quoted commands are compared with those that have the same letters and digits, or call the same program
    with other options; targets of links with those of the same linked words. So other words are not reported, but
    another option, operator or path is.

    Cost: linear in the texts.

    Example:
        >>> list(changed_pieces("Connect by `ssh -X host`", "Then connect by 'ssh -x host'"))
        [('code', 'ssh -X host', 'ssh -x host')]
        >>> list(changed_pieces("Ask for [approval](https://a.example)", "Ask for [Approval](https://b.example)"))
        [('link', 'https://a.example', 'https://b.example')]
        >>> list(changed_pieces("Build it with `make build --signed`", "Build the image: `make build`"))
        [('code', 'make build --signed', 'make build')]
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
            if (pieces[one] and others[other]) or _COMMAND.search(f"{one}\n{other}"):
                yield what, one, other
    programs = _by_program(was, now), _by_program(now, was)
    for program, commands in programs[0].items():
        for one, other in zip(commands, programs[1][program], strict=False):
            if _has_other_options(one, other):
                yield "code", one, other


def _by_program(pieces: _Pieces, others: _Pieces) -> defaultdict[str, list[str]]:
    """Return the code that the other text has not, by its first word."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for (what, key), commands in pieces.items():
        for command in commands if what == "code" and (what, key) not in others else ():
            found[command.split()[0]].append(command)
    return found


def _has_other_options(golden: str, candidate: str) -> bool:
    """Return whether two commands of a program differ only in options, or one has more options with values."""
    was, now = golden.split(), candidate.split()
    gone, new = Counter(was) - Counter(now), Counter(now) - Counter(was)
    options = [word.startswith("-") for word in (*gone, *new)]
    return any(options) and (all(options) or not gone or not new)


def _pieces(text: str) -> _Pieces:
    """Return the pieces of a text, by what they are and what they must share; and whether each is marked as such."""
    found: defaultdict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for match in _LINK.finditer(text):
        found["link", folded(match[1])][match[2]] = True
    text = text.translate(_STRAIGHT)
    for pattern in (_CODE, _QUOTED):
        for match in pattern.finditer(text):
            piece = " ".join(match[match.lastindex or 1].split())
            if " " not in piece:
                piece = _AT_END.sub("", piece)
            if key := folded(piece):
                found["code", key].setdefault(piece, pattern is _CODE)
    return found
