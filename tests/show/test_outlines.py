"""`wfgate show`: what the outline says of each construct, and that nothing is left out or drawn twice."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from wfgate.model import END, START, Gateway, Guard, Link, Loop, Task, Workflow, expand
from wfgate.read import read_text
from wfgate.show import outline
from wfgate.show.outlines.layout import all_steps, outlined


def drawn(*lines):
    """The outline of a Mermaid flowchart, without its heading."""
    return outline(read_text("\n".join(["flowchart TD", *lines]), "x").workflow).splitlines()[1:]


def workflow(*links, semantics="token", **more):
    """A workflow of the links `a b`, with a guard or an outcome behind them."""
    found = []
    for link in links:
        source, target, *words = link.split(" ", 2)
        said = words[0] if words else ""
        outcome = said if said in {"failure", "always"} else "success"
        guard = Guard(expr=said) if said and outcome == "success" else None
        found.append(Link(source=source, target=target, outcome=outcome, guard=guard))
    ends = dict.fromkeys(end for link in found for end in (link.source, link.target))
    gateways = more.pop("gateways", ())
    own = {gateway.id for gateway in gateways} | {START, END}
    tasks = more.pop("tasks", tuple(Task(id=end, name=end.upper()) for end in ends if end not in own))
    return Workflow(tasks=tasks, gateways=gateways, links=tuple(found), semantics=semantics, **more)


def lines(*links, **more):
    return outline(workflow(*links, **more)).splitlines()[1:]


def test_a_row():
    assert outline(workflow("START a", "a b", "b END", name="Ship", description="Two\nlines")) == (
        "Ship: 2 steps\nTwo lines\n1. A\n2. B\n"
    )


def test_branches_with_their_guards_and_where_they_meet():
    assert drawn("a --> q{Fine?}", "q -->|Yes| b", "q -->|No| c --> d", "b & d --> e") == [
        "1. a",
        "2. Fine?",
        "   exactly one of:",
        "   ├─ if Yes: 3. b",
        "   └─ if No:",
        "      4. c",
        "      5. d",
        "6. e",
    ]


def test_steps_side_by_side_and_who_waits_for_them():
    assert lines("START a", "a b", "a c", "b d", "c d", "d END", semantics="dag") == [
        "1. A",
        "   in parallel:",
        "   ├─ 2. B",
        "   └─ 3. C",
        "4. D (waits for 2 and 3)",
    ]


def test_several_starts():
    assert lines("START a", "START b", "a c", "b END", "c END") == [
        "At the start in parallel:",
        "├─ 1. A",
        "│  2. C",
        "└─ 3. B",
    ]


def test_what_a_failure_leads_to_stands_beside_the_course_of_things():
    assert lines("START a", "a b", "a r failure", "r END", "b c", "c END", "b r failure") == [
        "1. A",
        "   └─ on failure → 4",
        "2. B",
        "   └─ on failure → 4",
        "3. C → the end",
        "4. R",
    ]


def test_loops_lead_back():
    assert drawn("a --> b{Fine?}", "b -->|No| a", "b -->|Yes| c", "c --> c2 --> c") == [
        "1. a",
        "2. Fine?",
        "   exactly one of:",
        "   ├─ if No → back to 1",
        "   └─ if Yes → 3",
        "3. c",
        "4. c2 → back to 3",
    ]


def test_operators():
    gateways = (
        Gateway(id="or", op="OR"),
        Gateway(id="join", op="OR", role="join"),
        Gateway(id="and", op="AND"),
        Gateway(id="both", op="AND", role="join"),
        Gateway(id="one", op="XOR"),
    )
    found = lines(
        *("START a", "a or", "or b n > 3", "or c n > 1", "b join", "c join", "join and", "and d", "and e"),
        *("d both", "e both", "both one", "one f x", "one END"),
        gateways=gateways,
    )
    assert found == [
        "1. A",
        "   one or more of:",
        "   ├─ if n > 3: 2. B",
        "   └─ if n > 1: 3. C",
        "A. after one or more of 2 and 3",
        "   in parallel:",
        "   ├─ 4. D",
        "   └─ 5. E",
        "B. after all of 4 and 5",
        "   exactly one of:",
        "   ├─ if x → 6",
        "   └─ → the end",
        "6. F",
    ]


def test_an_operator_that_ends_one_choice_and_begins_the_next():
    markdown = "1. Look\n   1. If one is affected, note it.\n   2. If all are affected, call the lead.\n2. Go on\n"
    found = outline(read_text(markdown, "x").workflow).splitlines()
    assert "   1.A. after the start or 1.1" in found
    assert not any("one of 1.1" in line for line in found)


def test_the_start_is_named_only_if_it_is_another_way():
    steps = "1. Look\n   1. If one is affected, note it.\n   2. Call the lead.\n2. Go on\n"
    found = outline(read_text(steps, "x").workflow)
    assert "1.2. Call the lead. (waits for the start or 1.1)" in found
    assert "for the start" not in outline(workflow("START a", "START b", "a b", "b END", semantics="dag"))


def test_the_number_of_steps_is_that_of_the_gate():
    text = "## A\n1. a\n2. b\n\n## B\n1. c\n2. d\n"
    read = read_text(text, "x").workflow
    assert outline(read).splitlines()[0].endswith(f": {len(expand(read).tasks)} steps, all in sub-workflows")


def test_descriptions_stand_below_their_steps_and_are_cut():
    build = "1. Build\n\n   Never use --force, not even on a Friday.\n   - Note: it is slow\n"
    read = read_text(f"# Ship\n\n{build}2. If it fails, tell\n\n   the team\n", "x").workflow
    assert outline(read, 40).splitlines()[1:5] == [
        "1. Build",
        "   Never use --force, not even on a Fri\u2026",
        "   Note: it is slow",
        "   exactly one of:",
    ]
    assert "   the team" in outline(read)
    dimmed = outline(read, 40, color=True).splitlines()
    assert dimmed[3] == "\x1b[2m   Note: it is slow\x1b[0m"
    assert dimmed[1] == "1. Build"


def test_a_description_cannot_steer_the_terminal():
    task = Task(id="a", name="A", description="x\x1b[31m\n::error::y")
    found = outline(Workflow(tasks=(task,), links=(Link(source=START, target="a"), Link(source="a", target=END))))
    assert "\x1b" not in found
    assert not any(line.lstrip().startswith("::") for line in found.splitlines())


def test_the_first_that_holds():
    guards = (Guard(expr="a > 3", order=1), Guard(expr="a > 1", order=2), Guard(default=True))
    links = tuple(Link(source="q", target=target, guard=guard) for target, guard in zip("bcd", guards, strict=True))
    tasks = tuple(Task(id=own, name=own) for own in "qbcd")
    found = Workflow(tasks=tasks, links=(Link(source=START, target="q"), *links), semantics="state-machine")
    assert outline(found).splitlines()[1:] == [
        "1. q",
        "   the first that holds:",
        "   ├─ if a > 3: 2. b",
        "   ├─ if a > 1: 3. c",
        "   └─ otherwise: 4. d",
    ]


def test_what_is_said_of_a_step():
    tasks = (
        Task(id="a", name="Wait for\nit", kind="event", timeout="2h", critical=True),
        Task(id="b", name="Poll", action="http.get", loop=Loop(mode="until", condition="ok", max=3)),
        Task(id="c", name="", join="a and b.failure"),
    )
    links = tuple(Link(source=a, target=b) for a, b in ("ab", "ac", "bc"))
    assert outline(Workflow(tasks=tasks, links=(Link(source=START, target="a"), *links))).splitlines()[1:] == [
        "1. Wait for it (event; at most 2h; critical)",
        "   in parallel:",
        "   ├─ 2. Poll [http.get] (repeats until ok, at most 3 times)",
        "   └─ → 3",
        "3. c (waits for: a and b.failure)",
    ]


def test_conditions_of_a_single_way():
    assert lines("START a", "a b x > 3", "b c failure", "c d always") == [
        "1. A",
        "2. B (only if x > 3)",
        "3. C (only on failure)",
        "4. D (always)",
    ]


def test_composites_are_opened_where_they_are_called_first():
    inner = workflow("START x", "x y", "y END").model_copy(update={"name": "pack", "tasks": ()})
    inner = inner.model_copy(
        update={"tasks": (Task(id="x", name="X"), Task(id="y", name="Again", kind="composite", workflow="pack"))}
    )
    tasks = (
        Task(id="a", name="Pack", kind="composite", workflow="pack"),
        Task(id="b", name="Pack more", kind="composite", workflow="pack"),
        Task(id="c", name="Elsewhere", kind="composite", workflow="other.yml"),
    )
    found = workflow("START a", "a b", "b c", "c END", tasks=tasks, subworkflows=(inner, Workflow(name="Unused")))
    assert outline(found).splitlines() == [
        "Workflow without a name: 5 steps, 4 of them in sub-workflows",
        "1. Pack (workflow 'pack')",
        "   1.1. X",
        "   1.2. Again (workflow 'pack'; drawn under 1)",
        "2. Pack more (workflow 'pack'; drawn under 1)",
        "3. Elsewhere (workflow 'other.yml', not in this file)",
        "",
        "Unused: 0 steps",
    ]


def test_what_nothing_reaches_and_what_is_not_there():
    tasks = (Task(id="a", name="A"), Task(id="x", name="X"), Task(id="y", name="Y"), Task(id="a", name="Twin"))
    assert lines("START a", "a nowhere", "x y", "y x", "ghost x", tasks=tasks) == [
        "1. A",
        "2. nowhere (is not defined)",
        "Never reached:",
        "  3. ghost (is not defined)",
        "  4. X",
        "  5. Y → back to 4",
        "Not drawn: 'Twin', because the id 'a' is taken",
    ]


def test_a_step_with_the_id_of_a_virtual_node():
    assert "Not drawn: 'Begin', because the id 'START' is taken" in lines(
        "START a", tasks=(Task(id="a", name="A"), Task(id=START, name="Begin"))
    )


def test_untrusted_text_cannot_steer_the_terminal():
    evil = "a\x1b[31m\nb\u202e\x07"
    link = Link(source="a", target="b", guard=Guard(expr=evil))
    tasks = (Task(id="a", name=evil, action=evil, timeout=evil), Task(id="b", name="b", workflow=evil, join=evil))
    found = Workflow(name=evil, description=evil, tasks=tasks, links=(Link(source=START, target="a"), link, link))
    text = outline(found)
    assert all(character == "\n" or character.isprintable() for character in text)
    assert "\\x1b[31m" in text


def test_long_texts_are_broken_between_words_and_kept_below_their_line():
    long = "Roll the release out to all of the production traffic, one zone after the other"
    found = workflow("START a", "a b", "a c", tasks=(Task(id="a", name=long), *(Task(id=x, name=long) for x in "bc")))
    assert outline(found, 50).splitlines()[1:8] == [
        "1. Roll the release out to all of the production",
        "   traffic, one zone after the other",
        "   in parallel:",
        "   ├─ 2. Roll the release out to all of the",
        "   │     production traffic, one zone after the",
        "   │     other",
        "   └─ 3. Roll the release out to all of the",
    ]
    wide = Workflow(tasks=(Task(id="a", name="部" * 100),), links=(Link(source=START, target="a"),))
    assert max(map(cell_len, outline(wide, 40).splitlines())) <= 40


IDS = st.sampled_from([*"abcdefgh", START, END, "g", "h2"])
LINKS = st.builds(
    Link,
    source=IDS,
    target=IDS,
    outcome=st.sampled_from(["success", "failure", "always", "skipped"]),
    back=st.booleans(),
    guard=st.none()
    | st.builds(Guard, expr=st.sampled_from(["x", "n > 3", "«Yes»"]) | st.none(), default=st.booleans()),
)
TASKS = st.builds(
    Task,
    id=st.sampled_from("abcdefgh"),
    name=st.text(max_size=20),
    kind=st.sampled_from(["task", "event"]),
    workflow=st.none() | st.sampled_from(["p", "q"]),
    join=st.sampled_from([None, "all", "any", "a and b"]),
)
PARTS = st.builds(
    Workflow,
    name=st.sampled_from(["m", "p", "q"]),
    semantics=st.sampled_from(["dag", "token", "state-machine"]),
    tasks=st.lists(TASKS, max_size=8).map(tuple),
    gateways=st.lists(
        st.builds(Gateway, id=st.sampled_from(["g", "h2"]), op=st.sampled_from(["AND", "OR", "XOR"])), max_size=2
    ).map(tuple),
    links=st.lists(LINKS, max_size=16).map(tuple),
)


def counted(part):
    for step in all_steps(part):
        if step.node != START:
            yield id(step.course), step.node
        if step.inside is not None:
            yield from counted(step.inside)


@given(PARTS, st.lists(PARTS, max_size=2))
def test_every_step_of_any_workflow_is_drawn_once(main, others):
    found = main.model_copy(update={"subworkflows": tuple(others)})
    parts = outlined(found)
    steps = Counter(each for part in parts for each in counted(part))
    assert set(steps.values()) <= {1}
    opened = {course for course, _ in steps}
    assert sum(len(part.course.nodes) for part in parts if id(part.course) in opened) <= len(steps)
    assert {part.course.workflow.name for part in parts[:1]} == {main.name}
    main_steps = {node for course, node in steps if course == id(parts[0].course)}
    assert main_steps >= {task.id for task in main.tasks}
    text = outline(found)
    assert max(map(cell_len, text.splitlines())) <= 80
    assert not any(line.rstrip().endswith("→") for line in text.splitlines())


def nested(depth):
    """Decisions inside decisions."""
    found = ["START t0"]
    for level in range(depth):
        found += [f"t{level} t{level + 1} x", f"t{level} u{level} y", f"u{level} v{level}", f"t{level + 1} v{level}"]
    return workflow(*found)


@pytest.mark.parametrize("depth", [3, 8, 60])
def test_deep_nesting_stays_within_the_lines(depth):
    text = outline(nested(depth))
    assert max(map(cell_len, text.splitlines())) <= 80
    assert text.count("\n") < 12 * depth


@pytest.mark.parametrize("links", [1, 2])
def test_a_long_workflow_is_drawn_soon(links):
    many = 3_000
    tasks = tuple(Task(id=str(number), name="x") for number in range(many))
    row = [Link(source=START, target="0"), *(Link(source=str(n), target=str(n + 1)) for n in range(many - 1))]
    short = [Link(source="0", target=str(number)) for number in range(2, many)] if links > 1 else []
    assert outline(Workflow(tasks=tasks, links=(*row, *short))).count("\n") >= many
