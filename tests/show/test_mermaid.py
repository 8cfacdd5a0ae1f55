import re

import pytest

from wfgate.decide import AlignedStep, AlignmentView
from wfgate.decide.alignment_view import AlignedPair, MergedSteps, SplitStep
from wfgate.read import read_data
from wfgate.rules import Finding
from wfgate.show.mermaid import LINKS, STEPS, mermaid_diff
from wfgate.show.steps import Steps


def step(name):
    return AlignedStep(id=name.casefold(), name=name)


def view(matched="", links=((), ()), **parts):
    pairs = tuple(AlignedPair(golden=step(name), candidate=step(name), similarity=1.0) for name in matched)
    golden, candidate = (tuple(tuple(link) for link in side) for side in links)
    return AlignmentView(matched=pairs, golden_links=golden, candidate_links=candidate, **parts)


def drawn(make_block, alignment, findings=()):
    case = make_block(alignment=alignment, findings=findings)
    return mermaid_diff(case, Steps.of(case))


def read(picture):
    """Read the diagram by the reader of Mermaid files: names, and links by names."""
    workflow = read_data(picture, "diff.mmd").workflow
    names = {task.id: task.name for task in workflow.tasks}
    return set(names.values()), {
        (names[link.source], names[link.target]) for link in workflow.links if {link.source, link.target} <= set(names)
    }


def test_nothing_changed_is_no_diagram(make_block):
    assert drawn(make_block, view("abc", (("ab", "bc"), ("ab", "bc")))) is None


def test_a_missing_step_stands_between_its_neighbours(make_block):
    alignment = view("abcde", (("ab", "bx", "xc", "cd", "de"), ("ab", "bc", "cd", "de")), missing=(step("x"),))
    picture, left_out = drawn(make_block, alignment)
    names, links = read(picture)
    assert names == {"b", "c", "missing: x"}
    assert links == {("b", "missing: x"), ("missing: x", "c"), ("b", "c")}
    assert picture.count('-. "lost" .->') == 2
    assert picture.count('== "new" ==>') == 1
    assert ":::missing" in picture
    assert left_out == "3 unchanged steps not drawn"


def test_each_kind_of_change_is_drawn(make_block):
    alignment = view(
        "ab",
        (("ac", "cd", "db"), ("am", "mb", "bn")),
        merged=(MergedSteps(golden=(step("c"), step("d")), candidate=step("m")),),
        split=(SplitStep(golden=step("e"), candidate=(step("f"), step("g"))),),
        extra=(step("n"),),
    )
    picture, _ = drawn(make_block, alignment)
    assert "reworded, merged: c<br/>→ d<br/>→ m" in picture
    assert "reworded, split: e<br/>→ f<br/>→ g" in picture
    assert "added: n" in picture
    assert "s0 --> s2" in picture  # what the merged step took over is no other link


def test_a_step_that_means_something_else_shows_both_texts(make_block):
    changed = Finding(
        id="WR106", defect="meaning-changed", severity="error", message="x", golden_steps=("b",), fingerprint="f"
    )
    pair = AlignedPair(golden=step("B"), candidate=step("Other"), similarity=0.5)
    picture, _ = drawn(make_block, AlignmentView(matched=(pair,)), (changed,))
    assert "changed: B<br/>→ Other" in picture
    noted = changed.model_copy(update={"severity": "info"})
    assert drawn(make_block, AlignmentView(matched=(pair,)), (noted,)) is None


def test_large_diagrams_are_cut_and_say_so(make_block):
    missing = tuple(step(f"m{number}") for number in range(90))
    dense = tuple((a.id, b.id) for place, a in enumerate(missing) for b in missing[place + 1 :])
    picture, left_out = drawn(make_block, AlignmentView(missing=missing, golden_links=dense))
    assert len(re.findall(r"^ {4}s\d+\[", picture, re.MULTILINE)) == STEPS
    assert picture.count("lost") == LINKS
    assert left_out == "50 steps omitted: the diagram would be too large"


@pytest.mark.parametrize("name", ['a"]; click s0 "javascript:x"', "```\n# x", "%%{init: {}}%%", "#quot;<b>`x`", "end"])
def test_names_are_only_text(make_block, name):
    missing = AlignedStep(id="x", name=name)
    picture, _ = drawn(make_block, view("a", (("ax",), ()), missing=(missing,)))
    names, links = read(picture)
    assert len(names) == 2
    assert len(links) == 1
    assert "```" not in picture
    assert not re.search(r"[<>](?!br/|\+|\.->|$)", picture.replace(".->", "").replace("-->", ""))
