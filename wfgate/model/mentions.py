"""The mentions of steps in a message: where each name stands, and which names are one enumeration.

A message is put together from many parts, and only the part that writes a name knows that it is one. So this part
encloses the name in marks, and `read` takes the marks off the finished message. Nothing looks for names in a text: it
may contain the same words. The marks are lone surrogates, which no text of a file contains. A marked text stays
between its writer and `read`.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from wfgate.model.workflow import Frozen

MentionKind = Literal["name", "list", "rewording"]
"""What a mention is: one name in quotes, an enumeration of names, or the bracket with the names of the candidate's
steps behind the name of the golden's step."""

_OPEN: dict[MentionKind, str] = {"name": "\udb80", "list": "\udb81", "rewording": "\udb82"}
_KINDS = {mark: kind for kind, mark in _OPEN.items()}
_BEHIND, _CLOSE = "\udb83", "\udb84"
"""Between the visible text and the hidden value of a mention (a whole name, a number), and after the value."""
_MARKS = f"{''.join(_OPEN.values())}{_BEHIND}{_CLOSE}"
_MARK = re.compile(f"([{_MARKS}])")
_HIDDEN = re.compile(f"{_BEHIND}[^{_MARKS}]*|[{_MARKS}]")


class Mention(Frozen):
    """A part of a message that names steps.

    Attributes:
        kind: What it is. An enumeration and a bracket contain the mentions of the single names.
        start: Its first character in the message, from 0.
        end: The character behind it.
        name: The whole name on one line, which the message may cut; empty for an enumeration and a bracket.
        steps: Number of steps that it names or counts ("and 2 more").
    """

    kind: MentionKind
    start: int
    end: int
    name: str = ""
    steps: int = 1


class Said(NamedTuple):
    """A finished message.

    Attributes:
        text: The text, without marks.
        mentions: Where it names steps, in order; an enumeration comes before the names in it.
    """

    text: str
    mentions: tuple[Mention, ...] = ()


def named(shown: str, name: str) -> str:
    """Return a step's name in quotes, marked.

    Args:
        shown: The name as the message shows it; it may be cut.
        name: The whole name.
    """
    return _marked("name", f"'{_MARK.sub('', shown)}'", _MARK.sub("", name))


def rewording(names: str) -> str:
    """Return the bracket behind a step's name with the marked names that it has now."""
    return _marked("rewording", f" (now {names})")


def listed(items: Sequence[str], limit: int = 3) -> str:
    """Return the items as an enumeration; items beyond the limit are only counted. One of names only is marked.

    Example:
        >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d", "e"])
        ('a, b and c', 'a, b, c and 2 more')
    """
    if len(items) > limit + 1:
        said = f"{', '.join(items[:limit])} and {len(items) - limit} more"
    else:
        said = " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
    return _marked("list", said, str(len(items))) if len(items) > 1 and all(map(_is_name, items)) else said


def plain(message: str) -> str:
    """Return a message without marks, as `read` does."""
    return _HIDDEN.sub("", message)


def read(message: str) -> Said:
    """Take the marks off a message.

    Example:
        >>> said = read(f"{named('Build…', 'Build it')} is missing")
        >>> said.text, [(one.start, one.end, one.name) for one in said.mentions]
        ("'Build…' is missing", [(0, 8, 'Build it')])
    """
    texts = _MARK.split(message)
    if len(texts) == 1:
        return Said(message)
    shown, at, mentions = [texts[0]], len(texts[0]), list[Mention]()
    opened: list[tuple[MentionKind, int]] = []
    for mark, before, text in zip(texts[1::2], texts[:-1:2], texts[2::2], strict=True):
        if mark in _KINDS:
            opened.append((_KINDS[mark], at))
        elif mark == _CLOSE and opened:
            kind, start = opened.pop()
            name, steps = ("", int(before) if before.isdecimal() else 1) if kind == "list" else (before, 1)
            mentions.append(Mention(kind=kind, start=start, end=at, name=name, steps=steps))
        if mark != _BEHIND:
            shown.append(text)
            at += len(text)
    return Said("".join(shown), tuple(sorted(mentions, key=lambda one: (one.start, -one.end))))


def _marked(kind: MentionKind, text: str, value: str = "") -> str:
    return f"{_OPEN[kind]}{text}{_BEHIND}{value}{_CLOSE}"


def _is_name(item: str) -> bool:
    """Return whether a marked text is one name, with or without a bracket, and nothing else."""
    said = read(item)
    first, *others = said.mentions or (None,)
    if first is None or first.kind != "name" or first.start:
        return False
    rest = [one.end for one in others if one.kind == "rewording" and one.start == first.end]
    return max(first.end, *rest, 0) == len(said.text)
