"""Characters that are not what they look like."""

import unicodedata

import pytest

from wfgate.base import disguised, struck, unseen


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("er\u200bror", ["200B"]),
        ("\u202etset", ["202E"]),
        ("a\u2066b\u2069", ["2066", "2069"]),
        ("Stop" + "".join(chr(0xE0000 + ord(c)) for c in "it"), ["E0069", "E0074"]),
        ("fac\u00adtor", ["00AD"]),
        ("e\ufe0fnd", ["FE0F"]),
        ("\U0001f44d\ufe0f\ufe0e", ["FE0E"]),  # a second one selects nothing: bytes can hide in them
        ("a\u200db", ["200D"]),
        ("end\u3164", ["3164"]),
        ("bell\x07", ["0007"]),
        ("a\u200fb", ["200F"]),
    ],
)
def test_what_nobody_sees(text, codes):
    assert [f"{ord(character):04X}" for character in unseen(text)] == codes


@pytest.mark.parametrize(
    "text",
    [
        "Build it\n\tand test it",
        "\u2705 \u26a0\ufe0f 1\ufe0f\u20e3",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u05e9\u05dc\u05d5\u05dd\u200f API",
        "Zażółć gęślą jaźń, naïve café, 5 µs, x ≤ 3 — “so”",
        "测试\uff21\uff30\uff29",
    ],
)
def test_what_texts_may_have(text):
    for form in ("NFC", "NFD"):
        said = unicodedata.normalize(form, text)
        assert (unseen(said), disguised(said), struck(said)) == ((), (), False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("W\u0430tch it", 1),
        ("the \u0441\u043e\u0440\u0443 of it", 1),
        ("\U0001d41a\U0001d41b and", 1),
        ("\uff37\uff41tch it", 1),
        ("\u13aapprove it", 1),
        ("\u041f\u0440\u043e\u0432\u0435\u0440\u0438\u0442\u044c API \u0441 Terraform", 0),
        ("\u0391\u03bd\u03ac\u03bb\u03c5\u03c3\u03b7 in Python", 0),
        ("set \u03b1 and \u0394t", 0),
    ],
)
def test_letters_that_only_look_latin(text, words):
    assert len(disguised(text)) == words


def test_letters_struck_out():
    assert struck("S\u0336kip")
    assert struck("a" + "\u0301" * 4)
    assert not struck("e\u0302\u0301")


@pytest.mark.parametrize("text", ["\u200b" * 100_000, "а" * 100_000, "a\u0301" * 50_000, "é " * 50_000])  # noqa: RUF001
def test_long_texts_take_linear_time(text):
    assert isinstance((unseen(text), disguised(text), struck(text)), tuple)
