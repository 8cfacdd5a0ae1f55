"""Whether a text keeps the words of another one and exchanges their roles: "from A to B", "from B to A".

Rewordings often keep the words, too, and put them in another order: a clause that moves to the front, a list in
another order. Therefore only one pattern counts: two parts change places, and what stands between them does not.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from wfgate.language.contradiction import Contradiction
from wfgate.language.lexicon import alternatives, demands, opposites
from wfgate.language.lexicon.demands import AFTER_FIRST, ORDERED, UNORDERED
from wfgate.language.lexicon.grammar import BE, JOINING, LEADING, MARKING, NOT, ROLES, WITHOUT_ROLE
from wfgate.language.lexicon.numbers import BOUNDS
from wfgate.language.lexicon.opposites import BETWEEN_SYMMETRIC, SYMMETRIC, UNITING
from wfgate.language.phrases import ParsedText, agreement, closeness, folded, parsed
from wfgate.language.words import is_content, lemma, plain_text

ALIKE = 0.75
"""Smallest closeness of the words of two texts of which roles are compared."""
IN_ORDER = 0.5
"""Smallest agreement of the words of a text that says an order and one that says "at the same time"."""
_LONGEST = 60
"""Largest number of words between the first and the last that stand at another place."""
_MOST_SENTENCES = 16
"""Largest number of sentences of each text that are compared one by one."""
_WORD = re.compile(r"[^\W_]+(?:[-_./:@\\][^\W_]+)*|(?P<mark>[,;.:!?()\[\]\n|\u2013\u2014])")
_JOINED = (["as", "well", "as"], ["along", "with"], ["together", "with"])
_RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose)\b", re.IGNORECASE)
_ORDER = re.compile(
    rf"(?P<first>\bfirst\b)[^.]*?\b(?:{alternatives(AFTER_FIRST)})\b|\b(?:{alternatives(ORDERED)})\b", re.IGNORECASE
)
_AT_ONCE = re.compile(rf"\b(?:{alternatives(UNORDERED)})\b", re.IGNORECASE)


class _Word(NamedTuple):
    """A word: what is compared, its place, and whether a mark, or a form of "be", stands before it."""

    key: str
    start: int
    end: int
    breaks: bool = False
    passive: bool = False


class _Swap(NamedTuple):
    """Two parts that changed places, and the words between them."""

    first: Sequence[_Word]
    between: Sequence[_Word]
    second: Sequence[_Word]


def exchanged_roles(golden: str, candidate: str) -> Contradiction | None:
    """Return the words of two texts that are the same in exchanged roles, and None if there are none.

    Nearly all words are the same, and two parts changed places around others that did not: the arguments of
    prepositions, verbs and numbers, or a negation. Clauses and items of a list may change places, and a text that
    orders "first, then" must not become one that does all at the same time. Cost: linear in the words of both texts,
    except for a limited number of words between those that changed places.

    Args:
        golden: The step of the golden.
        candidate: The steps of the candidate that do its work.

    Example:
        >>> found = exchanged_roles("Copy the data from nas-01 to nas-02", "Copy data from nas-02 to nas-01")
        >>> found.golden_words, found.candidate_words
        ('nas-01 to nas-02', 'nas-02 to nas-01')
        >>> exchanged_roles("Once the tests pass, deploy", "Deploy once the tests pass")
        >>> exchanged_roles("Restart db1 and db2", "Restart db2 and db1")
    """
    was, now = parsed(golden), parsed(candidate)
    if golden == candidate:
        return None
    pairs = [(was, now)]
    if 1 < len(was.sentences) * len(now.sentences) <= _MOST_SENTENCES**2:
        pairs += _nearest(was.sentences, now.sentences)
    for one, other in pairs:
        exchanged = _exchange(one, other)
        if exchanged is not None:
            return exchanged
    return _unordered(was, now)


def _nearest(golden: Sequence[ParsedText], candidate: Sequence[ParsedText]) -> Iterator[tuple[ParsedText, ParsedText]]:
    """Yield the pairs of sentences that have nearly the same words, except sentences that both texts have."""
    sides = [{tuple(word.key for word in _words(one)): one for one in side} for side in (golden, candidate)]
    shared = sides[0].keys() & sides[1].keys()
    first, second = ([one for keys, one in side.items() if keys not in shared] for side in sides)
    for one, other in product(first, second):
        if closeness(one.content, other.content) >= ALIKE:
            yield one, other


def _words(text: ParsedText) -> list[_Word]:
    """Return the words that have roles; a clause before the one that it belongs to is put behind it."""
    whole = plain_text(text.original)
    ordered: list[_Word] = []
    start = 0
    for sentence in text.sentences:
        plain = plain_text(sentence.original)
        start = max(whole.find(plain, start), start)
        words = _in_order(plain, start, is_title=sentence.is_title)
        ordered += [words[0]._replace(breaks=bool(ordered)), *words[1:]] if words else []
        start += len(plain)
    return ordered


def _in_order(sentence: str, start: int, *, is_title: bool) -> list[_Word]:
    words: list[_Word] = []
    breaks, before = False, ""
    for match in _WORD.finditer(sentence):
        word = match.group()
        lower = word.lower()
        is_name = len(word) == 1 and word.isupper() and bool(words) and not is_title
        if match["mark"]:
            breaks = bool(words)
        elif is_name or lower not in WITHOUT_ROLE:
            key = word if is_name else lower if lower in ROLES or not lower.isalpha() else lemma(lower)
            words.append(_Word(key, start + match.start(), start + match.end(), breaks, before in BE))
            breaks = False
        before = lower
    if words and words[0].key in LEADING:
        end = next((place for place, word in enumerate(words) if word.breaks), 0)
        words = [*words[end:], *words[:end]]
    return words


def _exchange(golden: ParsedText, candidate: ParsedText) -> Contradiction | None:
    """Return the parts of two texts in which roles are exchanged."""
    if closeness(golden.content, candidate.content) < ALIKE:
        return None
    was, now = _words(golden), _words(candidate)
    counts = Counter(word.key for word in was), Counter(word.key for word in now)
    other = {key for key in counts[0].keys() | counts[1].keys() if counts[0][key] != counts[1][key]}
    if other & ROLES:
        return None
    was, now = ([word for word in side if word.key not in other] for side in (was, now))
    for first, last in _moved(was, now):
        swap = _swap(was, now, first, last)
        parts = was[first:last], now[first:last]
        voices = ({word.key for word in part if word.passive} for part in parts)
        if swap is not None and len(set(map(frozenset, voices))) == 1 and not _is_harmless(golden, swap):
            shown = (_shown(text, part) for text, part in zip((golden, candidate), parts, strict=True))
            return Contradiction("exchanged", *shown)
    return None


def _moved(was: Sequence[_Word], now: Sequence[_Word]) -> Iterator[tuple[int, int]]:
    """Yield the shortest stretches that have the same words in both texts, in another order."""
    open_, first = Counter[str](), 0
    for place, (one, two) in enumerate(zip(was, now, strict=True)):
        for key, step in ((one.key, 1), (two.key, -1)):
            open_[key] += step
            if not open_[key]:
                del open_[key]
        if not open_:
            if place > first:
                yield first, place + 1
            first = place + 1


def _shown(text: ParsedText, words: Sequence[_Word]) -> str:
    plain = plain_text(text.original)
    return " ".join(plain[min(word.start for word in words) : max(word.end for word in words)].split())


def _swap(was: Sequence[_Word], now: Sequence[_Word], first: int, last: int) -> _Swap | None:
    """Return the parts that change places, with as few words between them as possible; None if it is not just that.

    Words that both parts begin or end with belong to them: "from level 1", "to level 2" change places as "level 1",
    "level 2".
    """
    count = last - first
    if count > _LONGEST:
        return None
    one, two = ([word.key for word in side[first:last]] for side in (was, now))
    heads = [size for size in range(1, count) if two[count - size :] == one[:size]]
    tails = [size for size in range(1, count) if two[:size] == one[count - size :]]
    sizes = [
        (head, tail)
        for head, tail in product(heads, tails)
        if head + tail <= count and one[head : count - tail] == two[tail : count - head]
    ]
    if not sizes:
        return None
    head, tail = max(sizes, key=sum)
    begin, behind, end = first, first + head, last - tail
    stop = last
    while begin and behind < end and was[begin - 1].key == was[end - 1].key:
        begin, end = begin - 1, end - 1
    while behind < end and stop < len(was) and was[stop].key == was[behind].key:
        behind, stop = behind + 1, stop + 1
    return _Swap(was[begin:behind], was[behind:end], was[end:stop])


def _is_harmless(golden: ParsedText, swap: _Swap) -> bool:
    """Return whether the parts have the same role, or keep theirs."""
    between = [word.key for word in swap.between]
    if not between:
        return not _moves_negation(swap)
    keeps = [part[0].key in MARKING and len(part) > 1 and part[0].key for part in (swap.first, swap.second)]
    if keeps[0] != keeps[1] or not _is_bound(golden, swap) or _bounds_alike(golden, swap):
        return True
    lemmas = {word.key for word in _words(golden)}
    plain = not set(between) - SYMMETRIC - JOINING - BETWEEN_SYMMETRIC
    if (lemmas & SYMMETRIC and plain) or (lemmas & UNITING and between == ["with"]):
        return True
    return _is_list(golden, swap)


def _moves_negation(swap: _Swap) -> bool:
    """Return whether only a negation moved, to another clause: "not a, but b" became "a, but not b"."""
    parts = [{word.key for word in part} for part in (swap.first, swap.second)]
    return any(one <= NOT and other & JOINING for one, other in (parts, parts[::-1]))


def _is_bound(golden: ParsedText, swap: _Swap) -> bool:
    """Return whether something between the parts gives them roles, or both are names: other words may be one noun.

    "Log of the gateway" is "gateway log", and "wires of equal length" are "equal lengths of wire".
    """
    between = {word.key for word in swap.between}
    plain = plain_text(golden.original)
    pronoun = _RELATIVE.search(plain, swap.between[0].start, max(swap.second[0].start, swap.between[0].start))
    if between & ((ROLES | JOINING) - {"of"}) or pronoun:
        return True
    if any(word.breaks for word in (*swap.between, swap.second[0])) or swap.first[-1].key in MARKING:
        return True
    return all(folded(_shown(golden, part)) in golden.names for part in (swap.first, swap.second))


def _bounds_alike(golden: ParsedText, swap: _Swap) -> bool:
    """Return whether both parts are the same bound: "more than", "over"."""
    one, two = ({hit.side for hit in parsed(_shown(golden, part)).hits(BOUNDS)} for part in swap[::2])
    return bool(one) and one == two and not any(map(is_content, parsed(_shown(golden, swap.first)).tokens))


def _is_list(golden: ParsedText, swap: _Swap) -> bool:
    """Return whether the parts are items of one list, or clauses."""
    between = [word.key for word in swap.between]
    if between in _JOINED or JOINING.issuperset(between):
        return True
    opens = swap.between[0].breaks or between[0] in JOINING
    closes = swap.second[0].breaks or between[-1] in JOINING
    return opens and closes and not set(between) & ROLES and not _has_verb(golden, swap.between)


def _has_verb(text: ParsedText, words: Sequence[_Word]) -> bool:
    inner = parsed(_shown(text, words))
    return bool(inner.hits(opposites.ACTIONS) or inner.hits(demands.LEAVING))


def _unordered(golden: ParsedText, candidate: ParsedText) -> Contradiction | None:
    """Return the words of an order that became "at the same time"."""
    if agreement(golden.content, candidate.content) < IN_ORDER:
        return None
    was, now = plain_text(golden.original), plain_text(candidate.original)
    order, at_once = _ORDER.search(was), _AT_ONCE.search(now)
    if order is None or at_once is None or _AT_ONCE.search(was) or _ORDER.search(now):
        return None
    return Contradiction("exchanged", order["first"] or order[0], at_once[0])
