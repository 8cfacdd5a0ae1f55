"""BPMN: what is refused, where and why; hostile and mutilated text."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.read import FORMATS, Document, read_text
from wfgate.read.documents import xml_tree
from wfgate.read.documents.xml_tree import root_of

from ...hypothesis_examples import examples

NS = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DATA = Path(__file__).parent / "data" / "bpmn-miwg"
SAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DATA.glob("*.bpmn"))}
SMALL = f'<definitions xmlns="{NS}"><process id="p"><task id="a" name="A"/></process></definitions>'


def refusal(text, format_id=None):
    with pytest.raises(FormatError) as caught:
        read_text(text, "x.bpmn", format_id)
    return caught.value


def test_any_prefix_and_no_declaration():
    for text in (SMALL, SMALL.replace("<", "<b:").replace("<b:/", "</b:").replace("xmlns", "xmlns:b")):
        assert read_text(text, "x").format == "bpmn"
    assert read_text('<?xml version="1.0" encoding="UTF-16"?>\n' + SMALL, "x").format == "bpmn"
    assert read_text("\n\n" + SMALL, "x").workflow.tasks[0].span.line == 3


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE definitions>",
        f'<!DOCTYPE definitions [<!ENTITY e0 "lol">{BOMB}]>',
        '<!DOCTYPE definitions [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE definitions SYSTEM "http://example.invalid/x.dtd">',
    ],
)
def test_a_doctype_is_refused(doctype):
    text = f'<?xml version="1.0"?>\n{doctype}\n{SMALL.replace("A", "&e29;", 1)}'
    error = refusal(text)
    assert "DOCTYPE" in error.message
    assert error.line == 2


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (SMALL[:86] + "\n" + SMALL[86:100], 1, "unclosed token"),
        (SMALL.replace("</process>", "\n"), 2, "mismatched tag"),
        (SMALL.replace('name="A"', '\nname="A" name="B"'), 2, "duplicate attribute"),
        (SMALL.replace("<task", "\n<q:task"), 2, "unbound prefix"),
        (SMALL.replace('"A"', '"\n&lol;"'), 1, "undefined entity"),
        (SMALL.replace("/></process>", ">\x0b</task></process>"), 1, "not well-formed"),
        (SMALL + "<more/>", 1, "junk after document element"),
        (SMALL[: SMALL.index("<task")], 1, "no element found"),
        (f'<definitions xmlns="{NS}"', 1, "unclosed token"),
    ],
)
def test_what_is_no_xml_is_refused_with_its_place(text, line, said):
    error = refusal(text)
    assert said in error.message
    assert error.line == line
    assert error.column
    assert error.fix


def test_positions_of_errors_count_the_lines_above_a_block():
    with pytest.raises(FormatError) as caught:
        read_text("Look:\n```xml\n" + SMALL.replace("<task", "\n<q:task") + "\n```\n", "x.md")
    error = caught.value
    assert (error.line, error.column) == (4, 1)


@pytest.mark.parametrize(
    "space", ["http://schema.omg.org/spec/BPMN/2.0", "http://www.example.org/bpmn1", "http://bpmn.io/schema"]
)
def test_other_versions_of_bpmn_are_refused_by_their_namespace(space):
    error = refusal(SMALL.replace(NS, space))
    assert space in error.message
    assert error.line == 1
    assert NS in error.fix


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace(f' xmlns="{NS}"', ""),
        SMALL.replace(NS, "http://schemas.xmlsoap.org/wsdl/"),
        SMALL.replace("definitions", "model"),
        "<html><body>process</body></html>",
        f"<!DOCTYPE html><html><body>{NS}</body></html>",
        "<",
        "<?xml version='1.0'?>",
    ],
)
def test_other_xml_is_not_bpmn(text):
    assert not FORMATS.find("bpmn").recognises(Document("x", text))
    said = refusal(text, "bpmn").message
    assert any(reason in said for reason in ("not a BPMN 2.0 model", "not well-formed", "DOCTYPE"))


def test_other_formats_are_not_bpmn():
    for text in ("", "wfgate: '1'\nsteps: [a]", '{"nodes": []}', f"see {NS}", "Node:\n1: a\nEdge: (START,1) (1,END)"):
        assert not FORMATS.find("bpmn").recognises(Document("x", text))
    assert "empty" in refusal(" ", "bpmn").message
    with pytest.raises(FormatError):
        FORMATS.find("bpmn").read(Document("x", data={"a": 1}))


def test_a_model_without_a_process_is_refused():
    error = refusal(f'<definitions xmlns="{NS}">\n<collaboration/></definitions>')
    assert "no process" in error.message
    assert (error.line, error.column) == (1, 1)


def test_deep_nesting_is_refused():
    deep = "<subProcess>" * 60_000 + "</subProcess>" * 60_000
    error = refusal(SMALL.replace("</process>", deep + "</process>"))
    assert "nested deeper" in error.message
    skipped = "<x>" * 200 + "</x>" * 200
    assert "nested deeper" in refusal(SMALL.replace("</process>", f'<x xmlns="u">{skipped}</x></process>')).message


def test_too_many_elements_and_tasks_are_refused(monkeypatch):
    many = "".join(f'<task id="t{n}"/>' for n in range(20_001))
    assert "20,002 tasks" in refusal(SMALL.replace("</process>", many + "</process>")).message
    monkeypatch.setattr(xml_tree, "MAX_ELEMENTS", 1000)
    assert "more than 1,000 elements" in refusal(SMALL.replace("</process>", many + "</process>")).message


MEGA = 1 << 20


@pytest.mark.parametrize(
    "inside",
    [
        f'<task id="b" name="{"x" * MEGA}"/>',
        "<task " + " ".join(f"a{n}='{n}'" for n in range(60_000)) + "/>",
        f"<task><documentation textFormat='text/html'>{'&lt;' * (MEGA // 4)}</documentation></task>",
        f"<!--{'-x' * (MEGA // 2)}-->",
        pytest.param("<laneSet>" + "<lane name='l'/>" * (MEGA // 20) + "</laneSet>", marks=pytest.mark.slow),
        pytest.param("<sequenceFlow sourceRef='a' targetRef='a'/>" * 20_000, marks=pytest.mark.slow),
        "<exclusiveGateway id='g'/>" + "<sequenceFlow sourceRef='g' targetRef='a' name='n'/>" * 15_000,
        pytest.param(
            "<boundaryEvent attachedToRef='a'><errorEventDefinition/></boundaryEvent>" * 10_000, marks=pytest.mark.slow
        ),
        "<association sourceRef='a' targetRef='b'/>" * 20_000,
        pytest.param("<subProcess id='s' name='S'><task name='T'/></subProcess>" * 9_000, marks=pytest.mark.slow),
        f"<?{'pi' * (MEGA // 2)} ?>",
        "<task><multiInstanceLoopCharacteristics><loopCardinality>" + "9" * 5000 + "</loopCardinality>"
        "</multiInstanceLoopCharacteristics></task>",
    ],
    ids=range(12),
)
def test_a_megabyte_of_hostile_text_is_read_or_refused(inside):
    try:
        read_text(SMALL.replace("</process>", inside + "</process>"), "x")
    except FormatError as error:
        assert error.line or "limit" in error.message  # noqa: PT017 - either answer is right


def test_a_long_prolog_is_looked_at_once():
    assert root_of(f"<!--{'x' * (8 * MEGA)}-->{SMALL}") == (NS, "definitions")
    assert root_of("<!DOCTYPE x>" + SMALL) is None
    assert root_of("text " + SMALL) is None


def only_format_errors(text):
    try:
        read_text(text, "x", "bpmn")
    except FormatError as error:
        assert error.fix  # noqa: PT017 - a refusal is one of two right answers


@settings(max_examples=examples(150))
@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 2**32))
def test_mutilated_models_raise_nothing_but_format_errors(name, seed):
    chance = random.Random(seed)
    text = SAMPLES[name]
    pieces = text.split("<")
    for _ in range(chance.randrange(1, 8)):
        at, other = chance.randrange(1, len(pieces)), chance.randrange(1, len(pieces))
        change = chance.randrange(6)
        if change == 0:
            del pieces[at]
        elif change == 1:
            pieces.insert(at, pieces[other])
        elif change == 2:
            pieces[at], pieces[other] = pieces[other], pieces[at]
        elif change == 3:
            words = pieces[at].split('"')
            words[chance.randrange(len(words))] = chance.choice(["", "START", "END", "a:b", "9" * 30, "«»", "&lt;"])
            pieces[at] = '"'.join(words)
        elif change == 4:
            pieces[at] = pieces[at][: chance.randrange(len(pieces[at]) + 1)]
        else:
            kept = [number for number, piece in enumerate(pieces) if piece.endswith("/>\n") or "/>" in piece]
            if kept:
                del pieces[chance.choice(kept)]
    only_format_errors("<".join(pieces))


REFERENCES = ("sourceRef", "targetRef", "attachedToRef", "default", "calledElement", "id", "name", "messageRef")


@settings(max_examples=examples(150))
@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 2**32))
def test_models_with_other_references_raise_nothing_at_all(name, seed):
    chance = random.Random(seed)
    words = SAMPLES[name].split('"')
    places = [n for n in range(0, len(words) - 1, 2) if words[n].strip().rstrip("=").split()[-1:][0] in REFERENCES]
    values = [words[n + 1] for n in places]
    for place in chance.sample(places, min(len(places), chance.randrange(1, 12))):
        words[place + 1] = chance.choice([*values, "", "START", "END"])
    assert read_text('"'.join(words), "x").workflow is not None


@settings(max_examples=examples(100))
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_truncated_models_are_refused_with_their_place(name, data):
    text = SAMPLES[name]
    cut = text[: data.draw(st.integers(text.index(NS) + len(NS) + 1, len(text.rstrip()) - 1))]
    error = refusal(cut)
    assert error.line
    assert "well-formed" in error.message


@settings(max_examples=examples(100))
@given(st.text(max_size=200))
def test_any_text(text):
    only_format_errors(text)
    only_format_errors(f'<definitions xmlns="{NS}"><process>{text}</process></definitions>')
