"""Plans in Markdown: what counts as a step, in which order, and what is only said.

There is no corpus of real plans: the texts are written for these tests, the way spec-kit's template for `tasks.md`
lays its lists out and the way chat models answer.
"""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import TaskGraph, expand
from wfgate.read import FORMATS, Document, read_text, write
from wfgate.read.formats.markdown import MarkdownFormat
from wfgate.read.formats.markdown.refs import dependencies_in
from wfgate.read.formats.markdown.words import words_of

from ...hypothesis_examples import examples

SPEC_KIT = """\
---
description: "Task list"
---

# Tasks: User accounts

**Input**: Design documents from `/specs/001-accounts/`

## Format: `[ID] [P?] [Story] Description`

- **[P]**: Can run in parallel (different files, no dependencies)
- **[Story]**: Which user story this task belongs to

<!--
- [ ] T099 This is a comment
-->

## Phase 1: Setup (Shared Infrastructure)

**Purpose**: Project initialization and basic structure

- [x] T001 Create project structure per implementation plan
- [ ] T002 Initialize Python project with FastAPI dependencies
- [ ] T003 [P] Configure linting and formatting tools

---

## Phase 2: Foundational (Blocking Prerequisites)

- [ ] T004 Setup database schema and migrations framework
- [ ] T005 [P] Implement authentication/authorization framework
- [ ] T006 [P] Setup API routing and middleware structure
- [ ] T007 Create base models that all stories depend on

**Checkpoint**: Foundation ready - user story implementation can now begin in parallel

## Phase 3: User Story 1 - Sign up (Priority: P1)

### Tests for User Story 1

> **NOTE: Write these tests FIRST**

- [ ] T010 [P] [US1] Contract test for sign-up in tests/contract/test_signup.py
- [ ] T011 [P] [US1] Integration test in tests/integration/test_signup.py

### Implementation for User Story 1

- [ ] T012 [P] [US1] Create User model in src/models/user.py
- [ ] T013 [P] [US1] Create Session model in src/models/session.py
- [ ] T014 [US1] Implement UserService in src/services/user.py (depends on T012, T013)
- [ ] T015 [US1] Add validation

## Dependencies & Execution Order

### Phase Dependencies

- **Setup (Phase 1)**: No dependencies - can start immediately
- T004 gates T010
- Models before services

## Parallel Example: User Story 1

```bash
Task: "Create User model in src/models/user.py"
```

## Implementation Strategy

1. Complete Phase 1: Setup
2. Complete Phase 2: Foundational
3. **STOP and VALIDATE**: Test User Story 1 independently

## Notes

- [P] tasks = different files, no dependencies
"""

ANSWER = """\
Sure! Here's a plan for deploying the service:

1. **Build the image**: use the multi-stage Dockerfile.
   ```bash
   docker build -t app .
   ```
2. **Run checks in parallel**:
   - Unit tests
   - Lint
3. If the checks fail, notify the team.
4. **Deploy to staging**
   1. Apply migrations
   2. Roll out
5. Run smoke tests (only if staging is up)
6. If anything looks off, go back to step 2.
7. Deploy to production

Let me know if you'd like more details!
"""


def plan(text):
    return read_text(text, "plan.md", "markdown")


def links(workflow):
    return [(link.source, link.target) for link in workflow.links]


def names(workflow):
    return [task.name for task in workflow.tasks]


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


def test_spec_kit():
    reading = read_text(SPEC_KIT, "tasks.md")
    workflow = reading.workflow
    assert (reading.format, workflow.name, workflow.semantics) == ("markdown", "Tasks: User accounts", "dag")
    assert workflow.description == "Input: Design documents from /specs/001-accounts/"
    assert [(task.id, task.name, task.kind) for task in workflow.tasks] == [
        ("phase-1", "Setup (Shared Infrastructure)", "composite"),
        ("phase-2", "Foundational (Blocking Prerequisites)", "composite"),
        ("phase-3", "User Story 1 - Sign up (Priority: P1)", "composite"),
    ]
    assert links(workflow) == [
        ("START", "phase-1"),
        ("phase-1", "phase-2"),
        ("phase-2", "phase-3"),
        ("phase-3", "END"),
    ]
    assert workflow.tasks[0].description == "Purpose: Project initialization and basic structure"
    assert links(sub(workflow, "Foundational (Blocking Prerequisites)")) == [
        ("START", "T004"),
        ("T004", "T005"),
        ("T004", "T006"),
        ("T005", "T007"),
        ("T006", "T007"),
        ("T007", "END"),
    ]
    story = sub(workflow, "User Story 1 - Sign up (Priority: P1)")
    assert names(story) == ["Tests for User Story 1", "Implementation for User Story 1"]
    code = sub(workflow, "Implementation for User Story 1")
    assert links(code) == [
        ("START", "T012"),
        ("START", "T013"),
        ("T012", "T014"),
        ("T013", "T014"),
        ("T014", "T015"),
        ("T015", "END"),
    ]
    service = code.tasks[2]
    assert (service.name, service.params) == (
        "Implement UserService in src/services/user.py",
        {"files": ["src/services/user.py"]},
    )
    assert (service.tags, service.span.line, service.span.column) == (("US1",), 50, 1)
    assert said(reading) == [
        ("info", 1, "1 step ticked off; the ticks are not read"),
        (
            "info",
            9,
            (
                "sections are read as remarks, not as steps: "
                "Format: [ID] [P?] [Story] Description (a list of 2 items), "
                "Parallel Example: User Story 1, Implementation Strategy (a list of 3 items), Notes (a list of 1 item)"
            ),
        ),
        (
            "info",
            35,
            (
                "the text between or below the items of the list is read as a remark, not as a step: "
                "it says that steps run in parallel"
            ),
        ),
        ("info", 53, "2 sentences under 'Dependencies & Execution Order' about the order could not be understood"),
    ]
    assert not TaskGraph.of(expand(workflow)).cycles


def test_an_answer_of_a_model():
    reading = read_text(ANSWER, "answer")
    workflow = reading.workflow
    assert names(workflow) == [
        "Build the image",
        "Run checks in parallel",
        "If the checks fail, notify the team.",
        "Deploy to staging",
        "Run smoke tests (only if staging is up)",
        "If anything looks off, go back to step 2.",
        "Deploy to production",
    ]
    assert workflow.description == "Sure! Here's a plan for deploying the service:"
    assert workflow.tasks[0].description == "use the multi-stage Dockerfile.\ndocker build -t app ."
    assert links(sub(workflow, "Run checks in parallel")) == [
        ("START", "1"),
        ("START", "2"),
        ("1", "END"),
        ("2", "END"),
    ]
    assert links(sub(workflow, "Deploy to staging")) == [("START", "1"), ("1", "2"), ("2", "END")]
    guarded = {(link.source, link.target): link.guard for link in workflow.links if link.guard}
    assert {ends: guard.expr or guard.default for ends, guard in guarded.items()} == {
        ("2", "3"): "the checks fail",
        ("2", "4"): True,
        ("4", "5"): "staging is up",
        ("4", "6"): True,
    }
    behaviour = Behaviour.of(workflow)
    assert [behaviour.must_run(task).value for task in range(7)] == [True, True, None, True, None, True, True]
    assert said(reading) == [
        ("info", 8, "2 steps are read as parallel, because the text says so"),
        ("info", 10, "this text is read as a condition: the checks fail"),
        ("info", 14, "this text is read as a condition: staging is up"),
        ("info", 15, "the condition is kept as text only and does not become a guard"),
        ("info", 18, "the text between or below the items of the list is read as a remark, not as a step"),
    ]


@pytest.mark.parametrize("text", [SPEC_KIT, ANSWER])
def test_there_and_back_by_the_native_format(text):
    workflow = read_text(text, "x").workflow
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)
    assert read_text(text, "x", "markdown") == read_text(text, "x")
    assert bare(read_text(text.replace("\n", "\r\n"), "x").workflow) == bare(workflow)


@pytest.mark.parametrize(
    "text",
    [
        "1. Build\n2. Test\n3. Ship\n",
        "1) Build\n2) Test\n3) Ship\n",
        "1: Build\n2: Test\n3: Ship\n",
        "(1) Build\n(2) Test\n(3) Ship\n",
        "1. Build\n1. Test\n1. Ship\n",
        "- [ ] Build\n- [x] Test\n* [X] Ship\n",
        "1. [ ] Build\n2. [ ] Test\n3. [ ] Ship\n",
        "Step 1: Build\nStep 2: Test\nStep 3: Ship\n",
        "**Step 1:** Build\n\n**Step 2:** Test\n\n**Step 3:** Ship\n",
        "## Step 1: Build\n\n## Step 2: Test\n\n## Step 3: Ship\n",
        "**Step 1: Build**\n\n**Step 2: Test**\n\n**Step 3: Ship**\n",
        "### 1. Build\n### 2. Test\n### 3. Ship\n",
        "# Plan\n\n## Phase 1 - Build\n## Phase 2 - Test\n## Phase 3 - Ship\n",
        "The plan:\n\n1. Build\n\n2. Test\n\n3. Ship\n\nDone.\n",
        "1. **Build**\n2. **Test**\n3. **Ship**\n",
        "   1. Build\n   2. Test\n   3. Ship",
    ],
)
def test_ways_to_write_a_list(text):
    reading = read_text(text, "x")
    assert reading.format == "markdown"
    assert names(reading.workflow) == ["Build", "Test", "Ship"]
    first, second, third = (task.id for task in reading.workflow.tasks)
    assert links(reading.workflow) == [("START", first), (first, second), (second, third), (third, "END")]


@pytest.mark.parametrize(
    "text",
    [
        "1. Set up\n   1.1 Install\n   1.2 Configure\n2. Run\n",
        "1. Set up\n1.1. Install\n1.2. Configure\n2. Run\n",
        "1. Set up\n  - Install\n  - Configure\n2. Run\n",
        "1. Set up\n- Install\n- Configure\n2. Run\n",
        "1. Set up\n   a few things first:\n   - [ ] Install\n   - [x] Configure\n2. Run\n",
        "1. Set up\n\n   - Install\n\n   - Configure\n\n2. Run\n",
        "## Step 1: Set up\n- Install\n- Configure\n## Step 2: Run\n",
        "## Set up\n1. Install\n2. Configure\n## Run\n1. Run\n",
    ],
)
def test_lists_inside_lists_are_sub_workflows(text):
    workflow = read_text(text, "x").workflow
    assert workflow.tasks[0].kind == "composite"
    assert names(workflow) == ["Set up", "Run"] or names(workflow)[0].startswith("Set up a few")
    part = sub(workflow, workflow.tasks[0].workflow)
    assert names(part) == ["Install", "Configure"]
    first, second = (task.id for task in part.tasks)
    assert links(part) == [("START", first), (first, second), (second, "END")]


def test_names_of_sub_workflows_are_unique():
    text = "# Test\n1. Test\n   - a\n   - b\n2. Test\n   - c\n   - d\n"
    workflow = read_text(text, "x").workflow
    assert workflow.name == "Test"
    assert [task.workflow for task in workflow.tasks] == ["Test (2)", "Test (3)"]


def test_what_describes_a_step_is_no_step():
    text = """\
1. **Build the image** - with the Dockerfile
   that is in the repository
   - Files: `Dockerfile`, docker/base.yml
   - **Expected output**: an image
2. Push it
   - to the registry

   ```sh
   1. not a step
   ```

   See [the guide](docs/push.md).
"""
    reading = read_text(text, "x")
    build, push = reading.workflow.tasks
    assert (build.name, build.kind) == ("Build the image", "task")
    assert build.description == (
        "with the Dockerfile that is in the repository\nFiles: Dockerfile, docker/base.yml\nExpected output: an image"
    )
    assert build.params == {"files": ["docker/base.yml"]}
    assert push.description == "1. not a step\nSee the guide.\nto the registry"
    assert reading.diagnostics == ()


@pytest.mark.parametrize(
    ("third", "expected"),
    [
        ("Ship (depends on 1)", {"1"}),
        ("Ship [depends on: 1, 2]", {"1", "2"}),
        ("After step 1, ship", {"1"}),
        ("Ship once steps 1 and 2 are done", {"1", "2"}),
        ("Ship (needs: 1)", {"1"}),
        ("Ship. Requires 2 GB of memory", {"2"}),
        ("Ship after 5 minutes", {"2"}),
        ("Ship\n   - Dependencies: 1", {"1"}),
        ("Ship\n   - Depends on: Steps 1-2", {"1", "2"}),
        ("Ship (depends on 9)", {"9"}),
        ("Ship (no dependencies)", {"START"}),
        ("Ship to 3 regions, which needs 2 approvals", {"2"}),
    ],
)
def test_dependencies_in_words(third, expected):
    workflow = plan(f"1. Build\n2. Test\n3. {third}\n").workflow
    assert {link.source for link in workflow.links if link.target == "3"} == expected


def test_dependencies_stand_in_for_the_order_of_the_list():
    workflow = plan("1. A\n2. B\n3. C (depends on 1)\n4. D (depends on 2, 3)\n").workflow
    assert set(links(workflow)) == {("START", "1"), ("1", "2"), ("1", "3"), ("2", "4"), ("3", "4"), ("4", "END")}
    assert names(workflow) == ["A", "B", "C", "D"]


def test_a_dependency_between_lists_links_what_they_stand_in():
    text = "## Phase 1: A\n- [ ] T1 a\n- [ ] T2 b (needs T4)\n## Phase 2: B\n- [ ] T3 c (after T1)\n- [ ] T4 d\n"
    workflow = plan(text).workflow
    assert links(workflow) == [("phase-2", "phase-1"), ("phase-1", "phase-2")]
    assert TaskGraph.of(workflow).cycles


def test_a_reference_to_no_step_and_an_id_given_twice_are_left_to_the_checks():
    workflow = plan("- [ ] T001 A\n- [ ] T002 B (needs: T009, S3)\n- [ ] T002 C\n").workflow
    assert ("T009", "T002") in links(workflow)
    assert [task.id for task in workflow.tasks] == ["T001", "T002", "T002"]
    assert all("S3" not in ends for ends in links(workflow))


def test_inline_code_goes_on_in_the_next_line():
    one = '1. Renew the token at `err="... 403 Forbidden"` in the log\n2. Restart the pod\n'
    two = one.replace("... 403", "...\n   403")
    assert names(plan(one).workflow) == names(plan(two).workflow)
    assert names(plan(two).workflow)[0] == 'Renew the token at err="... 403 Forbidden" in the log'
    ends = "1. Read the log of the `pod`.\n   It names the token.\n2. Restart the pod\n"
    assert names(plan(ends).workflow)[0] == "Read the log of the pod."


def test_a_condition_with_numbers_ends_at_its_comma():
    for text, guard in (
        ("If the 07:00 look is empty too, put the job on hold", "the 07:00 look is empty too"),
        ("If potassium is below 2.8 mmol/l, call the ward", "potassium is below 2.8 mmol/l"),
    ):
        read = plan(f"1. Look\n2. {text}\n3. End\n").workflow
        assert [link.guard.expr for link in read.links if link.guard and not link.guard.default] == [guard]
    half = plan("1. Look\n2. If it is late, or the lead says so, promote it\n3. End\n").workflow
    assert not any(link.guard for link in half.links)


def test_a_run_in_parallel():
    text = "- [ ] T1 A\n- [ ] T2 [P] B\n- [ ] T3 [P] C (after T2)\n- [ ] T4 [P] D\n- [ ] T5 E\n"
    assert set(links(plan(text).workflow)) == {
        ("START", "T1"),
        ("T1", "T2"),
        ("T2", "T3"),
        ("T1", "T4"),
        ("T3", "T5"),
        ("T4", "T5"),
        ("T5", "END"),
    }
    text = "1. A\n2. B (can run in parallel)\n3. C (in parallel)\n4. D\n"
    assert set(links(plan(text).workflow)) == {
        ("START", "1"),
        ("1", "2"),
        ("1", "3"),
        ("2", "4"),
        ("3", "4"),
        ("4", "END"),
    }
    text = "1. A\n2. B\n3. In parallel with step 2, do C\n4. D\n"
    reading = plan(text)
    assert ("1", "3") in links(reading.workflow)
    assert ("2", "3") not in links(reading.workflow)
    assert reading.diagnostics == ()


@pytest.mark.parametrize(
    ("text", "parallel"),
    [
        ("Do these in parallel:\n1. A\n2. B\n", True),
        ("Do not do these in parallel:\n1. A\n2. B\n", False),
        ("# Plan\n\nRun the following simultaneously:\n\n- [ ] A\n- [ ] B\n", True),
        ("You can do some of it in parallel.\n1. A\n2. B\n", False),
    ],
)
def test_an_announced_list(text, parallel):
    assert (("START", "2") in links(plan(text).workflow)) is parallel


def test_in_parallel_in_words_only():
    reading = plan("1. A\n2. B and C in parallel\n3. D\n")
    assert said(reading) == [("info", 2, "the words that this step runs in parallel are kept as text only")]


@pytest.mark.parametrize(
    ("item", "condition"),
    [
        ("If the tests fail, roll back", "the tests fail"),
        ("Unless it is a hotfix, ask for approval", "unless it is a hotfix"),
        ("Roll back (only if the tests fail)", "the tests fail"),
        ("Only if the tests fail, roll back", "the tests fail"),
        ("Only when the tests fail: roll back", "the tests fail"),
        ("Roll back only when the tests fail", "the tests fail"),
        ("If the tests fail then roll back", "the tests fail"),
        ("If the tests fail: roll back", "the tests fail"),
        ("If the tests fail -> roll back", "the tests fail"),
        ("Should the tests fail, roll back", "the tests fail"),
        ("In case the tests fail, roll back", "the tests fail"),
        ("Roll back if the tests fail.", "the tests fail"),
        ("Request approval unless it is a hotfix", "unless it is a hotfix"),
        ("If the tests fail, go on with step 3", None),
        ("If needed, roll back", None),
        ("If it is not needed, roll back", None),
        ("Only if needed, roll back", None),
        ("If the tests fail, go back to step 1", None),
        ("If the tests fail, stop", None),
        ("If the tests fail roll back", None),
        ("Roll back (optional)", None),
        ("When it is built, roll out", None),
    ],
)
def test_conditions(item, condition):
    reading = plan(f"1. Test\n2. {item}\n3. Report\n")
    assert reading.workflow.tasks[1].name == item  # another wording may have the condition elsewhere in the sentence
    guards = [link.guard.expr for link in reading.workflow.links if link.guard and link.guard.expr]
    assert guards == ([condition] if condition else [])
    expected = [("info", 2, "the condition is kept as text only and does not become a guard")]
    if condition is not None:
        expected = [("info", 2, f"this text is read as a condition: {condition}")]
    assert said(reading) == ([] if item.startswith("When") else expected)


@pytest.mark.parametrize(
    "item",
    [
        "Roll back even if the tests fail",
        "Stop and page the owner if the tests fail",
        "Go back to step 1 if the tests fail",
        "Roll back if needed",
        "Check if the tests fail",
        "Ask the owner if the tests fail",
        "Stop the writers. Page the owner if the tests fail",
        "Stop the writers, which fails if the tests fail",
    ],
)
def test_an_if_at_the_end_may_mean_something_else(item):
    reading = plan(f"1. Test\n2. {item}\n3. Report\n")
    assert reading.workflow.tasks[1].name == item
    assert not any(link.guard for link in reading.workflow.links)


def test_otherwise_and_conditions_in_a_row():
    text = "1. Test\n2. If the tests pass, deploy\n3. Otherwise, notify the team\n4. Report\n"
    workflow = plan(text).workflow
    assert [(link.source, link.target, link.guard and (link.guard.expr or True)) for link in workflow.links] == [
        ("START", "1", None),
        ("1", "2", "the tests pass"),
        ("1", "3", True),
        ("2", "4", None),
        ("3", "4", None),
        ("4", "END", None),
    ]
    behaviour = Behaviour.of(workflow)
    assert behaviour.exclusive(1, 2).value
    assert behaviour.must_run(3).value
    text = "1. Test\n2. If it is slow, profile it\n3. If it is large, shrink it\n4. Report\n5. If it is late, say so\n"
    workflow = plan(text).workflow
    assert [(gate.op, gate.role) for gate in workflow.gateways] == [("XOR", "join")]
    behaviour = Behaviour.of(workflow)
    assert [behaviour.must_run(task).value for task in range(5)] == [True, None, None, True, None]
    assert not behaviour.exclusive(1, 2).value
    both = "- [ ] [P] A\n- [ ] [P] B\n- [ ] If it is red, mend it\n- [ ] C\n"
    workflow = plan(both).workflow
    assert [(gate.op, gate.role) for gate in workflow.gateways] == [("AND", "join")]
    assert [Behaviour.of(workflow).must_run(task).value for task in range(4)] == [True, True, None, True]


def test_conditions_that_stand_alone():
    text = "1. Test\n2. If it is green:\n   - Tag\n   - Deploy\n3. Else:\n   - Mend it\n4. Report\n"
    workflow = plan(text).workflow
    assert [(task.id, task.name, task.kind) for task in workflow.tasks] == [
        ("1", "Test", "task"),
        ("2", "If it is green", "composite"),
        ("3", "Else: Mend it", "task"),
        ("4", "Report", "task"),
    ]
    behaviour = Behaviour.of(workflow)
    assert behaviour.exclusive(1, 2).value
    assert behaviour.must_run(3).value
    assert plan("1. Test\n2. If no:\n   - Mend it\n3. Report\n").diagnostics != ()


def test_dependencies_that_say_the_order_of_the_list():
    workflow = plan("1. A\n2. After step 1, do B\n3. C (only if it is red)\n4. D\n").workflow
    assert [link.guard.expr for link in workflow.links if link.guard and link.guard.expr] == ["it is red"]


def test_letters():
    text = "1. Check\n   a. Check the stock\n   b) Check the payment\n2. Ship to\n   J. Miller\n3. a) b\n"
    workflow = plan(text).workflow
    assert names(workflow) == ["Check", "Ship to J. Miller", "a) b"]
    assert [(task.id, task.name) for task in sub(workflow, "Check").tasks] == [
        ("a", "Check the stock"),
        ("b", "Check the payment"),
    ]
    assert names(read_text("(i) Build\n(ii) Test\n(iii) Ship\n", "x", "markdown").workflow) == [
        "Build",
        "Test",
        "Ship",
    ]


README = """\
# Frobnicator

Frobnicator turns frobs into knobs. It was written because none of the existing tools handled nested frobs well, and
because we needed something that runs offline.

## Installation

1. Download the archive
2. Run the installer

## Usage

Run `frob --help` to see what it can do. The configuration is read from `frob.toml` in the current folder; all options
can be given on the command line as well. A frob without a knob is an error unless `--lenient` is given, in which case
a warning is printed instead.

## License

MIT. See the file LICENSE for the full text; contributions are accepted under the same terms, and nothing else is
asked of those who contribute.
"""


def test_a_text_with_a_list_in_it_is_no_plan_unless_asked_for():
    with pytest.raises(FormatError, match="no format recognises the content"):
        read_text(README, "README.md")
    assert names(plan(README).workflow) == ["Download the archive", "Run the installer"]
    clause = "Redistributions of source code must retain the above notice, " + "and so on, " * 100
    document = Document("x", "".join(f"{number}. {clause}\n" for number in range(1, 6)))
    assert not MarkdownFormat().recognises(document)
    assert not MarkdownFormat().recognises(Document("x", "0.2.0 / 2020-01-01\n0.1.0 / 2019-01-01\n0.0.1. x\n"))
    long = "## Step 1: Build\n" + "This takes a while. " * 80 + "\n## Step 2: Ship\n" + "Carefully. " * 80
    assert read_text(long, "x").format == "markdown"


NATIVE = 'wfgate: "1"\nsteps: [Build, Test]\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sure:\n\n1. It builds\n2. It tests\n\n```yaml\n" + NATIVE + "```\n", ("native", 8)),
        ("Sure:\n\n```markdown\n1. Build\n2. Test\n```\n", ("markdown", 4)),
        ("Sure:\n\n```\n1. Build\n2. Test\n```\nAgain:\n```\n1. Build\n2. Test\n```\n", ("markdown", 4)),
        ("1. Build\n2. Test\n\n```\n1. x\n2. y\n```\n", ("markdown", 1)),
        ("Sure:\n```markdown\n1. A\n2. B\n```\n```text\n1. C\n2. D\n```\n", "line 2 (markdown), line 6 (markdown)"),
        (
            "- [ ] Build\n- [ ] Test\n\n```yaml\n" + NATIVE + "```\n",
            "this block in it is another workflow (native)",
        ),
        (
            "1. Write it:\n   ```yaml\n   " + NATIVE.replace("\n", "\n   ") + "\n   ```\n2. Run it\n",
            "this block in it is another",
        ),
    ],
)
def test_a_plan_and_blocks(text, expected):
    if isinstance(expected, str):
        with pytest.raises(FormatError) as caught:
            read_text(text, "x")
        assert expected in caught.value.message
        return
    reading = read_text(text, "x")
    assert (reading.format, reading.workflow.tasks[0].span.line) == expected
    assert names(reading.workflow) == ["Build", "Test"]


def test_a_condition_beside_dependencies_stays_text():
    reading = plan("1. Test\n2. If it is red, mend it\n3. Ship (depends on 1)\n")
    assert reading.workflow.tasks[1].name == "If it is red, mend it"
    assert not any(link.guard for link in reading.workflow.links)
    assert said(reading) == [
        ("info", 1, "a step with dependencies runs after them; any other step runs after the step above it"),
        ("info", 2, "the condition is kept as text only and does not become a guard"),
    ]


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- {} -->",
        "<!-- {}\n   -->",
        "<? {} ?>",
        "<![CDATA[ {} ]]>",
        "<!X {}>",
        "<!X {}\n   >",
        "[{}]: http://x",
        "[{}]: <x> 'y'",
        "~{}~",
        "~~{}~~",
        "~~{}\n   and more~~",
        "<s>{}</s>",
        "<span hidden><span></span>{}</span>",
        "<b style='color: red; display : none'>{}</b>",
        "<template>{}</template>",
    ],
)
def test_what_a_renderer_does_not_show_or_strikes_out_is_no_step(hidden):
    for mark in ("{}. ", "- [ ] ", "- [ ] T{} ", "## Step {}: "):
        texts = ["Build the image", hidden.format("Scan the image"), "Ship it"]
        if mark[0] == "#" and "\n" in hidden:
            continue
        lines = (mark.format(place) + text for place, text in enumerate(texts, start=1))
        found = plan("\n".join(lines)).workflow
        assert not any("Scan" in task.name + task.description for task in found.tasks), found.tasks
        assert {"Build the image", "Ship it"} <= set(names(found))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Scan it <!-- and fail on any finding -->", "Scan it"),
        ("Scan it ~~and fail on any finding~~", "Scan it"),
        ("Scan it <?and fail?> on <!ANY finding> once", "Scan it on once"),
        ("Scan it if a <b and c> d, or `<?x?>` is there", "Scan it if a <b and c> d, or <?x?> is there"),
        ("Scan it ~and fail~ with <del>some</del> care", "Scan it with care"),
        ("Copy `a <!-- b -->` from ~/x to ~/y, ~5 to ~10 files", "Copy a <!-- b --> from ~/x to ~/y, ~5 to ~10 files"),
        ("Read [^1]: it is long", "Read [^1]: it is long"),
        ("Scan <i>it <b hidden>and <b>fail</b></b>once</i>", "Scan <i>it once</i>"),
        ("Fill in <name> and <b title='the hidden one'>", "Fill in <name> and <b title='the hidden one'>"),
    ],
)
def test_a_part_of_a_step_that_is_not_shown_is_not_said(text, said):
    assert names(plan(f"1. Build\n2. {text}\n").workflow)[1] == said
    assert plan(f"1. Build\n\n   {text}\n\n2. Test\n").workflow.tasks[0].description == said


@pytest.mark.parametrize(
    ("hidden", "read"),
    [
        ("<!-- {} -->", False),
        ("<?{}?>", False),
        ("<![CDATA[{}]]>", False),
        ("<!X {}>", False),
        ("<div class='x' hidden>\n<div></div>\n{}</div>", False),
        ('<SECTION style="visibility: hidden">{}</SECTION >', False),
        ("<script>{}</script>", False),
        ("<p hidden/>{}</p>", False),
        ("\n<div class='a hidden' title=\"display: none\">\n{}\n</div>", True),
        ("\n<img hidden>\n{}\n", True),
    ],
)
def test_lines_that_a_renderer_does_not_show_have_no_steps(hidden, read):
    text = "1. Build the image\n" + hidden.format("\n2. Scan the image\n") + "\n3. Ship it\n"
    said = "\n".join(f"{task.name} {task.description}" for task in plan(text).workflow.tasks)
    assert ("Scan the image" in said) == read
    assert len(said.splitlines()) == 2 + read, said


def test_what_is_not_read_is_said():
    text = "1. A\n2. ~~B~~\n3. C\n\n## Details\n\n- one\n- two\n\n## Risks\n\n1. It may rain\n2. It may not\n"
    reading = plan(text)
    assert names(reading.workflow) == ["A", "C"]
    assert said(reading) == [
        ("info", 2, "a step that is struck out, or that a renderer does not show, is not read"),
        (
            *("info", 5),
            "sections are read as remarks, not as steps: Details (a list of 2 items), Risks (a list of 2 items)",
        ),
    ]


def test_a_checklist_of_what_was_done_is_no_phase():
    text = (
        "# Tasks\n## Setup\n- [ ] T1 A\n- [ ] T2 B\n## Validation Checklist\n- [ ] All is tested\n- [ ] All is told\n"
    )
    assert names(read_text(text, "x").workflow) == ["A", "B"]
    assert names(read_text("# Release checklist\n- [ ] A\n- [ ] B\n", "x").workflow) == ["A", "B"]


def test_a_phase_about_risks_or_requirements_is_a_phase():
    text = "## Requirements gathering\n1. Ask\n2. Write\n## Risk assessment\n1. Think\n2. Tell\n"
    assert names(plan(text).workflow) == ["Requirements gathering", "Risk assessment"]


def test_a_sentence_that_goes_on_in_the_next_line_is_one_line():
    above = "Never use\nthis plan.\nOwner: me\nGoal: you\n\nAlone\n```sh\nmake\n```\nand so\non\n"
    steps = "\n1. A.\n   Never do\n   it.\n2. B\n"
    workflow = plan(f"{above}{steps}\nThe end\nof it.\n| a |\n| b |\n").workflow
    assert workflow.description.split("\n") == [
        *("Never use this plan.", "Owner: me", "Goal: you", "Alone", "make", "and so on"),
    ]
    assert workflow.tasks[0].description == "Never do it."
    assert workflow.marked.split("\n")[-3:] == ["The end of it.", "| a |", "| b |"]


RUNBOOK = """\
# Disk full

## Assess

1. Acknowledge the page
2. Look at the dashboard

## {title}

{first} Ask the owner
{second} Reduce the retention

## Recover

1. Restore the retention
2. Resolve the incident
"""


@pytest.mark.parametrize(
    ("title", "marks", "is_work"),
    [
        ("Mitigation", ("1.", "2."), True),
        ("Mitigations:", ("1.", "2."), True),
        ("Mitigation & Troubleshooting", ("1.", "2."), True),
        ("Troubleshooting", ("1.", "2."), True),
        ("Prerequisites", ("1.", "2."), True),
        ("Mitigate", ("1.", "2."), True),
        ("Mitigation", ("-", "-"), False),
        ("Prerequisites", ("-", "-"), False),
        ("Troubleshooting", ("1.", "-"), False),
        ("Notes", ("1.", "2."), False),
        ("References", ("1.", "2."), False),
        ("Open questions", ("1.", "2."), False),
        ("Risks and mitigations", ("1.", "2."), False),
        ("Success criteria", ("1.", "2."), False),
    ],
)
def test_a_list_of_work_is_read_as_steps_and_a_list_about_the_plan_is_not(title, marks, is_work):
    reading = read_text(RUNBOOK.format(title=title, first=marks[0], second=marks[1]), "x")
    within = {task.name for part in reading.workflow.subworkflows for task in part.tasks}
    assert ({"Ask the owner", "Reduce the retention"} <= within) is is_work
    assert len(within) == (6 if is_work else 4)
    remarks = f"sections are read as remarks, not as steps: {title.rstrip(':')} (a list of 2 items)"
    assert [note[2] for note in said(reading)] == ([] if is_work else [remarks])
    assert ("Ask the owner" in reading.workflow.marked) is not is_work


def test_check_boxes_of_preparation_are_steps_of_a_plan_of_check_boxes_only():
    boxes = RUNBOOK.format(title="Prerequisites", first="- [ ]", second="- [ ]")
    assert len(read_text(boxes, "x").workflow.subworkflows) == 2
    every = boxes.replace("1. ", "- [ ] ").replace("2. ", "- [ ] ")
    assert len(read_text(every, "x").workflow.subworkflows) == 3


@pytest.mark.parametrize("title", ["Mitigation", "Troubleshooting"])
def test_the_only_list_may_be_the_work_on_an_incident(title):
    text = f"# Disk full\n\n## Symptoms\n\n- slow\n- errors\n\n## {title}\n\n1. Ask\n2. Reduce\n"
    assert names(read_text(text, "x").workflow) == ["Ask", "Reduce"]
    with pytest.raises(FormatError, match="no list of steps"):
        plan(f"# Disk full\n\n## {title}\n\nAsk the owner.\n")


def test_a_section_of_work_may_have_the_headings_of_steps():
    text = "## Step 1: Build\n\n## Step 2: Deploy\n\n## Troubleshooting\n\n### Step 3: Look\n\n### Step 4: Repair\n"
    assert len(plan(text).workflow.tasks) == 3
    listed = "## Step 1: Build\n\n## Step 2: Deploy\n\n## Troubleshooting\n\n1. Look\n2. Repair\n"
    reading = plan(listed)
    assert names(reading.workflow) == ["Build", "Deploy"]
    assert "remarks, not as steps: Troubleshooting (a list of 2 items)" in said(reading)[0][2]


def test_sections_beyond_the_tenth_are_counted():
    text = "1. A\n2. B\n" + "".join(f"\n## Notes {number}\n\nThis is fine.\n" for number in range(12))
    assert said(plan(text))[0][2].endswith(", Notes 9 and 2 more")


def test_text_between_numbers_belongs_to_the_step_above():
    workflow = plan("1. **Build**\n\nRun make.\n\n```sh\nmake\n```\n\n2. **Test**\n").workflow
    assert [(task.id, task.name, task.description) for task in workflow.tasks] == [
        ("1", "Build", "Run make.\nmake"),
        ("2", "Test", ""),
    ]


@pytest.mark.parametrize(
    ("above", "mark", "name"),
    [
        ("", "-", "x"),
        ("# Release\n\n", "*", "x.md"),
        ("Here is the plan:\n\n", "+", "x.txt"),
        ("# Release\nThe steps are:\n\n", "•", "x"),
    ],
)
def test_only_bullets_are_steps(above, mark, name):
    text = above + "".join(f"{mark} {step}\n" for step in ("Build the image", "Test it: all suites", "Deploy it"))
    reading = read_text(text, name)
    assert (reading.format, len(reading.workflow.tasks)) == ("markdown", 3)
    assert [(link.source, link.target) for link in reading.workflow.links][1:3] == [("1", "2"), ("2", "3")]


@pytest.mark.parametrize(
    "text",
    [
        "Just prose with 1. one number.",
        "1. Only one item\n",
        "- a\n",
        "- a\n- b\n- c\n\nThese are the parts.\n",
        "It has:\n\n- a\n- b\n\n```sh\nmake\n```\n",
        "Two words.\nMore words.\n\n- a\n- b\n",
        "# Notes\n\n- a\n- b\n",
        "# One\n\n- a\n- b\n\n# Two\n\n- c\n- d\n",
        "- name: a\n  run: b\n",
        '{"a": ["1. x", "2. y"]}',
        "jobs:\n  build:\n    run: |\n      1. x\n      2. y\n",
        "Node:\n1: Build\n2: Test\nEdge: (START,1) (1,2) (2,END)\n",
        "Node:\n1: Build\n2: Test\n",
        "```\n1. Build\n2. Test\n",
        "# 1. comment\nkey: [\n# 2. comment\n",
        "1990 was a year.\n2000 was another.\n",
        "10:30 stand-up\n11:30 lunch\n",
        "# Title\n\n## Overview\n\n- a\n- b\n\n## Prerequisites\n\n1. x\n2. y\n",
        "<p>\n1. a\n2. b\n</p>",
    ],
)
def test_no_plan(text):
    document = Document("x", text)
    assert not MarkdownFormat().recognises(document)
    if not text.startswith(("{", "Node", "```")):
        assert all(not form.recognises(document) or form.id != "markdown" for form in FORMATS.values())


def test_asked_for_without_a_list():
    with pytest.raises(FormatError, match="the text has no list of steps") as caught:
        plan("Nothing here.")
    assert (caught.value.line, caught.value.fix) == (
        1,
        "write a numbered list (`1. Build`) or headings (`## Step 1: Build`)",
    )
    assert names(plan("- a\n- b\n").workflow) == ["a", "b"]
    deep = "".join(f"{'  ' * depth}- [ ] x\n" for depth in range(150))
    with pytest.raises(FormatError, match="nested deeper than 100"):
        plan(deep)


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("Fix `src/a.py` and tests/unit/test_a.py.", ["src/a.py", "tests/unit/test_a.py"]),
        ("Use Node.js and/or Vue.js for the CI/CD", []),
        ("See https://example.org/docs/a.html", []),
        ("Add POST /api/albums and DELETE /api/albums/1 in src/api.py", ["src/api.py"]),
        ("Write docs/ and `.env.example`", ["docs/", ".env.example"]),
        ("Edit frontend/src/app/(dashboard)/layout.tsx", ["frontend/src/app/(dashboard)/layout.tsx"]),
        ("Edit `package.json` (version 1.2.3)", ["package.json"]),
    ],
)
def test_files(text, files):
    assert words_of(text).files == files


def test_references():
    assert [ref.label for ref in dependencies_in("depends on T004-T006, T010").after] == [
        "T004",
        "T005",
        "T006",
        "T010",
    ]
    assert [ref.label for ref in dependencies_in("after phase 2").after] == ["2"]
    assert dependencies_in("after phase 2").after[0].phase
    assert dependencies_in("needs 3 replicas, requires 2 approvals").after == ()
    assert dependencies_in("Dependencies: none").none


LINES = st.sampled_from(
    [
        *SPEC_KIT.split("\n"),
        *ANSWER.split("\n"),
        "   - [ ] If x, y (depends on 1-9999)",
        "1.1.1. after step 1.1",
        "**",
        "[[[[",
        "```",
        "~~~",
        "<!--",
        "\t- x",
        "Step 3: (in parallel with step 2)",
    ]
)


@settings(max_examples=examples(150))
@given(st.lists(LINES | st.text(max_size=6), max_size=30))
def test_any_lines_are_a_plan_or_refused(lines):
    text = "\n".join(lines)
    refused = None
    try:
        reading = plan(text)
    except FormatError as error:
        refused = error
    if refused:
        assert refused.fix
        return
    workflow = reading.workflow
    assert len({part.name for part in workflow.subworkflows} | {workflow.name}) == len(workflow.subworkflows) + 1
    assert all(task.name for part in (workflow, *workflow.subworkflows) for task in part.tasks)
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)
    MarkdownFormat().recognises(Document("x", text))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "1. Build\n" * 100_000,
        "- [ ] [P] x\n" * 19_000,
        "[" * 1_000_000,
        "1. " + "**" * 500_000,
        "1. a\n2. " + "if " * 300_000,
        "1. a\n2. b (depends on " + "1, " * 300_000 + ")",
        "1. a\n2. " + "after step 1 " * 80_000,
        "1. a\n2. " + "a/" * 500_000,
        "# a\n" * 200_000 + "1. x\n2. y\n",
        "- [ ] x\n" + "  text\n" * 100_000,
        "1. a\n2. b\n" + "**a" * 300_000,
        "1. a\n" + "1.1. a\n" * 19_000,
        "- [ ] T1 a (depends on T1-T999)\n" * 15_000,
        "1. a\n2. " + "(" * 1_000_000,
        "## Dependencies\n" + "T1 before " * 100_000 + "\n- [ ] T1 a\n- [ ] T2 b\n",
        "- [ ] " + "`" * 1_000_000,
        "<!--\n" * 200_000,
        "1. a <!--" + "<!-- ~x ~~x " * 80_000 + "\n2. b",
        "1. a\n2. b " + "~x~ <del> ` `` " * 60_000,
        "1. a\n2. x" + " " * 900_000 + "b (c\n",
        "1. a\n   - Depends on: 1\n" * 20_000,
        "".join(f"- [ ] T{place} x (depends on T1-T900)\n" for place in range(2000)),
        "1. a\n   b\n" * 9_000 + "```yaml\nwfgate: '1'\n```\n" * 20_000,
        "".join(f"{'#' * (place % 6 + 1)} Step {place}: x\n1. a\n2. b\n" for place in range(6000)),
    ],
)
def test_hostile_texts_end(text):
    """Nothing is timed: what is quadratic takes minutes here, and that is noticed."""
    for format_id in (None, "markdown"):
        with contextlib.suppress(FormatError):
            read_text(text, "x", format_id)


TABLE = """# Restore

## Before you start

- You need access
- Tell the service desk

## Procedure

| Step | Action | Who |
| ---: | :----- | --- |
| 1 | Stop the servers \\| clients | SRE |
| 2 | Take a snapshot | |
| 4 | ~~Restore~~ | DBA |
| 5 | Start the servers | SRE | extra |

Good luck.
"""


def test_numbered_rows_are_steps_if_nothing_else_is():
    reading = read_text(TABLE, "x.md")
    assert [(task.id, task.name, task.description, task.span.line) for task in reading.workflow.tasks] == [
        ("1", "Stop the servers | clients", "Who: SRE", 12),
        ("2", "Take a snapshot", "", 13),
        ("5", "Start the servers", "Who: SRE\nextra", 15),
    ]
    assert "Tell the service desk" in reading.workflow.marked
    assert not any("Procedure" in note.message for note in reading.diagnostics)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("| # | Task |", ["a", "b"]),
        ("No. | **Activity**", ["a", "b"]),
        ("| Step | Description |", ["a", "b"]),
        ("| Key | Task |", None),
        ("| # | Length |", []),
        ("| Key | Length |", []),
    ],
)
def test_which_tables_are_steps(header, names):
    """None: it may be a list of steps, so bullets beside it are not read as the steps."""
    text = f"- You need access\n\n{header}\n|---|---|\n| 1 | a |\n| 2 | b |\n"
    text = text.replace("| 1 |", "| x |").replace("| 2 |", "| y |") if "Key" in header else text
    if names is None:
        for format_id in (None, "markdown"):
            with pytest.raises(FormatError, match="a table that looks like steps is not read") as caught:
                read_text(text, "x.md", format_id)
            assert "--from markdown" not in str(caught.value)
        return
    steps = [task.name for task in read_text(text, "x.md", "markdown").workflow.tasks]
    assert steps == (names or ["You need access"])


def test_a_table_beside_numbered_steps_is_a_remark_with_a_warning():
    reading = read_text(TABLE.replace("- You", "1. You").replace("- Tell", "2. Tell"), "x.md")
    assert [task.name for task in reading.workflow.tasks] == ["You need access", "Tell the service desk"]
    (warning,) = [note for note in reading.diagnostics if note.severity == "warning"]
    assert (warning.line, warning.message) == (10, "a table that looks like steps is read as a remark, not as steps")


@pytest.mark.parametrize(
    ("above", "name"),
    [
        ("Patching\n========\n", "Patching"),
        ("Patching\n---\n", "Patching"),
        ("Here is the plan.\n---\n", ""),
        ("Two lines\nof text\n---\n", ""),
    ],
)
def test_a_line_with_an_underline_is_a_heading(above, name):
    workflow = read_text(f"{above}\n1. Build\n2. Ship\n", "plan.md").workflow
    assert workflow.name == name
    assert "==" not in workflow.marked
