"""Documents: JSON and YAML to data, what each refusal says, and which kind a text is."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from wfgate.compare.values.changes import value_changes
from wfgate.errors import FormatError
from wfgate.read import MAX_BYTES, Consequences, check_plain, decode, document_of
from wfgate.read.documents import json_text, yaml_text
from wfgate.read.documents.fences import fenced_blocks
from wfgate.read.documents.kind import parse
from wfgate.read.documents.limits import MAX_ALIASED, MAX_DEPTH
from wfgate.read.documents.positions import Positions
from wfgate.read.documents.yaml_text import MERGE, parse_yaml, resolve

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


def position(spans, *path):
    return spans[path].line, spans[path].column


@given(JSON_VALUES, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_json_reads_as_the_standard_library_reads_it(value, indent, ascii_only):
    text = json.dumps([value], indent=indent, ensure_ascii=ascii_only)
    assert parse(text, "x", "json")[0] == json.loads(text)


@given(st.text('{}[],:"\\ntrufalse0123.e-+ ', max_size=30))
def test_json_is_refused_exactly_where_the_standard_library_refuses_it(text):
    try:
        wanted = json.loads(f"[{text}")
    except ValueError:
        wanted = FormatError
    try:
        found = parse(f"[{text}", "x", "json")[0]
    except FormatError as error:
        found = wanted if "appears twice" in error.message or "too large" in error.message else FormatError
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":\t"b\\/c"}', {"a": "b/c"}),
        ('["\\ud83d\\ude00"]', ["😀"]),
        ("[123456789012345678901234567890]", [123456789012345678901234567890]),
        ("[1E400000000000000000000000000000000000]", None),
        ("{wfgate: '1'}", {"wfgate": "1"}),
        ("[a, b]", ["a", "b"]),
        ("on: [push]\nno: no\nday: 2024-01-01\n", {"on": ["push"], "no": "no", "day": "2024-01-01"}),
        (
            "a: 0x1F\nb: 1.50\nc: .5\nd: +7\ne: 1.0e+3\nf: ~\n",
            {"a": 31, "b": 1.5, "c": 0.5, "d": 7, "e": 1e3, "f": None},
        ),
        ("a: !!str 5\nb: !!seq []\nc: !!map {}", {"a": "5", "b": [], "c": {}}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("1: a\nfalse: b\n'': c", {"1": "a", "false": "b", "": "c"}),
        ("? " + "k" * 200 + "\n: v", {"k" * 200: "v"}),
    ],
)
def test_values(text, value):
    if value is not None:
        assert parse(text, "x")[0] == value
    else:
        with pytest.raises(FormatError, match="too large"):
            parse(text, "x")


def test_positions_are_the_same_for_json_and_yaml():
    text = '{"a": [1, {"b": "😀", "c": 2}]}'
    assert parse(text, "x")[1] == parse_yaml(text, "x")[1]


def test_yaml_positions():
    _, spans = parse("# note\nsteps:\n  - id: é\n    needs: [a, b]\n  - x\n", "x")
    assert position(spans, "steps") == (2, 1)
    assert position(spans, "steps", 0) == (3, 5)
    assert position(spans, "steps", 0, "needs") == (4, 5)
    assert position(spans, "steps", 0, "needs", 1) == (4, 16)
    assert position(spans, "steps", 1) == (5, 5)


def test_a_line_ends_with_a_line_feed_only():
    """A lone carriage return is a line break of YAML, but not of editors."""
    _, spans = parse("a: x\rb: 1\n", "x")
    assert position(spans, "b") == (1, 6)
    assert Positions("a\r\nb").span(3).line == 2


REFUSED = [
    ("", 1, 1, "empty", "write a workflow"),
    (" \n\t", 1, 1, "empty", "write a workflow"),
    ("# only a comment\n", 1, 1, "no content", "write a workflow"),
    ("---\n...\n", 1, 1, "no content", "write a workflow"),
    ('{"a": 1,\n "a": 2}', 2, 2, "'a' appears twice", "delete one"),
    ("a: 1\nb: 2\na: 3\n", 3, 1, "'a' appears twice", "delete one"),
    ('{"a": 1\n "b": 2}', 2, 2, "expected ',' or '}'", "comma"),
    ('{"a": 1,}', 1, 9, "expected a key in double quotes", "remove a comma before }"),
    ('["a",]', 1, 6, "a value is expected", "extra comma"),
    ('["a" "b"]', 1, 6, "expected ',' or ']'", "comma"),
    ("[1 2]", 1, 4, "expected ',' or ']'", "comma"),
    ("[01]", 1, 3, "expected ',' or ']'", "comma"),
    ('{"a": NaN}', 1, 7, "NaN is not a JSON value", "true, false or null"),
    ("[NaN]", 1, 2, "NaN is not a JSON value", "true, false or null"),
    ("[-Infinity]", 1, 2, "-Infinity is not a JSON value", "true, false or null"),
    ('{"a" 1}', 1, 6, "expected ':'", "colon"),
    ('{"a": "b', 1, 7, "the text that begins here has no end", "was cut off"),
    ('{"a": ["b"', 1, 11, "the text ends before", "close every bracket"),
    ('{"a": ', 1, 7, "text ends before", "was cut off"),
    ('{"a": 1} x', 1, 10, "after the end", "one JSON value"),
    ('["\\ud800"]', 1, 2, "surrogate", "complete character"),
    ('["a\nb"]', 1, 4, "invalid control character", "escape"),
    ("[1e999]", 1, 2, "too large", "in quotes"),
    (f"[{'9' * 5000}]", 1, 2, "too large", "in quotes"),
    ("[" * 101 + "]" * 101, 1, 101, "nested deeper than 100", "fewer levels"),
    ("[" * 100_000, 1, 101, "nested deeper than 100", "fewer levels"),
    ('{"a":' * 100_000, 1, 501, "nested deeper than 100", "fewer levels"),
    ("a: " + "[" * 900, 1, 103, "nested deeper than 100", "fewer levels"),
    ("- " * 1000, 1, 201, "nested deeper than 100", "fewer levels"),
    ("a: .inf", 1, 4, "not a finite number", "in quotes"),
    (f"a: {'9' * 5000}", 1, 4, "not a finite number", "in quotes"),
    ("a: 1\n---\nb: 2\n", 2, 1, "second YAML document", "one document"),
    ("a: !!python/object:os.system x", 1, 4, "tag tag:yaml.org,2002:python/object:os.system", "remove the tag"),
    ("a: !custom\n  b: 1", 1, 4, "tag !custom", "remove the tag"),
    ("a: !!set {x}", 1, 4, "tag tag:yaml.org,2002:set", "remove the tag"),
    ("!!int a: 1", 1, 1, "tag tag:yaml.org,2002:int", "remove the tag"),
    ("a: !!int 5", 1, 4, "tag tag:yaml.org,2002:int", "remove the tag"),
    ("a: ! 7", 1, 4, "tag ! is not", "remove the tag"),
    ("on: 1\nYES: 2", 2, 1, "'YES' appears twice", "delete one"),
    ("1: a\ntrue: b", 2, 1, "'true' appears twice", "delete one"),
    ("010: 1\n8: 2", 2, 1, "'8' appears twice", "delete one"),
    ("? \n: a", 1, 2, "key is empty", "in quotes"),
    ("a: &b?c", 1, 4, "anchor &b is not clear", "space after the name"),
    ("a: x # y\u2028b: z", 1, 9, "line break U+2028", '"\\u2028" in double quotes'),
    ("a: 'x\x85y'", 1, 6, "line break U+0085", '"\\u0085" in double quotes'),
    ("a: 1\n\ufeffb: 2", 2, 1, "character U+FEFF", "remove the character"),
    ("base: &b {x: 1}\na:\n  <<: *b", 3, 3, "merge keys", "replace the merge key by the entries that it merges"),
    ("a: *x", 1, 4, "has no anchor", "define &x"),
    ("a: &x [*x]", 1, 8, "contains itself", "replace the alias by the value"),
    ("? [a]\n: 1", 1, 3, "key must be a text", "key: value"),
    ("&k a: 1\n*k : 2", 2, 1, "key must be a text", "key: value"),
    ("a:\n\t- b", 2, 1, "a tab in the indentation", "indent with spaces"),
    ("a: 'b", 1, 6, "not valid YAML", "quotes"),
    ("a: b: c", 1, 5, "not valid YAML", "check the indentation"),
    ("a: \x07", 1, 4, "control character U+0007", "remove the character"),
    ("a: b\0", 1, 5, "NUL", "text file"),
    ("a: \ud800", 1, 4, "surrogate", "complete character"),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "fix"), REFUSED)
def test_refused(text, line, column, message, fix):
    with pytest.raises(FormatError) as caught:
        parse(text, "bad.txt")
    error = caught.value
    assert message in error.message
    assert (error.path, error.line, error.column) == ("bad.txt", line, column)
    assert fix in (error.fix or "")


def test_a_depth_beyond_the_limit_of_the_parser():
    """PyYAML 6.0.4 and newer stop by themselves, at another column; older ones do not."""
    with pytest.raises(FormatError, match="nested deeper than 100"):
        parse("a: " + "[" * 100_000, "bad.txt")


@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        (b"a: 1\nb: \xff", 2, 4, "0xff is not UTF-8"),
        ("é: \xfc".encode("latin-1"), 1, 1, "0xe9 is not UTF-8"),
        ("a: 1".encode("utf-16"), 1, 1, "UTF-16"),
        (b"\x7fELF\0\0", 1, 5, "NUL"),
        (b" " * (MAX_BYTES + 1), None, None, "16,777,216 bytes"),
    ],
)
def test_bytes_refused(content, line, column, message):
    with pytest.raises(FormatError) as caught:
        decode(content, "bad")
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.fix


def test_a_byte_order_mark_is_skipped():
    assert decode(b"\xef\xbb\xbf[1]", "x") == "[1]"


def test_alias_bomb():
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(FormatError, match=f"more than {MAX_ALIASED} values"):
        parse("\n".join(lines), "x")


def test_aliases_count_towards_depth():
    nested = "&a " + "[" * 60 + "]" * 60
    assert parse(f"a: {nested}", "x")
    with pytest.raises(FormatError, match="nested deeper"):
        parse(f"a: {nested}\nb: {'[' * 60}*a{']' * 60}", "x")


def test_a_plain_text_is_no_data():
    document = document_of("Just a sentence.", "x")
    assert document.data is None
    assert "a mapping or a list in JSON or YAML is needed" in str(document.problem)


@pytest.mark.parametrize("name", ["x.json", "X.JSON"])
def test_a_json_file_is_never_read_as_yaml(name):
    with pytest.raises(FormatError, match="in double quotes"):
        raise document_of("{wfgate: 1}", name).problem


BLOCK = "```yaml\nwfgate: '1'\nsteps: [Golden]\n```\n"
INDENTED = BLOCK.replace("\n", "\n      ").rstrip(" ")
SCRIPT = f"jobs:\n  a:\n    run: |\n      {INDENTED}"
XMLNS = 'xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"'


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("steps: [a]", "x", "yaml"),
        ("1. Build", "x.yaml", "yaml"),
        ("steps: [a]", "x.json", "json"),
        ('{"steps": ["a"]}', "x.yml", "yaml"),
        ('{"steps": ["a"]', "x", "json"),
        ('[\n  {"name": "a"', "x.txt", "json"),
        ("<definitions", "x.bpmn", "xml"),
        (f"<definitions {XMLNS}>", "x", "xml"),
        ("<?xml version='1.0'?><a>", "x.md", "xml"),
        ("<!DOCTYPE definitions []>", "x", "xml"),
        # YAML that is refused here and accepted by other parsers
        (f"on: push\non: push\n{SCRIPT}", "x", "yaml"),
        (f"{SCRIPT}x: !env y\n", "x.txt", "yaml"),
        (f"{SCRIPT}---\na: [b]\n", "x", "yaml"),
        (f"a: &a {{b: 1}}\nc:\n  <<: *a\n{SCRIPT}", "x", "yaml"),
        (f"{SCRIPT}a: \x07\n", "x", "yaml"),
        (f'name: "\n{BLOCK}"\non: [push]\non: [push]\n', "x", "yaml"),
        # and with a syntax error
        (f"name: a: b\n{SCRIPT}", "x", "yaml"),
        (f"{SCRIPT}name: a: b\n", "x", "yaml"),
        (f"---\n# mine\n'on': push\n- b\n{SCRIPT}", "x", "yaml"),
        # prose
        (f"Here is the workflow:\n{BLOCK}", "x", "text"),
        (f"Answer:\n\n{BLOCK}", "x", "text"),
        (f"Answer: I changed two things: a, b\n\n{BLOCK}", "x", "text"),
        (f"Changes:\n- build: faster\n- test: [a]\n\nI hope it helps.\n\n{BLOCK}", "x", "text"),
        (f"Changes:\n- the config:\n      {INDENTED}", "x", "text"),
        (f"1. Write it:\n      {INDENTED}2. Run it\n", "x", "text"),
        (f"Step 1: Build\nStep 2: Test\n{BLOCK}", "x", "text"),
        (f"---\ntools: [a, b]\n---\n\n- Write it\n\n      {INDENTED}", "x.md", "text"),
        (f"<p align='center'>\n</p>\n\n{BLOCK}", "x", "text"),
        (f"<!DOCTYPE html>\n{BLOCK}", "x", "text"),
        (f"[TOC]\n\n{BLOCK}", "x", "text"),
        (f"[[a page]]\n\n{BLOCK}", "x", "text"),
        (f"[x] done\n{BLOCK}", "x", "text"),
        ("", "x", "text"),
    ],
)
def test_kind(text, name, kind):
    assert document_of(text, name).kind == kind


def test_a_block_has_no_suffix():
    assert document_of("1. Build", "plan.yaml", lines_above=3).kind == "text"


def test_blocks():
    text = "a\n```\nb\n````\nc\n```` d\n```\ne\n  ~~~ yaml\nk: 1\n```\n~~~\n"
    found = [(block.line, block.language, block.text.strip()) for block in fenced_blocks(text)]
    assert found == [(2, "", "b"), (6, "d", "```\ne\n  ~~~ yaml\nk: 1\n```\n~~~")]


@pytest.mark.parametrize("text", ["yes", "on", "No", "0777a", "1.2.3", "--", "1e", "0x", "+", "null ", "1_0", "."])
def test_words_stay_text(text):
    assert resolve(text) == text


def circular():
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({1: 2}, "the key 1 is not a text"),
        ([float("nan")], "not a JSON number"),
        ([{1, 2}], "a value of the type set is not a JSON value"),
        (["\ud800"], "surrogate"),
        (circular(), f"deeper than {MAX_DEPTH}"),
    ],
)
def test_inline_data_refused(value, message):
    with pytest.raises(FormatError, match=message):
        check_plain(value, "x")


@pytest.mark.parametrize(
    ("fine", "more"),
    [
        ("[1, 2, 3, 4]", "[1, 2, 3, 4, 5]"),
        ('{"a": 1, "b": [2, 3]}', '{"a": 1, "b": [2, 3], "c": 4}'),
        ("- 1\n- [2, 3]\n", "- 1\n- [2, 3]\n- 4\n"),
        ("a: 1\nb: {c: 2, d: 3}\n", "a: 1\nb: {c: 2, d: 3}\ne: 4\n"),
        ("a: 1\n---\nb: 2\n", "a: 1\n---\nb: 2\n---\nc: 3\n"),
    ],
)
def test_too_many_values_are_refused_where_they_begin_to_be(monkeypatch, fine, more):
    """Each has a position: 5 MB of `[]` once took more than 1 GB."""
    for module in (json_text, yaml_text):
        monkeypatch.setattr(module, "MAX_VALUES", 5)
    assert document_of(fine, "x").data or document_of(fine, "x").parts
    found = document_of(more, "x")
    assert found.data is None
    assert not found.parts
    assert "more than 5 values" in found.problem.message
    assert found.problem.fix


@pytest.mark.slow
def test_hostile_megabytes_end():
    """Each once took quadratic time in some parser; here it would never end."""
    data = ["a: " + "x " * 500_000, "- a\n" * 200_000]
    none = [*("0" * 1_000_000, "1." * 500_000, "%" * 1_000_000, "? " * 500_000, "&a " * 300_000, "[" * 1_000_000)]
    none += ['"' + "\\" * 1_000_000, '["' + "a" * 1_000_000, "{" + "a, " * 300_000]
    assert [text[:4] for text in data if document_of(text, "x").problem] == []
    assert [text[:4] for text in none if not document_of(text, "x").problem] == []


def test_an_unquoted_number_is_another_value_than_the_quoted_text():
    golden, candidate = (
        parse(text, "x")[0] for text in ("mode: 0755\nlist: [yes, a]\n", "mode: '0755'\nlist: ['yes', a]\n")
    )
    assert golden == candidate
    for unordered in (False, True):
        table = Consequences(unordered=("list",) if unordered else ())
        paths = {change.path for change in value_changes(golden, candidate, table)}
        assert paths == {("mode",), ("list", 0)}


ENTRIES = st.dictionaries(st.sampled_from("wxyz"), st.integers(0, 9), max_size=3)


@given(ENTRIES, ENTRIES, ENTRIES, ENTRIES, st.booleans())
def test_merge_keys_are_what_pyyaml_reads_unless_parsers_disagree(one, other, before, after, nested):
    """Ruby's parser, which GitLab uses, lets a merge key override what stands before it; Python's do not."""
    lines = [f"one: &one {json.dumps(one)}", f"other: &other {json.dumps(other)}", "a:"]
    lines += [f"  {key}: {value}" for key, value in before.items()]
    lines += ["  <<: [*one, *other]" if nested else "  <<: *one"]
    lines += [f"  {key}: {value}" for key, value in after.items() if key not in before]
    text = "\n".join(lines)
    if before.keys() & ({*one, *other} if nested else {*one}):
        with pytest.raises(FormatError, match="parsers disagree"):
            parse_yaml(text, "x", {MERGE})
    else:
        assert parse_yaml(text, "x", {MERGE})[0] == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("<<: *b, <<: *b", "appears twice"),
        ("<<: 1", "needs a mapping"),
        ("<<: [*b, 1]", "needs a mapping"),
        ("<<: *b, yes: 1", "appears twice"),
        ("<<: *b, x: 1, x: 2", "appears twice"),
    ],
)
def test_merge_keys_that_are_refused(entries, message):
    with pytest.raises(FormatError, match=message):
        parse_yaml(f"b: &b {{x: 1, on: 2}}\na: {{{entries}}}", "x", {MERGE})


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        ("<html><body>502 Bad Gateway</body></html>", "this is HTML or XML", "error page"),
        ('Here is the plan:\n{"steps": ["Build"]}', "begins with prose", "as `.md`"),
    ],
)
def test_what_is_often_saved_as_json_and_is_none(text, message, fix):
    problem = document_of(text, "plan.json").problem
    assert isinstance(problem, FormatError)
    assert message in problem.message
    assert fix in (problem.fix or "")
