"""GitLab CI: jobs, stages, needs, templates, references, conditions; what is refused and where."""

from pathlib import Path

import pytest
import yaml

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import END, START, TaskGraph
from wfgate.read import FORMATS, document_of, read_file, read_text, write
from wfgate.rules import lint

DATA = Path(__file__).parent / "data" / "gitlab-ci"
FILES = sorted(DATA.glob("*.yml"))
GLOBAL = {
    *("default", "include", "spec", "stages", "variables", "workflow", "image", "services", "cache"),
    *("before_script", "after_script"),
}


def read(text, name=".gitlab-ci.yml"):
    return read_text(text, name, "gitlab-ci")


def links(text):
    """The links as "source -> target", with an outcome that is not success and the guard."""
    found = []
    for link in read(text).workflow.links:
        outcome = "" if link.outcome == "success" else f" on {link.outcome}"
        guard = f" if {link.guard.expr}" if link.guard else ""
        found.append(f"{link.source} -> {link.target}{outcome}{guard}")
    return found


def raw(text):
    return {task.name: task.raw for task in read(text).workflow.tasks}


class Plain(yaml.SafeLoader):
    """PyYAML with `!reference` as a list, for an independent count."""


Plain.add_constructor("!reference", lambda loader, node: ("!reference", *loader.construct_sequence(node)))


def data_of(file):
    merged = {}
    for part in yaml.load_all(file.read_text("utf-8"), Loader=Plain):
        merged |= part
    return merged


def inherited(data, job, key):
    """The value of a key of a job or of the last template that has it."""
    if key in job:
        return job[key]
    parents = job.get("extends", [])
    for parent in reversed([parents] if isinstance(parents, str) else parents):
        if parent in data and (found := inherited(data, data[parent], key)) is not None:
            return found
    return None


def test_jobs_stages_and_needs_are_those_of_an_independent_count():
    jobs = needs = before = 0
    for file in FILES:
        workflow, data = read_file(file).workflow, data_of(file)
        own = {key: job for key, job in data.items() if key not in GLOBAL and not key.startswith(".")}
        assert [task.name for task in workflow.tasks] == [*own], file
        ids = {task.name: task.id for task in workflow.tasks}
        pairs = {(link.source, link.target) for link in workflow.links} - {(START, END)}
        order = [".pre", *data.get("stages", ["build", "test", "deploy"]), ".post"]
        stage = {}
        for key, job in own.items():
            name = inherited(data, job, "stage") or "test"
            stage[key] = order.index("test" if name.startswith("$[[") else name)
            said = [need for need in job.get("needs") or [] if "project" not in need]
            wanted = {need if isinstance(need, str) else need["job"] for need in said}
            if "needs" in job:
                assert {source for source, target in pairs if target == ids[key]} - {START} == {
                    ids[name] for name in wanted
                }, (file, key)
                needs += len(wanted)
        graph = TaskGraph.of(workflow)
        for late, one in enumerate(own):
            for early, other in enumerate(own):
                if "needs" not in own[one] and stage[other] < stage[one]:
                    assert graph.precedes(early, late), (file, one, other)
                    before += 1
                elif "needs" not in own[one]:
                    assert not graph.precedes(early, late), (file, one, other)
        jobs += len(own)
    assert (len(FILES), jobs, needs, before) == (10, 59, 14, 99)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_real_files_are_read_written_and_sound(file):
    reading = read_file(file, alone=True)  # its local files are not here
    assert reading.format == "gitlab-ci"
    assert not [note for note in reading.diagnostics if note.severity != "info"]
    assert not [finding for finding in lint(reading.workflow) if finding.severity != "info"]
    assert all(task.span for task in reading.workflow.tasks)
    again = read_text(write(reading.workflow, "native"), "x").workflow
    assert [task.name for task in again.tasks] == [task.name for task in reading.workflow.tasks]
    assert [(x.source, x.target, x.guard, x.outcome) for x in again.links] == [
        (x.source, x.target, x.guard, x.outcome) for x in reading.workflow.links
    ]


def test_stages_order_the_jobs_and_needs_replace_them():
    text = """
stages: [one, two]
a: {stage: one, script: x}
b: {stage: one, script: x}
c: {stage: two, script: x}
d: {stage: two, needs: [a], script: x}
e: {stage: two, needs: [], script: x}
last: {stage: .post, script: x}
first: {stage: .pre, script: x}
"""
    assert set(links(text)) == {
        *("START -> first", "first -> a", "first -> b", "a -> c", "b -> c", "a -> d", "START -> e"),
        *("c -> last", "d -> last", "e -> last", "last -> END"),
    }


def test_the_default_stage_is_test():
    assert links("a: {script: x}\nb: {stage: build, script: x}") == ["START -> b", "b -> a", "a -> END"]


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ("{when: on_failure}", ["a -> j on failure"]),
        ("{when: always}", ["a -> j on always"]),
        ("{when: manual}", ["a -> j if «a person starts the job»"]),
        ("{when: manual, allow_failure: false}", ["a -> j"]),
        ("{when: delayed, start_in: 1 day}", ["a -> j"]),
        ("{when: never}", ["a -> j if false"]),
        ("{rules: []}", ["a -> j if false"]),
        ("{rules: [{if: $X}]}", ["a -> j if $X"]),
        ("{rules: [{if: $X, when: never}, {when: on_success}]}", ["a -> j if not ($X)"]),
        ("{rules: [{if: $X, when: always}, {if: $Y}]}", ["a -> j if not ($X) and $Y", "a -> j on always if $X"]),
        ("{rules: [{if: $X || $Y, when: on_failure}]}", ["a -> j on failure if $X || $Y"]),
        ("{rules: [{if: $X || $Y, changes: [a.c]}]}", ['a -> j if ($X || $Y) and «files changed ["a.c"]»']),
        ("{rules: [{when: manual}]}", ["a -> j"]),
        ("{rules: [{when: manual, allow_failure: true}]}", ["a -> j if «a person starts the job»"]),
        ("{only: [main]}", ['a -> j if «ref is one of ["main"]»']),
        ("{only: main}", ['a -> j if «ref is one of ["main"]»']),
        ("{except: {variables: [$A, $B]}}", ["a -> j if not ($A or $B)"]),
    ],
)
def test_conditions(job, expected):
    found = links(f"a: {{stage: build, script: x}}\nj: {{script: x, {job[1:]}")
    assert [link for link in found if link.split(" ")[2] == "j"] == expected


@pytest.mark.parametrize(
    ("job", "outcomes"),
    [
        ("rules: [{if: $X}]", {"success", "skipped"}),
        ("when: manual", {"success", "skipped"}),
        ("when: on_failure", {"success", "skipped"}),
        ("allow_failure: true", {"success"}),
    ],
)
def test_a_job_that_may_be_skipped_does_not_stop_the_later_stages(job, outcomes):
    text = f"a: {{stage: build, script: x}}\nb: {{stage: test, script: x, {job}}}\nc: {{stage: deploy, script: x}}"
    workflow = read(text).workflow
    assert {link.outcome for link in workflow.links if (link.source, link.target) == ("b", "c")} == outcomes
    behaviour = Behaviour.of(workflow)
    assert behaviour.must_run(2).value is True


def test_many_jobs_are_linked_through_a_gateway():
    stage = "".join(f"{name}{n}: {{stage: {name}, script: x}}\n" for name in ("build", "test") for n in range(30))
    workflow = read(stage).workflow
    assert [gateway.op for gateway in workflow.gateways] == ["AND"]
    assert len(workflow.links) == 4 * 30
    assert len(TaskGraph.of(workflow).edges) == 900


def test_optional_and_outside_needs():
    text = """
a: {stage: build, script: x, rules: [{if: $A}]}
b: {script: x, needs: [{job: a, optional: true}, {project: p, job: q, ref: main, artifacts: true}]}
c: {script: x, needs: [{job: gone, optional: true}]}
"""
    assert {link for link in links(text) if "-> b" in link or "-> c" in link} == {
        *("START -> b", "a -> b", "a -> b on skipped", "START -> c"),
    }


def test_artifacts_become_data_links():
    text = """
a: {stage: build, script: x, artifacts: {paths: [dist/], reports: {dotenv: v.env}}}
b: {script: x, needs: [a]}
c: {script: x, dependencies: [a]}
d: {script: x, needs: [{job: a, artifacts: false}]}
e: {script: x, dependencies: []}
f: {script: x}
"""
    workflow = read(text).workflow
    assert [(link.source, link.target, link.data) for link in workflow.data_links] == [
        ("a", "b", "dist/, v.env"),
        ("a", "c", "dist/, v.env"),
    ]


def test_templates_are_merged_as_gitlab_documents_it():
    text = """
default: {image: d, retry: 1, tags: [t]}
.a: {script: [one], variables: {X: "1", Y: {value: "2"}}, tags: [a], rules: [{if: $A}]}
.b: {extends: .a, script: [two, [three]], variables: {X: "9"}}
.c: {image: c, variables: {Z: "3"}}
j: {extends: [.b, .c], tags: null, variables: {W: "4"}}
k: {script: x, inherit: {default: [retry], variables: false}}
"""
    assert raw(text) == {
        "j": {
            "script": ["two", "three"],
            "variables": {"X": "9", "Y": {"value": "2"}, "Z": "3", "W": "4"},
            "rules": [{"if": "$A"}],
            "image": "c",
            "retry": 1,
        },
        "k": {"script": ["x"], "inherit": {"variables": False}, "retry": 1},
    }
    assert read(text).workflow.raw == {}


def test_merge_keys_are_the_entries_that_they_merge():
    merged = """
.a: &a {image: one, script: [make]}
j:
  <<: *a
  image: two
k: {<<: *a, script: [!reference [.a, script], test]}
"""
    plain = "j: {image: two, script: [make]}\nk: {image: one, script: [[make], test]}\n"
    assert raw(merged) == raw(plain)
    assert links(merged) == links(plain)
    with pytest.raises(FormatError, match="parsers disagree"):
        read(".a: &a {image: one}\nj: {script: x, image: two, <<: *a}\n")


def test_references_are_resolved():
    text = """
.a: {script: [one, two], variables: {X: "1"}}
.b: {script: [!reference [.a, script], three]}
j: {script: [!reference [.b, script], four], variables: !reference [.a, variables]}
"""
    assert raw(text) == {"j": {"script": ["one", "two", "three", "four"], "variables": {"X": "1"}}}
    with pytest.raises(FormatError, match="the YAML tag !reference is not supported"):
        read_text("on: push\njobs: {a: {steps: [{run: !reference [x]}]}}", "x.yml", "github-actions")
    with pytest.raises(FormatError, match="the YAML tag !other is not supported"):
        read("j: {script: !other [x]}\nk: {script: !reference [j, script]}")


def test_only_this_format_reads_the_tag():
    text = "j: {script: [!reference [.a, script]]}\n.a: {script: [x]}\n"
    document = document_of(text, "x.yml")
    assert [form.id for form in FORMATS.values() if form.recognises(document)] == ["gitlab-ci"]
    fenced = read_text(f"Here:\n\n```yaml\n{text}```\n", "x.md")
    assert (fenced.format, fenced.workflow.tasks[0].span.line) == ("gitlab-ci", 4)


def test_parallel_trigger_and_timeout():
    text = """
m: {script: x, parallel: {matrix: [{A: [1, 2], B: [x, y, z]}, {A: 3}]}, timeout: 1h 30m}
n: {script: x, parallel: 5}
t: {trigger: {project: g/p, branch: main}}
u: {trigger: {include: [{artifact: gen.yml, job: m}]}}
"""
    tasks = {task.name: task for task in read(text).workflow.tasks}
    assert (tasks["m"].loop.over, tasks["m"].loop.max, tasks["m"].timeout) == ("A, B", 7, "1h 30m")
    assert tasks["n"].loop.max == 5
    assert [(tasks[key].kind, tasks[key].workflow, tasks[key].external) for key in "tu"] == [
        ("composite", "g/p", True),
        ("composite", "gen.yml", True),
    ]


def test_a_header_is_read_with_its_configuration():
    header = "spec: {inputs: {where: {default: deploy}}}\n---\n"
    text = f"{header}j: {{stage: '$[[ inputs.where ]]', script: x}}\nk: {{script: x}}\n"
    reading = read(text)
    assert links(text) == ["START -> k", "k -> j", "j -> END"]
    assert reading.workflow.raw == {"spec": {"inputs": {"where": {"default": "deploy"}}}}
    assert reading.workflow.tasks[0].span.line == 3


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("stages: [a]\n", 1, 1, "the file has no jobs"),
        ("j: {script: x}\nk: word\n", 2, 1, "the job 'k' must be a mapping, not a text"),
        ("j:\n  script: x\n  when: sometimes\n", 3, 3, "`when` of the job 'j' must be 'on_success', 'on_failure'"),
        ("j:\n  script: x\n  needs:\n    - a\n    - [b]\n", 5, 7, "`needs.1` of the job 'j' "),
        ("j:\n  script: x\n  rules:\n    - if: {a: 1}\n", 4, 7, "`rules.0.if` of the job 'j' must be a text"),
        ("stages: {a: 1}\nj: {script: x}\n", 1, 1, "`stages` of the configuration"),
        (".a: {extends: .b}\n.b: {extends: .a}\nj: {extends: .a}\n", 3, 1, "'.a' extends itself"),
        ("j: {script: !reference [j, script]}\n", 1, 1, "!reference [j, script] contains itself"),
        ("j: {script: [!reference [.a, script]]}\n", 1, 14, "!reference [.a, script] refers to nothing"),
    ],
)
def test_what_is_refused(text, line, column, message):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.fix


@pytest.mark.parametrize(("levels", "fits"), [(11, True), (12, False)])
def test_levels_of_extends(levels, fits):
    chain = "".join(f".t{n}: {{extends: .t{n + 1}}}\n" for n in range(levels - 1))
    text = f"{chain}.t{levels - 1}: {{script: x}}\nj: {{extends: .t0}}\n"
    if fits:
        assert raw(text) == {"j": {"script": ["x"]}}
    else:
        with pytest.raises(FormatError, match="more than 11 levels of `extends`"):
            read(text)


def test_copies_are_limited():
    rows = "".join(f".t{n}: {{script: [{', '.join([f'!reference [.t{n - 1}, script]'] * 9)}]}}\n" for n in range(1, 8))
    with pytest.raises(FormatError, match="copy more than 500,000 values"):
        read(f".t0: {{script: [x]}}\n{rows}j: {{script: !reference [.t7, script]}}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("include: a.yml\nj: {script: x}", "included files are not fetched"),
        ("include: a.yml\nj: {script: x, extends: .there}", "the template '.there' is in an included file"),
        ("j: {script: x, extends: .gone}", "the template '.gone' is not there"),
        ("j: {script: x, stage: gone}", "the stage 'gone' is not in `stages`"),
        ("j: {script: x, scripts: y}", "a job has no key 'scripts'"),
        ("j: {script: x}\nk: {image: y}", "the job 'k' has no script in this file"),
        ("j: {script: x, stage: .pre, when: on_failure}", "this job never runs"),
        ("j: {script: x, rules: [{if: $A, needs: [k]}]}\nk: {script: x}", "`needs` of single rules"),
    ],
)
def test_diagnostics(text, message):
    (note,) = [note for note in read(text).diagnostics if "included files" not in note.message or "fetched" in message]
    assert note.message.startswith(message)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plan: {script: [x]}", True),
        ("wfgate: {script: [x]}", True),
        ("jobs: {script: {steps: []}}", False),
        ("on: push\nj: {script: [x]}", False),
        ("services: {web: {image: x}}\nversion: 3", False),
        ("j: {image: x}", False),
        (".j: {script: [x]}", False),
        ("script: [x]", False),
    ],
)
def test_recognition(text, expected):
    found = {form.id for form in FORMATS.values() if form.recognises(document_of(text, "x.yml"))}
    assert found == ({"gitlab-ci"} if expected else set())
