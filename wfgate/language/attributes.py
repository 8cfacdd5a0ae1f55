"""Whether a text lost an attribute that protects ("an encrypted copy"), or has the opposite of one ("a new key")."""

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from wfgate.language.contradiction import Contradiction
from wfgate.language.phrases import agreement, parsed
from wfgate.language.words import lemma, plain_text, word_set

_CIPHERED = r"\w*crypt cipher kms tls secur luks gpg pgp seal"
_KEPT = {
    "read[- ]?only": "read writ modif chang edit lock freez view look query select",
    "encrypted": _CIPHERED,
    "isolated|air-?gapped|sandboxed|quarantined": (
        "isolat separat sandbox air-?gap quarantin access reach scratch own apart alone cut contain dedicated "
        "disconnect fenc"
    ),
    "offline|off-?site": "off disconnect elsewhere remote site away vault unplug network",
    "independent(?:ly)?": (
        "independen unrelated distinct separat other involved second own part outside extern different alone "
        "impartial neither none who without each"
    ),
    "dry[- ]run": "dry simulat rehears without test check preview trial practi plan no-?op mock not",
    r"(?:full|entire|exhaustive)(?= [a-z])": "full complet entire whole all every total exhaustive end from each any",
}
"""Attributes, and the beginnings of all words with which a rewording keeps them."""
_KEPT_ACTIONS = {
    "back(?:s|ed|ing)?[ -]up": (
        "back snapshot cop dump sav archiv export stor replic mirror clon imag preserv keep kept hold held duplicat "
        "bkp"
    ),
    "(?:mask|anonymi[sz]e|redact|pseudonymi[sz]e)s?": (
        "mask anonym pseudonym redact hid scrub strip remov blank hash obscur black conceal identif without clean "
        "withh"
    ),
    "encrypt(?:s|ing)?": _CIPHERED,
    "revok(?:e|es|ed|ing)": (
        "revo withdraw remov disabl invalid delet cancel kill expir rescind end drop terminat take took block lock "
        "rotat cut strip pull retir clos away off"
    ),
    "(?:quarantine|isolate)s?": (
        "quarantin isolat separat apart aside lock hold disconnect cut block fenc contain detach segregat off away "
        "remov access reach"
    ),
    "restor(?:e|es|ed|ing)": (
        "restor recover load bring back return re-?instat import rebuil put read roll rever fall reset again"
    ),
    "verif(?:y|ies|ied)": (
        "verif check confirm sure ensur prov valid test match compar agre correct equal see look establish audit "
        "inspect ok must same identical review examin watch monitor whether right pass good cross assert determin "
        "find reconcil control certain clear identif show set leav no none nothing if unless otherwise only until"
    ),
}
"""Actions that protect, and the beginnings of all words with which a rewording keeps them."""
_LISTED = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), re.compile(rf"\b(?:{'|'.join(kept.split())})", re.IGNORECASE))
    for words, kept in (*_KEPT.items(), *_KEPT_ACTIONS.items())
)
_NOUN = re.compile(r"[ \t]+([a-z][\w-]*)", re.IGNORECASE)
_NO_NOUNS = word_set(
    """by that in and with before for to on at as from against of once or if when until
    name names text copy copies stop refund list stack time activation log"""
)
"""What follows an attribute that says how something is done or that nobody misses: "tested with", "full name"."""


_OPPOSED = (
    ("new fresh latest upcoming", "old former previous existing retired outdated"),
    ("source origin", "target destination"),
    ("primary leader", "replica standby secondary follower"),
    ("internal", "external public"),
    ("blue", "green"),
    ("left", "right"),
)
"""Attributes that tell two things of one kind apart."""
_SIDES = {
    word: (group, side)
    for group, sides in enumerate(_OPPOSED)
    for side, words in enumerate(sides)
    for word in words.split()
}
LIKE = 0.5
"""Smallest agreement of the words of a text and a sentence of which such attributes are compared."""
_WORD = re.compile(r"[a-z][\w-]*|[,.;:|]", re.IGNORECASE)


def stated_attributes(text: str) -> frozenset[int]:
    """Return the numbers of the attributes and actions that a text states as listed. Cost: linear."""
    plain = _plain(text)
    return frozenset(number for number, (words, _) in enumerate(_LISTED) if words.search(plain))


def kept_attributes(text: str) -> frozenset[int]:
    """Return the numbers of the attributes and actions that a text may keep, in any listed word. Cost: linear."""
    plain = _plain(text)
    return frozenset(number for number, (_, kept) in enumerate(_LISTED) if kept.search(plain))


def lost_attribute(
    golden: str, candidate: str, elsewhere: Collection[int] = (), free: Collection[int] = ()
) -> Contradiction | None:
    """Return an attribute or action of the golden that no word of the candidate keeps; None if there is none.

    If the candidate names what had the attribute, it is lost. If not, another step may state it ("an isolated
    network", then "there"); so may another step do an action. Of 10,828 steps in accepted rewordings, 4 lost one;
    of 3,756 harmful ones, 26. Cost: linear.

    Args:
        golden: The step of the golden.
        candidate: The steps of the candidate that do its work.
        elsewhere: The `stated_attributes` of all steps of the candidate.
        free: The `kept_attributes` of the steps of the candidate of which the golden has nothing: one may be a part.

    Example:
        >>> lost_attribute("Run the read-only acceptance tests", "Execute the acceptance tests").golden_words
        'read-only'
        >>> lost_attribute("Back up the settings of the service", "Look at the settings of the service").golden_words
        'Back up'
        >>> lost_attribute("Restore it on an isolated host", "Restore it on a host without any network access") is None
        True
    """
    text, other = _plain(golden), _plain(candidate)
    for number, (words, kept) in enumerate(_LISTED):
        found = words.search(text)
        if found is None or number in free or kept.search(other):
            continue
        if number not in elsewhere and (number >= len(_KEPT) or _noun(text, found.end())):
            return Contradiction("removed", found[0], "")
        if number < len(_KEPT) and lemma(_noun(text, found.end())) in parsed(other).lemmas:
            return Contradiction("removed", found[0], "")
    return None


def _plain(text: str) -> str:
    """Return a text with the words of identifiers apart: "not_backed_up"."""
    return plain_text(text).replace("_", " ")


def _noun(text: str, place: int) -> str:
    """Return the noun behind an attribute; "" if there is none, or one that nobody misses."""
    found = _NOUN.match(text, place)
    return found[1].casefold() if found and found[1].casefold() not in _NO_NOUNS else ""


def opposed_attribute(golden: str, candidate: str) -> Contradiction | None:
    """Return an attribute of the golden, and its opposite before the same noun in the candidate; else None.

    The golden has no word of the other side; the candidate's sentence has none of the golden's side, and half of
    the golden's words. Of 10,828 steps in accepted rewordings, none is found; of 3,756 harmful ones, 9. Cost: linear.

    Example:
        >>> found = opposed_attribute(
        ...     "Point the record to the new primary", "Let the record point to the former primary"
        ... )
        >>> found.golden_words, found.candidate_words
        ('new primary', 'former primary')
        >>> opposed_attribute(
        ...     "Compare the new servers with the old ones", "Compare the old servers and the new"
        ... ) is None
        True
    """
    words = _words(golden)
    sides = {_SIDES[word] for word in words if word in _SIDES}
    if not sides:
        return None
    kept = {(*_SIDES[word], lemma(noun)) for word, noun in _attributed(_words(candidate))}
    for word, noun in _attributed(words):
        group, side = _SIDES[word]
        if (group, 1 - side) in sides or (group, side, lemma(noun)) in kept:
            continue
        for sentence in parsed(candidate).sentences:
            said = _words(sentence.original)
            if agreement(parsed(golden).content, sentence.content) < LIKE or any(
                _SIDES.get(other) == (group, side) for other in said
            ):
                continue
            for other, same in _attributed(said):
                if _SIDES[other] == (group, 1 - side) and lemma(same) == lemma(noun):
                    return Contradiction("opposite", f"{word} {noun}", f"{other} {same}")
    return None


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(plain_text(text))]


def _attributed(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each attribute that tells two things apart, with the content word behind it."""
    known = parsed(" ".join(words)).lemmas
    for word, noun in pairwise(words):
        if word in _SIDES and lemma(noun) in known:
            yield word, noun
