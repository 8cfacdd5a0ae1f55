"""Mermaid flowcharts: what each construct is read as, what is refused and where, and the way back."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import END, START, DataLink, Gateway, Guard, Link, Loop, Task, Workflow
from wfgate.read import document_of, read_text, write
from wfgate.read.formats.mermaid import MermaidFormat, source


def read(*lines, header="flowchart TD"):
    reading = read_text("\n".join([header, *lines]), "x.mmd")
    assert reading.format == "mermaid"
    return reading


def workflow(*lines):
    return read(*lines).workflow


def arrows(found, *, ends=False):
    """Links as (source, target, what is said of them)."""
    return [
        (link.source, link.target, said(link))
        for link in found.links
        if ends or (link.source != START and link.target != END)
    ]


def said(link):
    guard = link.guard
    words = "" if guard is None else "DEFAULT" if guard.default else guard.expr
    return words if link.outcome == "success" else f"{link.outcome} {words}".strip()


def messages(reading):
    return [(each.severity, each.line, each.column, each.message) for each in reading.diagnostics]


def bare(found):
    strip = {"span": None}
    return found.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(found, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in found.subworkflows)}
    )


# --- boxes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "name", "kind"),
    [
        ("a", "a", "task"),
        ("a[Build it]", "Build it", "task"),
        ("a(Build it)", "Build it", "task"),
        ("a([Payment received])", "Payment received", "event"),
        ("a((Tick))", "Tick", "event"),
        ("a(((Over)))", "Over", "event"),
        ("a{Fine?}", "Fine?", "task"),
        ("a{{Prepare}}", "Prepare", "task"),
        ("a[[Call]]", "Call", "task"),
        ("a[(Store)]", "Store", "task"),
        ("a[/Ask/]", "Ask", "task"),
        ("a[\\Ask\\]", "Ask", "task"),
        ("a[/Ask\\]", "Ask", "task"),
        ("a>Flag]", "Flag", "task"),
        ("a@{ shape: diamond, label: 'Fine?' }", "Fine?", "task"),
        ('a@{ shape: delay, label: "Wait a day" }', "Wait a day", "event"),
        ('a@{\n  shape: rect\n  label: "Two\n  lines"\n}', "Two lines", "task"),
        ('a["Say (x) & [y]"]', "Say (x) & [y]", "task"),
        ('a["Deploy<br/>the <b>service</b> &amp; wait"]', "Deploy the service & wait", "task"),
        ('a["`The **bold** _word_`"]', "The bold word", "task"),
        ('a["5 #lt; 6 #35;1"]', "5 < 6 #1", "task"),
        ('a["fa:fa-truck Ship"]', "Ship", "task"),
        ('a["<img src="x.png"/> Ship"]', "Ship", "task"),
        ("a[Größe prüfen]:::big", "Größe prüfen", "task"),
        ("größe", "größe", "task"),
        ("a.b-c/d", "a.b-c/d", "task"),
    ],
)
def test_boxes(written, name, kind):
    found = workflow(written)
    assert [(task.name, task.kind) for task in found.tasks] == [(name, kind)]
    assert (found.tasks[0].span.line, found.tasks[0].span.column) == (2, 1)
    assert arrows(found, ends=True) == [(START, found.tasks[0].id, ""), (found.tasks[0].id, END, "")]


def test_a_box_keeps_what_was_said_last_and_where_it_was_named_first():
    found = workflow("a --> b", "  b[Test] --> c", "b[Test all] -->d")
    assert [(task.id, task.name, task.span.line) for task in found.tasks] == [
        ("a", "a", 2),
        ("b", "Test all", 2),
        ("c", "c", 3),
        ("d", "d", 4),
    ]


def test_start_and_end_are_not_steps():
    found = workflow("s([Start]) --> a --> e((End))", "e2([Stop])", "a --> e2")
    assert [task.id for task in found.tasks] == ["a"]
    assert arrows(found, ends=True) == [("a", END, ""), ("a", END, ""), (START, "a", "")]
    found = workflow("a --> s([Start]) --> b")
    assert [(task.id, task.kind) for task in found.tasks] == [("a", "task"), ("s", "event"), ("b", "task")]


def test_where_something_leads_to_every_step_the_first_one_drawn_is_the_start():
    reading = read("a[Build] --> b{Fine?}", "b -->|No| a", "b -->|Yes| c")
    assert (START, "a", "") in arrows(reading.workflow, ends=True)
    said = "every step has an incoming arrow; 'Build', which is drawn first, is read as the start"
    assert messages(reading) == [("info", 2, 1, said)]


def test_steps_with_the_ids_of_virtual_nodes():
    found = workflow("a --> START[Start the engine] --> b --> END[End the trip] --> c")
    assert [(task.id, task.name) for task in found.tasks][1:4:2] == [
        ("START (node)", "Start the engine"),
        ("END (node)", "End the trip"),
    ]
    assert [link for link in found.links if START in (link.source, link.target)] == [Link(source=START, target="a")]


# --- arrows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "links"),
    [
        ("a --> b", [("a", "b", "")]),
        ("a-->b", [("a", "b", "")]),
        ("a ==> b", [("a", "b", "")]),
        ("a -.-> b", [("a", "b", "")]),
        ("a -----> b", [("a", "b", "")]),
        ("a --o b", [("a", "b", "")]),
        ("a --x b", [("a", "b", "")]),
        ("a --- b", [("a", "b", "")]),
        ("a <--> b", [("a", "b", "")]),
        ("a ~~~ b", []),
        ("a e1@--> b", [("a", "b", "")]),
        ("a --> b --> c", [("a", "b", ""), ("b", "c", "")]),
        ("a & b --> c", [("a", "c", ""), ("b", "c", "")]),
        ("a & b --> c & d", [("a", "c", ""), ("a", "d", ""), ("b", "c", ""), ("b", "d", "")]),
        ("a -->|late| b", [("a", "b", "late")]),
        ("a -- late --> b", [("a", "b", "late")]),
        ('a -- "late (x)" --> b', [("a", "b", "«late (x)»")]),
        ("a == late ==> b", [("a", "b", "late")]),
        ("a -. late .-> b", [("a", "b", "late")]),
        ("a -->|score >= 80| b", [("a", "b", "score >= 80")]),
        ("a --> b; b --> c;", [("a", "b", ""), ("b", "c", "")]),
        ("a --> b %% no comment here", None),
        ("%% a comment\na --> b", [("a", "b", "")]),
        ("a -->\n b", [("a", "b", "")]),
        ("a\n--> b", [("a", "b", "")]),
    ],
)
def test_arrows(written, links):
    if links is None:
        with pytest.raises(FormatError, match="expected an arrow"):
            read(written)
    else:
        assert arrows(workflow(written)) == links


def test_arrows_that_are_no_arrows_are_named():
    assert messages(read("a --- b", "b <--> c", "c ~~~ d")) == [
        ("info", 4, 3, "1 invisible lines are not read, because they only arrange the drawing"),
        ("info", 3, 3, "1 lines have heads at both ends and are read as forward arrows"),
        ("info", 2, 3, "1 lines have no head and are read as forward arrows"),
    ]


def test_colours_classes_and_pages_say_nothing():
    found = read(
        "classDef big fill:#f9f,stroke:#333",
        "a:::big --> b",
        "class b big",
        "style a fill:#bbf",
        "linkStyle 0 stroke:#ff3",
        'click a "https://example.org" "Tip; and more"',
        "direction LR",
    )
    assert (arrows(found.workflow), found.diagnostics) == ([("a", "b", "")], ())


# --- decisions, outcomes, joins -------------------------------------------------------------------------------------


def runs(found, task, situation):
    behaviour = Behaviour.of(found)
    number = {each.id: place for place, each in enumerate(found.tasks)}
    return behaviour.runs_in(number[task], situation).value


def test_a_diamond_takes_exactly_one_way():
    found = workflow("a --> q{Fine?}", "q -->|Yes| b", "q -->|No| c")
    assert arrows(found) == [("a", "q", ""), ("q", "b", "Yes"), ("q", "c", "No")]
    assert not found.gateways


def test_a_diamond_whose_labels_do_not_exclude_each_other_gets_a_split():
    found = workflow("q{How many?}", "q -->|n > 3| b", "q -->|n > 5| c", "q -->|else| d")
    assert [(gateway.op, gateway.role) for gateway in found.gateways] == [("XOR", "split")]
    assert arrows(found) == [
        ("q", "q XOR", ""),
        ("q XOR", "b", "n > 3"),
        ("q XOR", "c", "n > 5"),
        ("q XOR", "d", "DEFAULT"),
    ]
    plain = workflow("q{Which?}", "q --> b & c")
    assert arrows(plain) == [("q", "q XOR", ""), ("q XOR", "b", ""), ("q XOR", "c", "")]


def test_two_ways_of_a_diamond_with_the_same_label_are_both_taken():
    found = workflow("q{Fine?}", "q -->|Yes| b & c", "q -->|No| d")
    assert [gateway.op for gateway in found.gateways] == ["XOR", "AND"]
    assert ("q AND 1", "b", "") in arrows(found)
    assert ("q XOR", "q AND 1", "Yes") in arrows(found)


def test_labels_of_two_ways_one_of_them_otherwise():
    found = workflow("a -->|n < 3| b", "a -->|otherwise| c")
    assert arrows(found) == [("a", "b", "n < 3"), ("a", "c", "DEFAULT")]
    assert runs(found, "c", {"n": 4}) is True
    assert runs(found, "c", {"n": 1}) is False


@pytest.mark.parametrize(
    ("label", "outcome"),
    [
        ("on failure", "failure"),
        ("Failed", "failure"),
        ("error", "failure"),
        ("timeout", "timeout"),
        ("always", "always"),
    ],
)
def test_how_a_step_ended_is_an_inferred_meaning(label, outcome):
    reading = read("a[Deploy] --> b", f"a -->|{label}| c[Roll back]")
    assert arrows(reading.workflow) == [("a", "b", ""), ("a", "c", outcome)]
    said = f"the label '{label}' is read as the outcome {outcome} of the step"
    assert messages(reading) == [("info", 3, 3, said)]


def test_success_beside_failure_is_an_outcome_and_a_condition_where_it_stands_alone():
    assert arrows(workflow("a -->|success| b", "a -->|failure| c")) == [("a", "b", ""), ("a", "c", "failure")]
    assert arrows(workflow("a -->|success| b")) == [("a", "b", "success")]
    assert arrows(workflow("q{Deployed?} -->|success| b", "q -->|failure| c")) == [
        ("q", "b", "success"),
        ("q", "c", "failure"),
    ]


def test_branches_that_all_run_are_waited_for_and_those_of_a_decision_are_not():
    found = workflow("a --> b & c --> d", "d --> q{Fine?}", "q -->|Yes| e", "q -->|No| f", "e & f --> g")
    assert {task.id: task.join for task in found.tasks if task.join} == {"d": "all"}
    assert found.semantics == "token"
    loop = workflow("a --> b --> c", "c --> b")
    assert not any(task.join for task in loop.tasks)


def test_bars_and_points_are_operators():
    found = read("a --> f@{ shape: fork, label: 'Both' }", "f --> b & c --> j@{ shape: fork } --> d")
    assert [(gateway.id, gateway.op, gateway.role) for gateway in found.workflow.gateways] == [
        ("f", "AND", "split"),
        ("j", "AND", "join"),
    ]
    assert messages(found) == [("info", 2, 7, "'Both' is read as an AND operator, so its text is not read")]


def test_remarks_are_named():
    found = read("a --> b", "n@{ shape: comment, label: 'Ask Ann' }")
    assert [task.id for task in found.workflow.tasks] == ["a", "b"]
    assert messages(found) == [("info", 3, 1, "the remark 'Ask Ann' is not read")]


LANGGRAPH = """\
---
config:
  flowchart:
    curve: linear
---
graph TD;
	__start__([<p>__start__</p>]):::first
	agent(agent)
	tools(tools<hr/><small><em>version = 1</em></small>)
	review(review)
	__end__([<p>__end__</p>]):::last
	__start__ --> agent;
	tools --> agent;
	agent -.-> tools;
	agent -. &nbsp;looks good&nbsp; .-> review;
	agent -.-> __end__;
	review --> __end__;
	classDef default fill:#f2f0ff,line-height:1.2
	classDef first fill-opacity:0
"""


def test_dotted_arrows_of_langgraph_are_one_choice():
    found = read_text(LANGGRAPH, "x").workflow
    assert [(task.id, task.description) for task in found.tasks] == [
        ("agent", ""),
        ("tools", "version = 1"),
        ("review", ""),
    ]
    assert [(gateway.op, gateway.role) for gateway in found.gateways] == [("XOR", "split")]
    assert arrows(found, ends=True) == [
        ("agent", "agent XOR", ""),
        ("agent XOR", "tools", ""),
        ("agent XOR", "review", "looks good"),
        ("agent XOR", END, ""),
        ("tools", "agent", ""),
        ("review", END, ""),
        (START, "agent", ""),
    ]
    assert arrows(workflow("a -.-> b", "a -.-> c")) == [("a", "b", ""), ("a", "c", "")]


# --- subgraphs ------------------------------------------------------------------------------------------------------


def test_a_subgraph_with_arrows_of_its_own_is_a_composite():
    found = workflow("a --> ship", "subgraph ship [Ship it]", "b --> c", "end", "ship --> d")
    assert [(task.id, task.name, task.kind, task.workflow) for task in found.tasks] == [
        ("a", "a", "task", None),
        ("d", "d", "task", None),
        ("ship", "Ship it", "composite", "Ship it"),
    ]
    assert arrows(found) == [("a", "ship", ""), ("ship", "d", "")]
    (part,) = found.subworkflows
    assert part.name == "Ship it"
    assert arrows(part, ends=True) == [(START, "b", ""), ("b", "c", ""), ("c", END, "")]


def test_composites_of_the_same_title_get_names_of_their_own():
    lines = [f"a --> s{n}\nsubgraph s{n} [Ship]\nb{n}\nend" for n in range(3)]
    assert [part.name for part in workflow(*lines).subworkflows] == ["Ship", "Ship (2)", "Ship (3)"]


def test_a_subgraph_that_arrows_cross_is_a_border():
    reading = read("subgraph one [First half]", "a --> b", "end", "b --> c", "x --> one")
    found = reading.workflow
    assert {task.id: task.tags for task in found.tasks} == {
        "a": ("group:First half",),
        "b": ("group:First half",),
        "c": (),
        "x": (),
    }
    assert set(arrows(found)) == {("a", "b", ""), ("b", "c", ""), ("x", "a", "")}
    assert [(each.severity, each.line) for each in reading.diagnostics] == [("info", 2)]
    assert "arrows cross the border of 'First half'" in reading.diagnostics[0].message
    assert not found.subworkflows


def test_subgraphs_in_subgraphs():
    found = workflow(
        "subgraph outer",
        "subgraph inner [Inside]",
        "direction LR",
        "a --> b",
        "end",
        "inner --> c",
        "end",
        "outer --> d",
    )
    assert [part.name for part in found.subworkflows] == ["outer", "Inside"]
    assert [(task.id, task.kind) for task in found.subworkflows[0].tasks] == [("c", "task"), ("inner", "composite")]


@pytest.mark.parametrize(
    ("line", "title"),
    [("subgraph one", "one"), ("subgraph two words", "two words"), ('subgraph "Quoted (x)"', "Quoted (x)")],
)
def test_titles_of_subgraphs(line, title):
    assert workflow(line, "a", "end").tasks[0].tags == (f"group:{title}",)


# --- above and below ------------------------------------------------------------------------------------------------


def test_titles_directives_and_descriptions():
    text = '---\ntitle: "Ship: it"\n---\n%%{init: {"theme": "dark",\n "x": 1}}%%\n%% mine\ngraph LR\naccTitle: No\n'
    text += "accDescr {\n Two\n lines }\n a --> b"
    found = read_text(text, "x").workflow
    assert (found.name, found.description) == ("Ship: it", "Two lines")
    assert found.tasks[0].span.line == 12
    assert workflow("accTitle: Other", "a").name == "Other"


@pytest.mark.parametrize("header", ["flowchart TD", "graph LR;", "flowchart-elk TB", "graph", "\n\n  graph BT"])
def test_headers(header):
    assert arrows(read("a --> b", header=header).workflow) == [("a", "b", "")]


def test_a_block_in_prose_is_found_with_its_positions():
    text = (
        "Here is the plan you asked for:\n\n```mermaid\nflowchart TD\n  a[Build] --> b[Test]\n```\n\nShall I go on?\n"
    )
    reading = read_text(text, "answer.md")
    assert reading.format == "mermaid"
    assert [(task.name, task.span.line, task.span.column) for task in reading.workflow.tasks] == [
        ("Build", 5, 3),
        ("Test", 5, 16),
    ]
    assert bare(read_text(text, "answer.md", "mermaid").workflow) == bare(reading.workflow)
    with pytest.raises(FormatError, match="several blocks contain a workflow"):
        read_text(text + text.replace("Build", "Compile"), "answer.md")
    with pytest.raises(FormatError) as caught:
        read_text(text.replace("a[Build]", "a[Build"), "answer.md")
    assert (caught.value.line, caught.value.column) == (5, 16)


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "what"), sorted(source.OTHERS.items()))
def test_other_diagrams_are_refused_as_what_they_are(word, what):
    with pytest.raises(FormatError) as caught:
        read_text(f"{word}\n  a->>b: x\n", "x", "mermaid")
    assert caught.value.message == f"this is {what} ({word}), but only flowcharts can be read"
    assert (caught.value.line, caught.value.column, caught.value.fix) == (1, 1, "draw the workflow as a flowchart")


def test_other_diagrams_are_known_by_content():
    with pytest.raises(FormatError, match="this is a sequence diagram"):
        read_text("sequenceDiagram\n  Alice->>Bob: Hi\n", "x")
    with pytest.raises(FormatError, match="no format recognises"):
        read_text("timeline of the project\nand more\n", "x")


@pytest.mark.parametrize(
    "text",
    ["graph { a -- b }", "digraph { a -> b }", "graph TD {\n a -- b }", "flowchart of all we do\n", "Graph TD\na"],
)
def test_what_is_no_flowchart(text):
    assert not MermaidFormat().recognises(document_of(text, "x"))


@pytest.mark.parametrize(
    ("lines", "place", "message"),
    [
        (["a --> "], (2, 3), "the arrow has no target step"),
        (["a[Build"], (2, 3), "[ is not closed"),
        (["a[Build (x)]"], (2, 9), "'(' is not allowed in a text without quotes"),
        (["a[]"], (2, 3), "the label is empty"),
        (['a["Build]'], (2, 3), "a text in quotes is not closed"),
        (["a --> end"], (2, 7), "'end' is a keyword of Mermaid"),
        (["end"], (2, 1), "'end' closes a subgraph, but no subgraph is open"),
        (["subgraph x", "a"], (2, 1), "the subgraph is not closed"),
        (["subgraph"], None, "the subgraph has no name"),
        (["a b"], (2, 3), "expected an arrow, a line break or ';'"),
        (["a -- text"], (2, 3), "an arrow is missing after the text of the arrow"),
        (["a@{ shape: blob }"], None, "Mermaid has no shape 'blob'"),
        (["a@{ shape: [ }"], (2, 2), "the attributes cannot be read"),
        (["a@{ shape: rect"], None, "@{ is not closed"),
        (["linkStyle 3 stroke:red"], (2, 1), "there is no arrow with the number 3 above this line"),
        (["(a)"], (2, 1), "expected the id of a step, but '(' stands here"),
        (["subgraph x"] * 60, (52, 1), "subgraphs are nested deeper than 50 levels"),
    ],
)
def test_refused(lines, place, message):
    with pytest.raises(FormatError) as caught:
        read(*lines)
    assert message in caught.value.message
    assert caught.value.fix
    if place is not None:
        assert (caught.value.line, caught.value.column) == place


def test_a_header_without_a_direction_is_refused():
    with pytest.raises(FormatError, match="the flowchart has no direction"):
        read_text("flowchart of things\n a --> b", "x", "mermaid")
    with pytest.raises(FormatError, match="the text does not begin with a flowchart"):
        read_text("a --> b", "x", "mermaid")


# --- limits ---------------------------------------------------------------------------------------------------------

MANY = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"a{n}" for n in range(MANY + 1)),
        "& ".join(f"a{n} " for n in range(500)) + "-->" + "& ".join(f"b{n} " for n in range(500)),
        "subgraph s\n" + "\n".join(f"a{n}" for n in range(MANY // 2)) + "\nend\n" + "\nx --> s" * 30 + "\na0 --> y",
    ],
)
def test_what_is_too_large_is_refused(text):
    with pytest.raises(FormatError, match="the limit is"):
        read(text)


def read_or_refused(text):
    """The workflow, or the fix that is offered where there is none."""
    try:
        return read_text(text, "x", "mermaid").workflow
    except FormatError as error:
        return error.fix


HOSTILE = [
    "a" * 10**6,
    "a " * 500_000,
    "a[" * 300_000,
    'a -- "x" --> ' * 70_000,
    "a -- x " * 100_000,
    "a -. x " * 100_000,
    "a -- " + "x-" * 500_000,
    "a -->|" * 150_000,
    "a & " * 250_000,
    "a@{" * 300_000,
    "a@{ x: " + "{" * 10**6,
    "subgraph " * 100_000,
    "subgraph x\n" * 90_000,
    "<a <" * 250_000,
    '<a x="' * 150_000,
    "%%{" * 300_000,
    "%" * 10**6,
    "\n" * 10**6,
    " " * 10**6,
    '"' * 10**6,
    "a[`" + "*a" * 300_000 + "`]",
    'a["' + "&" * 500_000 + "#x" * 200_000 + '"]',
    'a["' + "<" * 500_000 + '"]',
    "style " * 150_000,
    "linkStyle " + "0," * 400_000,
    "accDescr {" * 100_000,
    "a--" * 300_000,
    "a-.-" * 250_000,
    "x-" * 500_000,
    "a-->b\n" * 160_000,
    "".join(f"subgraph s{n} [T]\na{n}\nend\ny --> s{n}\n" for n in range(19_000)),
    "subgraph s\n"
    + "".join(f"a{n} --> a{n + 1}\n" for n in range(15_000))
    + "end\n"
    + "x --> s\n" * 15_000
    + "a3 --> x",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_megabyte_of_anything_is_read_or_refused_soon(text):
    """Nothing is timed: what is quadratic takes minutes here, and that is noticed."""
    assert read_or_refused("graph TD\n" + text)


# --- fuzz -----------------------------------------------------------------------------------------------------------

PARTS = st.sampled_from(
    [
        *(
            "a",
            "b",
            "end",
            "x",
            "o",
            "subgraph",
            "direction LR",
            "style",
            "class",
            "click",
            "default",
            "graph",
            "__start__",
        ),
        *("-->", "--", "---", "-.->", "-.", ".-", "==>", "==", "~~~", "<-->", "--x", "--o", "|", "|x|", "&", " & "),
        *(
            "[",
            "]",
            "(",
            ")",
            "{",
            "}",
            "([",
            "])",
            "((",
            "))",
            "[[",
            "]]",
            "[/",
            "/]",
            ">",
            "{{",
            "}}",
            "@{",
            '"',
            "`",
        ),
        *(
            "\n",
            ";",
            " ",
            "\t",
            "%%",
            "%%{",
            "}%%",
            ":::",
            ":",
            ",",
            "#",
            "#35;",
            "<br/>",
            "<hr>",
            "shape: ",
            "label: ",
        ),
        *(
            "\x00",
            "\x85",
            "\u2028",
            "\ud800",
            "é",
            "\U0001d4b3",
            "\\",
            "---\n",
            "accTitle:",
            "accDescr {",
            "linkStyle 0",
            "e@",
        ),
    ]
)


@given(st.lists(PARTS | st.text(max_size=2), max_size=30).map("".join))
def test_any_text_is_read_or_refused(text):
    found = read_or_refused("graph TD\n" + text)
    if isinstance(found, Workflow):
        same_when_written(found)
        assert bare(read_text(write(found, "native"), "y").workflow) == bare(found)


DRAWN = LANGGRAPH + (
    '\nsubgraph s ["Title (x)"]\n a1 -->|Yes| b1{Fine?} & c1([Go])\nend\n s -.->|on failure| d1@{ shape: fork }\n'
)


@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_a_damaged_flowchart_is_read_or_refused(chance: random.Random, times):
    text = DRAWN
    for _ in range(times):
        begin, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, begin + 12)
        piece = text[begin:end]
        text = chance.choice([text[:begin] + text[end:], text[:end] + piece + text[end:], text[:end] or "graph TD"])
    found = read_or_refused(text)
    if isinstance(found, Workflow):
        same_when_written(found)


# --- the way back ---------------------------------------------------------------------------------------------------


def shown(found):
    """What a drawing can say of a workflow: steps by name, links between names, whatever the ids are."""
    names = {task.id: task.name for task in found.tasks} | {gateway.id: gateway.op for gateway in found.gateways}
    return (
        sorted((task.name, task.kind, task.workflow or "") for task in found.tasks),
        sorted(gateway.op for gateway in found.gateways),
        sorted((names.get(link.source, ""), names.get(link.target, ""), said(link)) for link in found.links),
        [shown(part) for part in found.subworkflows],
    )


def same_when_written(found):
    again = read_text(write(found, "mermaid"), "again", "mermaid").workflow
    assert shown(again) == shown(found)


@pytest.mark.parametrize(
    "lines",
    [
        ["subgraph a", "s([Start]) --> b", "subgraph b", "c", "end", "end", "a --> d"],
        ["a[Build] --> b{Fine?}", "b -->|Yes| c([Wait])", "b -->|No| a"],
        ["q{How many?}", "q -->|n > 3| b", "q -->|n > 5| c", "q -->|else| d"],
        ["q{Fine?}", "q -->|Yes| b & c", "q -->|No| d"],
        ["a --> ship", "subgraph ship [Ship it]", "b --> c", "end", "ship -->|on failure| d", "ship --> e"],
        ['subgraph one ["First (half)"]', "a --> b", "end", "b --> c"],
        ['a["5 #lt; 6 #quot;x#quot; #amp;lt; `y` #123;z#125; **b** %%c"] -->|"(x) #124; y"| b'],
    ],
)
def test_written_and_read_again(lines):
    found = workflow(*lines)
    same_when_written(found)
    assert bare(read_text(write(found, "native"), "x").workflow) == bare(found)


def test_langgraph_written_and_read_again():
    same_when_written(read_text(LANGGRAPH, "x").workflow)


def test_texts_that_are_markup_elsewhere_are_written_as_texts():
    texts = ["1. Build", "- a", "%%{init: x}%%", "**b** _c_ `d`", "a --> b", "end", "#35;", "style x:y"]
    tasks = tuple(Task(id=f"t{number}", name=text) for number, text in enumerate(texts))
    links = tuple(Link(source=START, target=task.id, guard=Guard(expr=f"«{task.name}»")) for task in tasks)
    found = Workflow(name="%%{init", description="%%{init", tasks=tasks, links=links)
    written = write(found, "mermaid")
    again = read_text(written, "x").workflow
    assert [task.name for task in again.tasks] == texts
    assert [said(link).strip("«»") for link in again.links if link.source == START] == texts
    assert (again.name, again.description) == ("%%{init", "%% {init")
    assert '["1#46; Build"]' in written


def test_what_is_written():
    found = Workflow(
        name='Ship "it"',
        description="Two\nlines",
        tasks=(
            Task(id="build", name="Build\x1b[31m <b>all</b>"),
            Task(id="end", name="Is it -- fine?"),
            Task(id="x y", name="Poll", loop=Loop(mode="until", condition="status == 200", max=5)),
            Task(id="ship", name="Ship", kind="composite", workflow="shipping"),
            Task(id="again", name="Ship again", kind="composite", workflow="shipping"),
        ),
        gateways=(Gateway(id="both", op="AND"),),
        links=(
            Link(source=START, target="build"),
            Link(source="build", target="end"),
            Link(source="end", target="both", guard=Guard(expr="Yes")),
            Link(source="end", target="build", guard=Guard(expr="No"), back=True),
            Link(source="both", target="x y"),
            Link(source="both", target="ship"),
            Link(source="ship", target="again", outcome="failure"),
            Link(source="x y", target=END),
            Link(source="again", target=END),
            Link(source="again", target="nowhere"),
        ),
        data_links=(DataLink(source="build", target="ship", data="image"),),
        subworkflows=(Workflow(name="shipping", tasks=(Task(id="build", name="Pack"),)),),
    )
    assert write(found, "mermaid").splitlines() == [
        "---",
        'title: "Ship \\"it\\""',
        "---",
        "flowchart TD",
        "    accDescr: Two lines",
        '    build["Build [31m #60;b#62;all#60;/b#62;"]',
        '    n1{"Is it -- fine?"}',
        '    n2["Poll<hr/>repeats until status == 200, at most 5 times"]',
        '    again[["Ship again"]]',
        '    both@{ shape: fork, label: "AND" }',
        '    START(["Start"])',
        '    n3(["End"])',
        '    nowhere["nowhere"]',
        '    subgraph ship ["Ship"]',
        '        n4["Pack"]',
        "    end",
        "    START --> build",
        "    build --> n1",
        '    n1 -->|"Yes"| both',
        '    n1 -->|"No"| build',
        "    both --> n2",
        "    both --> ship",
        '    ship -.->|"on failure"| again',
        "    n2 --> n3",
        "    again --> n3",
        "    again --> nowhere",
    ]
