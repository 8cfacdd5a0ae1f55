"""Differences of two texts: which tokens differ, and short windows of both texts that show them.

A token is what a reader sees as one thing: a word, a number with its unit, a version, a region, a path, the name of an
image, an identifier. "eu-west-1" and "us-east-1" differ as a whole.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from typing import NamedTuple

from wfgate.language.amounts import UNITS
from wfgate.language.words import is_content, tokens

Marked = tuple[tuple[str, bool], ...]
"""A text as (segment, changed) pairs; the segments joined are the text."""

MOST_TOKENS = 1000
"""Largest number of tokens that are compared; of longer texts all between the first and last difference is marked."""
FREE = 0.7
"""Share of differing words of both texts above which all of them are marked: a shared word means little then."""
MOST_CHARACTERS = 20_000
"""Characters that a window is chosen from; those of a longer text begin shortly before the first difference."""
CUT = "…"
"""Stands for omitted text in a window."""
LINE_BREAK = "↵ "
"""Stands for a line break where a text is shown on one line."""
_LONG = 40
"""Characters of a URL or path from which on its segments are tokens in values: only the changed ones are marked."""
_WORTH = 4
"""A part of a text that is not longer is not omitted."""
READ = 160
"""A text that is not longer is shown whole in reports for people."""
MOST_CHANGED = 600
"""Characters of the changed parts of a text that are all shown, beyond the limit of a window: a change that is cut
does not say what changed."""
_LEGIBLE = 12
"""Characters that several shortened changes have each; with less room fewer changes are shown."""
_CONTEXTS = (8, 4, 2, 1, 0)
"""Tokens of unchanged text next to a change in a window, the most generous first."""

_SPLIT = r"\s,;|&=()\[\]{}<>\"'`\u2018\u2019\u201c\u201d"
_SINGLE = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = rf"[{_SINGLE}]|(?:[^{_SPLIT}{_SINGLE}]|(?<=\w)['\u2019](?=\w))+"
"""Chinese and Japanese have no spaces between words: each character is a token."""
_FRAME = ".:!?"
"""Marks that do not belong to a word at its end."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SEGMENT = re.compile(r"[^/?#]+")
_GAP = re.compile(r"\s+|.", re.DOTALL)
_MANY_CUTS = re.compile(rf"{CUT}(?: *{CUT})+")
_CAMEL = r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"


class _Token(NamedTuple):
    """A token with its position; tokens with equal keys are equal."""

    start: int
    end: int
    key: str


class _Segment(NamedTuple):
    """A stretch of both texts, as ranges of their tokens."""

    ranges: tuple[tuple[int, int], tuple[int, int]]
    changed: bool


def marked(golden_text: str, candidate_text: str, *, exact: bool = False) -> tuple[Marked, Marked]:
    """Return both texts with the differing tokens marked.

    Tokens between two changes without a word of content ("of the") are marked, too, and both texts as a whole if their
    beginning and most of their words differ. What is not marked is common: the same tokens in the same order.

    Args:
        golden_text: The golden's text.
        candidate_text: The candidate's text.
        exact: Whether case, punctuation and white space count, as in values and code.

    Example:
        >>> marked("Deploy to eu-west-1 now", "deploy to us-east-1, now")[1]
        (('deploy to ', False), ('us-east-1', True), (', now', False))
    """
    return _Difference(golden_text, candidate_text, exact=exact).marked


def windows(golden_text: str, candidate_text: str, limit: int, *, exact: bool = False) -> tuple[Marked, Marked]:
    """Return short forms of both texts, with the differing tokens marked.

    A text of at most `limit` characters stays as it is, if the other one does. Else unchanged text is omitted. Changed
    text is omitted only if it has more than `MOST_CHANGED` characters, or if `limit` is less than `READ`: then the
    ends of long changes are cut first, then later changes. If a text has a change, its window shows one.

    Args:
        golden_text: The golden's text.
        candidate_text: The candidate's text.
        limit: Largest number of characters of each window, at least 8.
        exact: As for `marked`.

    Example:
        >>> said = "helm upgrade shop charts/shop --namespace shop --set image.tag={} --wait --timeout 5m"
        >>> for side in windows(said.format("1.4.2"), said.format("1.4.3"), 40, exact=True):
        ...     print("".join(text for text, _ in side))
        helm … image.tag=1.4.2 --wait …
        helm … image.tag=1.4.3 --wait …
    """
    if max(len(golden_text), len(candidate_text)) > MOST_CHARACTERS:
        start = max(0, _shared(golden_text, candidate_text) - MOST_CHARACTERS // 10)
        parts = (text[start : start + MOST_CHARACTERS] for text in (golden_text, candidate_text))
        golden_text, candidate_text = (f"{CUT * bool(start)}{part}" for part in parts)
    return _Difference(golden_text, candidate_text, exact=exact).windows(limit)


def exchange(golden_text: str, candidate_text: str, limit: int, *, exact: bool = False) -> tuple[str, str]:
    """Return the `windows` of two texts as plain texts."""
    golden, candidate = windows(golden_text, candidate_text, limit, exact=exact)
    return "".join(text for text, _ in golden), "".join(text for text, _ in candidate)


def short_names(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return a short form of each name; names that differ only further behind are shown where they differ.

    Args:
        names: The names.
        limit: Largest number of characters of a short form, at least 8. A name that no such form tells from the others
            stays as it is.

    Example:
        >>> list(short_names(["Copy the nightly backup to bucket a", "Copy the nightly backup to b"], 20).values())
        ['Copy … to bucket a', 'Copy … to b']
    """
    short: dict[str, str] = {}
    for name in dict.fromkeys(names):
        form = beginning(name, limit)
        twin = next((other for other, known in short.items() if known == form), None)
        if twin is not None:
            short[twin], form = exchange(twin, name, limit)
        short[name] = form
    often = Counter(short.values())
    return {name: form if often[form] == 1 else name for name, form in short.items()}


def beginning(text: str, limit: int) -> str:
    """Return the first words of a text with at most `limit` characters.

    Example:
        >>> beginning("Copy the nightly backup", 20), beginning("x" * 9, 6)
        ('Copy the nightly…', 'xxxxx…')
    """
    if len(text) <= limit:
        return text
    shown = text[: limit - 1]
    return (shown.rpartition(" ")[0] or shown) + CUT


def one_line(text: str) -> str:
    r"""Return a text with its line breaks and tabs as visible marks.

    Example:
        >>> one_line("make all\nmake check\t\r\n")
        'make all↵ make check\\t\\r↵ '
    """
    return text.replace("\n", LINE_BREAK).replace("\r", r"\r").replace("\t", r"\t")


def whole_tokens(words: str, golden_text: str, candidate_text: str) -> str:
    """Return the words with the rest of the tokens of `golden_text` that they are a part of.

    Of several occurrences the first counts that differs from `candidate_text`. If none does, the words are returned as
    they are.

    Example:
        >>> whole_tokens("west", "Deploy to eu-west-1", "Deploy to us-east-1")
        'eu-west-1'
    """
    left, right = rf"(?:(?<![^\W_])|{_CAMEL})", rf"(?:(?![^\W_])|{_CAMEL})"
    pattern = re.compile(rf"{left}(?i:{re.escape(words)}){right}") if words.strip() else None
    if pattern is None:
        return words
    known = list(_Difference(golden_text, candidate_text).golden_tokens())
    starts, ends = [token.start for token, _ in known], [token.end for token, _ in known]
    for match in pattern.finditer(golden_text):
        inside = known[bisect_right(ends, match.start()) : bisect_left(starts, match.end())]
        if any(changed for _, changed in inside):
            return golden_text[min(match.start(), inside[0][0].start) : max(match.end(), inside[-1][0].end)]
    return words


class _Difference:
    """The difference of two texts; see `marked` for the arguments."""

    def __init__(self, golden_text: str, candidate_text: str, *, exact: bool = False) -> None:
        self.texts = golden_text, candidate_text
        find = _exact_tokens if exact else _prose_tokens
        self.tokens = find(golden_text), find(candidate_text)
        self.thin = _is_mark if exact else _is_function_word
        self.words = _exact_words if exact else _words
        self.segments = list(_joined(_compared(*self.tokens), self.tokens, self.thin))
        if not exact and self._is_free():
            self.segments = [_Segment(((0, len(self.tokens[0])), (0, len(self.tokens[1]))), changed=True)]

    def _is_free(self) -> bool:
        """Return whether the first word and more than the share `FREE` of the words of both texts differ."""
        if not self.segments or not self.segments[0].changed:
            return False
        changed = [segment for segment in self.segments if segment.changed]
        sizes = [sum(segment.ranges[side][1] - segment.ranges[side][0] for segment in changed) for side in (0, 1)]
        return all(size > FREE * len(tokens) for size, tokens in zip(sizes, self.tokens, strict=True))

    def golden_tokens(self) -> Iterator[tuple[_Token, bool]]:
        """Yield the golden's tokens, each with whether it is changed."""
        for segment in self.segments:
            for token in self.tokens[0][slice(*segment.ranges[0])]:
                yield token, segment.changed

    @property
    def marked(self) -> tuple[Marked, Marked]:
        """Both texts with the differing tokens marked."""
        return self._pieces(0), self._pieces(1)

    def _pieces(self, side: int) -> Marked:
        text, pieces, at = self.texts[side], [], 0
        for start, end in self._changes(side):
            if start < end:  # the other side has something in addition
                pieces += [(text[at:start], False), (text[start:end], True)]
                at = end
        return tuple(piece for piece in (*pieces, (text[at:], False)) if piece[0])

    def _changes(self, side: int) -> list[tuple[int, int]]:
        """Return the start and end of each change; of a change that this side has nothing of, the place twice."""
        return [self._span(side, segment) for segment in self.segments if segment.changed]

    def _span(self, side: int, segment: _Segment) -> tuple[int, int]:
        known, (first, behind) = self.tokens[side], segment.ranges[side]
        if first < behind:
            return known[first].start, known[behind - 1].end
        place = known[first].start if first < len(known) else known[-1].end if known else 0
        return place, place

    def windows(self, limit: int) -> tuple[Marked, Marked]:
        """Return both windows; see the function."""
        if max(map(len, self.texts)) <= limit:
            return self.marked
        ranked = self._ranked()
        if limit >= READ and max(self._changed(side) for side in (0, 1)) <= MOST_CHANGED:
            return self._with_all_changes(ranked, limit)
        for kept, longest, context in _plans(len(ranked), limit):
            golden, candidate = (
                self._window(side, self._kept(side, ranked, kept), longest, context) for side in (0, 1)
            )
            if max(sum(len(text) for text, _ in pieces) for pieces in (golden, candidate)) <= limit:
                return golden, candidate
        golden, candidate = (self._glimpse(side, self._kept(side, ranked, 1), limit) for side in (0, 1))
        return golden, candidate

    def _changed(self, side: int) -> int:
        """Return the number of changed characters of a text."""
        return sum(end - start for start, end in self._changes(side))

    def _with_all_changes(self, ranked: Sequence[int], limit: int) -> tuple[Marked, Marked]:
        """Return windows with all changes, whole, and as many words beside them as fit; one word, if none do."""
        shown: tuple[Marked, Marked] = (), ()
        for context in _CONTEXTS[:-1]:
            shown = (
                self._window(0, sorted(ranked), MOST_CHANGED, context),
                self._window(1, sorted(ranked), MOST_CHANGED, context),
            )
            if max(sum(len(text) for text, _ in pieces) for pieces in shown) <= limit:
                break
        return shown

    def _glimpse(self, side: int, kept: Sequence[int], limit: int) -> Marked:
        """Return one change and nothing beside it, or the text before its place; without a change the beginning."""
        text = self.texts[side]
        if len(text) <= limit:
            return self._pieces(side)
        if not kept:
            return ((beginning(text, limit), False),)
        (start, end), (first, last) = (self._changes(one)[kept[0]] for one in (side, 1 - side))
        behind = CUT * (end < len(text))
        if start == end:
            return ((f"{CUT}{text[max(0, start - limit + 2) : start]}{behind}", False),)
        shown = _cut(text[start:end], self.texts[1 - side][first:last], limit - 2)
        before = CUT * (start > 0 and not shown.startswith(CUT))
        pieces = (before, False), (shown, True), ("" if shown.endswith(CUT) else behind, False)
        return tuple(piece for piece in pieces if piece[0])

    def _ranked(self) -> list[int]:
        """Return the changes: those with a word of content first, then in the order of the texts."""
        spans = [segment.ranges for segment in self.segments if segment.changed]
        return sorted(range(len(spans)), key=lambda place: not any(self._says(side, spans[place]) for side in (0, 1)))

    def _says(self, side: int, ranges: tuple[tuple[int, int], tuple[int, int]]) -> bool:
        return not all(self.thin(token.key) for token in self.tokens[side][slice(*ranges[side])])

    def _kept(self, side: int, ranked: Sequence[int], count: int) -> list[int]:
        """Return the first changes; if this side has no part of them, the last becomes the first it has a part of."""
        spans = self._changes(side)
        own = [place for place in ranked if spans[place][0] < spans[place][1]]
        kept = ranked[:count] if not own or own[0] in ranked[:count] else [*ranked[: count - 1], own[0]]
        return sorted(kept)

    def _window(self, side: int, kept: Sequence[int], longest: int, context: int) -> Marked:
        """Return a window.

        Args:
            side: 0 for the golden, 1 for the candidate.
            kept: The changes that are shown, in their order.
            longest: Largest number of characters of a change.
            context: Number of words that are shown next to a change; at the beginning of the text at most two.
        """
        text, spans, others = self.texts[side], self._changes(side), self._changes(1 - side)
        words = list(self.words(text))
        pieces: list[tuple[str, bool]] = []
        at, beside = 0, 0 if text.startswith(CUT) else min(context, 2)  # the first words say which step it is
        following = 0
        for place in kept:
            (start, end), (first, last) = spans[place], others[place]
            near = max(context, 1) if start == end else context  # a place without text is seen by its neighbours
            if place > following:  # changes between are omitted
                pieces.append((_unchanged(text, words, (at, spans[following][0]), (beside, 0)), False))
                pieces.append((f"{' ' * (spans[following][0] > 0)}{CUT} ", False))
                at, beside = spans[place - 1][1], 0
            pieces.append((_unchanged(text, words, (at, start), (beside, near)), False))
            pieces.append((_cut(text[start:end], self.texts[1 - side][first:last], longest), True))
            at, beside, following = end, near, place + 1
        behind = spans[following][0] if following < len(spans) else len(text)
        pieces.append((_unchanged(text, words, (at, behind), (beside, 0)), False))
        if behind < len(text) and not pieces[-1][0].endswith(CUT):
            pieces.append((f" {CUT}", False))
        shown = groupby((piece for piece in pieces if piece[0]), key=lambda piece: piece[1])
        return tuple((_MANY_CUTS.sub(CUT, "".join(part for part, _ in group)), changed) for changed, group in shown)


def _unchanged(text: str, words: Sequence[tuple[int, int]], part: tuple[int, int], kept: tuple[int, int]) -> str:
    """Return an unchanged part of a text with its first and last `kept` words, and a mark for the others."""
    (start, end), (head, tail) = part, kept
    inside = words[bisect_left(words, (start,)) : bisect_left(words, (end,))]
    if len(inside) <= head + tail and (inside or head + tail):
        return text[start:end]
    left = inside[head - 1][1] if head else start
    right = inside[-tail][0] if tail else end
    if right - left <= _WORTH:
        return text[start:end]
    space = bool(tail) or (end < len(text) and text[end - 1] == " ")
    return f"{text[start:left]}{' ' * bool(left)}{CUT}{' ' * space}{text[right:end]}"


def _plans(changes: int, limit: int) -> Iterator[tuple[int, int, int]]:
    """Yield what a window can show, the most first: number of changes, characters of each, tokens beside each."""
    if not changes:
        return
    changes = min(changes, limit // len("a b "))
    yield from ((changes, limit, context) for context in _CONTEXTS[:-1])
    for kept in sorted({changes, 3, 2, 1}, reverse=True):
        if kept <= changes:
            shares = 2 * limit // (3 * kept), limit // (2 * kept)
            legible = [longest for longest in shares if longest >= _LEGIBLE or kept == 1]
            contexts = _CONTEXTS[1:] if kept == 1 else _CONTEXTS[1:-1]  # several changes need words between them
            yield from ((kept, longest, context) for longest in legible for context in contexts)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of equal items at the beginning of two sequences."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def _cut(text: str, other: str, longest: int) -> str:
    """Return a part of a change that begins shortly before its first character that differs from the other text."""
    if len(text) <= longest:
        return text
    same = _shared(text, other)
    room = max(longest - 2, 1)
    start = 0 if same < room - 1 else same - room // 3
    shown = text[start : start + room]
    if start + room >= len(text):
        return CUT * (start > 0) + shown
    words = shown.rpartition(" ")[0]  # no half word at the end, unless the difference is in it
    return CUT * (start > 0) + (words if start + len(words) > same else shown) + CUT


@cache  # takes 3 ms to compile, and equal texts need none of it
def _word() -> re.Pattern[str]:
    return re.compile(_WORD)


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word."""
    for match in _word().finditer(text):
        length = len(match.group().rstrip(_FRAME))
        if length:
            yield match.start(), match.start() + length


def _prose_tokens(text: str) -> list[_Token]:
    """Return the words of a text; a number and its unit are one token. Case does not count."""
    joined: list[_Token] = []
    for start, end in _words(text):
        word, before = text[start:end].casefold(), joined[-1] if joined else None
        if before and word in UNITS and _NUMBER.fullmatch(before.key) and not text[before.end : start].strip(" "):
            joined[-1] = _Token(before.start, end, f"{before.key} {word}")
        else:
            joined.append(_Token(start, end, word))
    return joined


def _exact_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word; of a long path or URL, of each segment."""
    for start, end in _words(text):
        if end - start < _LONG:
            yield start, end
        else:
            yield from (segment.span() for segment in _SEGMENT.finditer(text, start, end))


def _exact_tokens(text: str) -> list[_Token]:
    """Return the words of a text, and the white space and the marks between them; every character counts."""
    parts: list[_Token] = []
    at = 0
    for start, end in (*_exact_words(text), (len(text), len(text))):
        gaps = (gap.span() for gap in _GAP.finditer(text, at, start))
        parts += [_Token(*span, text[slice(*span)]) for span in (*gaps, (start, end)) if span[0] < span[1]]
        at = end
    return parts


def _compared(golden: Sequence[_Token], candidate: Sequence[_Token]) -> Iterator[_Segment]:
    """Yield the common and the changed stretches, in order."""
    ours, theirs = [token.key for token in golden], [token.key for token in candidate]
    head = _shared(ours, theirs)
    tail = _shared(ours[head:][::-1], theirs[head:][::-1])
    middle, other = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    blocks = [(0, 0, head)]
    if max(len(middle), len(other)) <= MOST_TOKENS:
        matcher = SequenceMatcher(None, middle, other, autojunk=False)
        blocks += [(head + start, head + place, size) for start, place, size in matcher.get_matching_blocks()]
    blocks += [(len(ours) - tail, len(theirs) - tail, tail), (len(ours), len(theirs), 0)]
    first = second = 0
    for start, place, size in blocks:
        if first < start or second < place:
            yield _Segment(((first, start), (second, place)), changed=True)
        if size:
            yield _Segment(((start, start + size), (place, place + size)), changed=False)
        first, second = max(first, start + size), max(second, place + size)


def _joined(
    segments: Iterator[_Segment], known: tuple[Sequence[_Token], Sequence[_Token]], thin: Callable[[str], bool]
) -> Iterator[_Segment]:
    """Yield the segments; common ones between two changes that have only thin tokens belong to the change."""
    stretches = list(segments)
    flags = [
        segment.changed
        or (
            0 < place < len(stretches) - 1
            and stretches[place - 1].changed
            and stretches[place + 1].changed
            and all(thin(token.key) for token in known[0][slice(*segment.ranges[0])])
        )
        for place, segment in enumerate(stretches)
    ]
    for changed, group in groupby(zip(flags, stretches, strict=True), key=lambda item: item[0]):
        parts = [segment for _, segment in group]
        first, last = parts[0], parts[-1]
        golden, candidate = ((start[0], end[1]) for start, end in zip(first.ranges, last.ranges, strict=True))
        yield _Segment((golden, candidate), changed=changed)


def _is_mark(key: str) -> bool:
    return not any(character.isalnum() for character in key)


def _is_function_word(key: str) -> bool:
    return all(token.kind == "word" and not is_content(token) for token in tokens(key))
