"""Actions that one text orders and the other one denies, and states that it leaves as they are.

Examples: "don't overwrite" and "overwriting"; "lock the period" and "leave the period open".

Most negations in rewordings are harmless: "no order without an approval" is "an order needs an approval". Therefore a
denied word counts only if the other text has it as a verb or next to the same words, and if that text neither
restricts nor negates anything.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from wfgate.language import phrases
from wfgate.language.lexicon import demands, opposites
from wfgate.language.lexicon.grammar import ALL_OR_ANY, BEFORE_VERB, NOBODY
from wfgate.language.phrases import ParsedText, agreement
from wfgate.language.words import Token, is_content, lemma

How = Literal["without", "contrast", "omitted", "prefix", "nothing", "never", "not"]

ALIKE = 0.5
"""Smallest agreement of the lemmas of two texts."""
ALIKE_WITHOUT = 0.33
"""The same for "without" before a verb, which leaves little room for another meaning."""
ALIKE_NOT = 0.8
"""The same for ", not", and for a "not" that only the golden has."""
ALIKE_LEFT = 0.4
"""The same for a state that is left."""
_SCOPE = 5
"""Number of tokens after a negator in which the denied word must be."""
_AROUND = 2
"""Number of content words on each side that are compared."""
_PREFIX = "un"
_MOST = 32
"""Largest number of denied words of a text that are looked at, so that the cost stays linear."""
_LONGEST_PHRASE = 4
"""Largest number of words in a reported phrase."""


class Denial(NamedTuple):
    """A denied word: the tokens from `first` up to and with `word`, and how it is denied."""

    first: int
    word: int
    how: How


def turned(golden: ParsedText, candidate: ParsedText) -> Iterator[tuple[str, str]]:
    """Yield the words of both texts about an action that is ordered in one text and denied in the other.

    Cost: linear in the words of both texts.

    Example:
        >>> texts = "Write to S3; don't overwrite the old file", "Write to S3, overwriting the old file"
        >>> list(turned(*map(phrases.parsed, texts)))
        [('not overwrite', 'overwriting')]
    """
    for denying, other, added in ((golden, candidate, False), (candidate, golden, True)):
        denied = denials(denying)
        if not denied:
            continue
        alike = agreement(frozenset(golden.lemmas), frozenset(candidate.lemmas))
        if alike < ALIKE_WITHOUT:
            return
        taken = _denied_lemmas(other)
        own = {denial.word for denial in denied}
        affirmed = {
            lemma(token.lower) for place, token in enumerate(denying.tokens) if place not in own and is_content(token)
        }
        for denial in denied[:_MOST]:
            key = _key(denying, denial)
            place = other.lemmas.get(key)
            if place is None or key in taken or key in affirmed or other.is_negated(place):
                continue
            if _EXCLUDES[denial.how](_Turn(denying, denial, other, place, alike, added)):
                words = _phrase(denying, denial), other.tokens[place].text
                yield words[::-1] if added else words


def left(golden: ParsedText, candidate: ParsedText) -> Iterator[tuple[str, str]]:
    """Yield the verbs of the golden with the opposite states that the candidate leaves.

    Example:
        >>> list(left(*map(phrases.parsed, ("Lock the period", "Tag the period as reviewed, leaving it open"))))
        [('Lock', 'leaving it open')]
    """
    leaving = candidate.hits(demands.LEAVING)
    if not leaving or golden.hits(demands.LEAVING) or golden.negators:
        return
    if any(text.hits(demands.AWAITING) for text in (golden, candidate)):
        return
    if agreement(frozenset(golden.lemmas), frozenset(candidate.lemmas)) < ALIKE_LEFT:
        return
    verbs = {
        hit.group: hit
        for hit in golden.hits(opposites.STATES_LEFT)
        if hit.side and not hit.negated and _is_verb(golden.tokens, hit.first)
    }
    states: dict[int, list[phrases.Hit]] = {}
    for hit in candidate.hits(opposites.STATES_LEFT):
        if not hit.side and hit.group in verbs and not _goes_on(candidate, hit):
            states.setdefault(hit.first, []).append(hit)
    end = min(candidate.negators, default=len(candidate.tokens))
    places = ((start, place) for start in leaving for place in range(start.behind, start.behind + _SCOPE + 1))
    for start, state in ((start, state) for start, place in places if place < end for state in states.get(place, ())):
        words = " ".join(token.text for token in candidate.tokens[start.first : state.behind])
        yield golden.words(verbs[state.group]), words


def _goes_on(text: ParsedText, state: phrases.Hit) -> bool:
    """Return whether "on" or "off" is no state but a preposition: "keep an eye on the queue"."""
    is_short = text.words(state).lower() in {"on", "off"}
    return is_short and state.behind < len(text.tokens) and text.tokens[state.behind].kind != "mark"


def denials(text: ParsedText) -> list[Denial]:
    """Return the denied words of a text.

    Example:
        >>> text = phrases.parsed("Leave it unsigned, skip the review and pause nothing, without asking")
        >>> [(text.tokens[denial.word].text, denial.how) for denial in denials(text)]
        [('unsigned', 'prefix'), ('review', 'omitted'), ('pause', 'nothing'), ('asking', 'without')]
    """
    denied = [denial for place in text.negators for denial in _negated(text, place)]
    for hit in text.hits(demands.OMITTING):
        if not hit.negated:
            denied += _scoped(text, hit.first, hit.behind, "omitted")
    for place, token in enumerate(text.tokens):
        if token.lower.startswith(_PREFIX) and token.lower.endswith("ed") and not text.is_negated(place):
            denied.append(Denial(place, place, "prefix"))
    return sorted(denied, key=lambda denial: denial.word)


def _negated(text: ParsedText, place: int) -> Iterator[Denial]:
    negator, before = text.tokens[place].lower, text.tokens[place - 1] if place else None
    if negator in NOBODY:
        if before is not None and is_content(before):
            yield Denial(place, place - 1, "nothing")
        return
    ahead = [token.kind for token in text.tokens[max(0, place - 3) : place]]
    if text.is_negated(place) and "mark" not in ahead:
        return  # "not without a witness"
    how: How = "not"
    if negator in {"without", "never"}:
        how = "without" if negator == "without" else "never"
    elif negator == "not" and before is not None and before.text == ",":
        how = "contrast"
    yield from _scoped(text, place, place + 1, how)


def _scoped(text: ParsedText, first: int, behind: int, how: How) -> Iterator[Denial]:
    for place, token in enumerate(text.tokens[behind : behind + _SCOPE], start=behind):
        if token.kind == "mark":
            return
        if is_content(token):
            yield Denial(first, place, how)
            return


def _key(text: ParsedText, denial: Denial) -> str:
    key = lemma(text.tokens[denial.word].lower)
    return key.removeprefix(_PREFIX) if denial.how == "prefix" else key


def _denied_lemmas(text: ParsedText) -> set[str]:
    return {_key(text, denial) for denial in denials(text)}


class _Turn(NamedTuple):
    """A denied word of one text that the other text has without a negation at `place`."""

    denying: ParsedText
    denial: Denial
    other: ParsedText
    place: int
    alike: float
    added: bool

    def is_verb(self) -> bool:
        return _is_verb(self.other.tokens, self.place)

    def is_gerund(self) -> bool:
        return self.denying.tokens[self.denial.word].lower.endswith("ing")

    def is_near(self) -> bool:
        return not _around(self.denying, self.denial.word).isdisjoint(_around(self.other, self.place))

    def is_bound(self) -> bool:
        """Return whether the other text says "only", "unless" or similar."""
        return bool(self.other.hits(demands.RESTRICTING))

    def is_free(self) -> bool:
        return not self.is_bound() and not self.other.hits(demands.INVERTING)

    def is_plain(self) -> bool:
        return not self.other.negators and not self.other.hits(demands.DENYING)

    def is_lasting(self, besides: frozenset[str] = frozenset()) -> bool:
        """Return whether only the other text has a word such as "unchanged" or "alone", which may replace a "not"."""
        ours, theirs = (
            {text.words(hit).lower() for hit in text.hits(demands.ENDURING)} for text in (self.denying, self.other)
        )
        return bool(theirs - ours - besides)

    def is_single(self, besides: frozenset[str] = frozenset()) -> bool:
        """Return whether the denial is the only negation and restriction of both texts."""
        none = any(quantity.value == 0 and not quantity.weak for quantity in self.other.quantities)
        open_ = self.is_plain() and self.is_free() and not self.is_lasting(besides) and not none
        return open_ and not self.denying.hits(demands.RESTRICTING) and len(self.denying.negators) == 1


def _without(turn: _Turn) -> bool:
    if turn.added and turn.is_gerund() and turn.is_verb():
        return True
    return turn.alike >= ALIKE and turn.is_gerund() and turn.is_free() and turn.is_plain()


def _contrast(turn: _Turn) -> bool:
    return turn.alike >= ALIKE_NOT and (turn.added or turn.is_plain()) and turn.is_free() and turn.is_near()


def _omitted(turn: _Turn) -> bool:
    return (
        turn.added and turn.alike >= ALIKE and turn.is_near() and turn.is_plain() and not turn.is_lasting(ALL_OR_ANY)
    )


def _prefixed(turn: _Turn) -> bool:
    return turn.added and turn.alike >= ALIKE and turn.is_verb() and turn.is_free() and not turn.is_lasting()


def _nothing(turn: _Turn) -> bool:
    return turn.alike >= ALIKE and turn.is_single(ALL_OR_ANY) and turn.is_verb()


def _never(turn: _Turn) -> bool:
    sure = turn.added and turn.alike >= ALIKE and turn.is_verb() and not turn.is_bound()
    return sure or _not(turn)


def _not(turn: _Turn) -> bool:
    if turn.alike < (ALIKE if turn.added else ALIKE_NOT) or not turn.is_single() or not turn.is_near():
        return False
    return turn.is_verb() or turn.is_gerund() or turn.other.tokens[turn.place].lower.endswith("ing")


_EXCLUDES: dict[How, Callable[[_Turn], bool]] = {
    "without": _without,
    "contrast": _contrast,
    "omitted": _omitted,
    "prefix": _prefixed,
    "nothing": _nothing,
    "never": _never,
    "not": _not,
}
"""Whether a denial leaves no reading in which the other text says the same."""


def _is_verb(tokens: tuple[Token, ...], place: int) -> bool:
    """Return whether a word stands where a verb does: at the start of a clause, or after "and", "shall", "be"."""
    return not place or tokens[place - 1].kind == "mark" or tokens[place - 1].lower in BEFORE_VERB


def _around(text: ParsedText, place: int) -> set[str]:
    """Return the lemmas of the nearest content words on both sides of a position."""
    ahead = [token for token in text.tokens[max(0, place - _SCOPE) : place] if is_content(token)][-_AROUND:]
    behind = [token for token in text.tokens[place + 1 : place + 1 + _SCOPE] if is_content(token)][:_AROUND]
    return {lemma(token.lower) for token in (*ahead, *behind)}


def _phrase(text: ParsedText, denial: Denial) -> str:
    """Return the negator and the denied word as written, in their order."""
    first, last = sorted((denial.first, denial.word))
    words = [token.text for token in text.tokens[first : last + 1]]
    return " ".join(words if len(words) <= _LONGEST_PHRASE else (words[0], words[-1]))
