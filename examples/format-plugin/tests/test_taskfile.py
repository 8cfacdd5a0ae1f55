import pytest
from wfgate.errors import FormatError
from wfgate.read import read_text

TEXT = """\
version: "3"
tasks:
  default:
    cmds:
      - task: test
  build:
    desc: Build the program
    cmds: [go build -o app .]
  test:
    deps: [build]
    cmds: [go test ./..., go vet ./...]
    status: [test -f passed]
"""


def test_tasks_and_links():
    reading = read_text(TEXT, "Taskfile.yml")  # no format given: it is found by its entry point and its content
    assert reading.format == "taskfile"
    assert [task.name for task in reading.workflow.tasks] == ["default", "Build the program", "test"]
    assert [(link.source, link.target) for link in reading.workflow.links] == [
        ("START", "build"),
        ("test", "default"),
        ("build", "test"),
        ("default", "END"),
    ]
    assert reading.workflow.tasks[1].params == {"cmds": ["go build -o app ."]}
    assert (reading.workflow.tasks[1].span.line, reading.workflow.tasks[1].span.column) == (6, 3)


def test_what_is_not_read_is_said():
    (said,) = read_text(TEXT, "Taskfile.yml").diagnostics
    assert (said.line, said.severity) == (12, "warning")
    assert "`status` is not supported" in said.message


def test_what_is_no_taskfile_is_refused_with_its_position():
    with pytest.raises(FormatError, match="`deps` must be a list") as caught:
        read_text('version: "3"\ntasks:\n  test:\n    deps: build\n', "Taskfile.yml", "taskfile")
    assert caught.value.line == 4


def test_a_dependency_that_does_not_exist_is_read():
    reading = read_text('version: "3"\ntasks: {test: {deps: [gone]}}\n', "Taskfile.yml")
    assert ("gone", "test") in [(link.source, link.target) for link in reading.workflow.links]
