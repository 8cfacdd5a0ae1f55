"""The ExtremeXP workflow language: flow, data, hierarchy, derived workflows, experiments.

The texts are written for these tests, in the language and about the workflows that the pattern catalogue names.
"""

import contextlib
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import TaskGraph, expand
from wfgate.read import FORMATS, Document, read_file, read_text, write
from wfgate.read.formats.xxp import XxpFormat

from ...hypothesis_examples import examples

MAIN = """\
package package2;

workflow MainWorkflow {
  // TASKS
  task Task1 {
    task Task5 { implementation "file://c.py"; }
    task Task6 {
      task Task7 { implementation "file://d.py"; }
      task Task8 { implementation "file://e.exe"; }
      task Task9 { implementation "file://f.exe"; }
      param p = 4;
      START -> Task7;
      Task7 ?-> Task9 {
        condition "p > 1";
      }
      Task7 ?-> Task8 { condition "otherwise"; }
      Task9 -> END;
      Task8 -> END;
    }
    START -> Task5 -> Task6 -> END;
  }
  task Task2 {
    description "Reads the input.";
    implementation "file://a.py";
    param value = 0.2;
    param metrics = ["accuracy", "recall"];
  }
  task Task3 { implementation "file://b.py"; }
  define task Task4;

  data InputData;  // what is measured
  data Features { schema "file://Features.schema"; }

  START -> Task2 -> PARALLEL_1;
  PARALLEL_1 -> Task1 -> PARALLEL_END_1;
  PARALLEL_1 -> Task3 -> Task4 -> PARALLEL_END_1;
  PARALLEL_END_1 -> END;

  InputData --> Task2 --> Features;
  Features --> Task1;
}
"""

LIBRARY = """\
package automl;

workflow AutoML {
  define task DataRetrieval;
  define task HyperparameterOptimization;
  define task MLTrainingAndEvaluation;
  START -> DataRetrieval -> HyperparameterOptimization -> MLTrainingAndEvaluation -> END;
  configure task HyperparameterOptimization {
    subworkflow HyperparameterOptimization;
  }
}

workflow HyperparameterOptimization {
  define task HyperparameterProposal, MLModelValidation;
  define task BestHyperparameterSelection;
  START -> HyperparameterProposal;
  HyperparameterProposal ?-> BestHyperparameterSelection { condition "stop condition"; }
  HyperparameterProposal ?-> MLModelValidation { condition "otherwise"; }
  MLModelValidation -> HyperparameterProposal;
  BestHyperparameterSelection -> END;
}

workflow MLTrainingAndEvaluation {
  define task ModelTraining;
  define task ModelEvaluation;
  define data MLModel;
  START -> ModelTraining -> ModelEvaluation -> END;
  ModelTraining --> MLModel --> ModelEvaluation;
}
"""

DERIVED = """\
package automl_ideko;

workflow MLTrainingAndEvaluation from automl.MLTrainingAndEvaluation {
  configure task ModelTraining {
    implementation "file://regression_training.py";
    param epochs = 3;
  }
}

assembled workflow FailurePredictionInManufacture from automl.AutoML {
  description "Predicts failures of machines.";
  configure task DataRetrieval { implementation "file://retrieval.py"; }
  configure task HyperparameterOptimization {
    param grid = "file://grid.json";
    configure task BestHyperparameterSelection { description "Asks the user."; }
  }
  configure task MLTrainingAndEvaluation { subworkflow MLTrainingAndEvaluation; }
}
"""

EXPERIMENT = """\
workflow Base {
  task Train { implementation "train"; }
  task Report;
  START -> Train -> Report -> END;
}

workflow Fast from Base { task Report { implementation "report_v1"; } }
workflow Slow from Base { task Report { implementation "report_v2"; } }

experiment Search {
  intent FindBestClassifier;
  control {
    START -> S1;
    S1 ?-> S2 { condition "results['S1'] < 90" };
    S1 ?-> Ask { condition "otherwise" };
    S2 -> (Ask || Tell) -> END;
  }
  space S1 of Fast {
    strategy randomsearch;
    runs = 1;
    param epochs_vp = enum(2, 5, 7);
    configure task Train { param epochs = epochs_vp; }
  }
  space S2 of Slow {
    strategy gridsearch;
    param epochs_vp = range(3, 9, 2);
    task Train { param epochs = epochs_vp; }
  }
  interaction Ask { action ask("Go on?", S1); }
  interaction Tell { ... }
  space Unused of Slow { }
}
"""


def read(text):
    return read_text(text, "w.xxp")


def flow(body):
    return read(f"workflow W {{ define task A, B, C, D; {body} }}")


def links(workflow):
    return [(link.source, link.target) for link in workflow.links]


def said(reading):
    return [(note.severity, note.line, note.message) for note in reading.diagnostics]


def sub(workflow, name):
    return next(part for part in workflow.subworkflows if part.name == name)


def bare(workflow):
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


def test_a_workflow_with_everything_inside():
    reading = read(MAIN)
    workflow = reading.workflow
    assert (reading.format, workflow.name, workflow.semantics) == ("xxp", "MainWorkflow", "token")
    assert [(task.id, task.kind, task.action, task.workflow) for task in workflow.tasks] == [
        ("Task1", "composite", None, "Task1"),
        ("Task2", "task", "file://a.py", None),
        ("Task3", "task", "file://b.py", None),
        ("Task4", "task", None, None),
    ]
    reads = workflow.tasks[1]
    assert (reads.description, reads.params) == ("Reads the input.", {"value": 0.2, "metrics": ["accuracy", "recall"]})
    assert (reads.inputs, reads.outputs, workflow.tasks[0].inputs) == (("InputData",), ("Features",), ("Features",))
    assert [(item.id, item.description) for item in workflow.data_items] == [
        ("InputData", "what is measured"),
        ("Features", "file://Features.schema"),
    ]
    assert (reads.span.line, reads.span.column) == (22, 3)
    assert [(gate.id, gate.op, gate.role) for gate in workflow.gateways] == [
        ("PARALLEL_1", "AND", "split"),
        ("PARALLEL_END_1", "AND", "join"),
    ]
    inner = sub(workflow, "Task6")
    assert [(link.target, link.guard.expr or link.guard.default) for link in inner.links if link.guard] == [
        ("Task9", "p > 1"),
        ("Task8", True),
    ]
    assert links(sub(workflow, "Task1")) == [("START", "Task5"), ("Task5", "Task6"), ("Task6", "END")]
    assert reading.diagnostics == ()
    behaviour = Behaviour.of(inner)
    assert [behaviour.must_run(task).value for task in range(3)] == [True, False, False]
    assert behaviour.exclusive(1, 2).value
    assert not TaskGraph.of(expand(workflow)).cycles


def test_a_derived_workflow_is_its_base_with_what_it_configures():
    reading = read(LIBRARY + DERIVED)
    workflow = reading.workflow
    assert workflow.name == "FailurePredictionInManufacture"
    assert workflow.description == "Predicts failures of machines."
    assert links(workflow) == [
        ("START", "DataRetrieval"),
        ("DataRetrieval", "HyperparameterOptimization"),
        ("HyperparameterOptimization", "MLTrainingAndEvaluation"),
        ("MLTrainingAndEvaluation", "END"),
    ]
    retrieval, optimization, training = workflow.tasks
    assert retrieval.action == "file://retrieval.py"
    assert (optimization.kind, optimization.params) == ("composite", {"grid": "file://grid.json"})
    search = sub(workflow, optimization.workflow)
    assert [(task.id, task.description) for task in search.tasks] == [
        ("HyperparameterProposal", ""),
        ("MLModelValidation", ""),
        ("BestHyperparameterSelection", "Asks the user."),
    ]
    assert training.workflow == "automl_ideko.MLTrainingAndEvaluation"
    train = sub(workflow, training.workflow).tasks[0]
    assert (train.action, train.params, train.outputs) == (
        "file://regression_training.py",
        {"epochs": 3},
        ("MLModel",),
    )
    assert reading.diagnostics == ()


def test_the_base_is_left_as_it_is():
    text = LIBRARY + "workflow Other from AutoML { }\n" + DERIVED
    other = read(text).workflow
    assert other.name == "Other"
    assert [task.action for task in other.tasks] == [None, None, None]
    assert links(other)[0] == ("START", "DataRetrieval")


def test_a_configured_task_that_is_not_there_is_said():
    reading = read(LIBRARY + "workflow Mine from MLTrainingAndEvaluation { configure task Nope { param a = 1; } }")
    assert ("warning", 30, "Mine has no task Nope; the configuration of that task is not read") in said(reading)


def test_an_experiment():
    reading = read(EXPERIMENT)
    workflow = reading.workflow
    assert workflow.name == "Search"
    assert [(task.id, task.kind, task.workflow) for task in workflow.tasks if task.id != "Unused"] == [
        ("S1", "composite", "Fast in S1"),
        ("S2", "composite", "Slow in S2"),
        ("Ask", "event", None),
        ("Tell", "event", None),
    ]
    first = workflow.tasks[0]
    assert (first.loop.mode, first.loop.over) == ("foreach", "epochs_vp in enum(2, 5, 7)")
    assert first.params == {"strategy": "randomsearch", "runs": 1, "epochs_vp": "enum(2, 5, 7)"}
    train, report = sub(workflow, "Slow in S2").tasks
    assert (train.params, report.action) == ({"epochs": "epochs_vp"}, "report_v2")
    assert workflow.tasks[2].params == {"actions": ["ask(Go on?, S1)"]}
    assert [(link.target, link.guard.expr or link.guard.default) for link in workflow.links if link.guard] == [
        ("S2", "results['S1'] < 90"),
        ("Ask", True),
    ]
    assert [(gate.op, gate.role) for gate in workflow.gateways] == [("AND", "split"), ("AND", "join")]
    assert [item.id for item in workflow.data_items] == ["results"]
    assert ("info", 30, "Tell is incomplete: the file has ... instead of statements") in said(reading)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("START -> A -> B -> END;", [("START", "A"), ("A", "B"), ("B", "END")]),
        (
            "A -> B;",
            [("START", "A"), ("START", "C"), ("START", "D"), ("A", "B"), ("B", "END"), ("C", "END"), ("D", "END")],
        ),
        ("START -> A -> (B || C) -> D -> END;", None),
    ],
)
def test_chains(body, expected):
    workflow = flow(body).workflow
    if expected is not None:
        assert links(workflow) == expected
        return
    behaviour = Behaviour.of(workflow)
    assert all(behaviour.must_run(task).value for task in range(4))
    assert not TaskGraph.of(workflow).cycles


@pytest.mark.parametrize(
    ("body", "ends", "guard", "outcome"),
    [
        ('A ?-> B { condition "x > 1"; }', ("A", "B"), ("x > 1", False), "success"),
        ('A ?-> B { condition "x > 1" };', ("A", "B"), ("x > 1", False), "success"),
        ('A -> B { condition "x > 1"; }', ("A", "B"), ("x > 1", False), "success"),
        ('A ?-> B { condition "Otherwise"; }', ("A", "B"), (None, True), "success"),
        ('A !-> B { exception "OutOfMemory"; }', ("A", "B"), ("OutOfMemory", False), "failure"),
        ('A !-> B { event "timeout"; }', ("A", "B"), ("timeout", False), "failure"),
        ('A !-> B { exception "any"; }', ("A", "B"), None, "failure"),
        ('A ?-> "x > 1" ? B : C -> D;', ("A", "B"), ("x > 1", False), "success"),
        ('A ?-> "x > 1" ? B : C -> D;', ("A", "C"), (None, True), "success"),
        ('A ?-> "x > 1" ? B : C -> D;', ("C", "D"), None, "success"),
    ],
)
def test_conditions_and_exceptions(body, ends, guard, outcome):
    found = [
        link for link in flow(f"START -> A; {body} D -> END;").workflow.links if (link.source, link.target) == ends
    ]
    assert [(link.guard and (link.guard.expr, link.guard.default), link.outcome) for link in found] == [
        (guard, outcome)
    ]


@pytest.mark.parametrize(
    ("names", "op"), [("PARALLEL", "AND"), ("EXCLUSIVE", "XOR"), ("INCLUSIVE", "OR"), ("COMPLEX", "OR")]
)
@pytest.mark.parametrize("sign", ["_", "-"])
def test_operators(names, op, sign):
    split, join = f"{names}{sign}1", f"{names}{sign}END{sign}1".replace(f"END{sign}", f"END{sign}")
    reading = flow(f"START -> A -> {split}; {split} -> B -> {join}; {split} -> C -> {join}; {join} -> D -> END;")
    assert [(gate.op, gate.role) for gate in reading.workflow.gateways] == [(op, "split"), (op, "join")]
    messages = [message for _, _, message in said(reading)]
    assert any("has its own rule" in message for message in messages) is (names == "COMPLEX")


def test_a_join_of_its_own():
    reading = flow(
        "START -> PARALLEL-1; PARALLEL-1 -> A -> JOIN-1; PARALLEL-1 -> B -> JOIN-1; JOIN-1 -> C -> D -> END;"
    )
    assert [(gate.op, gate.role) for gate in reading.workflow.gateways] == [("AND", "split"), ("AND", "join")]


def test_flows_of_data():
    text = """\
workflow W {
  task Read { implementation "IDEKO.ReadData"; }
  task Train;
  START -> Read -> Train -> END;
  define input data File;
  define output data Model;
  configure data File { path "v1/**"; }
  File --> Read.FileToRead;
  Read.X --> Train.XTrain;
  Train.Model --> Model;
  Nowhere --> Nothing;
}
"""
    reading = read(text)
    workflow = reading.workflow
    assert [(link.source, link.target, link.data) for link in workflow.data_links] == [("Read", "Train", "X")]
    assert (workflow.tasks[0].inputs, workflow.tasks[1].outputs) == (("File",), ("Model",))
    assert workflow.data_items[0].description == "v1/**"
    assert said(reading) == [("warning", 11, "this flow of data has no task at either end: Nowhere --> Nothing")]


@pytest.mark.parametrize(
    ("text", "line", "message", "fix"),
    [
        ("workflow W {\n  task A;\n", 1, "this block is not closed", "close it with }"),
        (
            'workflow W {\n  START -> A -> END;\n  task A { description "x; }\n}',
            3,
            "the text is not closed",
            'close it with "',
        ),
        ("workflow W { START -> A; }\n/* x", 2, "the comment is not closed", "close it with */"),
        ("workflow W {\n  START -> ;\n}", 2, "the link has no name", "letters"),
        ("workflow W {\n  START -> A -> END\n  task A;\n}", 3, "expected -> or ;", "write ; after the links"),
        ("workflow W {\n  START -> (A || B;\n}", 2, "the bracket is not closed", "close it with )"),
        ('workflow W {\n  START -> A; A ?-> "x" B;\n}', 2, "expected ? and a step after the condition", "?"),
        (
            "workflow W {\n  task A { param p = ; }\n START -> A -> END;\n}",
            2,
            "expected a value",
            "a number or a text",
        ),
        (
            "workflow W from V {\n  task A; START -> A -> END; }",
            1,
            "derived from V, which is not in this file",
            "one file",
        ),
        ("workflow W from V { task A; START -> A; }\nworkflow V from W { }", None, "derived from itself", "from"),
        ("workflow W { START -> A;" + "task A {" * 150 + "}" * 150 + "}", 1, "nested deeper than 100", "fewer levels"),
        ("workflow W {\n  task END; START -> END; }", 2, "END cannot be the name of a task", "rename"),
        ("workflow W {\n  define operator START; }", 2, "START cannot be the name of a task", "rename"),
        ("task A { implementation 'x'; }\n", 1, "the file has no workflow", "write `workflow NAME {`"),
    ],
)
def test_refused(text, line, message, fix):
    with pytest.raises(FormatError) as caught:
        read_text(text, "w.xxp", "xxp")
    assert message in caught.value.message
    assert fix in caught.value.fix
    assert line is None or caught.value.line == line


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("foo bar;\n", 2, "this text is not understood and not read: foo bar;"),
        ("foo { bar; } START -> A -> B -> END;\n", 2, "this text is not understood and not read: foo { bar; }"),
        ("A ?-> B;\n", 2, "the link has no condition"),
        ("A !-> B;\n", 2, "the link has no exception"),
        ("define operator Vote;\n", 2, "the type of the operator Vote is unknown; the operator is read as a step"),
    ],
)
def test_what_is_not_expressed_is_said(body, line, message):
    reading = read(f"workflow W {{ define task A, B;\n  {body}START -> A -> B -> END; }}")
    assert ("warning", line, message) in said(reading)
    assert {"A", "B"} <= {task.id for task in reading.workflow.tasks}


def test_a_text_in_quotes_is_never_a_sign():
    workflow = read("workflow W { task A { description '->'; implementation '.'; } START -> A -> END; }").workflow
    assert [(task.description, task.action) for task in workflow.tasks] == [("->", ".")]


def test_no_flow_and_ends_that_are_not_given_are_said():
    reading = read("workflow W { define task A, B; A -> B; }")
    assert [(severity, message) for severity, _, message in said(reading)] == [
        ("info", "the flow of W names no START: 1 node is read as the first"),
        ("info", "the flow of W names no END: 1 node is read as the last"),
    ]
    reading = read("workflow W { define task A; }")
    assert links(reading.workflow) == [("START", "A"), ("A", "END")]
    reading = read("workflow W { define task A, B; }\n")
    assert [message for _, _, message in said(reading)] == [
        "the tasks of W are not linked, because the file gives no flow"
    ]


def test_a_name_given_twice_and_a_file_that_is_not_read():
    text = 'import "b.xxp";\nworkflow W { task A; START -> A -> END; }\nworkflow W { task B; START -> B -> END; }\n'
    assert said(read(text)) == [
        ("info", 1, "the imported file is not read: b.xxp"),
        ("warning", 3, "another workflow has the name W; this workflow is not read"),
    ]
    workflow = read("workflow W { task A; task A { description 'again'; } START -> A -> END; }").workflow
    assert [task.id for task in workflow.tasks] == ["A", "A"]


def test_references_to_other_files_and_to_itself():
    workflow = read(
        "workflow W { task A { subworkflow X; } task B { subworkflow W; } START -> A -> B -> END; }"
    ).workflow
    assert [(task.kind, task.workflow) for task in workflow.tasks] == [("composite", "X"), ("composite", "W")]
    assert workflow.subworkflows == ()


@pytest.mark.parametrize(
    "text",
    [
        "workflow: deploy\nsteps: [a]\n",
        "workflow W is what we call it. START -> x\n",
        "package main\n\nfunc main() { define task }\n",
        "experiment with braces { and START -> END",
        "We define task A; the workflow W { START -> A; }",
        "// workflow W { START -> A; }\n",
        "flowchart TD\nworkflow W { START -> A }\n",
    ],
)
def test_no_xxp(text):
    assert not XxpFormat().recognises(Document("x", text))


@pytest.mark.parametrize("text", [MAIN, LIBRARY, LIBRARY + DERIVED, EXPERIMENT])
def test_there_and_back_by_the_native_format(text):
    assert read_text(text, "x") == read_text(text, "x", "xxp")
    assert [form.id for form in FORMATS.values() if form.recognises(Document("x", text))] == ["xxp"]
    workflow = read(text).workflow
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)
    fenced = read_text(f"Here it is:\n\n```xxp\n{text}```\n", "answer.md")
    assert fenced.format == "xxp"
    assert bare(fenced.workflow) == bare(workflow)
    assert fenced.workflow.tasks[0].span.line == workflow.tasks[0].span.line + 3
    assert bare(read(text.replace("\n", "\r\n")).workflow) == bare(workflow)


PIECES = st.sampled_from(
    [
        *(MAIN + LIBRARY + DERIVED + EXPERIMENT).split(),
        *(
            "{",
            "}",
            ";",
            ",",
            "->",
            "?->",
            "!->",
            "-->",
            "||",
            "(",
            ")",
            "[",
            "]",
            ".",
            "...",
            '"',
            "'",
            "//",
            "/*",
            "*/",
        ),
        *("PARALLEL-1", "PARALLEL_END_1", "COMPLEX_2", "JOIN-1", "cases", "é"),
        "\n",
    ]
)


def ends_well(text):
    try:
        workflow = read_text(text, "x", "xxp").workflow
    except FormatError as error:
        refused = error
        workflow = None
    if workflow is None:
        assert refused.fix
        assert refused.line is None or refused.line <= text.count("\n") + 1
        return
    names = [part.name for part in (workflow, *workflow.subworkflows)]
    assert len(names) == len(set(names))
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


@settings(max_examples=examples(150))
@given(st.lists(PIECES, max_size=40).map(" ".join))
def test_any_words_are_a_workflow_or_refused(text):
    ends_well(text)
    ends_well(f"workflow W {{ {text} }}")


@settings(max_examples=examples(150))
@given(
    st.sampled_from([MAIN, LIBRARY + DERIVED, EXPERIMENT]),
    st.integers(0, 2000),
    st.integers(0, 80),
    PIECES | st.just(""),
)
def test_mutated_files_are_a_workflow_or_refused(text, start, length, piece):
    ends_well(text[:start] + piece + text[start + length :])
    ends_well(text[:start])


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "workflow W { START -> A;" + "A -> B;" * 140_000 + "}",
        "workflow W { START" + " -> A" * 190_000 + "; }",
        "workflow W {" + "task A;" * 19_000 + "START -> A; }",
        "workflow W {" + "".join(f"define task A{place};" for place in range(19_000)) + "START -> A1; }",
        "workflow W { START -> A;" + "{" * 900_000,
        "workflow W { START -> A;" + "}" * 900_000,
        'workflow W { START -> A; define task A { param p = "' + "\\" * 900_000,
        "workflow W { START -> A; task A { param p = " + "[" * 900_000,
        "workflow W { START -> A; task A { param p = " + "[1, " * 220_000 + "] } }",
        "//\n" * 300_000 + "workflow W { START -> A -> END; }",
        "workflow " * 110_000 + "W { START -> A }",
        "workflow W" + " " * 900_000 + "{ START" + " " * 90_000 + "-> A }",
        "workflow W { START -> A; }" + "package x;" * 90_000,
        "".join(f"workflow W{place} from W{place + 1} {{ START -> A; }}\n" for place in range(25_000)),
        "".join(
            f"workflow W{place} {{ task A {{ subworkflow W{place + 1}; }} START -> A; }}\n" for place in range(15_000)
        ),
        "workflow W { task A; START -> A; }" + "workflow V from W { configure task A { param p = 1; } }" * 17_000,
        "workflow W { (" + "A || " * 180_000 + "A) -> (" + "B || " * 9 + "B); START -> A; }",
        "workflow W { START -> A;" + "A.x --> B.y;" * 80_000 + "}",
        "workflow W { START -> A;" + 'A ?-> B { condition "x"; }' * 38_000 + "}",
        "workflow W { START -> A; task A {" + "description 'x'; " * 55_000 + "} }",
        "workflow W { START -> A; foo " + "x " * 450_000 + "}",
        "workflow W { START -> A;" + " foo { x; }" * 90_000 + "}",
        "/" * 1_000_000,
        "workflow W { START -> A; data D" + " // x" * 200_000 + "\n; }",
    ],
)
def test_hostile_texts_end(text):
    """Nothing is timed: what is quadratic takes minutes here, and that is noticed."""
    for format_id in (None, "xxp"):
        with contextlib.suppress(FormatError):
            read_text(text, "x", format_id)


OTHER = "package other;\nworkflow X { task A; task B; START -> A -> B -> END; }\n"
FROM_OTHER = 'package own;\nworkflow X from other.X {\n  configure task B { implementation "b.py"; }\n}\n'


def place(folder, **files):
    """Write files by their paths without the suffix, with / as __, into a checkout."""
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.xxp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(
    ("own", "base"),
    [
        ("w/own/X", "w/other/X"),  # as packages are laid out
        ("w/own/X", "w/other/all"),
        ("w/X", "w/other/X"),
        ("w/X", "w/flat"),
        ("w/own/X", "w/flat"),
    ],
)
def test_a_base_of_another_package_is_read_from_the_files_around(tmp_path, own, base):
    folder = place(tmp_path, **{own.replace("/", "__"): FROM_OTHER, base.replace("/", "__"): OTHER})
    reading = read_file(folder / f"{own}.xxp")
    assert links(reading.workflow) == [("START", "A"), ("A", "B"), ("B", "END")]
    assert [task.action for task in reading.workflow.tasks] == [None, "b.py"]
    assert (reading.workflow.name, reading.workflow.subworkflows) == ("X", ())
    assert {task.span.line for task in reading.workflow.tasks} <= {2, 3}  # positions in the file that was given
    (said,) = (note for note in reading.diagnostics if "is read from" in note.message)
    assert (said.severity, said.line) == ("info", 2)


def test_the_base_of_a_base_is_found_from_its_own_file_and_imports_come_first(tmp_path):
    folder = place(
        tmp_path,
        X='import "lib/base.xxp";\nimport "lib/unused.xxp";\nworkflow X from Base { task C; }\n',
        lib__base="package lib;\nworkflow Base from deep.Root { }\n",
        lib__unused="workflow U { task A; START -> A -> END; }\n",
        deep__Root="package deep;\nworkflow Root { task A; START -> A -> END; }\n",
        Base="workflow Base { task Wrong; START -> Wrong -> END; }\n",
    )
    reading = read_file(folder / "X.xxp")
    assert [task.name for task in reading.workflow.tasks] == ["A"]
    found = [note.message for note in reading.diagnostics]
    assert "the imported file is not read: lib/unused.xxp" in found
    assert not any("not read: lib/base.xxp" in message for message in found)


def test_nothing_outside_of_the_checkout_is_read(tmp_path):
    inside = place(tmp_path / "checkout", own__X=FROM_OTHER)
    (tmp_path / "other").mkdir()
    outside = tmp_path / "other" / "X.xxp"
    outside.write_text(OTHER)
    for imported in ("../../other/X.xxp", str(outside), "link.xxp", "fifo.xxp"):
        (inside / "own" / "X.xxp").write_text(f'import "{imported}";\n{FROM_OTHER}')
        (inside / "own" / "link.xxp").unlink(missing_ok=True)
        (inside / "own" / "link.xxp").symlink_to(outside)
        (inside / "other").unlink(missing_ok=True)
        (inside / "other").symlink_to(outside.parent)
        if not (inside / "own" / "fifo.xxp").exists():
            os.mkfifo(inside / "own" / "fifo.xxp")
        with pytest.raises(FormatError, match="nor in one around it") as caught:
            read_file(inside / "own" / "X.xxp")
        assert caught.value.line == 3
        assert "other/X.xxp" in caught.value.fix


def test_without_a_checkout_only_the_folder_of_the_file_is_read(tmp_path):
    if any((folder / ".git").exists() for folder in tmp_path.parents):
        pytest.skip("the temporary folder is in a checkout")
    for folder in ("own", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "own" / "X.xxp").write_text(FROM_OTHER)
    (tmp_path / "other" / "X.xxp").write_text(OTHER)
    with pytest.raises(FormatError, match="nor in one around it"):
        read_file(tmp_path / "own" / "X.xxp")
    (tmp_path / "own" / "base.xxp").write_text(OTHER)
    assert len(read_file(tmp_path / "own" / "X.xxp").workflow.tasks) == 2


def test_a_text_has_no_files_around_it(tmp_path, monkeypatch):
    place(tmp_path, other__X=OTHER)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FormatError, match=r"derived from other\.X, which is not in this file\n"):
        read_text(FROM_OTHER, "own.xxp")


def test_a_derived_workflow_of_the_same_name_is_not_its_own_base(tmp_path):
    with pytest.raises(FormatError, match="derived from itself"):
        read_text("package own;\nworkflow X from own.X { task A; }", "x.xxp")
    folder = place(tmp_path, a__X=FROM_OTHER.replace("own", "a"), other__X="package other;\nworkflow X from a.X { }\n")
    with pytest.raises(FormatError, match="the workflow X is derived from itself"):
        read_file(folder / "a" / "X.xxp")


def test_a_syntax_error_in_the_file_of_the_base_is_named_there(tmp_path):
    folder = place(tmp_path, own__X=FROM_OTHER, other__X="package other;\nworkflow X {\n  START -> ;\n}\n")
    with pytest.raises(FormatError, match="the link has no name") as caught:
        read_file(folder / "own" / "X.xxp")
    assert (caught.value.path, caught.value.line) == (str(folder / "own" / "../other/X.xxp"), 3)


def test_only_so_many_files_are_opened(tmp_path, monkeypatch):
    monkeypatch.setattr("wfgate.read.formats.xxp.others.MAX_FILES", 3)
    folder = place(tmp_path, X=FROM_OTHER, zz=OTHER, **{f"a{number}": "workflow Y { }" for number in range(3)})
    with pytest.raises(FormatError, match="nor in one around it"):
        read_file(folder / "X.xxp")
    (folder / "a0.xxp").unlink()
    assert len(read_file(folder / "X.xxp").workflow.tasks) == 2
