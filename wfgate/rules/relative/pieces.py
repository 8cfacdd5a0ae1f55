"""The parts of a text that count character by character: code, quoted commands, targets of links."""

import re
from collections import defaultdict
from collections.abc import Iterator

from wfgate.language import CODE, folded
from wfgate.rules.relative.commands import QUOTED, STRAIGHT, without_prompt

_LINK = re.compile(r"\[([^\[\]\n]{1,500})\]\(([^()\s]{1,2000})\)")
_COMMAND = re.compile(r"(?:^|\s)(?:-{1,2}\w|[.~]{0,2}/\w|[|<>&;]+(?:\s|$))|\w/(?:\s|$)|>>|<<|&&|\|\||\$[\w({]")
"""An option, a path or an operator: what a quoted command has and a quoted title has not."""
_AT_END = re.compile(r"(?:\(\)|[/.,:;!?])+$")


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
            if (pieces[one] and others[other]) or _COMMAND.search(f"{one}\n{other}"):
                yield what, one, other


def _pieces(text: str) -> dict[tuple[str, str], dict[str, bool]]:
    """Return the pieces of a text, by what they are and what they must share; and whether each is marked as such."""
    found: defaultdict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for match in _LINK.finditer(text):
        found["link", folded(match[1])][match[2]] = True
    text = text.translate(STRAIGHT)
    for pattern in (CODE, QUOTED):
        for match in pattern.finditer(text):
            piece = without_prompt(" ".join(match[match.lastindex or 1].split()))
            if " " not in piece:
                piece = _AT_END.sub("", piece)
            if key := folded(piece):
                found["code", key].setdefault(piece, pattern is CODE)
    return found
