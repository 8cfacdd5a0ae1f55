"""Parsed texts: listed phrases, numbers, negations and names, with their positions."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from wfgate.language.amounts import Quantity, quantities
from wfgate.language.lexicon import PhraseList, demands, grammar, numbers, opposites
from wfgate.language.lexicon.grammar import COMPARING, IDIOMS, NEGATORS
from wfgate.language.words import Token, is_content, lemma, plain_text, stem, tokens

_QUOTES = "\"'`\u2018\u2019\u201c\u201d"
_QUOTED = re.compile(rf"(?<!\w)[{_QUOTES}]([^{_QUOTES}]{{1,80}})[{_QUOTES}](?!\w)")
_CHUNK = re.compile(r"\w[\w./:-]*")
_IDENTIFIER = re.compile(r"[A-Za-z]-?\d|_|[a-z][A-Z]")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")
_NEGATION_SPAN = 3
"""Number of words after a negation that it negates."""


class Hit(NamedTuple):
    """A listed phrase in a text: the tokens from `first` up to (without) `behind`; its group and side in the list."""

    group: int
    side: int
    first: int
    behind: int
    negated: bool


def _parts(phrase: str) -> tuple[str, ...]:
    """Return the stems of the words of a listed phrase, or the words after "="."""
    exact, text = phrase.startswith("="), phrase.removeprefix("=").lower()
    if text.replace(" ", "").isalpha():  # nearly all; the same as below, in a fifth of the time
        return tuple(f"={word}" if exact else stem(word) for word in text.split())
    return tuple(f"={token.lower}" if exact else token.stem for token in tokens(text))


@cache  # made when it is first needed: equal texts need none of it
def _by_first_word() -> dict[str, list[tuple[tuple[str, ...], PhraseList, int, int]]]:
    """Return the phrases of all lists by their first word, longest first, so that one pass finds all phrases."""
    starting: dict[str, list[tuple[tuple[str, ...], PhraseList, int, int]]] = {}
    values = (value for module in (demands, grammar, numbers, opposites) for value in vars(module).values())
    for listed in dict.fromkeys(value for value in values if isinstance(value, PhraseList)):
        for group, sides in enumerate(listed.groups):
            for side, phrase in ((side, phrase) for side, phrases in enumerate(sides) for phrase in phrases):
                parts = _parts(phrase)
                starting.setdefault(parts[0], []).append((parts, listed, group, side))
    for options in starting.values():
        options.sort(key=lambda item: -len(item[0]))
    return starting


_SENTENCE_END = re.compile(r"\s*[|;\n]\s*|(?<=[.!?])(?<!\.[A-Za-z]\.)\s+")


class ParsedText:
    """A parsed text; properties are computed on first use.

    Attributes:
        original: The text.
    """

    def __init__(self, text: str) -> None:
        self.original = text

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The words, numbers and marks of the text."""
        return tokens(plain_text(self.original))

    def hits(self, listed: PhraseList) -> Sequence[Hit]:
        """Return the phrases of a list that occur in the text, in order.

        If two phrases of one group start at the same word, only the longer phrase counts.
        """
        return self._hits.get(listed, ())

    @cached_property
    def _hits(self) -> dict[PhraseList, list[Hit]]:
        hits: dict[PhraseList, list[Hit]] = {}
        starting = _by_first_word()
        for place, token in enumerate(self.tokens):
            options = (*starting.get(token.stem, ()), *starting.get(f"={token.lower}", ()))
            taken: dict[tuple[PhraseList, int], int] = {}
            for parts, listed, group, side in options:
                behind = place + len(parts)
                if taken.get((listed, group), 0) > len(parts) or behind > len(self.tokens):
                    continue
                if len(parts) == 1 or all(map(_is, parts, self.tokens[place:behind])):
                    taken[listed, group] = len(parts)
                    hit = Hit(group, side, place, behind, self.is_negated(place))
                    hits.setdefault(listed, []).append(hit)
        return hits

    @cached_property
    def content(self) -> frozenset[str]:
        """Stems of the content words."""
        return frozenset(token.stem for token in self.tokens if is_content(token))

    @cached_property
    def lemmas(self) -> dict[str, int]:
        """The lemmas of the content words except negators, with the position of the first word of each."""
        places: dict[str, int] = {}
        for place, token in enumerate(self.tokens):
            if is_content(token) and token.lower not in NEGATORS:
                places.setdefault(lemma(token.lower), place)
        return places

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Stems and lemmas of the content words, and the numbers, to tell whether two texts have a word in common."""
        return self.content.union(self.lemmas, (token.text for token in self.tokens if token.kind == "number"))

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers."""
        return quantities(self.tokens)

    @cached_property
    def negators(self) -> tuple[int, ...]:
        """The positions of the negators. "No later than" and "must not be later than" contain no negator."""
        return tuple(
            place
            for place, token in enumerate(self.tokens)
            if token.lower in NEGATORS and not self._compares(place, token.lower)
        )

    def _compares(self, place: int, negator: str) -> bool:
        words = [token.lower for token in self.tokens[place + 1 : place + 3]]
        first = (words[1:] if words[:1] == ["be"] else words)[:1]
        return not COMPARING.isdisjoint(first) or (negator == "no" and not IDIOMS.isdisjoint(first))

    @cached_property
    def sentences(self) -> "tuple[ParsedText, ...]":
        """The sentences and clauses that a full stop, a semicolon, a line end or "|" separates."""
        texts = [text for text in _SENTENCE_END.split(self.original) if any(map(str.isalnum, text))]
        return tuple(map(parsed, texts)) if len(texts) > 1 else (self,)

    def word_before(self, hit: Hit) -> str:
        """Return the stem of the word before a phrase; "" at the beginning of a clause."""
        before = self.tokens[max(0, hit.first - 1)]
        return before.stem if hit.first and before.kind != "mark" else ""

    def is_negated(self, place: int) -> bool:
        """Return whether a negator is at most `_NEGATION_SPAN` words before a position."""
        return place in self._negated

    @cached_property
    def _negated(self) -> frozenset[int]:
        return frozenset(place + ahead for place in self.negators for ahead in range(1, _NEGATION_SPAN + 1))

    def words(self, hit: Hit) -> str:
        """Return a phrase as written."""
        return " ".join(token.text for token in self.tokens[hit.first : hit.behind])

    def besides(self, hits: Iterable[Hit]) -> frozenset[str]:
        """Return the stems of the content words outside these phrases."""
        return self.content - {token.stem for hit in hits for token in self.tokens[hit.first : hit.behind]}

    def behind(self, place: int) -> list[Token]:
        """Return the next content words after a position, at most two."""
        return [token for token in self.tokens[place : place + 5] if is_content(token)][:2]

    def around(self, hit: Hit) -> frozenset[str]:
        """Return the stems of the content words directly before and after a phrase."""
        ahead = [token.stem for token in self.tokens[max(0, hit.first - 5) : hit.first] if is_content(token)][-2:]
        return frozenset((*ahead, *(token.stem for token in self.behind(hit.behind))))

    def first_text(self, stem: str) -> str:
        """Return the first word with a stem, as written; "" if there is none."""
        return next((token.text for token in self.tokens if token.stem == stem), "")

    @cached_property
    def action(self) -> Hit | None:
        """The listed verb at the start of the text; None if there is none."""
        verb = next((hit for hit in self.hits(opposites.ACTIONS) if not hit.first), None)
        return None if verb is None or self.words(verb).lower().endswith("ed") else verb

    @cached_property
    def is_title(self) -> bool:
        """Whether the text Is Capitalised Like This; then a capital letter does not indicate a name."""
        words = [token.text for token in self.tokens if is_content(token)][1:]
        return 2 * sum(word[0].isupper() for word in words) > len(words)

    @cached_property
    def abbreviations(self) -> tuple[str, frozenset[str]]:
        """The initials of all words, and the capitalised words, which may be the start of a longer name."""
        words = [token.text for token in self.tokens if token.kind == "word"]
        initials = "".join("".join(filter(str.isupper, word)) or word[0] for word in words).casefold()
        return initials, frozenset(word.casefold() for word in words if len(word) >= _CUT and word[0].isupper())

    @cached_property
    def names(self) -> dict[str, str]:
        """Quoted texts, identifiers and proper names, by their folded form."""
        names: dict[str, str] = {}
        for match in _QUOTED.finditer(self.original):
            names.setdefault(folded(match.group(1)), match.group(1))
        for match in _CHUNK.finditer(self.original):
            chunk = match.group().strip("-./:'")
            if _is_identifier(chunk) or (not self.is_title and _is_proper(chunk, self.original, match.start())):
                names.setdefault(folded(chunk), chunk)
        names.pop("", None)
        return names


_SHORT = 120
"""Longest text in characters of which many are kept."""
_short = lru_cache(maxsize=20_000)(ParsedText)  # the steps of two workflows of 5,000 steps, with their windows
_long = lru_cache(maxsize=4096)(ParsedText)


def parsed(text: str) -> ParsedText:
    """Return the parsed text (cached)."""
    return _short(text) if len(text) <= _SHORT else _long(text)


_NUMBER_GAP = re.compile(r"(?<=\d)[\W_]+(?=\d)")
_OTHER_GAP = re.compile(r"(?<!\d)[\W_]+|[\W_]+(?!\d)")


def folded(text: str) -> str:
    """Return the letters and digits of a text in lower case. A space separates two numbers."""
    return _OTHER_GAP.sub("", _NUMBER_GAP.sub(" ", text)).casefold()


def contains(whole: str, name: str) -> bool:
    """Return whether a folded text contains a folded name, not as a part of longer numbers."""
    place = whole.find(name)
    while place >= 0:
        before, after = whole[place - 1 : place], whole[place + len(name) : place + len(name) + 1]
        if not (before.isdigit() and name[0].isdigit()) and not (after.isdigit() and name[-1].isdigit()):
            return True
        place = whole.find(name, place + 1)
    return False


_CUT = 3
"""Smallest number of letters of a truncated name."""
_LONGEST = 40
"""Largest number of letters of a truncated name."""


def is_short_for(name: str, text: ParsedText) -> bool:
    """Return whether a name abbreviates words of a text: initials, or the start of a word ("Tue", "Mar")."""
    key, (initials, capitalised) = folded(name), text.abbreviations
    plural = len(key) > _CUT and key[:-1] in initials
    return (len(key) <= 5 and (key in initials or plural)) or any(
        key[:length] in capitalised for length in range(_CUT, min(len(key), _LONGEST) + 1)
    )


def agreement(golden: frozenset[str], candidate: frozenset[str]) -> float:
    """Return the overlap coefficient, in [0, 1]; 0 if either is empty."""
    smaller = min(len(golden), len(candidate))
    return len(golden & candidate) / smaller if smaller else 0.0


def closeness(golden: frozenset[str], candidate: frozenset[str]) -> float:
    """Return the Jaccard similarity, in [0, 1]; 1 if both are empty."""
    together = golden | candidate
    return len(golden & candidate) / len(together) if together else 1.0


def listed_words(listed: PhraseList, text: ParsedText, besides: Sequence[Hit] = ()) -> list[str]:
    """Return the phrases of a list in a text, sorted, except phrases that start where a hit in `besides` starts."""
    taken = {hit.first for hit in besides}
    return sorted({text.words(hit).lower() for hit in text.hits(listed) if hit.first not in taken})


def _is(part: str, token: Token) -> bool:
    return part == token.stem or part == f"={token.lower}"  # noqa: PLR1714 - a set would be created each time


def _is_identifier(chunk: str) -> bool:
    if chunk[1:].islower() and chunk.isalpha():
        return False  # nearly all words
    if _VERSION.fullmatch(chunk):
        return True
    return any(char.isalpha() for char in chunk) and (
        _IDENTIFIER.search(chunk) is not None or (len(chunk) > 1 and chunk.isupper() and chunk.isalpha())
    )


def _is_proper(chunk: str, text: str, start: int) -> bool:
    """Return whether a word is capitalised but does not begin a sentence."""
    if not chunk[:1].isupper() or not chunk.isalpha() or len(chunk) == 1:
        return False
    before = text[:start].rstrip(f" ([{_QUOTES}")
    return bool(before) and before[-1] not in ".:;!?-|\u2022>\n"
