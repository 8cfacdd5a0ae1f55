"""Documents of every format, broken in every way: a reading that the native format holds, or a FormatError."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.model import Workflow, fingerprint
from wfgate.read import FORMATS, Reading, document_of, read_data, read_text, write

from ...hypothesis_examples import examples
from .format_seeds import SEEDS

DATA = Path(__file__).parent / "data"
LARGEST = 16_000
"""Bytes of the largest file that is mutated."""


def _corpus() -> dict[str, list[str]]:
    """The seeds and the small files of the test data, each under the format that recognises it."""
    texts = {format_id: [SEEDS[format_id]] for format_id in FORMATS}
    for path in sorted(DATA.rglob("*")):
        if path.is_file() and not path.stem.startswith("LICENSE") and path.stat().st_size <= LARGEST:
            text = path.read_text("utf-8")
            try:
                texts[read_text(text, path.name).format].append(text)
            except FormatError:
                continue
    return texts


TEXTS = _corpus()
TREES = {
    format_id: [data for text in texts if isinstance(data := document_of(text, "x").data, dict)]
    for format_id, texts in TEXTS.items()
}
VALUES = [
    *(None, True, 0, -1, 1.5, 10**30, "", " ", "x", "START", "END", "a.b", "1", "é\u2028", "a" * 300, "jobs"),
    *("${{ x", "*", "{{", "$('", "&&", "not ("),
    *([], {}, [[]], [None], ["x"], {"x": "y"}, [{}], {"": ""}, [["x"], "x"]),
]
TOKENS = [
    *"\n\t{}[]():-,#|\"'`<>&*\\é",
    "\u2028",
    "\x85",
    "\r",
    "\n\n",
    "  ",
    "```\n",
    "/>",
    "-->",
    "->",
    "%%",
    "---\n",
]
TOKENS += ["- [ ] ", "1. ", "END", "START"]


def places(value, path=()):
    """Every path into the data."""
    found = [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        found += places(part, (*path, key))
    return found


def at(data, path):
    for key in path:
        data = data[key]
    return data


def mutate_data(draw, data):
    """Drop, duplicate, swap, retype or rename a value anywhere."""
    *above, last = draw(st.sampled_from(places(data)[1:] or [("x",)]))
    holder = at(data, above)
    done = draw(st.sampled_from(["drop", "duplicate", "swap", "retype", "wrap", "rename"]))
    if last not in holder and isinstance(holder, dict):
        holder[last] = draw(st.sampled_from(VALUES).map(copy.deepcopy))
    elif done == "drop":
        del holder[last]
    elif done == "duplicate" and isinstance(holder, list):
        holder.insert(draw(st.integers(0, len(holder))), copy.deepcopy(holder[last]))
    elif done == "duplicate":
        holder[draw(st.sampled_from(["x", "", "START", "END", *holder]))] = copy.deepcopy(holder[last])
    elif done == "swap":
        *others, other = draw(st.sampled_from(places(data)[1:]))
        elsewhere = at(data, others)
        holder[last], elsewhere[other] = copy.deepcopy(elsewhere[other]), copy.deepcopy(holder[last])
    elif done == "wrap":
        holder[last] = draw(st.sampled_from([lambda value: [value], lambda value: {"x": value}]))(holder[last])
    elif done == "rename" and isinstance(holder, dict):
        known = sorted({str(path[-1]) for path in places(data)[1:]})
        holder[draw(st.sampled_from(["x", "", "START", *known]))] = holder.pop(last)
    else:
        holder[last] = draw(st.sampled_from(VALUES).map(copy.deepcopy))
    return data


def mutate_text(draw, text):
    """Drop, repeat, move or cut lines and characters."""
    done = draw(st.sampled_from(["drop line", "repeat line", "swap lines", "truncated", "insert", "replace", "end"]))
    start = draw(st.integers(0, max(0, len(text) - 1)))
    length = draw(st.integers(1, 30))
    lines = text.split("\n")
    one, two = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
    if done == "drop line":
        del lines[one]
    elif done == "repeat line":
        lines.insert(two, lines[one])
    elif done == "swap lines":
        lines[one], lines[two] = lines[two], lines[one]
    else:
        put = "" if done in {"truncated", "end"} else draw(st.sampled_from(TOKENS))
        kept = "" if done == "end" else text[start + (0 if done == "insert" else length) :]
        return text[:start] + put + kept
    return "\n".join(lines)


@st.composite
def broken_data(draw, format_id):
    data = copy.deepcopy(draw(st.sampled_from(TREES[format_id])))
    for _ in range(draw(st.integers(1, 3))):
        data = mutate_data(draw, data)
    return data


@st.composite
def broken_texts(draw, format_id):
    text = draw(st.sampled_from(TEXTS[format_id]))
    for _ in range(draw(st.integers(1, 3))):
        text = mutate_text(draw, text)
    return text


def bare(workflow: Workflow) -> Workflow:
    """The workflow without positions."""
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


def ends_well(read, *arguments) -> None:
    """Read; what comes out must be an error with a way out, or a workflow that the native format holds."""
    try:
        reading: Reading = read(*arguments)
    except FormatError as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert refusal.fix, refusal
        assert refusal.path, refusal
        return
    assert all(said.message and said.path for said in reading.diagnostics)
    workflow = reading.workflow
    again = read_text(write(workflow, "native"), "x", "native").workflow
    assert bare(again) == bare(workflow)
    assert fingerprint(again) == fingerprint(workflow)


def test_every_format_has_a_seed_that_it_alone_recognises():
    assert set(FORMATS) <= set(SEEDS)
    for format_id in FORMATS:
        name = "AGENTS.md" if format_id == "instructions" else "x"  # which the name of the file decides
        reading = read_text(SEEDS[format_id], name)
        assert reading.format == format_id
        assert len(reading.workflow.tasks) >= 2
        ends_well(read_text, SEEDS[format_id], name)


@pytest.mark.parametrize("format_id", FORMATS)
def test_another_format_s_document_is_read_or_refused(format_id: str):
    for seed in SEEDS.values():
        ends_well(read_text, seed, "x", format_id)


quick = settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
thorough = settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("format_id", [format_id for format_id in FORMATS if TREES[format_id]])
@quick
@given(st.data())
def test_broken_data(format_id: str, data):
    tree = data.draw(broken_data(format_id))
    ends_well(read_data, tree, "x", format_id)
    ends_well(read_text, json.dumps(tree), "x")


@pytest.mark.parametrize("format_id", FORMATS)
@quick
@given(st.data())
def test_broken_texts(format_id: str, data):
    text = data.draw(broken_texts(format_id))
    ends_well(read_text, text, "x", format_id)
    ends_well(read_text, text, "x")


@pytest.mark.slow
@pytest.mark.parametrize("format_id", [format_id for format_id in FORMATS if TREES[format_id]])
@thorough
@given(st.data())
def test_much_broken_data(format_id: str, data):
    ends_well(read_data, data.draw(broken_data(format_id)), "x", format_id)


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
@thorough
@given(st.data())
def test_much_broken_text(format_id: str, data):
    ends_well(read_text, data.draw(broken_texts(format_id)), "x", format_id)
