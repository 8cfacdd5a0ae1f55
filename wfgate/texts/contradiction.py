"""Where two texts about one step cannot both be true: the exact, explainable part of "the meaning changed".

Rewording must stay silent. So words alone prove nothing: what contradicts must be said of the same thing, which shows
in the words that both texts share. Bars and lists were chosen on one half of the recorded rewordings and drifts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wfgate.texts import phrases
from wfgate.texts.characters import READ
from wfgate.texts.phrases import Hit, Said, agreement, closeness, folded, is_short_for, listed_words, said
from wfgate.texts.quantities import UNITS, Quantity
from wfgate.texts.words import is_content

Kind = Literal["opposite", "category", "number", "bound", "negation", "weakened", "lifted", "name"]

CONTRADICTIONS_VERSION = 1
"""Rises whenever any answer can change, also by another word in a list: judgements of different versions never mix."""
BESIDE = 0.5
"""Agreement of all other words from which opposites contradict that stand next to a shared word."""
APART = 0.75
"""The same where they do not."""
DENIED = 0.8
"""Agreement from which an added or lost negation contradicts."""
HEDGED = 0.67
"""Agreement from which "if possible" weakens a step."""
NAMED = 0.5
"""Agreement from which another name is a contradiction."""
CLOSE = 0.75
"""Closeness of texts that are the same but for a word or two; there no other reading is left."""
_TEMPORAL = frozenset({"before", "prior", "ahead", "after", "afterwards", "following", "once"})
_NOT_YET = frozenset({"until", "unless", "till"})
_PLAIN_NEGATORS = frozenset({"not", "never", "without", "no"})
_PREFIXES = ("un", "non", "dis")


@dataclass(frozen=True)
class Contradiction:
    """What one text says and the other denies.

    Attributes:
        kind: "opposite" (enable, disable), "category" (staging, production), "number", "bound" (at least, at most),
            "negation", "weakened" ("if possible" was added), "lifted" (a condition no longer counts), "name"
            (another proper name, identifier or quoted value).
        golden_words: What the golden says; empty if it says nothing of the kind.
        candidate_words: What the candidate says instead.
    """

    kind: Kind
    golden_words: str
    candidate_words: str


def contradictions(golden_text: str, candidate_text: str) -> tuple[Contradiction, ...]:
    """Return where a reworded text contradicts the golden one.

    Case, punctuation, CamelCase and snake_case, word forms and units ("half an hour", "30 minutes") do not count.
    Cost: linear in the words of both texts.

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
    golden, candidate = said(golden_text[:READ]), said(candidate_text[:READ])
    if not golden.tokens or not candidate.tokens:
        return ()
    found: list[Contradiction] = []
    for find in (_opposed, _prefixed, _acted, _numbers, _bounded, _denied, _weakened, _lifted, _renamed):
        found += find(golden, candidate)
    return tuple(dict.fromkeys(found))


def disagreements(name: str, description: str) -> tuple[Contradiction, ...]:
    """Return where a description contradicts the name that it describes.

    A description says more than its name, so only words count that exclude each other, and only if the rest of the
    name is in the description.

    Example:
        >>> [
        ...     c.candidate_words
        ...     for c in disagreements("BinaryClassificationTraining", "Training of a regression model")
        ... ]
        ['regression', 'regression']
    """
    if not description:
        return ()
    short, long = said(name[:READ]), said(description[:READ])
    found = [*_topics(short, long)]
    for kind, lexicon in _GROUPED:
        for was, now, gone, new in _exchanged(short, long, lexicon):
            rest = short.besides(was)
            if rest and rest <= long.besides(now) and short.around(gone) & long.around(new):
                found.append(Contradiction(kind, short.words(gone), long.words(new)))
    for was_said, now_said in _changed_numbers(short, long):
        if was_said.near & now_said.near:
            found.append(Contradiction("number", was_said.said, now_said.said))
    return tuple(dict.fromkeys(found))


def other_topics(whole: str, part: str) -> tuple[Contradiction, ...]:
    """Return the topics of a part that exclude those of the whole: a regression in a binary classification.

    Example:
        >>> other_topics("Binary classification pipeline", "Train a regression model")[0].candidate_words
        'regression'
    """
    return tuple(_topics(said(whole), said(part)))


_GROUPED: tuple[tuple[Kind, phrases.Lexicon], ...] = (
    ("opposite", phrases.OPPOSITES),
    ("category", phrases.CATEGORIES),
)


def _topics(whole: Said, part: Said) -> Iterator[Contradiction]:
    for _, _, gone, new in _exchanged(whole, part, phrases.TOPICS):
        yield Contradiction("category", whole.words(gone), part.words(new))


def _exchanged(
    golden: Said, candidate: Said, lexicon: phrases.Lexicon
) -> Iterator[tuple[list[Hit], list[Hit], Hit, Hit]]:
    """Yield groups of which the candidate names another side: both texts' hits, and the two that differ."""
    ours = golden.hits(lexicon)
    if not ours:
        return  # the other text need not be taken apart
    theirs = candidate.hits(lexicon)
    if not theirs or len(golden.negators) != len(candidate.negators):
        return
    for group in sorted({hit.group for hit in ours} & {hit.group for hit in theirs}):
        was = [hit for hit in ours if hit.group == group]
        now = [hit for hit in theirs if hit.group == group]
        gone = [hit for hit in was if hit.side not in {other.side for other in now}]
        new = [hit for hit in now if hit.side not in {other.side for other in was}]
        if gone and new and len({hit.negated for hit in (*was, *now)}) == 1:
            yield was, now, gone[0], new[0]


def _opposed(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    for kind, lexicon in _GROUPED:
        for was, now, gone, new in _exchanged(golden, candidate, lexicon):
            ours, theirs = golden.besides(was), candidate.besides(now)
            if _is_temporal(golden, gone) or _is_temporal(candidate, new):
                follows = [token.stem for token in golden.behind(gone.behind)[:1]]
                if not follows or follows != [token.stem for token in candidate.behind(new.behind)[:1]]:
                    continue  # "a before b" is "b after a"
            turned = listed_words(phrases.TURNING, golden, was) != listed_words(phrases.TURNING, candidate, now)
            if turned and closeness(ours, theirs) < CLOSE:
                continue  # "keep those with" is "drop those without"
            beside = golden.around(gone) & candidate.around(new)
            if agreement(ours, theirs) >= (BESIDE if beside else APART):
                yield Contradiction(kind, golden.words(gone), candidate.words(new))


def _is_temporal(text: Said, hit: Hit) -> bool:
    return text.tokens[hit.first].lower in _TEMPORAL


def _prefixed(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    """Yield words that one text has with "un-" and the other without."""
    denials = {len(text.negators) + len(text.hits(phrases.DENYING)) for text in (golden, candidate)}
    if len(denials) > 1:
        return
    for one, other, turned in ((golden, candidate, False), (candidate, golden, True)):
        for token in other.tokens:
            if not token.stem.startswith(_PREFIXES):
                continue
            prefix = next(prefix for prefix in _PREFIXES if token.stem.startswith(prefix))
            base = token.stem.removeprefix(prefix)
            if len(base) < 3 or base not in one.content - other.content or token.stem in one.content:
                continue
            if agreement(one.content - {base}, other.content - {token.stem}) >= BESIDE:
                plain = one.first_text(base)
                yield Contradiction("opposite", *((token.text, plain) if turned else (plain, token.text)))


def _acted(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    """Yield what a step does where one text only looks, and the other makes or unmakes."""
    was, now = golden.action, candidate.action
    if was is None or now is None or was.side == now.side or golden.negators or candidate.negators:
        return
    if closeness(golden.besides([was]), candidate.besides([now])) >= CLOSE:
        yield Contradiction("opposite", golden.words(was), candidate.words(now))


def _numbers(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    alike = agreement(golden.content, candidate.content) >= APART
    for was, now in _changed_numbers(golden, candidate):
        near = bool(was.near & now.near)
        if near or (not was.ordinal and (alike or bool(was.dimension))):
            yield Contradiction("number", was.said, now.said)


def _changed_numbers(golden: Said, candidate: Said) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield numbers that only one text gives, with one of the same kind that only the other gives."""
    if not golden.quantities:
        return
    gone = [one for one in golden.quantities if not any(one.agrees(other) for other in candidate.quantities)]
    new = [one for one in candidate.quantities if not any(one.agrees(other) for other in golden.quantities)]
    for was in gone:
        for now in new:
            weak = (was.weak or now.weak) and not was.ordinal
            alike = was.ordinal == now.ordinal and was.dimension == now.dimension
            if alike and not weak and not _next_to(golden, was, candidate, now):
                yield was, now


def _next_to(golden: Said, was: Quantity, candidate: Said, now: Quantity) -> bool:
    """Return whether one text excludes a number and the other includes the next: "more than five", "6 or more"."""
    if was.dimension or abs(was.value - now.value) != 1:
        return False
    return (_excluded(golden, was) and _included(candidate, now)) or (
        _excluded(candidate, now) and _included(golden, was)
    )


def _excluded(text: Said, quantity: Quantity) -> bool:
    before = {token.lower for token in text.tokens[max(0, quantity.place - 2) : quantity.place]}
    return bool(before & {"than", "above", "over", "exceeds", "exceed", "exceeding", "under", "below", ">", "<"})


def _included(text: Said, quantity: Quantity) -> bool:
    before = {token.lower for token in text.tokens[max(0, quantity.place - 2) : quantity.place]}
    behind = [token.lower for token in text.tokens[quantity.behind : quantity.behind + 2]]
    return bool(before & {"least", "most", "from", "≥", "≤"}) or behind[:1] in (["or"], ["+"], ["and"])


def _bounded(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    """Yield numbers that both texts give, one as the least and one as the most."""
    if golden.negators or candidate.negators or not golden.hits(phrases.BOUNDS) or not candidate.hits(phrases.BOUNDS):
        return
    if listed_words(phrases.TURNING, golden) != listed_words(phrases.TURNING, candidate):
        return
    if agreement(golden.content, candidate.content) < APART:
        return
    for was in golden.quantities:
        for now in candidate.quantities:
            first, second = _bound_of(golden, was), _bound_of(candidate, now)
            if was.agrees(now) and first and second and first.side != second.side:
                said_before, said_now = golden.words(first), candidate.words(second)
                yield Contradiction("bound", f"{said_before} {was.said}", f"{said_now} {now.said}")


def _bound_of(text: Said, quantity: Quantity) -> Hit | None:
    beside = [
        hit
        for hit in text.hits(phrases.BOUNDS)
        if 0 <= quantity.place - hit.behind <= 2 or 0 <= hit.first - quantity.behind <= 1
    ]
    return max(beside, key=lambda hit: hit.behind - hit.first, default=None)


def _denied(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    if agreement(golden.content, candidate.content) < DENIED:
        return
    close = closeness(golden.content, candidate.content) >= CLOSE
    for denying, other, turned in ((golden, candidate, False), (candidate, golden, True)):
        if other.negators or other.hits(phrases.DENYING):
            continue
        words = _negation(denying, other, close=close) if denying.negators else _skipping(denying, other)
        if words:
            yield Contradiction("negation", *(words[::-1] if turned else words))
            return


def _negation(denying: Said, other: Said, *, close: bool) -> tuple[str, str] | None:
    """Return the first negation with the word that it denies, and that word in the other text."""
    if _denies_nothing(denying, other, close=close):
        return None
    negator = denying.negators[0]
    word = denying.tokens[negator].text
    following = denying.tokens[negator + 1 : negator + 5]
    if word.lower() not in _PLAIN_NEGATORS or (following and following[0].kind == "mark"):
        return None
    denied = next((token for token in following if is_content(token)), None)
    if denied is None:
        return (word, "") if close else None
    return (f"{word} {denied.text}", other.first_text(denied.stem)) if denied.stem in other.content else None


def _denies_nothing(denying: Said, other: Said, *, close: bool) -> bool:
    """Return whether a negation is another way to say what the other text says."""
    only_those = other.hits(phrases.ENDURING) and not denying.hits(phrases.ENDURING) and not close  # "none without"
    otherwise = denying.hits(phrases.BRANCHING) and not other.hits(phrases.BRANCHING)  # "otherwise do not"
    twice = len(denying.negators) > 1  # "no key, no login" is "a login needs a key"
    not_yet = _words(denying) & _NOT_YET and _words(other) & _TEMPORAL  # "not until confirmed" is "confirm before"
    none = any(quantity.value == 0 for quantity in other.quantities)  # "no replicas" is "0 replicas"
    return bool(only_those or otherwise or twice or not_yet or none)


def _words(text: Said) -> set[str]:
    return {token.lower for token in text.tokens}


def _skipping(denying: Said, other: Said) -> tuple[str, str] | None:
    """Return "skip" or the like at the beginning, and the word behind it in the other text."""
    first = next((hit for hit in denying.hits(phrases.SKIPPING) if hit.first <= 1), None)
    if first is None or other.negators:
        return None
    denied = next(iter(denying.behind(first.behind)), None)
    if denied is None or denied.stem not in other.content:
        return None
    return f"{denying.words(first)} {denied.text}", other.first_text(denied.stem)


def _weakened(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    hedges = candidate.hits(phrases.HEDGES)
    if not hedges or golden.hits(phrases.HEDGES) or golden.hits(phrases.HEDGED):
        return
    words = candidate.words(hedges[0])
    if agreement(golden.content, candidate.content) >= (APART if words.lower().startswith("only") else HEDGED):
        yield Contradiction("weakened", "", words)


def _lifted(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    if any(golden.hits(lexicon) for lexicon in (phrases.LIFTING, phrases.WIDENING, phrases.HEDGED)):
        return
    for lexicon, alike in ((phrases.WIDENING, closeness), (phrases.LIFTING, agreement)):
        hits: Sequence[Hit] = candidate.hits(lexicon)
        if hits and alike(golden.content, candidate.content) >= HEDGED:
            yield Contradiction("lifted", "", candidate.words(hits[0]))
            return


def _renamed(golden: Said, candidate: Said) -> Iterator[Contradiction]:
    if agreement(golden.content, candidate.content) < NAMED:
        return
    gone = _names_missing_in(candidate, golden)
    new = _names_missing_in(golden, candidate) if gone else []
    if gone and new:
        yield Contradiction("name", gone[0], new[0])


def _names_missing_in(text: Said, named: Said) -> list[str]:
    """Return the names of one text that the other knows neither written out nor short."""
    whole = folded(text.original)
    return [
        name
        for key, name in named.names.items()
        if key not in whole and key not in UNITS and not is_short_for(name, text)
    ]
