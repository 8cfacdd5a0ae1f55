"""Formats of other packages: what a good one can do, and what a bad one cannot."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wfgate.base.extensions import Extensions
from wfgate.errors import ConfigError, FormatError
from wfgate.model import Workflow
from wfgate.read import FORMATS, Format, read_data, read_text, write

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "format-plugin"

GOOD = """\
from wfgate.read import Format, Reading
from wfgate.read import with_ends
from wfgate.model import Task, Workflow

class Lines(Format):
    '''One step a line behind an exclamation mark.'''

    id = "lines"
    signature = "an exclamation mark"
    words = ((";;",),)

    def recognises(self, document):
        return document.text.startswith("!")

    def read(self, document):
        if not self.recognises(document):
            raise document.error("there is no exclamation mark")
        tasks = tuple(Task(id=line, name=line) for line in document.text[1:].split())
        return Reading(Workflow(tasks=tasks, links=with_ends([task.id for task in tasks], [])), "whatever")
"""
TEXT = "!build test"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Puts packages on the path as pip would, and forgets them afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def add(name: str, code: str, *formats: str, version: str = "1.0") -> Extensions[Format]:
        module = name.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        entries = "\n".join(f"{one.partition(' ')[0]} = {module}{one.partition(' ')[2]}" for one in formats)
        (info / "entry_points.txt").write_text(f"[wfgate.formats]\n{entries}\n")
        known = FORMATS.extensions
        fresh = Extensions(known.kind, known.group, FORMATS.summaries, known._made)
        monkeypatch.setattr(FORMATS, "extensions", fresh)
        return fresh

    yield add
    for module in set(sys.modules) - before:
        if getattr(sys.modules[module], "__file__", None) and str(tmp_path) in str(sys.modules[module].__file__):
            del sys.modules[module]


def test_a_format_of_another_package_is_like_one_of_our_own(install):
    plugins = install("lines-reader", GOOD, "lines :Lines")
    for format_id in (None, "lines"):
        reading = read_text(TEXT, "x", format_id)
        assert (reading.format, reading.diagnostics) == ("lines", ())
        assert [task.name for task in reading.workflow.tasks] == ["build", "test"]
    assert (plugins.ids, [*plugins.usable()], plugins.broken()) == (["lines"], ["lines"], ())
    with pytest.raises(FormatError, match="cannot write the format lines"):
        write(Workflow(), "lines")
    with pytest.raises(FormatError, match="it is most like lines, but there is no exclamation mark") as unknown:
        read_text("build; test;;", "x")
    assert (unknown.value.line, unknown.value.fix.partition(";")[0]) == (1, "write an exclamation mark")
    with pytest.raises(ConfigError) as caught:
        read_text(TEXT, "x", "linse")
    assert "xxp, " in caught.value.fix
    assert caught.value.fix.endswith(", lines")


def test_nothing_is_imported_before_it_is_needed(install):
    install("lines-reader", "import nothing_of_this_name", "lines :Lines")
    assert not read_data({"wfgate": "1", "steps": ["Build"]}, "x", "native").diagnostics
    assert "lines_reader" not in sys.modules


@pytest.mark.parametrize(
    ("code", "entry", "said"),
    [
        ("import nothing_of_this_name", "lines :Lines", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("def (", "lines :Lines", "SyntaxError"),
        ("raise SystemExit(0)", "lines :Lines", "SystemExit: 0"),
        ("raise RuntimeError('a\\n  b' + 'c' * 9000)", "lines :Lines", "RuntimeError: a bccc"),
        (GOOD, "lines :Gone", "AttributeError"),
        (GOOD, "lines", "the entry point is not a subclass of wfgate.read.formats.base.Format"),
        (GOOD, "other :Lines", "the entry point has the name 'other'"),
        (GOOD.replace('"lines"', '"Lines"'), "Lines :Lines", "an id must consist of lower-case letters and digits"),
        (GOOD.replace("def read(", "def reads("), "lines :Lines", "TypeError: Can't instantiate abstract class"),
        (GOOD.replace('id = "lines"', ""), "lines :Lines", "AttributeError"),
        (
            GOOD.replace("signature = ", "signature = 7,"),
            "lines :Lines",
            "the attribute `signature` is tuple, not a str",
        ),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named_and_takes_nothing_down(install, code: str, entry: str, said: str):
    plugins = install("lines-reader", code, entry)
    (problem,) = plugins.broken()
    assert said in problem.message
    assert "of lines-reader 1.0 cannot be loaded: " in problem.message
    assert len(problem.message) < 300
    assert plugins.usable() == {}
    reading = read_data({"wfgate": "1", "steps": ["Build"]}, "x")  # which the other might have recognised
    assert [(one.severity, one.message) for one in reading.diagnostics] == [("warning", problem.message)]
    with pytest.raises(FormatError, match="cannot be loaded"):
        read_text(TEXT, "x")
    for ask in (lambda: read_text(TEXT, "x", plugins.ids[0]), lambda: write(Workflow(), plugins.ids[0])):
        with pytest.raises(ConfigError, match="cannot be loaded") as caught:
            ask()
        assert caught.value.fix == "repair or uninstall the package"


def test_an_id_is_used_once(install):
    install("first", GOOD, "lines :Lines")
    plugins = install("second", GOOD, "lines :Lines", version="2.0")
    (problem,) = plugins.broken()
    assert problem.message == "the format 'lines' is not used: first 1.0 and second 2.0 have a format with this id"
    with pytest.raises(ConfigError, match="have a format with this id"):
        read_text(TEXT, "x", "lines")
    with pytest.raises(FormatError, match="have a format with this id"):
        read_text(TEXT, "x")


def test_our_own_ids_are_not_taken_over(install):
    plugins = install("thief", GOOD.replace('"lines"', '"native"'), "native :Lines")
    reading = read_data({"wfgate": "1", "steps": ["Build"]}, "x")
    assert reading.format == "native"
    assert "'native' of thief 1.0 is not used: wfgate has a format" in reading.diagnostics[0].message
    assert plugins.ids == []
    assert not read_data({"wfgate": "1", "steps": ["Build"]}, "x", "native").diagnostics


def test_a_document_that_two_recognise_is_never_guessed(install):
    install("greedy", GOOD.replace('document.text.startswith("!")', "True"), "lines :Lines")
    with pytest.raises(FormatError, match="several formats recognise") as caught:
        read_data({"wfgate": "1", "steps": ["Build"]}, "x")
    assert caught.value.fix == "choose the format with --from native or --from lines"


@pytest.mark.parametrize(
    "fault",
    [
        "1 / 0",
        "exit(0)",
        "raise RecursionError",
        "raise MemoryError",
        "assert False, 'odd\\x1b[31m'",
        "None.x",
        "{}[()]",
    ],
)
@pytest.mark.parametrize("place", ["recognises", "read"])
def test_whatever_a_reader_raises_is_an_error_that_names_its_package(install, place: str, fault: str):
    broken = GOOD.replace(f"def {place}(self, document):\n", f"def {place}(self, document):\n        {fault}\n")
    install("lines-reader", broken, "lines :Lines")
    with pytest.raises(FormatError, match="the reader of the format 'lines' failed: ") as caught:
        read_text(TEXT, "x")
    assert "lines-reader 1.0" in caught.value.fix
    assert caught.value.path == "x"


def test_a_reader_s_own_refusal_is_left_alone(install):
    refusing = GOOD.replace(
        "def read(self, document):", "def read(self, document):\n        raise document.error('no')"
    )
    install("lines-reader", refusing, "lines :Lines")
    with pytest.raises(FormatError) as caught:
        read_text(TEXT, "x")
    assert caught.value.message == "no"


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("None", "not a Reading"),
        ("Workflow()", "not a Reading"),
        ("Reading({}, 'lines')", "not a Workflow"),
        ("Reading(Workflow(), 'lines', ('odd',))", "diagnostic that is str, not a Diagnostic"),
        ("Reading(Workflow(), 'lines', 7)", "not iterable"),
    ],
)
def test_what_a_reader_returns_is_looked_at(install, returned: str, said: str):
    install(
        "lines-reader", GOOD.replace("return Reading(", f"return {returned}\n        return Reading("), "lines :Lines"
    )
    with pytest.raises(FormatError, match=said):
        read_text(TEXT, "x", "lines")


def test_the_limits_hold_for_everybody(install):
    install("lines-reader", GOOD, "lines :Lines")
    with pytest.raises(FormatError, match="the limit is"):
        read_text("!" + " ".join(map(str, range(20_001))), "x")


def test_writing(install):
    writing = "\n    writes = True\n    def write(self, workflow):\n        return {}\n"
    install("lines-reader", GOOD + writing.format("'!' + workflow.name"), "lines :Lines")
    assert write(Workflow(name="w"), "lines") == "!w"
    install("other-reader", GOOD.replace('"lines"', '"other"') + writing.format("7"), "other :Lines")
    with pytest.raises(FormatError, match=r"write\(\) returned int"):
        write(Workflow(name="w"), "other")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, built and installed by pip into a folder of its own, without the network."""
    pytest.importorskip("pip", reason="no pip in this environment")
    pytest.importorskip("hatchling", reason="no hatchling in this environment: install the extra `dev`")
    folder = tmp_path_factory.mktemp("plugin")
    source = folder / "source"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check", "--quiet")
    command = (sys.executable, "-m", "pip", "install", *options, "--target", folder / "site", source)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def run(installed: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join([str(installed), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-P", *map(str, args)],  # -P: from where it is installed, not from the current folder
        env={**os.environ, "PYTHONPATH": places},
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


@pytest.mark.slow
def test_the_example_package_works_in_the_real_process(installed: Path, tmp_path: Path):
    shown = run(installed, "-m", "wfgate", "list", "formats").stdout.splitlines()
    assert shown[-1].startswith("taskfile ")
    assert shown[-1].endswith(". (wfgate-taskfile 1.0)")
    assert '"package": "wfgate-taskfile 1.0"' in run(installed, "-m", "wfgate", "list", "formats", "-f", "json").stdout
    assert "From the package wfgate-taskfile 1.0." in run(installed, "-m", "wfgate", "explain", "taskfile").stdout
    native = []
    for asked in ((), ("--from", "taskfile")):
        done = run(installed, "-m", "wfgate", "convert", "Taskfile.yml", *asked, "--to", "native")
        assert (done.returncode, done.stderr) == (0, "")
        native.append(done.stdout)
    assert native[0] == native[1]
    workflow = read_text(native[0], "x").workflow
    assert [task.name for task in workflow.tasks][1:3] == ["Download the modules", "Lint the source"]
    assert ("build", "ship") in [(link.source, link.target) for link in workflow.links]
    broken = tmp_path / "Taskfile.yml"
    broken.write_text((EXAMPLE / "Taskfile.yml").read_text("utf-8").replace("deps: [build]", "deps: [biuld]"), "utf-8")
    linted = run(installed, "-m", "wfgate", "lint", broken)
    assert linted.returncode == 1
    assert f"{broken}:29:12: " in linted.stdout
    copy = tmp_path / "generated.yml"
    copy.write_text((EXAMPLE / "Taskfile.yml").read_text("utf-8"), "utf-8")
    gated = run(installed, "-m", "wfgate", "gate", copy, "--reference", "Taskfile.yml")
    assert gated.returncode == 0, gated.stdout + gated.stderr


@pytest.mark.slow
def test_the_tests_of_the_example_package_pass(installed: Path):
    done = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_same_command_without_the_package_says_so():
    done = run(ROOT, "-m", "wfgate", "lint", "Taskfile.yml", "--from", "taskfile")
    assert done.returncode == 2
    assert "unknown format 'taskfile'" in done.stderr


@pytest.mark.slow
def test_a_package_that_is_broken_never_makes_a_run_green(installed: Path, tmp_path: Path):
    site = tmp_path / "site"
    shutil.copytree(installed, site)
    (site / "wfgate_taskfile.py").write_text("import sys\nsys.exit(0)\n")
    for asked, code in (((), 3), (("--from", "taskfile"), 2)):
        done = run(site, "-m", "wfgate", "lint", "Taskfile.yml", *asked)
        assert done.returncode == code
        assert "'taskfile' of wfgate-taskfile 1.0 cannot be loaded: SystemExit: 0" in done.stdout + done.stderr
    gated = run(site, "-m", "wfgate", "gate", "Taskfile.yml", "--reference", "Taskfile.yml")
    assert gated.returncode not in {0, 1}
    own = ROOT / "examples" / "deploy" / "approved" / "deploy.yaml"
    fine = run(site, "-m", "wfgate", "lint", own)
    assert fine.returncode == 0
    assert "warning: the format 'taskfile' of wfgate-taskfile 1.0 cannot be loaded" in fine.stdout
    listed = run(site, "-m", "wfgate", "list", "formats")
    assert listed.returncode == 0
    assert listed.stderr.startswith("warning: the format 'taskfile' of wfgate-taskfile 1.0 cannot be loaded")
