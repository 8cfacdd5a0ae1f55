"""Detection of suspicious characters: invisible ones, struck-out letters, lookalikes of Latin letters."""

import re
import unicodedata
from itertools import groupby

READ = 10_000
"""Largest length in characters of an analysed text; `unread-text` reports longer ones."""

_PLAIN = re.compile(r"[\t\n\r -~]*")
_WORD = re.compile(r"[^\W\d_]+")
_JOINERS = frozenset("\u200c\u200d")
"""Joiners, which occur in words of some scripts and in emoji."""
_MARKS = frozenset("\u200e\u200f")
"""Direction marks, which right-to-left texts need."""
_UNSEEN = frozenset(
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2800\u3164\ufeff\uffa0\ufff9\ufffa\ufffb"
) | {
    chr(code)
    for first, last in ((0x202A, 0x202E), (0x2060, 0x206F), (0x1D173, 0x1D17A), (0xE0000, 0xE00FF))
    for code in range(first, last + 1)
}
_STRUCK = re.compile("[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5-\u20eb]")
_HEAPED = 4
"""Number of combining marks on one letter that make it unreadable."""
_STYLED = re.compile("[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]")
"""Latin letters and digits encoded in another style or width."""
_WIDE = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")
"""Scripts that are used with full-width Latin letters."""
_NEVER_MIXED = ("ARMENIAN", "CHEROKEE", "COPTIC", "DESERET", "LISU", "OSAGE")
"""Scripts with Latin lookalikes that never occur in Latin words."""

LOOK_ALIKES = str.maketrans(
    (
        "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0458\u0455\u0501\u04bb\u0475\u051b\u051d\u04cf"
        "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0406\u0408\u0405\u04c0"
        "\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03f2\u03f3"
        "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    ),
    "aceopxyijsdhvqwlABEKMHOPCTXYIJSlaopvikcjABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""


def unseen(text: str) -> tuple[str, ...]:
    r"""Return the distinct invisible characters of a text, sorted.

    Joiners are included only next to ASCII characters. Direction marks are included only if the text has no
    right-to-left letters. Variation selectors are included only after a character without variants. Cost: linear in
    the length of the text.

    Example:
        >>> unseen("Wa\u200btch"), unseen("Send the \U0001f469\u200d\U0001f467 offer"), unseen("Build\tit")
        (('\u200b',), (), ())
    """
    if _PLAIN.fullmatch(text):
        return ()
    hidden = {character for character in text if character in _UNSEEN or _controls(character)}
    if any(character in _MARKS for character in text) and not _runs_left(text):
        hidden |= _MARKS.intersection(text)
    for before, character, after in zip(f" {text}", text, f"{text[1:]} ", strict=False):
        joins_nothing = character in _JOINERS and (before.isascii() or after.isascii())
        selects_nothing = _selects(character) and (
            _selects(before) or (before.isascii() and before not in "0123456789#*")
        )
        if joins_nothing or selects_nothing:
            hidden.add(character)
    return tuple(sorted(hidden))


def struck(text: str) -> bool:
    r"""Return whether letters are struck out or covered by combining marks.

    Example:
        >>> struck("S\u0336k\u0336i\u0336p"), struck("cafe\u0301")
        (True, False)
    """
    if text.isascii():
        return False
    if _STRUCK.search(text):
        return True
    heaps = (len(list(run)) for mark, run in groupby(text, lambda c: unicodedata.category(c) == "Mn") if mark)
    return max(heaps, default=0) >= _HEAPED


def disguised(text: str) -> tuple[str, ...]:
    r"""Return the words with lookalikes of Latin letters, in the order of the text.

    These are: words that mix alphabets; words of only lookalikes in an otherwise Latin text; words with Latin letters
    in another style or width, unless a script in the text uses such letters. Texts in another script and single Greek
    letters are excluded. Cost: linear in the length of the text.

    Example:
        >>> [ascii(word) for word in disguised("W\u0430tch the \u0441\u043e\u0440\u0443")]
        ["'W\\u0430tch'", "'\\u0441\\u043e\\u0440\\u0443'"]
        >>> disguised("\u041f\u0440\u043e\u0432\u0435\u0440\u0438\u0442\u044c API"), disguised("Set \u03b1")
        ((), ())
    """
    if text.isascii():
        return ()
    words = _WORD.findall(text)
    foreign = any(_other(character) and ord(character) not in LOOK_ALIKES for character in text)
    latin = any(any(_latin(character) for character in word) for word in words)
    wide = any(unicodedata.name(character, "").startswith(_WIDE) for character in text if character > "\u10ff")
    suspects = []
    for word in words:
        others = [character for character in word if _other(character)]
        alike = bool(others) and all(ord(character) in LOOK_ALIKES for character in others)
        mixed = any(_latin(character) for character in word)
        whole = alike and len(others) == len(word) > 1 and latin and not foreign
        odd = mixed and any(unicodedata.name(character, "").startswith(_NEVER_MIXED) for character in others)
        styled = not wide and _STYLED.search(word)
        if whole or (alike and mixed) or odd or styled:
            suspects.append(word)
    return tuple(dict.fromkeys(suspects))


def _controls(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character not in "\t\n\r"


def _selects(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def _runs_left(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in {"R", "AL"} and character not in _MARKS for character in text)


def _latin(character: str) -> bool:
    return character.isalpha() and (character.isascii() or unicodedata.name(character, "").startswith("LATIN"))


def _other(character: str) -> bool:
    """Return whether a character is a letter, but not a Latin letter."""
    return not character.isascii() and character.isalpha() and not unicodedata.name(character, "").startswith("LATIN")
