"""Rules for explicit contradictions between two texts about one step.

Rewordings must not be reported. Therefore contradicting words alone are not enough: they must refer to the same
object. This is measured by the words that both texts share. Thresholds and lists were chosen on one half of the
recorded rewordings and drifts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Literal

from wfgate.base import READ
from wfgate.language import polarity
from wfgate.language.amounts import UNITS, Quantity, unmatched
from wfgate.language.labels import added_label
from wfgate.language.lexicon import PhraseList, demands, grammar, opposites
from wfgate.language.lexicon.grammar import ANOTHER, NEGATIVE_PREFIXES, NOT, NOT_YET, TEMPORAL
from wfgate.language.lexicon.numbers import AGES, BEYOND, BOUNDS, UP_TO
from wfgate.language.lexicon.opposites import CONVERSE
from wfgate.language.parts import differing_sentences
from wfgate.language.phrases import (
    Hit,
    ParsedText,
    agreement,
    closeness,
    contains,
    folded,
    is_short_for,
    listed_words,
    parsed,
)
from wfgate.language.words import Token, is_content

Kind = Literal[
    "opposite",
    "category",
    "number",
    "bound",
    "negation",
    "weakened",
    "lifted",
    "name",
    "removed",
    "added",
    "exchanged",
]

CONTRADICTIONS_VERSION = 7
"""Increases whenever any result can change, also with a new word in a list; scores of different versions never mix."""
BESIDE = 0.5
"""Smallest agreement of the other words for a contradiction of opposites that are next to a shared word."""
APART = 0.75
"""The same for opposites that are not next to a shared word."""
DENIED = 0.8
"""Smallest agreement for a contradiction by an added or lost negation."""
HEDGED = 0.66
"""Smallest agreement for which "if possible" weakens a step."""
EXCEPTED = 0.66
"""Smallest agreement for which "all but" is a contradiction."""
PLAIN = 0.33
"""Smallest agreement for phrases that weaken a step or remove its condition beyond doubt."""
NAMED = 0.5
"""Smallest agreement for which another name is a contradiction."""
CLOSE = 0.75
"""Smallest closeness of texts that are equal except for a word or two, which leaves no other interpretation."""
_MOST_SENTENCES = 64
"""Largest number of pairs of sentences that are compared."""
_FORM = 5
"""Number of letters in which two forms of a word agree."""
_MOST_NUMBERS = 32
"""Largest number of differing numbers of one text that are compared with those of the other."""


@dataclass(frozen=True)
class Contradiction:
    """A contradiction between two texts.

    Attributes:
        kind: "opposite" (enable, disable), "category" (staging, production), "number", "bound" (at least, at most),
            "negation", "weakened" ("if possible" was added), "lifted" (a condition no longer applies), "name"
            (another proper name, identifier or quoted value); "removed" and "added" (a part of a step that otherwise
            keeps its words) and "exchanged" (the same words in exchanged roles) are not found by `contradictions`.
        golden_words: The contradicting words of the golden; empty if words were only added.
        candidate_words: The contradicting words of the candidate; empty if words were only removed.
    """

    kind: Kind
    golden_words: str
    candidate_words: str


@lru_cache(maxsize=16384)  # comparison, meaning model, evidence and rules ask about the same texts
def contradictions(golden_text: str, candidate_text: str) -> tuple[Contradiction, ...]:
    """Return the contradictions between a golden text and a candidate text.

    Case, punctuation, CamelCase, snake_case, word forms and units ("half an hour", "30 minutes") are ignored, and so
    are sentences that both texts have. Texts of several sentences contradict each other if the whole texts and two of
    their sentences do; for numbers, and for texts with nearly the same words, the whole texts are enough. Cost: linear
    in the words of both texts.

    Example:
        >>> [
        ...     (c.kind, c.golden_words, c.candidate_words)
        ...     for c in contradictions("Deploy to staging", "Deploy to prod")
        ... ]
        [('category', 'staging', 'prod')]
        >>> contradictions("Wait for half an hour", "Wait 30 minutes")
        ()
    """
    if golden_text == candidate_text:
        return ()
    golden, candidate = map(parsed, differing_sentences(golden_text, candidate_text))
    if not golden.tokens or not candidate.tokens:
        return ()
    findings: list[Contradiction] = list(_numbers(golden, candidate))
    if label := added_label(golden, candidate):
        findings.append(Contradiction("negation", "", label))
    alone = not 1 < len(golden.sentences) * len(candidate.sentences) <= _MOST_SENTENCES
    alone = alone or closeness(golden.content, candidate.content) >= CLOSE
    for find in (_opposed, _acted, _bounded, _denied, _turned, _left, _excepted, *_RELAXED, _renamed):
        whole = list(find(golden, candidate))
        if alone:
            findings += whole
        elif whole:
            pairs = product(golden.sentences, candidate.sentences)
            kinds = {local.kind for pair in pairs for local in find(*pair)}
            findings += [one for one in whole if one.kind in kinds]
    return tuple(dict.fromkeys(findings))


def disagreements(name: str, description: str) -> tuple[Contradiction, ...]:
    """Return the contradictions between a name and its description.

    A description says more than its name. Therefore only mutually exclusive words count, and only if the description
    contains the rest of the name.

    Example:
        >>> [
        ...     c.candidate_words
        ...     for c in disagreements("BinaryClassificationTraining", "Training of a regression model")
        ... ]
        ['regression', 'regression']
    """
    if not description:
        return ()
    short, long = parsed(name[:READ]), parsed(description[:READ])
    findings = [*_topics(short, long)]
    for kind, listed in _GROUPED:
        for was, now, gone, new in _exchanged(short, long, listed):
            rest = short.besides(was)
            if rest and rest <= long.besides(now) and short.around(gone) & long.around(new):
                findings.append(Contradiction(kind, short.words(gone), long.words(new)))
    for was_number, now_number in _changed_numbers(short, long):
        if was_number.near & now_number.near:
            findings.append(Contradiction("number", was_number.text, now_number.text))
    return tuple(dict.fromkeys(findings))


def other_topics(whole: str, part: str) -> tuple[Contradiction, ...]:
    """Return the topics of `part` that exclude topics of `whole`, such as regression in binary classification.

    Example:
        >>> other_topics("Binary classification pipeline", "Train a regression model")[0].candidate_words
        'regression'
    """
    return tuple(_topics(parsed(whole), parsed(part)))


_GROUPED: tuple[tuple[Kind, PhraseList], ...] = (
    ("opposite", opposites.OPPOSITES),
    ("category", opposites.CATEGORIES),
)


def _topics(whole: ParsedText, part: ParsedText) -> Iterator[Contradiction]:
    for _, _, gone, new in _exchanged(whole, part, opposites.TOPICS):
        yield Contradiction("category", whole.words(gone), part.words(new))


def _exchanged(
    golden: ParsedText, candidate: ParsedText, listed: PhraseList
) -> Iterator[tuple[list[Hit], list[Hit], Hit, Hit]]:
    """Yield the groups with different sides in the two texts: both texts' hits, and the two hits that differ."""
    ours = golden.hits(listed)
    if not ours:
        return  # saves parsing the other text
    theirs = candidate.hits(listed)
    if not theirs or len(golden.negators) != len(candidate.negators):
        return
    for group in sorted({hit.group for hit in ours} & {hit.group for hit in theirs}):
        was = [hit for hit in ours if hit.group == group]
        now = [hit for hit in theirs if hit.group == group]
        sides, others = {hit.side for hit in was}, {hit.side for hit in now}
        gone = [hit for hit in was if hit.side not in others]
        new = [hit for hit in now if hit.side not in sides]
        if gone and new and len({hit.negated for hit in (*was, *now)}) == 1:
            yield was, now, gone[0], new[0]


def _opposed(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    for kind, listed in _GROUPED:
        for was, now, gone, new in _exchanged(golden, candidate, listed):
            ours, theirs = golden.besides(was), candidate.besides(now)
            if "no" in {golden.word_before(gone), candidate.word_before(new)}:
                continue  # "no earlier than" is "or later"
            if _is_converse(golden, gone, candidate, new):
                continue
            if _is_temporal(golden, gone) or _is_temporal(candidate, new):
                follows = [token.stem for token in golden.behind(gone.behind)[:1]]
                if not follows or follows != [token.stem for token in candidate.behind(new.behind)[:1]]:
                    continue  # "a before b" is "b after a"
            turned = listed_words(demands.TURNING, golden, was) != listed_words(demands.TURNING, candidate, now)
            if turned and closeness(ours, theirs) < CLOSE:
                continue  # "keep those with" is "drop those without"
            beside = golden.around(gone) & candidate.around(new)
            if agreement(ours, theirs) >= (BESIDE if beside else APART):
                yield Contradiction(kind, golden.words(gone), candidate.words(new))


def _is_converse(golden: ParsedText, gone: Hit, candidate: ParsedText, new: Hit) -> bool:
    """Return whether the verbs may have other subjects: "send her the plan", "she receives the plan"."""
    stems = {golden.tokens[gone.first].stem, candidate.tokens[new.first].stem}
    return stems <= CONVERSE and golden.word_before(gone) != candidate.word_before(new)


def _is_temporal(text: ParsedText, hit: Hit) -> bool:
    return text.tokens[hit.first].lower in TEMPORAL


def _acted(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    """Yield the first verbs of two texts if their actions differ in kind (read, create or change, delete)."""
    was, now = golden.action, candidate.action
    if was is None or now is None or was.side == now.side or golden.negators or candidate.negators:
        return
    if golden.tokens[was.first].stem in candidate.content or candidate.tokens[now.first].stem in golden.content:
        return  # "scan and register", "register by scanning"
    if closeness(golden.besides([was]), candidate.besides([now])) >= CLOSE:
        yield Contradiction("opposite", golden.words(was), candidate.words(now))


def _numbers(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    alike = agreement(golden.content, candidate.content) >= APART
    for was, now in _changed_numbers(golden, candidate):
        near = bool(was.near & now.near)
        if near or (not was.ordinal and (alike or bool(was.dimension))):
            yield Contradiction("number", was.text, now.text)


def _changed_numbers(golden: ParsedText, candidate: ParsedText) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield pairs of numbers of the same kind; each number occurs in only one of the texts."""
    if not golden.quantities:
        return
    gone = unmatched(golden.quantities, candidate.quantities)[:_MOST_NUMBERS]
    new = unmatched(candidate.quantities, golden.quantities) if gone else ()
    for was in gone:
        for now in new:
            weak = (was.weak or now.weak) and not was.ordinal
            if was.is_of_kind(now) and not weak and not _next_to(golden, was, candidate, now):
                yield was, now


def _next_to(golden: ParsedText, was: Quantity, candidate: ParsedText, now: Quantity) -> bool:
    """Return whether one text excludes a number and the other includes the next: "more than five", "6 or more"."""
    if was.dimension or abs(was.value - now.value) != 1:
        return False
    return (_excluded(golden, was) and _included(candidate, now)) or (
        _excluded(candidate, now) and _included(golden, was)
    )


def _excluded(text: ParsedText, quantity: Quantity) -> bool:
    before = {token.lower for token in text.tokens[max(0, quantity.place - 2) : quantity.place]}
    return bool(before & BEYOND)


def _included(text: ParsedText, quantity: Quantity) -> bool:
    before = {token.lower for token in text.tokens[max(0, quantity.place - 2) : quantity.place]}
    behind = [token.lower for token in text.tokens[quantity.behind : quantity.behind + 2]]
    return bool(before & UP_TO) or behind[:1] in (["or"], ["+"], ["and"])


def _bounded(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    """Yield numbers in both texts that are a lower bound in one text and an upper bound in the other."""
    if golden.negators or candidate.negators or not golden.hits(BOUNDS) or not candidate.hits(BOUNDS):
        return
    if listed_words(demands.TURNING, golden) != listed_words(demands.TURNING, candidate):
        return
    if agreement(golden.content, candidate.content) < APART or _bounds_both(golden) or _bounds_both(candidate):
        return
    for was, first in _bounds(golden)[:_MOST_NUMBERS]:
        for now, second in _bounds(candidate)[:_MOST_NUMBERS]:
            if first.side != second.side and was.agrees(now):
                old_words, new_words = golden.words(first), candidate.words(second)
                yield Contradiction("bound", f"{old_words} {was.text}", f"{new_words} {now.text}")


def _bounds(text: ParsedText) -> list[tuple[Quantity, Hit]]:
    """Return the numbers with the bound directly before or after each: "at least 5", "5 days at most"."""
    numbers = {quantity.place for quantity in text.quantities}
    ahead: dict[int, Hit] = {}
    behind: dict[int, Hit] = {}
    for hit in text.hits(BOUNDS):  # of several that end at one place, the first is the longest
        ahead.setdefault(hit.behind, hit)
        if numbers.isdisjoint((hit.behind, hit.behind + 1)):
            behind.setdefault(hit.first, hit)
    bounds = []
    for quantity in text.quantities:
        beside = [ahead.get(quantity.place - gap) for gap in range(3)]
        beside += [behind.get(quantity.behind + gap) for gap in range(2)]
        bound = max(filter(None, beside), key=lambda hit: hit.behind - hit.first, default=None)
        if bound and not _is_deadline(text, quantity, bound) and not _is_of_version(text, quantity, bound):
            bounds.append((quantity, bound))
    return bounds


def _is_deadline(text: ParsedText, quantity: Quantity, bound: Hit) -> bool:
    """Return whether a bound is one of time, not of the number: "no later than three days before" is "at least"."""
    behind = {token.lower for token in text.tokens[quantity.behind : quantity.behind + 1]}
    return bool(behind & TEMPORAL) and not {"later", "earlier"}.isdisjoint(text.words(bound).lower().split())


def _is_of_version(text: ParsedText, quantity: Quantity, bound: Hit) -> bool:
    return not quantity.dimension and not AGES.isdisjoint(text.words(bound).lower().split())


def _bounds_both(text: ParsedText) -> bool:
    """Return whether a bound has no number of its own: "up to 10 by the clerk, and anything above by the head"."""
    bounded = {place for _, hit in _bounds(text) for place in range(hit.first, hit.behind)}
    return any(hit.first not in bounded for hit in text.hits(BOUNDS))


def _denied(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    if agreement(golden.content, candidate.content) < DENIED:
        return
    close = closeness(golden.content, candidate.content) >= CLOSE
    for denying, other, turned in ((golden, candidate, False), (candidate, golden, True)):
        if other.negators or other.hits(demands.DENYING):
            continue
        words = _negation(denying, other, close=close) if denying.negators else _skipping(denying, other)
        if words:
            yield Contradiction("negation", *(words[::-1] if turned else words))
            return


def _negation(denying: ParsedText, other: ParsedText, *, close: bool) -> tuple[str, str] | None:
    """Return the first negator with the negated word, and the same word in the other text."""
    if _denies_nothing(denying, other, close=close):
        return None
    negator = denying.negators[0]
    word = denying.tokens[negator].text
    following = denying.tokens[negator + 1 : negator + 5]
    if word.lower() not in NOT or (following and following[0].kind == "mark"):
        return None
    if word.lower() == "not" and negator and denying.tokens[negator - 1].text == ",":
        return None  # "from a list, not from the letter"
    denied = next((token for token in following if is_content(token)), None)
    if denied is None:
        return (word, "") if close else None
    if denied.stem not in other.content or _is_only_before(denying, other, denied):
        return None
    return (f"{word} {denied.text}", other.first_text(denied.stem))


def _is_only_before(denying: ParsedText, other: ParsedText, denied: Token) -> bool:
    """Return whether both say what comes first: "no line is moved before that", "before any line is moved"."""
    if not _words(denying) & (TEMPORAL | NOT_YET):
        return False
    early = [place for place, token in enumerate(other.tokens) if token.lower in TEMPORAL]
    return any(token.stem == denied.stem for place in early for token in other.tokens[place + 1 : place + 6])


def _denies_nothing(denying: ParsedText, other: ParsedText, *, close: bool) -> bool:
    """Return whether the other text may say the same without a negation."""
    only_those = other.hits(demands.ENDURING) and not denying.hits(demands.ENDURING) and not close  # "none without"
    otherwise = bool(denying.hits(grammar.BRANCHING)) != bool(other.hits(grammar.BRANCHING))  # "otherwise do not"
    another = _words(other) & ANOTHER - _words(denying)  # "not the same person" is "another person"
    forms = {stem[:_FORM] for stem in denying.content if len(stem) >= _FORM}
    opposite = any(
        stem.startswith(prefix) and stem.removeprefix(prefix)[:_FORM] in forms
        for stem in other.content - denying.content
        for prefix in NEGATIVE_PREFIXES
    )  # "no patient can be recognised" is "patients stay unrecognisable"
    twice = len(denying.negators) > 1  # "no key, no login" is "a login needs a key"
    not_yet = _words(denying) & NOT_YET and _words(other) & TEMPORAL  # "not until confirmed" is "confirm before"
    none = any(
        quantity.value == 0 and not quantity.weak for quantity in other.quantities
    )  # "no replicas" is "0 replicas"
    return bool(only_those or otherwise or another or opposite or twice or not_yet or none)


def _words(text: ParsedText) -> set[str]:
    return {token.lower for token in text.tokens}


def _skipping(denying: ParsedText, other: ParsedText) -> tuple[str, str] | None:
    """Return a leading "skip" (or similar) with its object, and the same object in the other text."""
    first = next((hit for hit in denying.hits(demands.SKIPPING) if hit.first <= 1), None)
    if first is None or other.negators or denying.tokens[first.first].lower.endswith("ed"):
        return None
    if any(hit.first <= 1 for hit in other.hits(demands.ENDING)):
        return None  # "stop the job" is "cancel the job"
    denied = next(iter(denying.behind(first.behind)), None)
    if denied is None or denied.stem not in other.content:
        return None
    return f"{denying.words(first)} {denied.text}", other.first_text(denied.stem)


def _weakened(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    # "Must not merely be cleaned" weakens nothing.
    hedges = [hit for hit in candidate.hits(demands.HEDGES) if hit.first - 1 not in candidate.negators]
    if not hedges or golden.hits(demands.HEDGES) or golden.hits(demands.HEDGED):
        return
    words = candidate.words(hedges[0])
    if words.lower().startswith("only"):  # a condition that is added to the same words
        ahead = frozenset(token.stem for token in candidate.tokens[: hedges[0].first] if is_content(token))
        alike = closeness(golden.content, ahead) >= HEDGED
    else:
        alike = agreement(golden.content, candidate.content) >= HEDGED
    if alike:
        yield Contradiction("weakened", "", words)


def _lifted(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    if any(golden.hits(listed) for listed in (demands.LIFTING, demands.WIDENING, demands.HEDGED)):
        return
    for listed, alike in ((demands.WIDENING, closeness), (demands.LIFTING, agreement)):
        hits: Sequence[Hit] = candidate.hits(listed)
        if hits and alike(golden.content, candidate.content) >= HEDGED:
            yield Contradiction("lifted", "", candidate.words(hits[0]))
            return


def _turned(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    for was, now in polarity.turned(golden, candidate):
        yield Contradiction("negation", was, now)
        return


def _left(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    for was, now in polarity.left(golden, candidate):
        yield Contradiction("opposite", was, now)
        return


def _excepted(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    """Yield "all but" and similar in the candidate: a step is done for the others."""
    hits = candidate.hits(demands.EXCEPTING)
    if hits and not golden.hits(demands.EXCEPTED) and agreement(golden.content, candidate.content) >= EXCEPTED:
        behind = candidate.behind(hits[0].behind)[:1]
        same = next((golden.first_text(token.stem) for token in behind), "")
        yield Contradiction("negation", same, " ".join((candidate.words(hits[0]), *(token.text for token in behind))))


def _new(listed: PhraseList, golden: ParsedText, candidate: ParsedText) -> list[Hit]:
    """Return the phrases of the candidate without those of which the golden has a content word."""
    return [
        hit
        for hit in candidate.hits(listed)
        if golden.content.isdisjoint(token.stem for token in candidate.tokens[hit.first : hit.behind])
    ]


def _plainly_weakened(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    hits = _new(demands.PLAIN_HEDGES, golden, candidate)
    if hits and not golden.hits(demands.HEDGING) and agreement(golden.content, candidate.content) >= PLAIN:
        yield Contradiction("weakened", "", candidate.words(hits[0]))


def _hurried(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    """Yield "without waiting" in the candidate if the golden waits, and "at once" if the golden goes step by step."""
    if agreement(golden.content, candidate.content) < PLAIN:
        return
    negators = frozenset(candidate.negators)
    for kind, slow, fast in _PACES:
        was, now = golden.hits(slow), candidate.hits(fast)
        hurried = {place for hit in now for place in range(hit.first, hit.behind)}
        denied = bool(golden.negators) or any(hit.negated and hit.first not in negators for hit in now)
        still = denied or any(hit.first not in hurried for hit in candidate.hits(slow))
        if was and now and not still and not golden.hits(fast):
            yield Contradiction(kind, golden.words(was[0]), candidate.words(now[0]))


_PACES: tuple[tuple[Kind, PhraseList, PhraseList], ...] = (
    ("lifted", demands.AWAITING, demands.WAITING),
    ("opposite", demands.STEPWISE, demands.AT_ONCE),
)
_RELAXED = (_weakened, _lifted, _plainly_weakened, _hurried)
"""Rules for what the candidate demands less."""


def _renamed(golden: ParsedText, candidate: ParsedText) -> Iterator[Contradiction]:
    if agreement(golden.content, candidate.content) < NAMED:
        return
    gone = _names_missing_in(candidate, golden)
    new = _names_missing_in(golden, candidate) if gone else []
    if gone and new:
        yield Contradiction("name", gone[0], new[0])


def _names_missing_in(text: ParsedText, named: ParsedText) -> list[str]:
    """Return the names of `named` that `text` contains neither in full nor abbreviated."""
    whole = folded(text.original)
    return [
        name
        for key, name in named.names.items()
        if not contains(whole, key) and not _is_unit(key) and not is_short_for(name, text)
    ]


def _is_unit(key: str) -> bool:
    """Return whether a name is a unit, which is compared as part of a number; currencies are names too."""
    return not all(unit.dimension.startswith("money") for unit in UNITS.get(key, ()))
