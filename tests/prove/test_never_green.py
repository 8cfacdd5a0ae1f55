"""Every way in which a run compares nothing or does not finish: none is green. `prove/README.md` lists them."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.conftest import GOLDEN, ROOT, inline
from wfgate.compare import LlmJudge
from wfgate.decide import JudgeBias, JudgeCalibration, NullTail, default_profile
from wfgate.llm import Client

README = ROOT / "calibration" / "prove" / "README.md"
GATE = ("gate", "new", "-r", "approved")
TINY = 'wfgate: "1"\nsteps: [Build, Ship]\n'
NOBODY_THERE = {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


@dataclass(frozen=True)
class Row:
    """A fault in a project that is green without it.

    Attributes:
        name: What is wrong, as the table says it.
        code: The exit code.
        said: Words of the message.
        arguments: The command.
        files: What is written, by path; None deletes a file or an empty folder.
        environ: What the environment says.
        prepare: What else is done to the project.
    """

    name: str
    code: int
    said: str
    arguments: tuple[str, ...] = GATE
    files: dict[str, str | None] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    prepare: Callable[[], object] = lambda: None


def profile(**changes: object) -> str:
    return json.dumps(json.loads(default_profile().to_json()) | changes)


def suite(*cases: object) -> dict[str, str | None]:
    return {"suite.jsonl": "".join(f"{case if isinstance(case, str) else json.dumps(case)}\n" for case in cases)}


def repository() -> None:
    """Make a repository whose one commit has the configuration alone."""
    Path("wfgate.toml").write_text("")
    for arguments in (("init", "-q"), ("add", "wfgate.toml"), ("commit", "-q", "-m", "base"), ("branch", "basis")):
        identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


def judged() -> None:
    """Write a profile that knows a judge."""
    null = NullTail(scores=(0.2, 0.0), tail=(2.0, 40.0), goldens=40, mass=40.0)
    bias = JudgeBias(pairs=0, identity=None, position=None, swap=None, spread=None, unanswered=0)
    judge = JudgeCalibration(signature=LlmJudge(Client("m")).signature, null=null, ungraded=0, bias=bias)
    default_profile().model_copy(update={"judge": judge}).save(Path("p.json"))


REWORDED = GOLDEN.replace("Email the link to all managers", "Send all managers the link by email")
PAIR = {"id": "one", "golden": "approved/report.yaml", "candidate": "new/report.yaml"}
PAIRS = ("gate", "--pairs", "suite.jsonl")
NONE = {"new/report.yaml": None}

ROWS = (
    # --- nothing to compare
    Row("no candidate is named", 2, "no candidate was given", ("gate",)),
    Row("no reference is named", 2, "no reference was given", ("gate", "new")),
    Row("the candidate does not exist", 2, "the file or folder does not exist", ("gate", "gone", "-r", "approved")),
    Row("a glob that matches nothing", 2, "the file or folder does not exist", ("gate", "*.yml", "-r", "approved")),
    Row("the reference does not exist", 2, "the file or folder does not exist", ("gate", "new", "-r", "gone")),
    Row("both folders are empty", 2, "there are no cases to compare", files=NONE | {"approved/report.yaml": None}),
    Row("the folder of candidates is empty", 3, "no candidate named 'report'", files=NONE),
    Row("the folder of references is empty", 3, "no reference named 'report'", files={"approved/report.yaml": None}),
    Row("no name matches", 3, "no reference named 'other'", files=NONE | {"new/other.yaml": GOLDEN}),
    Row("no file has a known suffix", 3, "no candidate named 'report'", files=NONE | {"new/report.zip": GOLDEN}),
    Row("one candidate of many is missing", 3, "no candidate named 'two'", files={"approved/two.yaml": GOLDEN}),
    Row("one candidate has no reference", 3, "no reference named 'two'", files={"new/two.yaml": GOLDEN}),
    Row("the suite does not exist", 2, "the file does not exist", PAIRS),
    Row("the suite is empty", 2, "there are no cases to compare", PAIRS, suite()),
    Row("the suite has blank lines only", 2, "there are no cases to compare", PAIRS, suite("", " ")),
    Row("a line of the suite is no JSON", 3, "not JSON", PAIRS, suite(PAIR, "{oops")),
    Row("two cases of the suite have one id", 3, "a second case", PAIRS, suite(PAIR, PAIR)),
    Row("a case without references", 3, "`golden` is an empty list", PAIRS, suite({**PAIR, "golden": []})),
    Row("a case without samples", 3, "`candidate` is an empty list", PAIRS, suite({**PAIR, "candidate": []})),
    # --- nothing that can be read or judged
    Row(
        "the candidate cannot be read",
        3,
        "not valid YAML",
        files={"new/report.yaml": "wfgate: '1'\nsteps: {\n"},
    ),
    Row("the candidate is empty", 3, "empty", files={"new/report.yaml": ""}),
    Row("the reference cannot be read", 3, "not valid YAML", files={"approved/report.yaml": "steps: {\n"}),
    Row("the reference has no steps", 3, "has no steps", files={"approved/report.yaml": 'wfgate: "1"\nsteps: []\n'}),
    Row(
        "all samples cannot be read",
        3,
        "empty",
        files=NONE | {"new/report@1.yaml": "", "new/report@2.yaml": ""},
    ),
    Row(
        "the reference is too small for statistics, and a step is gone",
        1,
        "WR101",
        files={"approved/report.yaml": TINY, "new/report.yaml": TINY.replace(", Ship", "")},
    ),
    # --- rules that cannot be had
    Row("the configuration cannot be read", 2, "not TOML", files={"wfgate.toml": "[policy\n"}),
    Row("the configuration has an unknown key", 2, "unknown key", files={"wfgate.toml": "polcy = 1\n"}),
    Row("the profile does not exist", 2, "cannot be read", (*GATE, "--profile", "p.json")),
    Row("the profile is damaged", 2, "not a wfgate profile", (*GATE, "--profile", "p.json"), {"p.json": "{"}),
    Row(
        "the profile has expired",
        4,
        "expired on 2020-01-01",
        (*GATE, "--profile", "p.json"),
        {"p.json": profile(expires="2020-01-01")},
    ),
    Row("the profile was fitted with other numbers", 4, "has another signature", (*GATE, "--metric", "bleu")),
    Row("the waivers do not exist", 2, "cannot be read", (*GATE, "--waivers", "w.toml")),
    Row("the waivers cannot be read", 2, "waiver 1", files={"wfgate-waivers.toml": "[[waiver]]\n"}),
    Row("the base is no revision", 2, "no such base revision", (*GATE, "--base", "gone"), prepare=repository),
    Row("there is no repository", 2, "no such base revision", (*GATE, "--base", "main")),
    Row(
        "the base has no reference",
        2,
        "the references come with this change",
        (*GATE, "--base", "basis"),
        prepare=repository,
    ),
    Row(
        "a reference of the suite is not in the base",
        3,
        "not in the base revision",
        (*PAIRS, "--base", "basis"),
        suite(PAIR),
        prepare=repository,
    ),
    Row("the previous release has no result", 2, "cannot be read", (*GATE, "--against", "gone.json")),
    # --- who judges is not there
    Row("the embedder's extra is not installed", 2, "pip install", (*GATE, "--embedder", "sentence-transformers:x")),
    Row("there is no such embedder", 2, "nothing", (*GATE, "--embedder", "nothing")),
    Row("the judge has no key", 2, "OPENAI_API_KEY", (*GATE, "--judge", "m"), environ={"OPENAI_API_KEY": ""}),
    Row(
        "nobody calibrated the judge",
        4,
        "no calibration for a judge",
        (*GATE, "--judge", "m"),
        environ=NOBODY_THERE,
    ),
    Row(
        "the judge cannot be reached",
        2,
        "http://127.0.0.1:9/v1",
        (*GATE, "--judge", "m", "--profile", "p.json"),
        {"new/report.yaml": REWORDED},
        NOBODY_THERE,
        judged,
    ),
    # --- nobody is told
    Row("the report cannot be written", 2, "cannot be written", (*GATE, "-o", "new")),
    Row("the format of the report is unknown", 2, "unknown reporter", (*GATE, "-f", "pdf")),
    # --- other commands
    Row("lint: the workflow cannot be read", 3, "gone.yaml", ("lint", "gone.yaml")),
    Row("score: the candidate cannot be read", 3, "gone.yaml", ("score", "approved/report.yaml", "gone.yaml")),
    Row("predeploy: nobody approved the reference", 3, "approved", ("predeploy", "new/report.yaml", "-r", "approved")),
    Row(
        "predeploy: the file does not exist",
        2,
        "the file does not exist",
        ("predeploy", "gone.yaml", "-r", "approved"),
    ),
    Row("verify: there is no attestation", 3, "gone", ("predeploy", "--verify", "gone", "new/report.yaml")),
    Row("calibrate: the corpus is empty", 2, "no golden workflow", ("calibrate", "c"), {"c/x.jsonl": ""}),
    Row(
        "exam: the model cannot be reached",
        2,
        "did not return an answer",
        ("exam", "approved/report.yaml", "--model", "m", "--min-score", "0"),
        environ=NOBODY_THERE,
    ),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose gate is green."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setattr("openai._base_client.time.sleep", lambda _: None)  # who cannot be reached is asked again
    for name in ("approved/report.yaml", "new/report.yaml"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(GOLDEN)
    return tmp_path


def test_without_a_fault_it_is_green(project: Path):
    (project / "suite.jsonl").write_text(f"{json.dumps(PAIR)}\n")
    for arguments in (GATE, PAIRS):
        assert inline(*arguments).code == 0


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_run_that_compares_nothing_or_does_not_finish_is_never_green(
    row: Row, project: Path, monkeypatch: pytest.MonkeyPatch
):
    for name, value in row.environ.items():
        monkeypatch.setenv(name, value)
    for name, text in row.files.items():
        if text is None:
            (project / name).unlink()
        else:
            (project / name).parent.mkdir(exist_ok=True)
            (project / name).write_text(text)
    row.prepare()
    said = inline(*row.arguments)
    assert said.code == row.code != 0
    assert row.said in " ".join((said.out + said.err).split())


def test_the_table_lists_exactly_these_and_tests_that_exist():
    section = README.read_text("utf-8").partition("## Never green by accident\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| (.+?) \| (\d+) \| (.*?) \|$", section, re.MULTILINE)
    assert [(name, int(code)) for name, code, test in listed if not test] == [(row.name, row.code) for row in ROWS]
    elsewhere = [(name, int(code), test) for name, code, test in listed if test]
    assert elsewhere
    for name, code, test in elsewhere:
        file, _, function = test.strip("`").partition("::")
        assert code != 0, name
        assert f"def {function}(" in (ROOT / "tests" / file).read_text("utf-8"), name
    assert len({name for name, *_ in listed}) == len(listed)
