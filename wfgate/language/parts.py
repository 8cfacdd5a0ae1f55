"""Parts that a text lost or gained, if its other words are the same; prohibitions that it lost in any words."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from wfgate.base import READ
from wfgate.language.difference import marked
from wfgate.language.lexicon import alternatives
from wfgate.language.lexicon.demands import DENYING, ENDURING, PROHIBITING, STOPPING
from wfgate.language.lexicon.grammar import BESIDE_LEFT_OUT, GOING_ON, JOINED, JOINING_ACTIONS
from wfgate.language.phrases import ParsedText, parsed
from wfgate.language.words import is_content, one_text, plain_text, stem

LEAST_WORDS = 2
"""Fewest content words and numbers of a part of a text with other function words: "based on" may be "by"."""
_PAUSES = frozenset(",;:.!?")
_MARKS = " \t\n,;:.!?-\u2013\u2014()"
_PROHIBITS = re.compile(
    r"\b(?:never|(?:do|must|may|shall|should|can) not|forbidden|prohibited|no ?(?:one|body))\b", re.IGNORECASE
)
_STOPS = re.compile(rf"\b(?:{alternatives(STOPPING)})\b", re.IGNORECASE)
_CASE = re.compile(r"\b(?:if|when|unless|on)\b", re.IGNORECASE)
_PROHIBITING = frozenset(map(stem, PROHIBITING))
_SAID = 0.5
"""Least share of the words of a prohibition in another negated sentence that says it too."""


def differing_sentences(golden_text: str, candidate_text: str) -> tuple[str, str]:
    """Return the sentences of each text that the other one lacks; both texts whole if one of them then has none.

    In a long text with one changed sentence, the others hide the change from a reader of the whole. Case, pauses and
    white space are ignored. Cost: linear in the characters.

    Example:
        >>> differing_sentences("Power it off. Do not start it again.", "Power it off. Start it again.")
        ('Do not start it again.', 'Start it again.')
        >>> differing_sentences("Power it off. Check that it is off.", "Power it off.")
        ('Power it off. Check that it is off.', 'Power it off.')
    """
    texts = golden_text[:READ], candidate_text[:READ]
    sides = [
        {
            tuple(token.lower for token in one.tokens if token.lower not in _PAUSES): one.original
            for one in parsed(text).sentences
        }
        for text in texts
    ]
    shared = sides[0].keys() & sides[1].keys()
    own = [[text.strip() for words, text in side.items() if words not in shared] for side in sides]
    return (one_text(own[0]), one_text(own[1])) if shared and all(own) else (golden_text, candidate_text)


def is_join(parts: Iterable[str], whole: str) -> bool:
    """Return whether a text has the words of some texts, and no others but those that join sentences.

    Of 155 harmless merges by hand, 147 are such joins; of 62 harmful ones, in which something got lost, none.

    Example:
        >>> is_join(["Redact the documents", "Stamp the pages"], "Redact the documents, then stamp the pages")
        True
        >>> is_join(["Redact the documents", "Stamp the pages"], "Redact and stamp the documents")
        False
    """
    joined = frozenset().union(*map(_spoken, parts))
    return joined ^ _spoken(whole) <= JOINED


def _spoken(text: str) -> frozenset[str]:
    return frozenset(token.lower for token in parsed(text).tokens if token.kind != "mark")


def removed_parts(golden_text: str, candidate_text: str) -> tuple[str, ...]:
    """Return the parts of the golden text that the candidate text lacks; empty if it has another content word.

    A part has at least two content words or numbers, or one if words were left out, nothing else was changed, and it
    is not the verb at the beginning ("Run the drift check"). Of 302 harmless edits by hand, none leaves out a single
    word like that; of 554 harmful ones, 47. Cost: linear in the words; quadratic if they are a part of the golden's
    words.

    Example:
        >>> removed_parts("Delete the subnet, and stop if one is still in use", "Delete the subnet")
        ('and stop if one is still in use',)
        >>> removed_parts("Delete the subnet, and stop if one is still in use", "Remove the subnet")
        ()
        >>> removed_parts("Take an encrypted backup", "Take a backup")
        ('an encrypted',)
    """
    parts = _left_out(golden_text, candidate_text)
    if not parts or not _is_shortened(parsed(golden_text[:READ]), parsed(candidate_text[:READ])):
        return tuple(part for part in parts if _words(part) >= LEAST_WORDS)
    verbs = {one.tokens[0].lower for one in parsed(golden_text[:READ]).sentences if one.tokens}
    return tuple(part for part in parts if _words(part) >= 1 + (parsed(part).tokens[0].lower in verbs))


def _left_out(golden_text: str, candidate_text: str) -> tuple[str, ...]:
    """Return the parts of the golden text that the candidate lacks; empty if it has another content word."""
    golden_text, candidate_text = golden_text[:READ], candidate_text[:READ]
    if not parsed(candidate_text).content or not parsed(candidate_text).content <= parsed(golden_text).content:
        return ()
    golden, candidate = marked(golden_text, candidate_text)
    if any(changed and _words(text) for text, changed in candidate):
        return ()
    parts = (text.strip(_MARKS) for text, changed in golden if changed)
    return tuple(part for part in parts if _words(part))


def _is_shortened(golden: ParsedText, candidate: ParsedText) -> bool:
    """Return whether the words of the candidate are words of the golden, in their order."""
    words, kept = (
        [token.lower for token in text.tokens if token.kind != "mark" and token.lower not in BESIDE_LEFT_OUT]
        for text in (golden, candidate)
    )
    left = iter(words)
    return all(word in left for word in kept)


def added_actions(golden_text: str, candidate_text: str) -> tuple[str, ...]:
    """Return the actions and exceptions that the candidate text adds to the golden text.

    Empty if it lacks a content word.

    Example:
        >>> added_actions("Build the image", "Build the image and drop the old tables")
        ('and drop the old tables',)
        >>> added_actions("Build the image", "Build the image with the usual script")
        ()
    """
    parts = _left_out(candidate_text, golden_text)
    return tuple(
        part for part in parts if _words(part) >= LEAST_WORDS and parsed(part).tokens[0].lower in JOINING_ACTIONS
    )


def keeps_words(golden_text: str, candidate_text: str) -> bool:
    """Return whether one of two texts has all content words of the other one, in the same order."""
    texts = golden_text[:READ], candidate_text[:READ]
    golden, candidate = (parsed(text).content for text in texts)
    if not golden or not candidate or not (golden <= candidate or candidate <= golden):
        return False
    return not all(any(changed and _words(text) for text, changed in side) for side in marked(*texts))


def says_clause(text: str, clause: str) -> bool:
    """Return whether a text has all words of a clause in their order, between pauses or joining words, and others.

    Cost: linear in the words of both.

    Example:
        >>> says_clause("Run the unit tests, then notify the team", "Notify the team.")
        True
        >>> says_clause("Do not notify the team", "Notify the team"), says_clause("Test reports go out", "Test")
        (False, False)
    """
    whole, part = parsed(text[:READ]), parsed(clause[:READ])
    every, own = _clauses(whole), _clauses(part)
    places = range(len(every) - len(own) + 1)
    said = any(every[place : place + len(own)] == own for place in places)
    return bool(own) and said and len(every) > len(own) and len(whole.negators) == len(part.negators)


def _clauses(text: ParsedText) -> list[list[str]]:
    """Return the words of a text between pauses and words such as "then", in lower case."""
    clauses: list[list[str]] = [[]]
    for token in text.tokens:
        if token.lower in _PAUSES or token.lower in GOING_ON:
            clauses.append([])
        else:
            clauses[-1].append(token.lower)
    return [clause for clause in clauses if clause]


def _words(part: str) -> int:
    return sum(is_content(token) or token.kind == "number" for token in parsed(part).tokens)


class WordIndex:
    """The content words of some sentences.

    Args:
        sentences: The sentences.

    Cost: linear in the sentences; of a question, in the sentences that have the words.
    """

    def __init__(self, sentences: Iterable[ParsedText]) -> None:
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number, sentence in enumerate(sentences):
            for word in sentence.content:
                self._numbers[word].append(number)

    def share(self, words: Collection[str]) -> float:
        """Return the largest share of these words that one of the sentences has.

        Example:
            >>> WordIndex([parsed("Build the image"), parsed("Push it")]).share({"push", "imag", "tag", "build"})
            0.5
        """
        return max(self._counts(words).values(), default=0) / max(len(words), 1)

    def nearest(self, words: Collection[str], least: float) -> list[int]:
        """Return the numbers of the sentences that have at least this share of these words, largest share first.

        Example:
            >>> WordIndex([parsed("Build the image"), parsed("Push it")]).nearest({"push", "imag"}, 0.5)
            [0, 1]
        """
        counts = self._counts(words)
        near = (number for number, count in counts.items() if count >= least * len(words))
        return sorted(near, key=lambda number: (-counts[number], number))

    def _counts(self, words: Collection[str]) -> Counter[int]:
        return Counter(number for word in words for number in self._numbers.get(word, ()))


class Prohibitions:
    """The prohibitions in the steps of a candidate, and in the text around them.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        sentences = (one for text in texts for one in parsed(text[:READ]).sentences)
        self._negated = WordIndex(one for one in sentences if one.negators or one.hits(DENYING))

    def lost(self, golden_text: str, carriers: Sequence[str]) -> tuple[str, ...]:
        """Return the prohibitions of a golden step ("never ...", "stop if ...") that the candidate lacks.

        A prohibition is a sentence of a step with other sentences. It is lost if the texts of the step in the
        candidate (`carriers`) have none of the words that only this sentence has, if they do not negate or restrict
        more than the other sentences of the golden do, and if no negated sentence of the candidate has half of these
        words. Sentences with a number are left out: numbers are compared by themselves.

        Of 601 accepted workflows written anew (half for fitting), 90 have a step with a prohibition and other
        sentences; one of them seems to have lost it ("untouchable" for "nobody touches those").

        Example:
            >>> golden = "Create a new key. The key must never leave the HSM."
            >>> Prohibitions(()).lost(golden, ["Generate a fresh key"])
            ('The key must never leave the HSM.',)
            >>> Prohibitions(()).lost(golden, ["Generate a fresh key, only inside the HSM"])
            ()
            >>> Prohibitions(["Do not let the key leave"]).lost(golden, ["Generate a fresh key"])
            ()
        """
        sentences = parsed(golden_text[:READ]).sentences
        if len(sentences) == 1 or not carriers:
            return ()
        carried = [parsed(text[:READ]) for text in carriers]
        said = frozenset[str]().union(*(text.content for text in carried))
        lost = []
        for sentence in sentences:
            if not prohibits(sentence):
                continue
            others = [one for one in sentences if one is not sentence]
            own = sentence.content - _PROHIBITING - frozenset[str]().union(*(one.content for one in others))
            is_gone = own and own.isdisjoint(said) and _restrictions(carried) <= _restrictions(others)
            if is_gone and self._negated.share(own) < _SAID:
                lost.append(sentence.original.strip())
        return tuple(lost)


def prohibits(sentence: ParsedText) -> bool:
    """Return whether a sentence without a number says what must not be done, or when to stop."""
    if any(not quantity.weak for quantity in sentence.quantities):
        return False
    text = plain_text(sentence.original)
    if _PROHIBITS.search(text):
        return bool(sentence.negators) or "forbidden" in text.casefold() or "prohibited" in text.casefold()
    return _STOPS.search(text) is not None and _CASE.search(text) is not None


def _restrictions(texts: Iterable[ParsedText]) -> int:
    """Return the number of negations, and of words that often replace one in a rewording."""
    return sum(len(text.negators) + len(text.hits(DENYING)) + len(text.hits(ENDURING)) for text in texts)
