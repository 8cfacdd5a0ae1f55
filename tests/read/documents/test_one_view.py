"""No parser may see another workflow in the bytes of a file than wfgate, unless wfgate refuses the file.

The oracles are PyYAML (its Python and its C parser), ruamel.yaml (YAML 1.2) and the strict JSON parser of the standard
library. The files are mutated real files.

Documented differences of scalars (nothing else may differ):

- An unquoted value that YAML 1.1, YAML 1.2 or Go's parser does not read as a text, or not as the same value: wfgate
  has the text of the type `Unquoted`, the oracles may have a boolean, number or date. It is never equal to a quoted
  text or to another spelling, so a difference that only one parser sees is still a difference for wfgate.
- Keys are texts for wfgate, as they are written. `on` and `"on"` are one key: GitHub Actions reads both as text, and
  every workflow of it has this key. Unquoted keys that are one key for another parser are refused.
"""

import contextlib
import functools
import json
import math
import random
import warnings
from collections import defaultdict
from pathlib import Path

import pytest
import ruamel.yaml
import yaml

from wfgate.errors import FormatError
from wfgate.read import Unquoted, canonical_text, decode, document_of

DATA = Path(__file__).parents[2] / "read" / "formats" / "data"
MAX_CHARACTERS = 1500
"""Longer YAML files are cut at a line: the pure Python parsers are slow."""


def _start(text, kind):
    return text if kind == "json" or len(text) <= MAX_CHARACTERS else text[: text.rindex("\n", 0, MAX_CHARACTERS) + 1]


FILES = {
    kind: [_start(path.read_text(), kind) for path in sorted(DATA.rglob("*")) if path.suffix in suffixes]
    for kind, suffixes in {"yaml": {".yaml", ".yml"}, "json": {".json"}}.items()
}
VALUES = """\
yes no on off Yes NO oN y N true True TRUE tRUE false null Null NULL nULL ~ '' "" "yes" 'no' "true" "null" "~" ! !!str
0 -0 +0 00 7 07 08 0o7 0O7 "0o7" 012 -012 "012" 0x1F 0X1F +0x1F 0x1f 0x_1 0b11 -0b1 1_000 1__0 1000 "1000" 1e3 1E3 1e+3
1.0e3 1.0e+3 1.e+3 .5e3 .5e+3 -.5 +.5 .5 0.5 .5_ 0.50 1.0 1.00 1 1. 01.5 1_0.5 3.10 3.1 "3.10" "3.1" .inf -.Inf .NaN
1:30 "1:30" 190:20:30.15 12:30:45 22:60 2024-01-01 "2024-01-01" 2024-1-1 2024-01-01T00:00:00Z 2024-99-99 = << "<<" - --
123456789012345678901234567890 9007199254740993 1e400 1.5.2 v1 0xg 1e 1_ _1 + . ... --- |- >+ & * @ ` % : :: ?
!!int 5 !!float 5 !!bool yes !!null x !!str 012 !!str !!binary eA== !local x !<tag:yaml.org,2002:str> 5 ! 7
[a,b] [a,] [,a] {a:1} {a: 1,} {a,b} {"a":1} &a?b [a: b] [? a : b] {? a} *none &a:b &a, &a: *a: [&a:b]
[&a?b,*a?b] [*a:b] {&a:b} &a 1 "a\\tb" "\\x41" "\\u2028" "\\N" "\\/"
"\\ud83d\\ude00" "\\ud800" "a\\
NaN Infinity -Infinity 'it''s' a#b "a"#b """.replace("\n", " ").split(" ")
JSON_VALUES = """\
1 1.0 1.00 -0 -0.0 0 01 1e3 1E3 1000.0 1000 1e400 -1e400 .5 5. +1 0x1F 1_000 123456789012345678901234567890 1e-400
9007199254740993 9007199254740992.0 NaN Infinity -Infinity nan true True false null None undefined 'a' "a"
"\\ud83d\\ude00" "\\ud800" "\\u0000" "\\x41" "\\/" "\\u2028" "a\\ {} [] {"a":1} {"a":1,"a":2} {"a":1,"\\u0061":2} [1,]
[,1] [1 {"a":1,} {a:1} //x /*x*/ #x "x"//y "\u2028" "\ufeff" "\x85" "\x7f" """.replace("\n", " ").split(" ")
LINES = [
    "<<: *a", "? a\n: b", "? [a]\n: b", ": b", "a: b", "on: x", "yes: x", "1: x", "true: x", "~: x", "0x1: x",
    "*a : b", "---", "--- # x", "...", "%YAML 1.1", "%YAML 1.2\n---", "%TAG ! tag:yaml.org,2002:\n---", "%FOO",
    "# x", "- a", "a: |\n   b\n  c\n", "a: |2\n   b\n    c\n", "a: >\n  b\n   c\n\n  d\n \t\n",
    "a: >-\n\n\n  b\n\n", "a: |+\n\n\n", "a: b\n  c\n\n  d", 'a: "b\n  c\n\n  d "', "a: 'b\n\tc'", "a:\t b",
    "\ta: b", "a: &x\n  b: *x", "a: &x b\nc: *x", "a: {b: c,\n d: e}", "a: [\nb]", "a: !!set {b}", "a:\n- b",
    "a: >\n\tb", "a: |\n  b\n # c\n d: e", "// x", "/* x */",
]  # fmt: skip
CHARACTERS = [
    "\r", "\r\n", "\n", "\n\n", "\x85", "\u2028", "\u2029", "\ufeff", "\t", " ", "\xa0", "\x07", "\x7f", "\x9b",
    "\ufffe", "\u200b", "\U0001f600", "\x00", "#", " #", ":", ": ", "-", "- ", "?", "? ", ",", "[", "]", "{",
    "}", '"', "'", "\\", "|", ">", "&", "*", "!", "%", "@", "`", "<<", "~", "\x1b", "\udc80", "//", "/*",
]  # fmt: skip


def mutated(seed, kind):
    """Return a real file, and the same file with one to three changes of bytes, characters, tokens or lines."""
    draw = random.Random(seed)
    text = draw.choice(FILES[kind])
    base = text.encode()
    changes = [_character, _token, _token, _token, _moved, _line if kind == "yaml" else _token]
    for _ in range(draw.choice([1, 1, 1, 2, 2, 3])):
        change = draw.choice(changes)
        text = change(text, draw, *([kind] if change is _token else []))
    content = text.encode("utf-8", "surrogateescape")
    if draw.random() < 0.03:
        at = draw.randrange(len(content) + 1)
        content = content[:at] + bytes([draw.randrange(256)]) + content[at + draw.randint(0, 2) :]
    if draw.random() < 0.03:
        content = b"\xef\xbb\xbf" + content
    if draw.random() < 0.03:
        content = content.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\r"]))
    return base, content


def _character(text, draw):
    at = draw.randrange(len(text) + 1)
    return text[:at] + draw.choice(CHARACTERS) + text[at + draw.randint(0, 1) :]


def _token(text, draw, kind):
    """Replace a value, or now and then a key."""
    lines = text.split("\n")
    entries = [at for at, line in enumerate(lines) if ": " in line]
    at = draw.choice(entries) if entries and draw.random() < 0.8 else draw.randrange(len(lines))
    key, colon, value = lines[at].partition(": ")
    new = draw.choice(VALUES if kind == "yaml" else JSON_VALUES)
    if kind == "json" and value.endswith(",") and draw.random() < 0.9:
        new += ","
    if colon and draw.random() < 0.2:
        lines[at] = key[: len(key) - len(key.lstrip())] + new + colon + value
    elif colon:
        lines[at] = key + colon + new + (" # x" if draw.random() < 0.1 else "")
    else:
        lines[at] += draw.choice(["", " "]) + new
    return "\n".join(lines)


def _line(text, draw):
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    indent = " " * (len(lines[at]) - len(lines[at].lstrip(" ")) if draw.random() < 0.8 else draw.randint(0, 6))
    new = draw.choice(LINES).replace("\n", "\n" + indent)
    lines[at : at + draw.randint(0, 1)] = [indent + new]
    return "\n".join(lines)


def _moved(text, draw):
    """Repeat, drop, exchange or indent lines."""
    lines = text.split("\n")
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    change = draw.randrange(4)
    if change == 0:
        lines.insert(other, lines[at])
    elif change == 1:
        del lines[at]
    elif change == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        lines[at] = " " * draw.randint(0, 3) + lines[at].lstrip(" " * draw.randint(0, 1))
    return "\n".join(lines)


class RefusedError(Exception):
    """An oracle refuses a file."""


def _pyyaml(loader, content):
    return list(yaml.load_all(content, Loader=loader))


def _ruamel(content):
    with warnings.catch_warnings(action="ignore"):  # the second anchor of a name is allowed
        return list(ruamel.yaml.YAML(typ="safe", pure=True).load_all(content))


def _refuse(value):
    raise ValueError(value)


def _strict(value):
    """Return a parsed number that is finite."""
    number = float(value)
    return number if math.isfinite(number) else _refuse(value)


def _unique(pairs):
    return dict(pairs) if len(dict(pairs)) == len(pairs) else _refuse(pairs)


def _json(content):
    text = content.decode("utf-8-sig")
    return [json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_strict)]


YAML_ORACLES = {
    "PyYAML": functools.partial(_pyyaml, yaml.SafeLoader),
    "PyYAML (C)": functools.partial(_pyyaml, getattr(yaml, "CSafeLoader", yaml.SafeLoader)),
    "ruamel.yaml": _ruamel,
}
ORACLES = {"yaml": YAML_ORACLES, "json": {"json": _json}}


def seen_by(oracle, content):
    """Return the documents that an oracle sees, without empty ones.

    Raises:
        RefusedError: If it sees none because of an error; each library has errors of its own, and some are defects.
    """
    try:
        return [data for data in oracle(content) if data is not None]
    except Exception as error:
        raise RefusedError from error


def seen_by_wfgate(content, name):
    """Return the documents that wfgate sees, or the error with its place and fix."""
    try:
        document = document_of(decode(content, name), name)
    except FormatError as error:
        return error
    if document.parts:
        assert document.data is None
        return [part.data for part in document.parts]
    if document.problem is not None:
        return document.problem
    return [document.data]


def same(ours, theirs, oracle):
    """Return whether an oracle's data is wfgate's data, apart from the documented differences of scalars."""
    if isinstance(ours, dict):
        return (
            isinstance(theirs, dict)
            and len(ours) == len(theirs)
            and all(
                (key == other or _is_read_from(key, other, oracle)) and same(ours[key], theirs[other], oracle)
                for key, other in zip(ours, theirs, strict=True)
            )
        )
    if isinstance(ours, list):
        return (
            isinstance(theirs, list)
            and len(ours) == len(theirs)
            and all(same(one, other, oracle) for one, other in zip(ours, theirs, strict=True))
        )
    if isinstance(ours, Unquoted):
        return _is_read_from(ours, theirs, oracle)
    return type(ours) is type(theirs) and repr(ours) == repr(_characters(theirs))


def _is_read_from(text, value, oracle):
    """Return whether an oracle reads this unquoted text as this value."""
    try:
        return any(repr(value) == repr(found) for found in oracle(text.encode()) or [None])
    except Exception:  # noqa: BLE001
        return False


def _characters(value):
    """Join escaped surrogates as UTF-16 does: PyYAML and ruamel.yaml leave them apart."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def exact(data):
    """Return a text that is the same for the same data only. The order of keys does not count."""
    if isinstance(data, dict):
        return "{" + ",".join(sorted(f"{key!r}:{exact(value)}" for key, value in data.items())) + "}"
    if isinstance(data, list):
        return "[" + ",".join(map(exact, data)) + "]"
    return repr(_characters(data))


@functools.cache
def views(content, kind):
    """Return each oracle's documents as an exact text; without the oracles that refuse the file."""
    found = {}
    for name, oracle in ORACLES[kind].items():
        with contextlib.suppress(RefusedError):
            found[name] = exact(seen_by(oracle, content))
    return found


def other_views(ours, content, kind):
    """Yield the names of the oracles that see other data than wfgate."""
    for name, oracle in ORACLES[kind].items():
        with contextlib.suppress(RefusedError):
            if not same(ours, seen_by(oracle, content), oracle):
                yield name


def check_files(seeds, kind):
    """Check that no oracle sees other data than wfgate, or a difference where wfgate sees none."""
    wrong = []
    for seed in seeds:
        base, content = mutated(seed, kind)
        ours = seen_by_wfgate(content, f"x.{kind}")
        if isinstance(ours, FormatError):
            assert ours.path == f"x.{kind}"
            assert ours.line
            assert ours.fix
            continue
        wrong += [(seed, name, "sees other data") for name in other_views(ours, content, kind)]
        unchanged = seen_by_wfgate(base, f"x.{kind}")
        if not isinstance(unchanged, FormatError) and canonical_text(unchanged) == canonical_text(ours):
            wrong += [
                (seed, name, "sees a difference")
                for name, view in views(content, kind).items()
                if view != views(base, kind).get(name, view)
            ]
    assert not wrong


@pytest.mark.parametrize(("kind", "number"), [("yaml", 200), ("json", 600)])
def test_no_parser_sees_another_workflow(kind, number):
    check_files(range(number), kind)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "start"), [(kind, at) for kind in FILES for at in range(1000, 6000, 1000)])
def test_no_parser_sees_another_workflow_in_10_000_files(kind, start):
    check_files(range(start, start + 1000), kind)


SMALL = """\
on: push # x
jobs:
  a: &b
    run: |
      make # y
       z

    c: 'd e'
    f: "g h"
    i: >-
      j
      k
    l: [m, {n: o}]
  p: *b
"""
SEQUENCE = "- r s\n- t: &u v\n  w: *u\n- &x [y, z]\n"


def small_files():
    """Yield every character and line of the lists above at every position of two small files."""
    for text in (SMALL, SEQUENCE):
        for at in range(len(text) + 1):
            for new in CHARACTERS:
                yield text[:at] + new + text[at:]
                yield text[:at] + new + text[at + 1 :]
            if text[at - 1 : at] == "\n":
                yield from (text[:at] + new + "\n" + text[at:] for new in LINES)
                yield from (text[:at] + "    " + new.replace("\n", "\n    ") + "\n" + text[at:] for new in LINES)


def check_small_files(step):
    """Check every `step`-th small file."""
    for text in list(small_files())[::step]:
        content = text.encode("utf-8", "surrogateescape")
        ours = seen_by_wfgate(content, "x.yaml")
        if not isinstance(ours, FormatError):
            assert not list(other_views(ours, content, "yaml")), text


def test_no_parser_sees_another_workflow_in_small_files():
    check_small_files(41)


@pytest.mark.slow
def test_no_parser_sees_another_workflow_in_all_small_files():
    check_small_files(1)


def spellings(kind, number):
    """Yield spellings of scalars: the constructs above, and random ones like numbers, dates and words."""
    draw = random.Random(0)
    yield from VALUES if kind == "yaml" else JSON_VALUES
    for _ in range(number):
        text = "".join(draw.choices("0011579..__:-+eExXobBtTZ", k=draw.randint(1, 6)))
        text = draw.choice([text, text, text, "2024-01-0" + text, "1" + text, "0" + text])
        yield from [text] if kind == "json" else [text, f"'{text}'", f'"{text}"', f"!!str {text}"]


def check_spellings(kind, number):
    """Check that all spellings of a value that wfgate reads as equal are equal for each oracle."""
    seen = defaultdict(lambda: defaultdict(set))
    for spelling in spellings(kind, number):
        content = (f"a: {spelling}\n" if kind == "yaml" else f'{{"a": {spelling}}}').encode("utf-8", "surrogateescape")
        ours = seen_by_wfgate(content, f"x.{kind}")
        if isinstance(ours, FormatError):
            continue
        assert not list(other_views(ours, content, kind)), spelling
        for name, view in views(content, kind).items():
            seen[name][canonical_text(ours)].add(view)
    assert set(seen) == set(ORACLES[kind])
    assert not [(name, ours, sorted(found)) for name in seen for ours, found in seen[name].items() if len(found) > 1]


@pytest.mark.parametrize("kind", FILES)
def test_what_is_equal_for_wfgate_is_equal_for_every_parser(kind):
    check_spellings(kind, 50)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
def test_what_is_equal_for_wfgate_is_equal_for_every_parser_in_10_000_spellings(kind):
    check_spellings(kind, 10_000)


@pytest.mark.parametrize(
    "same_value",
    [
        ["~", "null", "Null", ""],
        ["true", "True", "TRUE"],
        ["1.0", "1.00", "01.0", "1."],
        [".5", "0.5", "0.50", "5.0e-1"],
        ["3.1", "3.10"],
        ["16", "0x10", "+16"],
        ["'yes'", '"yes"', "!!str yes"],
    ],
)
def test_spellings_of_one_value(same_value):
    """Only these notations are equal for wfgate; `"3.10"`, `3.1`, `1e3`, `1000` and `1000.0` are five values."""
    different = [
        "null",
        "true",
        "yes",
        "'yes'",
        "on",
        "1",
        "1.0",
        "0.5",
        "3.1",
        "'3.10'",
        "16",
        "020",
        "0o20",
        "1e3",
        "1000",
    ]
    found = {canonical_text(seen_by_wfgate(f"a: {text}".encode(), "x.yaml")) for text in same_value}
    assert len(found) == 1
    others = [canonical_text(seen_by_wfgate(f"a: {text}".encode(), "x.yaml")) for text in different]
    assert len(set(others)) == len(different)


def test_keys_are_texts():
    """The only values that are equal for wfgate and different for YAML 1.1: a key with and without quotes."""
    assert canonical_text(seen_by_wfgate(b"on: push", "x.yaml")) == canonical_text(
        seen_by_wfgate(b"'on': push", "x.yaml")
    )


@pytest.mark.parametrize("kind", FILES)
def test_most_real_files_and_enough_mutated_ones_are_read_by_all(kind):
    """Otherwise the tests above would compare nothing."""

    def is_read(content):
        return (
            not isinstance(seen_by_wfgate(content, f"x.{kind}"), FormatError)
            and views(content, kind).keys() == ORACLES[kind].keys()
        )

    assert sum(is_read(text.encode()) for text in FILES[kind]) >= 0.9 * len(FILES[kind])
    assert sum(is_read(mutated(seed, kind)[1]) for seed in range(100)) >= 10
