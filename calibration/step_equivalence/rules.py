"""Rule-based changes with a certain label: some change the meaning of a step, some do not."""

import random
import re
from collections.abc import Callable

from wfgate.language.lexicon import opposites

_NUMBER = re.compile(r"(?<![\w.,:/-])(?<!^)\d+(?:\.\d+)?(?![\w.,:/-]*\w)")
_WORDS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30",
}  # fmt: skip
_TARGETS = (
    ("staging", "production"), ("production", "staging"), ("primary", "secondary"), ("secondary", "primary"),
    ("eu-west-1", "us-east-1"), ("us-east-1", "eu-central-1"), ("source", "target"), ("internal", "external"),
    ("weekly", "daily"), ("daily", "weekly"), ("monday", "friday"), ("friday", "monday"), ("first", "last"),
)  # fmt: skip
_LIMITS = (
    ("at least", "at most"), ("at most", "at least"), ("more than", "less than"), ("less than", "more than"),
    ("above", "below"), ("below", "above"), ("before", "after"), ("after", "before"), ("within", "after"),
    ("all", "some"), ("every", "one"), ("both", "one of the"), ("until", "unless"),
)  # fmt: skip
_WEAK = (("must", "may"), ("shall", "may"), ("must not", "should not"), ("only", "preferably"), ("require", "suggest"))
_SHORT = (
    ("production", "prod"), ("environment", "env"), ("database", "DB"), ("configuration", "config"),
    ("Kubernetes", "K8s"), ("repository", "repo"), ("application", "app"), ("minutes", "min"), ("hours", "h"),
    ("seconds", "s"), ("percent", "%"), ("information", "info"), ("maximum", "max"), ("minimum", "min"),
    ("administrator", "admin"), ("for example", "e.g."), ("and", "&"),
)  # fmt: skip


def _swapped(text: str, pairs: tuple[tuple[str, str], ...], rng: random.Random) -> str | None:
    """Return the text with one word of the left column replaced by the word in the right column."""
    found = [(re.search(rf"(?<![\w-]){re.escape(old)}(?![\w-])", text, re.IGNORECASE), new) for old, new in pairs]
    usable = [(match, new) for match, new in found if match]
    if not usable:
        return None
    match, new = rng.choice(usable)
    new = new.capitalize() if match[0][0].isupper() else new
    return text[: match.start()] + new + text[match.end() :]


def _another_number(text: str, rng: random.Random) -> str | None:
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    value = float(match[0])
    new = rng.choice([value * 2, value * 10, value + 1, value / 2, value + 5, max(value - 1, 0)])
    said = f"{new:g}"
    return None if new == value else text[: match.start()] + said + text[match.end() :]


def _opposites() -> tuple[tuple[str, str], ...]:
    pairs = []
    for group in opposites.OPPOSITES.groups:
        sides = [[phrase.lstrip("=") for phrase in side] for side in group]
        if len(sides) == 2:
            pairs += [(one, sides[1][0]) for one in sides[0]] + [(one, sides[0][0]) for one in sides[1]]
    return tuple(pair for pair in pairs if all(pair))


_OPPOSITES = _opposites()


def _denied(text: str, rng: random.Random) -> str | None:
    if re.search(r"\b(not|never|no|without|don't)\b", text, re.IGNORECASE):
        found = re.sub(r"\b(do not|don't|never|not)\s+", "", text, count=1, flags=re.IGNORECASE)
        return found if found != text else None
    lead = rng.choice(["Do not", "Never", "Skip this: do not", "Avoid to"])
    return f"{lead} {text[:1].lower()}{text[1:]}"


def _only_if(text: str, rng: random.Random) -> str:
    ways = [
        "if time permits",
        "where possible",
        "if somebody asks for it",
        "when convenient",
        "on a best-effort basis",
    ]
    return f"{text.rstrip('. ')}, {rng.choice(ways)}" + ("." if text.rstrip().endswith(".") else "")


_SPOILERS: tuple[tuple[str, Callable[[str, random.Random], str | None], float], ...] = (
    ("quantity", _another_number, 3.0),
    ("target", lambda text, rng: _swapped(text, _TARGETS, rng), 2.0),
    ("condition", lambda text, rng: _swapped(text, _LIMITS, rng), 2.0),
    ("action", lambda text, rng: _swapped(text, _OPPOSITES, rng), 2.0),
    ("weakening", lambda text, rng: _swapped(text, _WEAK, rng), 1.0),
    ("negation", _denied, 0.3),
    ("weakening", _only_if, 0.2),
)


def spoiled(text: str, rng: random.Random) -> tuple[str, str] | None:
    """Return the kind of a change of meaning and the changed text; None if no drawn rule applies."""
    for kind, change, weight in _SPOILERS:
        if rng.random() < weight / 6:
            found = change(text, rng)
            if found is not None and found.lower() != text.lower():
                return kind, found
    return None


def benign(text: str, rng: random.Random) -> str:
    """Return the text written differently: case, punctuation, digits for words, abbreviations, spaces."""
    way = rng.randrange(6)
    if way == 0:
        return text.lower()
    if way == 1:
        return text.rstrip(".! ") if text.rstrip().endswith((".", "!")) else f"{text.rstrip()}."
    if way == 2:
        return _swapped(text, tuple(_WORDS.items()), rng) or text.replace(" - ", ": ")
    if way == 3:
        return (
            _swapped(text, tuple((number, word) for word, number in _WORDS.items()), rng)
            or text[:1].upper() + text[1:]
        )
    if way == 4:
        return _swapped(text, _SHORT, rng) or text.title() if len(text) < 60 else text
    return rng.choice(["Step: ", "- ", "Please ", "Then "]) + text[:1].lower() + text[1:]
