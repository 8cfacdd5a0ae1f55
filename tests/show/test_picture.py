"""Pictures: where boxes stand, what became of them, and that names stay names."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare import Alignment, compare
from wfgate.compare.alignment import Match, Merge, Split
from wfgate.decide import step_states
from wfgate.language import load_embedder, load_meaning_model
from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow, expand
from wfgate.read import FORMATS, read_file, read_text
from wfgate.show import changes_text, pair_picture, pictures_of, svg
from wfgate.show.escape import shortened
from wfgate.show.picture.changes import link_changes, step_changes
from wfgate.show.picture.focus import focused
from wfgate.show.picture.layers import arranged, layout_work
from wfgate.show.picture.scene import in_reading_order
from wfgate.show.picture.views import pair_views

from ..hypothesis_examples import examples

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"
SPACE = "{http://www.w3.org/2000/svg}"
PARTS = {"svg", "style", "g", "title", "rect", "path", "text", "tspan"}
ATTRIBUTES = {
    *("width", "height", "viewBox", "role", "aria-label", "class", "transform", "data-side", "data-key", "data-kin"),
    *("data-change", "tabindex", "x", "y", "rx", "d"),
}


def flow(*links, tasks="", gateways=(), **changes):
    """A workflow from "a b" pairs; what a name says is its id."""
    ends = [tuple(link.split()[:2]) for link in links if isinstance(link, str)]
    made = [Link(source=a, target=b) for a, b in ends] + [link for link in links if isinstance(link, Link)]
    gates = {gate.id for gate in gateways}
    names = dict.fromkeys([*tasks.split(), *(end for link in made for end in (link.source, link.target))])
    own = [name for name in names if name not in {START, END, *gates}]
    steps = tuple(Task(id=name, name=f"Do {name}") for name in own)
    return Workflow(name="w", tasks=steps, links=tuple(made), gateways=tuple(gateways), **changes)


def by_name(*names_of):
    """Align the steps of two workflows that have the same id."""
    golden, candidate = ([task.id for task in expand(each).tasks] for each in names_of)
    matches = [
        Match(golden=place, candidate=candidate.index(own), similarity=1.0)
        for place, own in enumerate(golden)
        if own in candidate
    ]
    return Alignment(matches=tuple(matches))


def drawn(golden, candidate, alignment=None, **options):
    return pair_picture(golden, candidate, alignment or by_name(golden, candidate), **options)


def statuses(side):
    return {box.node.key: box.status for box in side.boxes}


def links(side):
    texts = {box.key: box.node.key for box in side.boxes}
    return {(texts[line.source], texts[line.target]): line.status for line in side.lines}


@pytest.fixture(scope="module")
def compared():
    """The example: a golden and a candidate as the gate compares them."""
    embedder, meaning_model = load_embedder(), load_meaning_model()

    def of(name):
        golden, candidate = (
            read_file(DEPLOY / path).workflow for path in ("approved/deploy.yaml", f"generated/{name}.yaml")
        )
        comparison = compare(golden, candidate, embedder, meaning_model)
        return pair_picture(golden, candidate, comparison.alignment, step_states(comparison))

    return of


# --- layers --------------------------------------------------------------------------------------------------------


@given(st.integers(2, 14), st.data())
@settings(max_examples=examples(150))
def test_links_lead_down_and_no_two_boxes_share_a_place(n, data):
    pairs = [(a, b) for b in range(n) for a in range(b)]
    edges = data.draw(st.lists(st.sampled_from(pairs), max_size=25, unique=True))
    layers = arranged(range(n), edges)
    assert set(layers.places) == set(range(n))
    assert all(layers.places[a][1] < layers.places[b][1] for a, b in edges)
    assert len({*layers.places.values()}) == n
    for (a, b), bends in layers.routes.items():
        assert (a, b) in edges or a == 0
        assert [layer for _, layer in bends] == list(range(layers.places[a][1] + 1, layers.places[b][1]))
    assert all(
        0 <= column <= layers.columns and 0 <= layer < layers.layers for column, layer in layers.places.values()
    )


@given(st.integers(2, 10), st.data())
@settings(max_examples=examples(60))
def test_boxes_of_a_layer_do_not_overlap(n, data):
    pairs = [(a, b) for b in range(n) for a in range(b)]
    layers = arranged(range(n), data.draw(st.lists(st.sampled_from(pairs), max_size=20, unique=True)))
    for layer in range(layers.layers):
        columns = sorted(column for column, own in layers.places.values() if own == layer)
        assert all(right - left >= 0.99 for left, right in pairwise(columns))


def test_a_step_that_leads_to_itself_is_drawn():
    """The library of the layout ends the process at such a link."""
    assert arranged([0, 1], [(0, 0), (0, 1)]).places == {0: (0.0, 0), 1: (0.0, 1)}
    assert "Do a" in svg(pictures_of(flow("START a", "a a", "a END")))


def spread(n):
    """A chain with links from each step to every seventh one: each of them passes many layers."""
    return [*pairwise(range(n)), *((a, b) for a in range(n) for b in range(a + 7, n, 7))]


@pytest.mark.parametrize(
    ("nodes", "edges", "why"),
    [
        (2_001, [*pairwise(range(2_001))], "it has 2,001 steps and operators; a picture has at most 2,000"),
        (100, [(a, b) for b in range(100) for a in range(b)], "it has 4,950 links; a picture has at most 4,000"),
        (150, spread(150), "its 1,682 links pass too many layers (a layout of "),
    ],
)
def test_what_is_too_large_is_only_ordered(nodes, edges, why):
    layers = arranged(range(nodes), edges)
    assert layers.refused.startswith(why)
    assert [layers.places[node] for node in range(nodes)] == [(0.0, node) for node in range(nodes)]


@given(st.integers(2, 9), st.data())
@settings(max_examples=examples(60))
def test_the_work_of_a_layout_is_counted_layer_by_layer(n, data):
    pairs = [(a, b) for b in range(n) for a in range(b)]
    edges = data.draw(st.lists(st.sampled_from(pairs), max_size=20, unique=True))
    layer = {}
    for node in range(n):  # the longest path, which the layout does not use
        layer[node] = max((layer[a] + 1 for a, b in edges if b == node), default=0)

    def places(at):
        return sum(own == at for own in layer.values()) + sum(layer[a] < at < layer[b] for a, b in edges)

    between = [sum(layer[a] <= at < layer[b] for a, b in edges) for at in range(max(layer.values()))]
    expected = sum(count * min(places(at), places(at + 1)) for at, count in enumerate(between))
    assert layout_work(range(n), edges) == expected


# --- one workflow --------------------------------------------------------------------------------------------------


def test_what_is_drawn_of_a_workflow():
    split = Gateway(id="g", op="XOR")
    guarded = Link(source="g", target="b", guard=Guard(expr="x > 1"))
    failing = Link(source="b", target="c", outcome="failure")
    back = Link(source="c", target="a", back=True)
    workflow = flow("START a", "a g", guarded, "g c", failing, back, "c END", gateways=[split])
    root = ET.fromstring(svg(pictures_of(workflow)))  # noqa: S314 - our own
    boxes = [element for element in root.iter(f"{SPACE}g") if element.get("class", "").startswith("box")]
    assert [box.get("class") for box in boxes].count("box gateway same") == 1
    assert {box.get("aria-label") for box in boxes} >= {"START", "END", "Do a"}
    lines = [element for element in root.iter(f"{SPACE}g") if element.get("class", "").startswith("line")]
    said = {line.find(f"{SPACE}title").text: line.get("class") for line in lines}
    assert said["\u00d7 → Do b; if x > 1"] == "line same"
    assert said["Do b → Do c; on failure"] == "line same dashed"
    assert said["Do c → Do a; returns"] == "line same"


@pytest.mark.parametrize(
    "workflow",
    [
        Workflow(),
        Workflow(tasks=(Task(id="a", name="One"), Task(id="a", name="Two"), Task(id="START", name="Three"))),
        flow("a b", "b a", "b nowhere", tasks="c"),
        flow("START END"),
    ],
    ids=["empty", "twins", "circle", "nothing"],
)
def test_broken_graphs_are_drawn(workflow):
    text = svg(pictures_of(workflow))
    ET.fromstring(text)  # noqa: S314 - our own
    assert all(task.name in text for task in workflow.tasks)
    ET.fromstring(svg([drawn(workflow, workflow, Alignment(matches=()))]))  # noqa: S314


@pytest.mark.parametrize("name", ["main-workflow", "automl", "binary-classification"])
def test_sub_workflows_stand_below(name):
    workflow = read_file(ROOT / "examples" / "seeds" / f"{name}.yaml").workflow
    root = ET.fromstring(svg(pictures_of(workflow)))  # noqa: S314
    heads = [text.text for text in root.iter(f"{SPACE}text") if text.get("class") == "head"]
    assert len(heads) == 1 + len(workflow.subworkflows)


@pytest.mark.slow
def test_the_same_bytes_in_every_process():
    code = (
        "import sys; from wfgate.read import read_file; from wfgate.show import pictures_of, svg; "
        f"sys.stdout.write(svg(pictures_of(read_file({str(ROOT / 'examples/seeds/automl.yaml')!r}).workflow)))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}, cwd=ROOT
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


# --- a pair --------------------------------------------------------------------------------------------------------


def test_matched_steps_stand_level(compared):
    for name in ("reworded", "missing-hardening", "squeezed-observability", "deploy-before-approval"):
        root = ET.fromstring(svg([compared(name)]))  # noqa: S314
        middles = []
        for side in root.iter(f"{SPACE}g"):
            if side.get("data-side"):
                found = {}
                for box in side.findall(f"{SPACE}g"):
                    rect = box.find(f"{SPACE}rect")
                    if rect is not None:
                        x, y, wide, tall = (int(rect.get(key)) for key in ("x", "y", "width", "height"))
                        found[box.get("data-key")] = (x + wide // 2, y + tall // 2)
                middles.append(found)
        golden, candidate = middles
        shared = golden.keys() & candidate.keys()
        assert len(shared) > 8
        assert all(abs(golden[key][1] - candidate[key][1]) <= 1 for key in shared)
        assert len({candidate[key][0] - golden[key][0] for key in shared}) == 1


def test_two_linear_workflows_are_two_wide_columns():
    golden = flow("START a", "a b", "b c", "c d", "d END")
    candidate = flow("START a", "a c", "c x", "x b", "b d", "d END")  # b and c exchanged, x added
    picture = drawn(golden, candidate)
    layers = picture.layers
    assert layers.columns == 0
    assert len({place for _, place in layers.places.values()}) == len(layers.places) == layers.layers
    names = {box.key: box.node.key for side in picture.sides for box in side.boxes}
    assert [names[key] for key in layers.places] == ["START", "a", "b", "c", "x", "d", "END"]
    assert [names[line.source] for line in picture.sides[1].lines if line.up] == ["x"]
    root = ET.fromstring(svg([picture]))  # noqa: S314
    steps = [box for box in root.iter(f"{SPACE}g") if box.get("class", "").startswith("box task")]
    assert {box.find(f"{SPACE}rect").get("width") for box in steps} == {"560"}
    # What passes a step of its own side goes around it: no line is drawn through a box.
    drawn_around = [line for line in root.iter(f"{SPACE}g") if (line.get("class") or "") == "line extra"]
    assert [line.find(f"{SPACE}title").text for line in drawn_around] == [
        "Do a → Do c; new", "Do c → Do x; new", "Do x → Do b; new", "Do b → Do d; new",
    ]  # fmt: skip


def test_a_branch_is_no_row():
    golden = flow("START a", "a b", "a c", "b END", "c END")
    assert drawn(golden, golden).layers.columns > 0
    loose = Workflow(name="w", tasks=(Task(id="a", name="a"), Task(id="b", name="b")))
    assert drawn(loose, loose).layers.columns > 0


TITLES = ("Deploy", "W" * 400, "Wartung der Datenbank " * 20, "生産環境へのデプロイ" * 20, "MMMM WWWW @@@@ " * 30)


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("branches", [0, 1, 12])
def test_titles_stay_above_their_side(title: str, branches: int):
    ends = [end for number in range(branches) for end in (f"a x{number}", f"x{number} END")]
    each = flow("START a", *(ends or ["a END"])).model_copy(update={"name": title})
    root = ET.fromstring(svg([drawn(each, each)]))  # noqa: S314
    for side in (each for each in root.iter(f"{SPACE}g") if each.get("data-side")):
        rects = [rect for box in side.iter(f"{SPACE}g") for rect in box.findall(f"{SPACE}rect")]
        left = min(int(rect.get("x")) for rect in rects)
        right = max(int(rect.get("x")) + int(rect.get("width")) for rect in rects)
        (head,) = [text for text in side.findall(f"{SPACE}text") if text.get("class") == "head"]
        assert shortened(" ".join(title.split()), 300)[:300] in head.find(f"{SPACE}title").text
        rows = head.findall(f"{SPACE}tspan")
        assert 1 <= len(rows) <= 3
        assert {int(row.get("x")) for row in rows} == {(left + right) // 2}
        # 16 pixels are the widest letter of a title, 10 a usual one.
        assert max(sum(16 if letter in "WM@" or letter > "~" else 8 for letter in row.text) for row in rows) <= (
            right - left + 32
        )
        top = min(int(rect.get("y")) for rect in rects)
        assert max(int(row.get("y")) for row in rows) < top


def test_wide_workflows_stand_below_each_other():
    ends = [end for number in range(12) for end in (f"a x{number}", f"x{number} END")]
    wide = flow("START a", *ends)
    root = ET.fromstring(svg([drawn(wide, wide)]))  # noqa: S314
    golden, candidate = (
        [
            (int(rect.get("x")), int(rect.get("y")))
            for box in side.iter(f"{SPACE}g")
            for rect in box.findall(f"{SPACE}rect")
        ]
        for side in root.iter(f"{SPACE}g")
        if side.get("data-side")
    )
    assert [x for x, _ in golden] == [x for x, _ in candidate]
    assert max(y for _, y in golden) < min(y for _, y in candidate)


def test_a_condition_of_all_links_into_a_step_is_said_once():
    def guarded(*conditions):
        into = [Link(source=f"x{n}", target="b", guard=Guard(expr=each)) for n, each in enumerate(conditions)]
        return flow("START a", *(f"a x{n}" for n in range(len(conditions))), *into, "b END")

    one, each = guarded("go", "go", "go"), guarded("go", "go", "stop")
    assert svg([drawn(one, one)]).count('class="said ') == 2  # once on each side
    assert svg([drawn(each, each)]).count('class="said ') == 6


def test_missing_and_added_steps_and_what_bridges_them():
    golden = flow("START a", "a b", "b c", "c END")
    picture = drawn(golden, flow("START a", "a c", "c d", "d END"))
    ours, theirs = picture.sides
    assert statuses(ours) == {"START": "same", "a": "same", "b": "missing", "c": "same", "END": "same"}
    assert statuses(theirs) == {"START": "same", "a": "same", "c": "same", "d": "extra", "END": "same"}
    assert links(ours)["b", "c"] == "missing"
    assert links(theirs)["a", "c"] == "same"  # only what is missing stood between them
    assert links(ours)["c", "END"] == "same"
    assert link_changes(picture) == []


def test_inverted_lost_and_new_links():
    golden = flow("START a", "a b", "b c", "c d", "d END")
    picture = drawn(golden, flow("START a", "a c", "c b", "b d", "START d", "d END"))
    ours, theirs = picture.sides
    assert links(ours)["b", "c"] == "inverted"
    assert links(theirs)["c", "b"] == "inverted"
    turned = [line for line in theirs.lines if line.status == "inverted"]
    assert all(line.up for line in turned)
    assert links(theirs)["START", "d"] == "extra"
    changes = {(change.change, change.source, change.target) for change in link_changes(picture)}
    assert ("inverted", "Do b", "Do c") in changes
    assert ("inverted", "Do c", "Do b") not in changes
    assert ("new", "START", "Do d") in changes


def test_a_condition_that_changed_is_marked():
    def guarded(expression):
        return flow("START a", Link(source="a", target="b", guard=Guard(expr=expression)), "b END")

    picture = drawn(guarded("x > 1"), guarded("x > 2"))
    assert [change.golden for change in link_changes(picture)] == ["if x > 1"]
    assert 'class="line same other"' in svg([picture])
    assert "was taken if x > 1, now if x > 2" in changes_text(picture)


def test_operators_find_their_twins_by_their_neighbours():
    gates = [Gateway(id="g", op="AND"), Gateway(id="h", op="AND", role="join")]
    other = [Gateway(id="q", op="AND", role="join"), Gateway(id="z", op="AND")]
    golden = flow("START g", "g a", "g b", "a h", "b h", "h END", gateways=gates)
    picture = drawn(golden, flow("START z", "z a", "z b", "a q", "b q", "q END", gateways=other))
    assert set(statuses(picture.sides[0]).values()) == {"same"}
    assert set(links(picture.sides[1]).values()) == {"same"}


def test_merged_and_split_steps_are_joined_by_a_bracket():
    golden, candidate = flow("START a", "a b", "b c", "c END"), flow("START m", "m c", "c d", "d END")
    alignment = Alignment(
        matches=(Match(golden=0, candidate=0, similarity=0.6), Match(golden=2, candidate=1, similarity=1.0)),
        merges=(Merge(golden=(0, 1), candidate=0),),
        splits=(Split(golden=2, candidate=(1, 2)),),
    )
    picture = drawn(golden, candidate, alignment)
    ours, theirs = picture.sides
    assert statuses(ours) == {"START": "same", **dict.fromkeys("abc", "reworded"), "END": "same"}
    assert statuses(theirs) == {"START": "same", **dict.fromkeys("mcd", "reworded"), "END": "same"}
    assert {*links(ours).values(), *links(theirs).values()} == {"same"}
    assert svg([picture]).count('class="bracket') == 2
    assert [(step.id, len(step.candidate), step.notes) for step in step_changes(picture)] == [
        ("a", 1, ("merged",)),
        ("b", 1, ("merged",)),
        ("c", 2, ("split",)),
    ]


def test_a_step_that_means_something_else_has_its_words_marked(compared):
    picture = compared("scan-if-there-is-time")
    (box,) = [box for box in picture.sides[1].boxes if box.status == "changed"]
    assert any(changed and "time" in piece for piece, changed in box.pieces)
    assert re.search(r'<tspan class="word">[^<]*time', svg([picture]))
    assert "{+where there is time for it+}" in changes_text(picture, width=120)
    reworded = [box for box in picture.sides[1].boxes if box.status == "reworded"]
    assert reworded
    assert not any(changed for box in reworded for _, changed in box.pieces)


def test_the_example_in_a_terminal(compared, snapshot):
    for name in ("missing-hardening", "squeezed-observability", "deploy-before-approval"):
        text = changes_text(compared(name))
        assert text == snapshot(name=name)
        assert max(map(len, text.splitlines())) < 80
        assert re.sub(r"\x1b\[[\d;]*m", "", changes_text(compared(name), color=True)) == text


def composite(*inner):
    part = flow(*inner).model_copy(update={"name": "checks"})
    call = Task(id="k", name="All checks", kind="composite", workflow="checks")
    outer = flow("START a", "a k", "k END", tasks="a")
    tasks = tuple(call if task.id == "k" else task for task in outer.tasks)
    return outer.model_copy(update={"tasks": tasks, "subworkflows": (part,)})


def test_composites_fold():
    golden, candidate = composite("START x", "x y", "y END"), composite("START x", "x z", "z END")
    open_ = drawn(golden, candidate)
    assert statuses(open_.sides[0])["k/y"] == "missing"
    assert "in All checks" in svg([open_])
    folded = drawn(golden, candidate, fold=True)
    assert statuses(folded.sides[0]) == {"START": "same", "a": "same", "k/": "inside", "END": "same"}
    assert "changed inside" in svg([folded])
    assert statuses(drawn(golden, golden, fold=True).sides[1])["k/"] == "same"


def test_each_composite_opens_alone_and_its_twin_with_it():
    def two(last):
        """Two composites in a row: `k` and `m`, of two steps each."""
        parts = [flow("START x", "x y", "y END"), flow("START x", f"x {last}", f"{last} END")]
        named = [part.model_copy(update={"name": name}) for part, name in zip(parts, "pq", strict=True)]
        calls = [Task(id=own, name=own, kind="composite", workflow=name) for own, name in (("k", "p"), ("m", "q"))]
        outer = flow("START k", "k m", "m END", tasks="")
        return outer.model_copy(update={"tasks": tuple(calls), "subworkflows": tuple(named)})

    golden, candidate = two("y"), two("z")
    views = pair_views(golden, candidate, by_name(golden, candidate))
    shown = [[list(statuses(side)) for side in view.sides] for view in views]
    assert shown[0] == [["START", "k/x", "k/y", "m/x", f"m/{last}", "END"] for last in "yz"]
    assert shown[1] == [["START", "k/", "m/", "END"]] * 2
    assert shown[2] == [["START", "k/x", "k/y", "m/", "END"]] * 2
    assert shown[3] == [["START", "k/", "m/x", f"m/{last}", "END"] for last in "yz"]
    assert statuses(views[3].sides[0])["m/y"] == "missing"
    folded, opened = (svg([views[place]], alone=False) for place in (1, 3))
    assert (folded.count('role="button" data-opens="2"'), folded.count('role="button" data-opens="3"')) == (2, 2)
    assert (opened.count('data-opens="2"'), opened.count('data-within="3"')) == (2, 4)
    assert "data-opens" not in svg([views[0]], alone=False)
    (golden, candidate) = composite("START x", "x y", "y END"), composite("START x", "x z", "z END")
    views = pair_views(golden, candidate, by_name(golden, candidate))
    assert len(views) == 2
    assert svg([views[1]], alone=False).count('data-opens="0"') == 2
    assert len(pair_views(flow("START a"), flow("START a"), by_name(flow("START a"), flow("START a")))) == 1


def shown_texts(side, layers):
    return [box.node.text for box in in_reading_order(side.boxes, layers)]


def test_the_changes_are_drawn_with_one_neighbour_and_the_rest_is_folded():
    steps = [f"s{n}" for n in range(20)]
    golden = flow("START s0", *(f"{a} {b}" for a, b in pairwise(steps)), "s19 END")
    left = [step for step in steps if step != "s9"]
    candidate = flow("START s0", *(f"{a} {b}" for a, b in pairwise(left)), "s18 s19", "s19 END")
    whole = drawn(golden, candidate)
    changes = focused(whole)
    ours, theirs = (shown_texts(side, changes.layers) for side in changes.sides)
    assert ours == ["START", "8 unchanged steps", "Do s8", "Do s9", "Do s10", "9 unchanged steps", "END"]
    assert theirs == [text for text in ours if text != "Do s9"]
    assert {key: statuses(changes.sides[0])[key] for key in ("s8", "s9")} == {"s8": "same", "s9": "missing"}
    assert focused(drawn(golden, golden)) is None  # nothing is changed
    drawing = svg([changes], alone=False)
    assert drawing.count('data-change="0"') == 1
    assert drawing.count('role="button" data-opens="0"') == 4


def test_parallel_branches_are_folded_and_one_changed_link_is_a_change():
    jobs = [f"j{n}" for n in range(9)]
    links = ["START a", *(f"a {job}" for job in jobs), *(f"{job} z" for job in jobs), "z END"]
    golden = flow(*links)
    guarded = Link(source="a", target="j3", guard=Guard(expr="x == 1"))
    changes = focused(drawn(golden, flow(guarded, *(link for link in links if link != "a j3"), tasks="a")))
    assert sorted(shown_texts(changes.sides[0], changes.layers)) == sorted(
        ["START", "Do a", "Do j3", "8 unchanged steps", "Do z", "END"]
    )
    (key,) = changes.changed
    assert changes.sides[1].box(key).node.text == "Do j3"


@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_the_changes_say_of_boxes_and_links_what_the_whole_says(data):
    """Folding makes no cycle, loses no change, and gives no box or link another status."""
    size = data.draw(st.integers(6, 24))
    names = [f"t{n}" for n in range(size)]

    def graph():
        forward = data.draw(st.sets(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=2 * size))
        return {(f"t{a}", f"t{b}") for a, b in forward if a < b}

    common, lost = graph(), set(data.draw(st.lists(st.sampled_from(names), max_size=2)))
    sides = []
    for gone, more in ((set(), set()), (lost, set(sorted(graph())[:2]))):
        own = [name for name in names if name not in gone]
        links = [f"{a} {b}" for a, b in sorted(common | more) if not {a, b} & gone]
        sides.append(flow(f"START {own[0]}", *links, f"{own[-1]} END", tasks=" ".join(own)))
    whole = drawn(*sides)
    changes = focused(whole)
    if changes is None:
        return
    assert changes.changed == whole.changed
    for before, after in zip(whole.sides, changes.sides, strict=True):
        kept = {box.key for box in after.boxes if box.node.kind != "group"}
        assert whole.changed & {box.key for box in before.boxes} <= kept
        assert {key: after.box(key).status for key in kept} == {key: before.box(key).status for key in kept}
        lines = [{(line.source, line.target, line.status) for line in side.lines} for side in (before, after)]
        assert lines[1] >= {line for line in lines[0] if {*line[:2]} <= kept}
        assert all(line.status == "same" for line in after.lines if not {line.source, line.target} <= kept)
        steps = [step for box in after.boxes for step in box.node.steps]
        assert sorted(steps) == sorted(step for box in before.boxes for step in box.node.steps)
    assert svg([changes])


def test_a_step_with_another_value_is_changed_inside():
    steps = flow("START a", "a b", "b END")
    (picture,) = pair_views(steps, steps, by_name(steps, steps), touched={"b"})
    assert [statuses(side)["b"] for side in picture.sides] == ["inside", "inside"]
    assert [step.status for step in step_changes(picture)] == ["same", "inside"]


def test_a_composite_that_is_left_as_it_is_and_one_that_is_opened_are_compared():
    golden = composite("START x", "x y", "y END")
    plain = flow("START a", "a k/x", "k/x k/y", "k/y END")
    picture = drawn(golden, plain)
    assert set(statuses(picture.sides[0]).values()) == {"same", "reworded"}  # "Do x", "Do k/x"
    assert set(links(picture.sides[0]).values()) == {"same"}


def test_a_pair_that_is_too_large_is_told_in_words():
    """The picture says so; steps and links are compared as in small ones."""
    links = [f"t{a} t{b}" for b in range(100) for a in range(b)]
    golden = flow("START t0", *links, "t99 END")
    candidate = flow("START t0", *(link for link in links if link != "t3 t50"), "t50 t3", "t99 END")
    picture = drawn(golden, candidate)
    assert picture.refused == "The workflow is not drawn: it has 4,952 links; a picture has at most 4,000"
    drawing = svg([picture])
    assert "4,952 links" in " ".join(" ".join(parsed(drawing).itertext()).split())
    assert "Do t50" not in drawing
    assert ("inverted", "Do t3", "Do t50") in [(one.change, one.source, one.target) for one in link_changes(picture)]
    assert "Do t99" in changes_text(picture)


# --- strangers' text -----------------------------------------------------------------------------------------------


def parsed(text):
    """Parse an SVG, and assert that it holds nothing but shapes and text."""
    root = ET.fromstring(text)  # noqa: S314 - our own
    for element in root.iter():
        assert element.tag.removeprefix(SPACE) in PARTS
        assert set(element.attrib) <= ATTRIBUTES
    return root


def test_hostile_names_are_only_text(hostile):
    name = hostile.encode("utf-8", "replace").decode()
    task = Task(id=name, name=name, description=name, action=name, timeout=name, workflow=name)
    gate = Gateway(id=f"{name}!", op="OR")
    ways = (Link(source=START, target=name, guard=Guard(expr=name)), Link(source=name, target=gate.id))
    workflow = Workflow(name=name, tasks=(task, task), gateways=(gate,), links=ways)
    for text in (svg(pictures_of(workflow)), svg([drawn(workflow, flow("START a"), Alignment(matches=()))])):
        root = parsed(text)
        shown = "".join(root.itertext())
        assert all(character == "\n" or character.isprintable() for character in shown)
        assert not re.search(
            r"(?:href|src|style|on\w+)\s*=\s*[\"']", re.sub(r"aria-label=\"[^\"]*\"|>[^<]*<", "><", text)
        )


@given(st.text(max_size=40))
@settings(max_examples=examples(100))
def test_no_name_breaks_the_picture(name):
    calm, other = (
        Workflow(name=each, tasks=(Task(id="a", name=f"x{each}"),), links=(Link(source=START, target="a"),))
        for each in ("calm", name)
    )
    shapes = [[element.tag for element in parsed(svg(pictures_of(each))).iter()] for each in (calm, other)]
    assert [tag for tag in shapes[1] if not tag.endswith("tspan")] == [
        tag for tag in shapes[0] if not tag.endswith("tspan")
    ]


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.writes])
def test_every_example_is_drawn_from_every_format(name):
    from wfgate.read import write  # noqa: PLC0415 - beside its only use

    workflow = read_file(DEPLOY / "approved" / "deploy.yaml").workflow
    again = read_text(write(workflow, name), "x").workflow
    root = parsed(svg(pictures_of(again)))
    assert len([box for box in root.iter(f"{SPACE}g") if "box task" in box.get("class", "")]) == 12
