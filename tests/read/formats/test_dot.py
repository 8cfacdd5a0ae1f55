"""Graphviz DOT: what each construct is read as, what is refused and where, and the way back."""

import random
import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.model import END, START, Guard, Link, Task, Workflow
from wfgate.read import document_of, read_text, write
from wfgate.read.formats.dot import DotFormat
from wfgate.read.formats.dot.parser import DotGraph
from wfgate.read.formats.drawings.words import one_line

AIRFLOW = """\
digraph example_task_group {
	graph [label=example_task_group labelloc=t rankdir=LR]
	load [color="#000000" fillcolor="#e8f7e4" label=load shape=rectangle style="filled,rounded"]
	subgraph "cluster_section_1" {
		color="#000000" fillcolor="#6495ed7f" label=section_1 shape=rectangle style=filled
		"section_1.downstream_join_id" [height=0.2 label="" shape=circle style="filled,rounded" width=0.2]
		"section_1.upstream_join_id" [height=0.2 label="" shape=circle style="filled,rounded" width=0.2]
		"section_1.task_1" [label=task_1 shape=rectangle style="filled,rounded"]
		"section_1.task_2" [label=task_2 shape=rectangle style="filled,rounded"]
	}
	"section_1.downstream_join_id" -> load
	"section_1.task_1" -> "section_1.downstream_join_id"
	"section_1.task_2" -> "section_1.downstream_join_id"
	"section_1.upstream_join_id" -> "section_1.task_1"
	"section_1.upstream_join_id" -> "section_1.task_2"
	fetch -> "section_1.upstream_join_id"
}
"""
LANGGRAPH = """\
strict digraph "" {
	graph [bb="0,0,100,200"];
	node [fillcolor=yellow, style=filled];
	__start__ [fillcolor="#b4f25d", label=<<B>__start__</B>>];
	agent [label=<<B>agent</B>>];
	tools [label=<<B>tools</B>>];
	review [label=<<B>review</B>>];
	__end__ [label=<<B>__end__</B>>];
	__start__ -> agent [style=solid];
	tools -> agent [style=solid];
	agent -> tools [label=<<U>continue</U>>, style=dotted];
	agent -> review [label=<<U>ask</U>>, style=dotted];
	agent -> __end__ [label=<<U>end</U>>, style=dotted];
	review -> __end__;
}
"""


def read(body, header="digraph", **more):
    reading = read_text(f"{header} {{\n{body}\n}}\n", "x.gv", **more)
    assert reading.format == "dot"
    return reading


def workflow(body):
    return read(body).workflow


def said(link):
    guard = link.guard
    words = "" if guard is None else "DEFAULT" if guard.default else guard.expr
    return words if link.outcome == "success" else f"{link.outcome} {words}".strip()


def arrows(found, *, ends=False):
    return [
        (link.source, link.target, said(link))
        for link in found.links
        if ends or (link.source != START and link.target != END)
    ]


def bare(found):
    strip = {"span": None}
    return found.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(found, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in found.subworkflows)}
    )


@pytest.mark.parametrize(
    ("written", "name", "kind"),
    [
        ("a", "a", "task"),
        ("a [label=Build]", "Build", "task"),
        ('a [label="Build\\nit all"]', "Build it all", "task"),
        ('a [label="5 &lt; 6 \\"x\\" \\\\ y"]', '5 < 6 "x" \\ y', "task"),
        ('a [label="\\N of \\G"]', "a of G", "task"),
        ("a [label=<<b>Build</b> <i>it</i><br/>all>]", "Build it all", "task"),
        ('a [shape=record label="{<f0> Build|make|{all}}"]', "Build", "task"),
        ('a [label="Build " + "it"]', "Build it", "task"),
        ('a [label="Build\\\nit"]', "Buildit", "task"),
        ('a [label="" xlabel="Build"]', "Build", "task"),
        ("a [shape=cds label=Paid]", "Paid", "event"),
        ("a [shape=Mdiamond label=Paid]", "Paid", "event"),
        ('a [shape=diamond label="Fine?"]', "Fine?", "task"),
        ("a [SHAPE=Box, Label=Build; color=red]", "Build", "task"),
        ("a [label=one] a [label=two]", "two", "task"),
        ("node [label=all]; a", "all", "task"),
        ("{node [label=inner] a}", "inner", "task"),
        ("{node [label=inner]} a", "a", "task"),
        ("größe", "größe", "task"),
        ("-1.5", "-1.5", "task"),
        ('"a b"', "a b", "task"),
        ("graphics [label=Draw]", "Draw", "task"),
        ("node_1", "node_1", "task"),
        ('"node" [label=Build]', "Build", "task"),
        ("/* no */ a // b\n# c\n", "a", "task"),
    ],
)
def test_nodes(written, name, kind):
    found = read(written, "digraph G").workflow
    assert [(task.name, task.kind) for task in found.tasks] == [(name, kind)]


def test_the_other_fields_of_a_record_are_details():
    assert workflow('a [shape=record label="{<f0> Build|make|{all}}"]').tasks[0].description == "make, all"


def test_positions_are_those_of_the_first_mention():
    found = workflow("a -> b\n  c -> a;b [label=Test]")
    assert [(task.id, task.span.line, task.span.column) for task in found.tasks] == [
        ("a", 2, 1),
        ("b", 2, 6),
        ("c", 3, 3),
    ]
    assert [(link.span.line, link.span.column) for link in found.links if link.span] == [(2, 1), (3, 3)]


@pytest.mark.parametrize(
    ("written", "links"),
    [
        ("a -> b", [("a", "b", "")]),
        ("a->b->c", [("a", "b", ""), ("b", "c", "")]),
        ("a -> {b c}", [("a", "b", ""), ("a", "c", "")]),
        ("{a b} -> {c d}", [("a", "c", ""), ("a", "d", ""), ("b", "c", ""), ("b", "d", "")]),
        ("subgraph x {a b} subgraph x -> c", [("a", "c", ""), ("b", "c", "")]),
        ("a:out:n -> b:in", [("a", "b", "")]),
        ("a -> b [label=late]", [("a", "b", "late")]),
        ("edge [label=late] a -> b", [("a", "b", "late")]),
        ('a -> b [xlabel="n > 3"]', [("a", "b", "n > 3")]),
        ("a -> b [taillabel=yes]", [("a", "b", "yes")]),
        ("a -> b [style=invis]", []),
        ("a -> b [dir=back]", [("b", "a", "")]),
        ("rank=same; a -> b", [("a", "b", "")]),
    ],
)
def test_edges(written, links):
    assert arrows(workflow(written)) == links


def test_a_strict_graph_has_no_edge_twice_and_another_has():
    assert arrows(read("a -> b; a -> b", "strict digraph").workflow) == [("a", "b", "")]
    assert arrows(workflow("a -> b; a -> b")) == [("a", "b", ""), ("a", "b", "")]


def test_edges_without_arrows_are_named():
    reading = read("a -- b", "graph")
    assert arrows(reading.workflow) == [("a", "b", "")]
    assert [(each.severity, each.line, each.message) for each in reading.diagnostics] == [
        ("info", 2, "1 lines have no head and are read as forward arrows")
    ]


def test_decisions_outcomes_and_joins():
    found = read(
        'q [shape=diamond label="Fine?"]; a -> q; q -> b [label=Yes]; q -> c [label=No]; b -> d; c -> d;'
        ' d -> {e f}; e -> g; f -> g; g -> h; g -> i [label="on failure"]'
    )
    assert arrows(found.workflow)[:3] == [("q", "b", "Yes"), ("q", "c", "No"), ("a", "q", "")]
    assert ("g", "i", "failure") in arrows(found.workflow)
    assert {task.id: task.join for task in found.workflow.tasks if task.join} == {"g": "all"}
    assert "is read as the outcome" in found.diagnostics[0].message


def test_start_and_end():
    found = workflow('Start -> a; "" [shape=none label=""] "" -> b; a -> p; p [shape=point]; b -> End')
    assert [task.id for task in found.tasks] == ["a", "b"]
    assert sorted(arrows(found, ends=True)) == [
        (START, "a", ""),
        (START, "b", ""),
        ("a", END, ""),
        ("b", END, ""),
    ]


def test_ids_that_are_taken():
    found = workflow('x -> START [label=a]; START [shape=box label=Go]; "q XOR"; q [shape=diamond]; q -> {b c}')
    assert [task.id for task in found.tasks] == ["x", "START (node)", "q XOR", "q", "b", "c"]
    assert [gateway.id for gateway in found.gateways] == ["q XOR (2)"]


def test_airflow():
    found = read_text(AIRFLOW, "x").workflow
    assert found.name == "example_task_group"
    assert [(task.id, task.tags) for task in found.tasks] == [
        ("load", ()),
        ("section_1.task_1", ("group:section_1",)),
        ("section_1.task_2", ("group:section_1",)),
        ("fetch", ()),
    ]
    assert [(gateway.id, gateway.op, gateway.role) for gateway in found.gateways] == [
        ("section_1.downstream_join_id", "AND", "join"),
        ("section_1.upstream_join_id", "AND", "split"),
    ]


def test_langgraph():
    found = read_text(LANGGRAPH, "x").workflow
    assert [task.name for task in found.tasks] == ["agent", "tools", "review"]
    assert arrows(found, ends=True) == [
        ("agent", "tools", "continue"),
        ("agent", "review", "ask"),
        ("agent", END, "end"),
        ("tools", "agent", ""),
        ("review", END, ""),
        (START, "agent", ""),
    ]


def test_a_cluster_with_edges_of_its_own_is_a_composite():
    found = workflow(
        'a -> b [lhead=cluster_ship]; c -> d [ltail=cluster_ship]; subgraph cluster_ship {label="Ship it"; b -> c}'
    )
    assert [(task.id, task.name, task.kind) for task in found.tasks] == [
        ("a", "a", "task"),
        ("d", "d", "task"),
        ("cluster_ship", "Ship it", "composite"),
    ]
    assert arrows(found) == [("a", "cluster_ship", ""), ("cluster_ship", "d", "")]
    assert arrows(found.subworkflows[0], ends=True) == [(START, "b", ""), ("b", "c", ""), ("c", END, "")]


def test_nodes_of_clusters():
    found = workflow("a -> b; subgraph cluster_x { subgraph cluster_y { a } b -> a } subgraph cluster_z { a c }")
    assert {task.id: task.tags for task in found.tasks} == {
        "a": ("group:x", "group:y"),
        "b": ("group:x",),
        "c": ("group:z",),
    }


def test_a_node_and_a_cluster_of_the_same_name():
    found = workflow("cluster_x -> a [lhead=cluster_x]; subgraph cluster_x { a }")
    assert [(task.id, task.kind) for task in found.tasks] == [
        ("cluster_x", "task"),
        ("cluster_x cluster", "composite"),
    ]


def test_further_graphs_are_named():
    reading = read_text("digraph { a -> b }\ndigraph { c }\n", "x")
    assert [task.id for task in reading.workflow.tasks] == ["a", "b"]
    assert [(each.severity, each.line, each.message) for each in reading.diagnostics] == [
        ("warning", 2, "another graph begins here; only the first graph is read")
    ]


@pytest.mark.parametrize(
    "text",
    ["digraph{a}", '// c\n/* d */ strict DiGraph "x" {a}', "graph 1 {a}", "# x\ngraph <b> {\na}", "digraph a\n{a}"],
)
def test_recognised(text):
    assert read_text(text, "x").format == "dot"


@pytest.mark.parametrize(
    "text", ["graph TD\n a-->b", "graph TD;a", "digraph", "graph of all {x", "digraphs {a}", '{"graph": {}}']
)
def test_not_recognised(text):
    assert not DotFormat().recognises(document_of(text, "x"))


def test_a_block_in_prose():
    reading = read_text("As you asked:\n\n```dot\ndigraph {\n  a -> b\n}\n```\nDone.\n", "answer.md")
    assert [(task.id, task.span.line, task.span.column) for task in reading.workflow.tasks] == [
        ("a", 5, 3),
        ("b", 5, 8),
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a -> b", (1, 1), "expected a graph, but 'a' stands here"),
        ("digraph { a -> }", (1, 13), "the edge has no target node"),
        ("digraph { a -- b }", (1, 13), "'--' is not allowed in a digraph"),
        ("graph { a -> b }", (1, 11), "'->' is not allowed in a graph"),
        ("digraph { a", (1, 9), "'{' is not closed"),
        ("digraph { a [label=x", (1, 13), "'[' is not closed"),
        ('digraph { "a', (1, 11), "a text in quotes is not closed"),
        ("digraph { a [label=<b", (1, 20), "a text in angle brackets is not closed"),
        ("digraph { /* a }", (1, 11), "the comment is not closed"),
        ("digraph { a ! b }", (1, 13), "'!' is not allowed here"),
        ("digraph { node = a }", (1, 16), "expected '[' behind 'node', but '=' stands here"),
        ("digraph { a [=] }", (1, 14), "expected the name of an attribute"),
        ("digraph { a } b", (1, 15), "expected the end of the text"),
        ("digraph " + "{" * 60, (1, 60), "subgraphs are nested deeper than 50 levels"),
        ("digraph x y {}", (1, 11), "expected '{'"),
        ("digraph {\n a = }", (2, 6), "expected a value, but '}' stands here"),
    ],
)
def test_refused(text, place, message):
    with pytest.raises(FormatError) as caught:
        read_text(text, "x", "dot")
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == place
    assert caught.value.fix


def test_too_large():
    for body in (
        " ".join(f"a{n}" for n in range(20_001)),
        "{" + " ".join(f"a{n}" for n in range(600)) + "} -> {" + " ".join(f"b{n}" for n in range(600)) + "}",
    ):
        with pytest.raises(FormatError, match="the limit is"):
            read(body)


HOSTILE = [
    "a " * 500_000,
    "a;" * 500_000,
    "a->" * 300_000,
    "a->b " * 180_000,
    "{" * 10**6,
    "{}" * 500_000,
    "[" * 10**6,
    "a[" * 500_000,
    "a[a=" * 250_000,
    "a[a=b]" * 160_000,
    '"' * 999_999,
    '"\\' * 500_000,
    "<" * 10**6,
    "<>" * 500_000,
    "/*" * 500_000,
    "/**/" * 250_000,
    "//\n" * 300_000,
    "\n#" * 500_000,
    "\n" * 10**6,
    'a+"' * 300_000,
    '"a"+' * 250_000,
    "a:b:" * 250_000,
    "-" * 10**6,
    "-." * 500_000,
    "subgraph x {" + " ".join(f"a{n}" for n in range(15_000)) + "}" + "subgraph x;" * 80_000,
    "subgraph cluster" * 60_000,
    "".join(f"subgraph cluster{n} {{a{n}}} " for n in range(35_000)),
    "".join(f"subgraph cluster{n} {{label=T a{n}}} x->a{n}[lhead=cluster{n}];" for n in range(18_000)),
    'a[label="' + "{|<" * 300_000 + '" shape=record]',
    "a[label=<" + "<a <!-- " * 100_000 + ">>]",
    'a[label="' + "\\N" * 400_000 + '"]',
]


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_megabyte_of_anything_is_read_or_refused_soon(text):
    """Nothing is timed: what is quadratic takes minutes here, and that is noticed."""
    assert read_or_refused("digraph {" + text) is not None
    assert read_or_refused("digraph {" + text + "}") is not None


def read_or_refused(text):
    """The workflow, or the fix that is offered where there is none."""
    try:
        return read_text(text, "x", "dot").workflow
    except FormatError as error:
        return error.fix


PARTS = st.sampled_from(
    [
        *(
            "a",
            "b",
            "node",
            "edge",
            "graph",
            "subgraph ",
            "subgraph cluster_x",
            "strict",
            "digraph",
            "cluster_x",
            "End",
        ),
        *(
            "->",
            "--",
            "{",
            "}",
            "[",
            "]",
            ";",
            ",",
            "=",
            ":",
            "+",
            '"',
            "\\",
            "<",
            ">",
            "\n",
            " ",
            "//",
            "/*",
            "*/",
            "#",
        ),
        *(
            "label=",
            "shape=",
            "style=",
            "point",
            "diamond",
            "record",
            "invis",
            "dotted",
            "lhead=",
            "ltail=",
            "dir=back",
        ),
        *('"{x|y}"', '""', "<<b>x</b>>", "-1", ".5", "é", "\x00", "\ud800", "\u2028"),
    ]
)


@given(st.lists(PARTS | st.text(max_size=2), max_size=30).map("".join), st.booleans())
def test_any_text_is_read_or_refused(text, closed):
    found = read_or_refused("digraph {" + text + "}" * closed)
    if isinstance(found, Workflow):
        assert bare(read_text(write(found, "native"), "y").workflow) == bare(found)
        same_when_written(found)


@given(st.sampled_from([AIRFLOW, LANGGRAPH]), st.randoms(use_true_random=False), st.integers(1, 6))
def test_a_damaged_graph_is_read_or_refused(text, chance: random.Random, times):
    for _ in range(times):
        begin, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, begin + 12)
        text = chance.choice([text[:begin] + text[end:], text[:end] + text[begin:end] + text[end:], text[:end] or "x"])
    found = read_or_refused(text)
    if isinstance(found, Workflow):
        same_when_written(found)


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
    """But for names with characters that cannot be seen: those are not drawn."""
    if any(one_line(task.name) != task.name for part in (found, *found.subworkflows) for task in part.tasks):
        return
    again = read_text(write(found, "dot"), "again", "dot").workflow
    assert shown(again) == shown(found)


@pytest.mark.parametrize("text", [AIRFLOW, LANGGRAPH])
def test_written_and_read_again(text):
    found = read_text(text, "x").workflow
    same_when_written(found)
    assert bare(read_text(write(found, "native"), "x").workflow) == bare(found)


def test_what_is_written():
    found = Workflow(
        name='Ship "it" \\',
        description="Two\nlines",
        tasks=(
            Task(id="build", name='Say "a\\nb" & \x1b[31mc'),
            Task(id="a b", name="Fine?"),
            Task(id="paid", name="Paid", kind="event"),
            Task(id="ship", name="Ship", kind="composite", workflow="shipping"),
        ),
        links=(
            Link(source=START, target="build"),
            Link(source="build", target="a b"),
            Link(source="a b", target="ship", guard=Guard(expr="Yes")),
            Link(source="a b", target="paid", guard=Guard(expr="No")),
            Link(source="ship", target="paid", outcome="failure"),
            Link(source="paid", target=END),
        ),
        subworkflows=(Workflow(name="shipping", tasks=(Task(id="x", name="Pack"),)),),
    )
    assert write(found, "dot").splitlines() == [
        "digraph {",
        '    label="Ship \\"it\\" \\\\" labelloc=t',
        '    comment="Two lines"',
        "    compound=true",
        "    node [shape=box]",
        '    "build" [label="Say \\"a\\\\nb\\" &amp; [31mc"]',
        '    "n1" [label="Fine?" shape=diamond]',
        '    "paid" [label="Paid" shape=cds]',
        '    "START" [label="Start" shape=oval]',
        '    "n2" [label="End" shape=oval]',
        "    subgraph cluster_0 {",
        '        label="Ship"',
        '        "x" [label="Pack"]',
        "    }",
        '    "START" -> "build"',
        '    "build" -> "n1"',
        '    "n1" -> "x" [label="Yes" lhead=cluster_0]',
        '    "n1" -> "paid" [label="No"]',
        '    "x" -> "paid" [label="on failure" style=dotted ltail=cluster_0]',
        '    "paid" -> "n2"',
        "}",
    ]
    again = read_text(write(found, "dot"), "x").workflow
    assert (again.name, again.description) == ('Ship "it" \\', "Two lines")
    assert again.tasks[0].name == 'Say "a\\nb" & [31mc'


@pytest.mark.parametrize(
    "text",
    [
        AIRFLOW,
        LANGGRAPH,
        'digraph G {a -> {b c} -> d; subgraph cluster_x {e -> f; g} a -> e [label="x y"]; "a b" -> a; h; 1 -> 2.5}',
        "graph {a -- b -- c; subgraph s {d; e} d -- a}",
    ],
)
def test_nodes_and_edges_are_those_that_pydot_sees(text):
    """Another parser of the same language: it is slow, and has no positions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it uses names of its own parser that are going away
        pydot = pytest.importorskip("pydot")
        (seen,) = pydot.graph_from_dot_data(text)
    nodes, edges = set(), Counter()

    def ends(end):
        if isinstance(end, str):
            return [end.strip('"')]
        inside = [*end["nodes"], *(name for pair in end["edges"] for name in pair)]
        return [name.strip('"') for name in dict.fromkeys(inside)]

    def look(graph):
        nodes.update(node.get_name().strip('"') for node in graph.get_nodes())
        for edge in graph.get_edges():
            pairs = [(a, b) for a in ends(edge.get_source()) for b in ends(edge.get_destination())]
            edges.update(pairs)
            nodes.update(name for pair in pairs for name in pair)
        for inner in graph.get_subgraphs():
            look(inner)

    look(seen)
    document = document_of(text, "x")
    graph = DotGraph(document)
    assert set(graph.nodes) == nodes - {"node", "edge", "graph"}
    assert Counter((edge.source, edge.target) for edge in graph.edges) == edges
