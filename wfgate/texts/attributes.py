"""Whether a text lost an attribute that protects: "an encrypted copy", "a copy"."""

import re
from collections.abc import Collection

from wfgate.texts.contradiction import Contradiction
from wfgate.texts.phrases import parsed
from wfgate.texts.words import lemma, plain_text

_KEPT = {
    "read[- ]?only": "read writ modif chang edit lock freez view look query select",
    "encrypted": r"\w*crypt cipher kms tls secur luks gpg pgp seal",
    "isolated|air-?gapped|sandboxed|quarantined": (
        "isolat separat sandbox air-?gap quarantin access reach scratch own apart alone cut contain dedicated "
        "disconnect fenc"
    ),
    "offline|off-?site": "off disconnect elsewhere remote site away vault unplug network",
    "independent(?:ly)?": (
        "independen separat other involved second own part outside extern different alone impartial neither none who "
        "without each"
    ),
    "dry[- ]run": "dry simulat rehears without test check preview trial practi plan no-?op mock not",
    r"(?:verified|tested|approved|reviewed|validated)(?= [a-z])": (
        "verif test approv review valid confirm check sign accept agreed clear ok prov sure releas good pass author "
        "known green"
    ),
    r"(?:full|entire|exhaustive)(?= [a-z])": "full complet entire whole all every total exhaustive end from each any",
}
"""Attributes, and the beginnings of all words with which a rewording keeps them."""
_ATTRIBUTES = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), re.compile(rf"\b(?:{'|'.join(kept.split())})", re.IGNORECASE))
    for words, kept in _KEPT.items()
)
_NOUN = re.compile(r"[ \t]+([a-z][\w-]*)", re.IGNORECASE)
_NO_NOUNS = frozenset(
    """by that in and with before for to on at as from against of once or if when until
    name names text copy copies stop refund list stack time activation log""".split()  # noqa: SIM905
)
"""What follows an attribute that says how something is done or that nobody misses: "tested with", "full name"."""


def stated_attributes(text: str) -> frozenset[int]:
    """Return the numbers of the attributes that a text states in the listed words. Cost: linear."""
    plain = plain_text(text)
    return frozenset(number for number, (words, _) in enumerate(_ATTRIBUTES) if words.search(plain))


def kept_attributes(text: str) -> frozenset[int]:
    """Return the numbers of the attributes that a text may keep, in any listed word. Cost: linear."""
    plain = plain_text(text)
    return frozenset(number for number, (_, kept) in enumerate(_ATTRIBUTES) if kept.search(plain))


def lost_attribute(
    golden: str, candidate: str, elsewhere: Collection[int] = (), free: Collection[int] = ()
) -> Contradiction | None:
    """Return an attribute of the golden that no word of the candidate keeps; None if there is none.

    If the candidate names what had it, the attribute is lost. If not, another step may state it ("an isolated
    network", then "there"). Of 10,828 steps in accepted rewordings, 168 have an attribute and one lost it. Cost:
    linear.

    Args:
        golden: The step of the golden.
        candidate: The steps of the candidate that do its work.
        elsewhere: The `stated_attributes` of all steps of the candidate.
        free: The `kept_attributes` of the steps of the candidate of which the golden has nothing: one may be a part.

    Example:
        >>> lost_attribute("Run the read-only acceptance tests", "Execute the acceptance tests").golden_words
        'read-only'
        >>> lost_attribute("Restore it on an isolated host", "Restore it on a host without any network access") is None
        True
    """
    text, other = plain_text(golden), plain_text(candidate)
    for number, (words, kept) in enumerate(_ATTRIBUTES):
        found = words.search(text)
        if found is None or number in free or kept.search(other):
            continue
        noun = _NOUN.match(text, found.end())
        if noun is None or noun[1].casefold() in _NO_NOUNS:
            continue
        if number not in elsewhere or lemma(noun[1].casefold()) in parsed(other).lemmas:
            return Contradiction("removed", found[0], "")
    return None
