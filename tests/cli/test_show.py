"""`wfgate show`: an outline, or a diagram, of any file that is read; and `wfgate convert` to diagrams."""

from pathlib import Path

import pytest

from wfgate.read import FORMATS, read_text, write

from .conftest import APPROVED, ROOT, inline, is_error, once, wfgate

SEEDS = ROOT / "examples" / "seeds"
DATA = ROOT / "tests" / "read" / "formats" / "data"


def test_the_outline_of_the_example(snapshot):
    run = once("show", APPROVED)
    assert (run.code, run.err) == (0, "")
    assert run.out == snapshot
    assert max(map(len, run.out.splitlines())) <= 80


@pytest.mark.parametrize("picture", ["mermaid", "dot"])
def test_the_diagram_of_the_example(picture, snapshot):
    run = inline("show", ROOT / APPROVED, "--format", picture)
    assert (run.code, run.err) == (0, "")
    assert run.out == snapshot
    assert len(read_text(run.out, "x").workflow.tasks) == 12


def test_every_seed(snapshot):
    for path in sorted(SEEDS.glob("*.yaml")):
        if path.name != "answers.yaml":
            run = inline("show", path)
            assert (run.code, run.err) == (0, "")
            assert run.out == snapshot(name=path.stem)


def test_what_the_reader_noticed_goes_to_standard_error(tmp_path: Path):
    path = tmp_path / "w.mmd"
    path.write_text('flowchart TD\n  a[Deploy] --> b[Done]\n  a -->|on failure| c["Roll back\x1b[31m"]\n')
    run = inline("show", path)
    assert run.code == 0
    assert run.out.splitlines()[1:3] == ["1. Deploy", "   └─ on failure: 2. Roll back\\x1b[31m → the end"]
    assert "\x1b" not in run.out + run.err
    assert f"{path}:3:5: info: the label 'on failure' is read as the outcome failure of the step" in run.err


@pytest.mark.parametrize(
    ("name", "text", "kind", "fix"),
    [
        ("a.md.approvals", '{"format": "wfgate.approvals/1", "approvals": []}', "approvals", "the workflow beside it"),
        ("plan.json", '{"schema": "wfgate.plan/1", "cases": 3}', "plan", "give a workflow"),
    ],
)
def test_a_record_of_wfgate_is_named(tmp_path: Path, name: str, text: str, kind: str, fix: str):
    (tmp_path / name).write_text(text)
    said = f"this is a record of wfgate (wfgate.{kind}/1), not a workflow"
    assert is_error(inline("show", tmp_path / name), 3, said, fix)


def test_to_a_file(tmp_path: Path):
    target = tmp_path / "out.txt"
    assert inline("show", ROOT / APPROVED, "--output", target).out == ""
    assert target.read_text(encoding="utf-8") == once("show", APPROVED).out


def test_the_width_is_that_of_the_terminal():
    narrow = wfgate("show", APPROVED, env={"COLUMNS": "50"}).out
    assert 40 < max(map(len, narrow.splitlines())) <= 50


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.writes])
@pytest.mark.parametrize("picture", ["text", "mermaid", "dot", "svg"])
def test_every_format_that_is_written_is_shown(tmp_path: Path, name: str, picture: str):
    text = 'wfgate: "1"\nname: w\nsteps: [Build the image, Test it, Ship it]\n'
    path = tmp_path / "w"
    path.write_text(write(read_text(text, "x").workflow, name), encoding="utf-8")
    for arguments in ([], ["--from", name]):
        run = inline("show", path, "--format", picture, *arguments)
        assert run.code == 0
        assert all(words in run.out for words in ("Build the image", "Test it", "Ship it"))
        assert (run.out.startswith("<svg xmlns=")) == (picture == "svg")


@pytest.mark.parametrize(
    "picture",
    [
        "text",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("mermaid", "dot", "svg")),
    ],
)
def test_files_of_other_tools_are_shown(picture: str):
    shown = set()
    for path in sorted(DATA.rglob("*")):
        if path.is_file() and path.suffix in {".json", ".yaml", ".yml", ".bpmn", ".md", ".xxp"}:
            run = inline("show", path, "--format", picture)
            assert run.code in {0, 3}, (path, run.err)
            shown |= {path.parent} if run.code == 0 else set()
            assert max([0, *map(len, run.out.splitlines())]) <= 80 or picture != "text"
    assert len(shown) > 3


@pytest.mark.parametrize("target", ["mermaid", "dot"])
def test_convert_to_a_diagram_and_back(tmp_path: Path, target: str):
    one, two = tmp_path / "one", tmp_path / "two.yaml"
    assert inline("convert", ROOT / APPROVED, "--to", target, "--output", one).code == 0
    assert inline("convert", one, "--to", "native", "--output", two).code == 0
    first, second = (read_text(path.read_text(), "x").workflow for path in (ROOT / APPROVED, two))
    assert [task.name for task in first.tasks] == [task.name for task in second.tasks]
    assert len(first.links) == len(second.links)


def test_what_cannot_be_shown(bad: Path):
    assert is_error(inline("show", bad / "prose.txt"), 3, "no format recognises the content")
    assert is_error(inline("show", bad / "nowhere.yaml"), 3, "cannot be read")
    assert is_error(inline("show", ROOT / APPROVED, "--from", "nothing"), 2, "unknown format 'nothing'")
    assert inline("show", ROOT / APPROVED, "--format", "png").code == 2


@pytest.mark.parametrize("command", [("show",), ("convert", "--to", "native"), ("facts",), ("lint",)])
def test_a_workflow_is_read_from_standard_input(command):
    text = b"1. Build the image\n2. Deploy it\n"
    run = inline(*command, "-", "--from", "markdown", stdin=text)
    assert (run.code, run.err) == (0, "")
    wrong = inline(*command, "-", "--from", "bpmn", stdin=text)
    assert "<stdin>:1:1: " in wrong.out + wrong.err
    assert wrong.code == 3
    empty = inline(*command, "-", stdin=b"")
    assert "<stdin>:1:1: " in empty.out + empty.err
