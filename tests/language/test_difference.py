"""Which tokens of two texts differ, and short windows that show them."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wfgate.language import READ, exchange, marked, whole_tokens, windows
from wfgate.language.difference import MOST_TOKENS

from ..hypothesis_examples import examples

HELM = "helm upgrade --install shop charts/shop --namespace shop --set image.tag={} --wait --timeout 5m0s --atomic"
WORDS = [
    "deploy",
    "the\n",
    "\n\nto",
    "https://example.com/v2/acts/dB9f4B02/run?format=json&limit=10",
    "eu-west-1",
    "us-east-1",
    "v1.2.3",
    "a/b.yaml",
    "30",
    "minutes",
    "shop:1.4",
    "x" * 90,
]
TEXTS = st.one_of(st.text(max_size=120), st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join))


def said(pieces):
    return "".join(f"[{text}]" if changed else text for text, changed in pieces)


@pytest.mark.parametrize(
    ("golden", "candidate", "expected"),
    [
        ("Deploy to staging now", "Deploy to prod now", ("Deploy to [staging] now", "Deploy to [prod] now")),
        ("Copy x to y", "Copy y to x", ("Copy x [to y]", "Copy [y to] x")),
        ("Enable it.", "enable It!", ("Enable it.", "enable It!")),
        ("Drop the table", "Drop the old table", ("Drop the table", "Drop the [old] table")),
        ("", "Sign", ("", "[Sign]")),
        # one token is one change: regions, versions, images, paths, identifiers, numbers with units
        ("Move to eu-west-1.", "Move to us-east-1.", ("Move to [eu-west-1].", "Move to [us-east-1].")),
        ("Tag it v1.2.3 now", "Tag it v1.3.3 now", ("Tag it [v1.2.3] now", "Tag it [v1.3.3] now")),
        ("Run gh.io/app:1.2 now", "Run gh.io/web:1.2 now", ("Run [gh.io/app:1.2] now", "Run [gh.io/web:1.2] now")),
        ("Call dropOldTables()", "Call dropNewTables()", ("Call [dropOldTables]()", "Call [dropNewTables]()")),
        ("Wait 30 minutes here", "Wait 30 seconds here", ("Wait [30 minutes] here", "Wait [30 seconds] here")),
        # what both have is never marked, and a shared "the" does not split a change
        (
            "Promote the standby database",
            "Handle the standby database",
            ("[Promote] the standby database", "[Handle] the standby database"),
        ),
        (
            "Read the report and send it to the customer today",
            "Read the invoice and the order to the customer today",
            (
                "Read the [report and send it] to the customer today",
                "Read the [invoice and the order] to the customer today",
            ),
        ),
        # a rewording that shares a word or two is changed as a whole
        (
            "Ship the service logs to the central archive",
            "Set up alerts for a service and finish the record",
            ("[Ship the service logs to the central archive]", "[Set up alerts for a service and finish the record]"),
        ),
    ],
)
def test_tokens_that_differ_are_marked(golden, candidate, expected):
    assert tuple(map(said, marked(golden, candidate))) == expected


def test_in_values_every_character_counts():
    assert tuple(map(said, marked("make  test", "make test", exact=True))) == ("make[  ]test", "make[ ]test")
    assert tuple(map(said, marked("a(b)", "A(b)", exact=True))) == ("[a](b)", "[A](b)")


def test_a_window_shows_what_differs():
    assert exchange(HELM.format("1.4.2"), HELM.format("1.4.3"), 60, exact=True) == (
        "helm upgrade … --set image.tag=1.4.2 --wait --timeout …",
        "helm upgrade … --set image.tag=1.4.3 --wait --timeout …",
    )
    digests = ("sha256:" + "a" * 64, "sha256:" + "a" * 63 + "b")
    assert exchange(*digests, 20, exact=True) == ("…aaaaaaa", "…aaaaaab")


def test_a_change_is_whole_and_only_what_did_not_change_is_left_out():
    text = f"{'Ask the owner of the service first. ' * 6}Migrate the {{}} schema. {'Then tell everybody. ' * 6}"
    changes = ("staging database of the order service with all of its views and", "production")
    shown = [said(one) for one in windows(*map(text.format, changes), READ)]
    assert all(f"[{change}]" in one and len(one) < 2 * READ for change, one in zip(changes, shown, strict=True))
    long = "word " * 60
    assert f"[{long.strip()}]" in said(windows(text.format(long.strip()), text.format("x"), READ)[0])


@pytest.mark.parametrize(
    ("words", "golden", "candidate", "expected"),
    [
        ("west", "Go west in eu-west-1", "Go west in us-east-1", "eu-west-1"),
        ("binary", "Train BinaryClassification", "Train Regression", "BinaryClassification"),
        ("no", "Notify if no alert is open", "Notify if an alert is open", "no"),
        ("at least 5", "Wait at least 5 minutes", "Wait at most 5 minutes", "at least 5 minutes"),
        ("absent", "Go", "Stop", "absent"),
    ],
)
def test_words_are_shown_with_their_token(words, golden, candidate, expected):
    assert whole_tokens(words, golden, candidate) == expected


def test_of_endless_texts_all_between_the_first_and_the_last_difference_is_marked():
    many = "word " * (MOST_TOKENS + 1)
    assert marked(f"a b {many}c", f"a {many}d") == (
        (("a ", False), (f"b {many}c", True)),
        (("a ", False), (f"{many}d", True)),
    )


def test_endless_values_are_shown_where_they_differ():
    start, end = "a b " * 300_000, "c d " * 300_000
    assert exchange(f"{start}1{end}", f"{start}2{end}", 20, exact=True) == ("… a b 1c d c …", "… a b 2c d c …")


def test_of_a_lost_sentence_both_windows_show_its_place():
    prompt = "You are an assistant. " + "Answer in full. " * 20 + "Be polite.\n{}Never guess. " + "Sign it. " * 20
    for exact in (True, False):
        golden, candidate = windows(prompt.format("Do not make things up.\n"), prompt.format(""), 60, exact=exact)
        assert "Do not make things up" in said(golden)
        assert "Never" in said(candidate)
        assert "[" not in said(candidate)


def test_of_a_long_url_only_the_changed_segment_is_marked():
    url = "https://api.example.com/v2/acts/{}/run-sync-get-dataset-items?format=json"
    golden, candidate = marked(url.format("dB9f4B02"), url.format("xK2aa7Zq"), exact=True)
    assert said(golden) == url.format("[dB9f4B02]")
    assert said(candidate) == url.format("[xK2aa7Zq]")
    assert "dB9f4B02" in said(windows(url.format("dB9f4B02"), url.format("xK2aa7Zq"), 40, exact=True)[0])


@settings(max_examples=examples(300))
@example('000000"000000', '000000"0"000000', False)
@given(TEXTS, TEXTS, st.booleans())
def test_pieces_joined_are_the_text_and_unmarked_is_common(golden, candidate, exact):
    pieces = marked(golden, candidate, exact=exact)
    common = []
    for text, side in zip((golden, candidate), pieces, strict=True):
        assert "".join(piece for piece, _ in side) == text
        assert all(one[1] != other[1] for one, other in pairwise(side))
        common.append("".join(piece for piece, changed in side if not changed))
    if exact:
        assert common[0] == common[1]
    else:  # white space and the marks around words do not count
        words = ["".join(c for c in text.casefold() if c.isalnum()) for text in common]
        assert words[0] == words[1]


@settings(max_examples=examples(300))
@example('0"1', '0000000"0', False, 8)
@given(TEXTS, TEXTS, st.booleans(), st.integers(min_value=8, max_value=80))
def test_a_window_is_short_and_shows_a_change_of_each_side(golden, candidate, exact, limit):
    whole = marked(golden, candidate, exact=exact)
    for side, full in zip(windows(golden, candidate, limit, exact=exact), whole, strict=True):
        text = "".join(piece for piece, _ in side)
        assert len(text) <= limit
        assert any(changed for _, changed in side) == any(changed for _, changed in full)
        joined = "".join(piece for piece, _ in full)
        assert all(part in joined for piece, _ in side for part in map(str.strip, piece.split("…")))


@settings(max_examples=examples(300))
@given(TEXTS, TEXTS, st.integers(min_value=8, max_value=80))
def test_windows_of_different_values_differ(golden, candidate, limit):
    was, now = exchange(golden, candidate, limit, exact=True)
    assert (was == now) == (golden == candidate)


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(["a", "b", "c", "d."]), max_size=12))
def test_nothing_is_marked_where_nothing_differs(words):
    text = " ".join(words)
    assert not any(changed for side in marked(text, text.upper()) for _, changed in side)
