"""Steps of local files are steps of the workflow that calls them: at its revision, and with their places."""

import json
import os
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

from wfgate.approvals import OwnedRevision
from wfgate.decide import Pair, Policy
from wfgate.errors import FormatError
from wfgate.model import expand
from wfgate.read import read_file
from wfgate.run import Gate, Revision, pair_files
from wfgate.show import REPORTERS
from wfgate.show.html.case import case_view
from wfgate.show.view import RunView

SHIP = ".github/actions/ship/action.yml"
GITHUB = {
    ".github/workflows/ci.yml": """\
        name: Release
        on: push
        jobs:
          test:
            uses: ./.github/workflows/checks.yml
            with: {level: full}
          ship:
            needs: test
            runs-on: ubuntu-latest
            steps:
              - uses: actions/checkout@v4
              - name: Ship it
                uses: ./.github/actions/ship
                with: {target: production}
        """,
    ".github/workflows/checks.yml": """\
        name: Checks
        on:
          workflow_call:
            inputs: {level: {type: string}}
        jobs:
          unit:
            runs-on: ubuntu-latest
            steps:
              - {name: Run the unit tests, run: make unit}
          scan:
            needs: unit
            runs-on: ubuntu-latest
            steps:
              - {name: Scan the image for vulnerabilities, run: trivy image shop}
        """,
    SHIP: """\
        name: Ship
        inputs: {target: {required: true}}
        runs:
          using: composite
          steps:
            - {name: Back up the order database, shell: bash, run: pg_dump orders > backup.sql}
            - {name: Deploy the image, shell: bash, run: kubectl apply -f k8s/}
            - {name: Check the health endpoint, shell: bash, run: "curl --fail https://shop/health"}
        """,
}
GITLAB = {
    ".gitlab-ci.yml": """\
        include:
          - local: /ci/build.yml
          - local: /ci/checks/*.yml
        stages: [build, test, deploy]
        deploy: {stage: deploy, script: [kubectl apply -f k8s/]}
        """,
    "ci/build.yml": "compile: {stage: build, script: [make]}\n",
    "ci/checks/scan.yml": "include: /ci/base.yml\nscan: {extends: .check, script: [trivy image shop]}\n",
    "ci/checks/unit.yml": "unit: {extends: .check, script: [make unit]}\n",
    "ci/base.yml": ".check: {stage: test, timeout: 5m}\n",
}
ARGO = {
    "flows/main.yaml": """\
        apiVersion: argoproj.io/v1alpha1
        kind: Workflow
        metadata: {name: release}
        spec:
          entrypoint: main
          templates:
            - name: main
              steps:
                - [{name: build, template: build}]
                - [{name: checks, templateRef: {name: shared, template: checks}}]
            - {name: build, container: {image: make}}
        """,
    "flows/lib/shared.yaml": """\
        apiVersion: argoproj.io/v1alpha1
        kind: WorkflowTemplate
        metadata: {name: shared}
        spec:
          templates:
            - name: checks
              steps:
                - [{name: unit, template: unit}]
                - [{name: scan, template: scan}]
            - {name: unit, container: {image: tests}}
            - {name: scan, container: {image: trivy}}
            - {name: unused, container: {image: other}}
        """,
}
XXP = {
    "flows/main.xxp": """\
        workflow Release from lib.Base {
          configure task Ship { implementation "ship.py"; }
        }
        """,
    "flows/lib/Base.xxp": """\
        package lib;
        workflow Base {
          define task Build;
          define task Scan;
          define task Ship;
          START -> Build -> Scan -> Ship -> END;
        }
        """,
}
STEPS = {
    ".github/workflows/ci.yml": [
        *("Run the unit tests", "Scan the image for vulnerabilities", "Run actions/checkout@v4"),
        *("Back up the order database", "Deploy the image", "Check the health endpoint"),
    ],
    ".gitlab-ci.yml": ["compile", "scan", "unit", "deploy"],
    "flows/main.yaml": ["build", "unit", "scan"],
    "flows/main.xxp": ["Build", "Scan", "Ship"],
}


def git(folder, *arguments):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env=environ)


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return a function that writes files into a checkout, commits them as `main`, and returns its folder."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def make(files):
        write(folder, files)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "--all")
        git(folder, "commit", "-q", "-m", "x")
        git(folder, "checkout", "-q", "-b", "request")
        return folder

    return make


@pytest.fixture
def gate(assessor, profile):
    return Gate(assessor, profile, Policy(), keep_pairs=True)


def names(path, **settings):
    return [task.name for task in expand(read_file(path, **settings).workflow).tasks]


def warnings(path):
    return [str(one) for one in read_file(path).diagnostics if one.severity == "warning"]


@pytest.mark.parametrize(
    ("files", "called", "removed", "lost"),
    [
        (GITHUB, SHIP, (6, 6), "Back up the order database"),
        (GITHUB, ".github/workflows/checks.yml", (10, 14), "Scan the image for vulnerabilities"),
        (GITLAB, "ci/checks/scan.yml", (2, 2), "scan"),
        (ARGO, "flows/lib/shared.yaml", (9, 9), "scan"),
        (XXP, "flows/lib/Base.xxp", (4, 4), "Scan"),
    ],
    ids=["action", "reusable workflow", "gitlab include", "argo template", "xxp base"],
)
def test_a_step_that_vanishes_in_a_called_file_is_missing_there(checkout, gate, files, called, removed, lost):
    folder, main, (first, line) = checkout(files), next(iter(files)), removed
    text = (folder / called).read_text().splitlines(keepends=True)
    del text[first - 1 : line]
    (folder / called).write_text("".join(text).replace("-> Scan ", ""))
    base = Revision("main", folder)
    golden = base.files(Path(main))[0]
    result = gate.run([Pair("case", (golden,), Path(main))], tool="1")
    (case,) = result.cases
    assert case.verdict == "block"
    (missing,) = (one for one in case.findings if one.id == "WR101" and lost in one.message)
    assert missing.golden_location.file == called
    assert missing.golden_location.line == line
    for name in ("text", "markdown", "json", "sarif"):
        assert called in REPORTERS.find(name).render(result).replace("\\", "").replace("\n    ", ""), name
    assert f"{called}:{line}" in case_view(RunView(result).cases[0], 0)
    log = json.loads(REPORTERS.find("sarif").render(result))["runs"][0]["results"]
    places = [one["relatedLocations"][0]["physicalLocation"] for one in log if one["ruleId"] == "WR101"]
    assert (called, line) in {(one["artifactLocation"]["uri"], one["region"]["startLine"]) for one in places}
    again = type(case).from_json(case.model_dump_json())
    assert [one.golden_location for one in again.findings] == [one.golden_location for one in case.findings]


@pytest.mark.parametrize("files", [GITHUB, GITLAB, ARGO, XXP], ids=["github", "gitlab", "argo", "xxp"])
def test_an_unchanged_checkout_passes(checkout, gate, files):
    main, folder = next(iter(files)), checkout(files)
    assert names(main) == STEPS[main]
    case = gate.decide(Pair("case", (Revision("main", folder).files(Path(main))[0],), Path(main)))
    assert case.verdict == "pass"
    assert not [one for one in case.diagnostics if one.severity == "warning"]
    golden, candidate = case.pair.golden, case.pair.candidate
    assert golden == candidate


def test_an_approved_copy_has_the_files_of_the_checkout_at_its_revision(checkout, gate):
    folder = checkout(
        GITHUB | dict.fromkeys(["approved/ci.yml", "generated/ci.yml"], GITHUB[".github/workflows/ci.yml"])
    )
    assert names("approved/ci.yml") == names(".github/workflows/ci.yml")
    (folder / SHIP).write_text("runs: {using: composite, steps: [{run: x, shell: sh}]}\n")
    (pair,) = pair_files([Path("generated/ci.yml")], Path("approved"), Revision("main", folder))
    assert gate.decide(pair).verdict == "block"
    write(folder, {f"approved/{SHIP}": GITHUB[SHIP]})
    assert "Back up the order database" in names("approved/ci.yml")  # the folder of an approved copy comes first
    assert "Back up the order database" not in names(".github/workflows/ci.yml")


def test_a_missing_file_is_a_warning_with_its_place_and_never_a_pass(checkout, gate):
    folder = checkout(GITHUB)
    (folder / SHIP).unlink()
    main = Path(".github/workflows/ci.yml")
    (warning,) = warnings(main)
    assert warning.startswith(
        ".github/workflows/ci.yml:13:9: warning: the local file './.github/actions/ship' is not in"
    )
    golden = Revision("main", folder).files(main)[0]
    case = gate.decide(Pair("case", (golden,), main))
    assert case.verdict == "block"
    assert "reader-warning" in [reason.rule for reason in case.reasons]


def test_without_a_checkout_or_a_readable_golden_the_call_stays_a_step(checkout, gate, tmp_path):
    folder = checkout(GITHUB)
    main = Path(".github/workflows/ci.yml")
    alone = tmp_path / "ci.yml"
    alone.write_bytes(main.read_bytes())
    called = ["test", "Run actions/checkout@v4", "Ship it"]
    assert names(alone) == called == names(main, alone=True)
    assert not warnings(alone)
    for pair in (Pair("a", (alone,), main), Pair("b", (main,), alone)):
        case = gate.decide(pair)
        assert case.verdict == "pass"
        assert len(case.steps) == len(called)
    (folder / SHIP).unlink()
    git(folder, "commit", "-qam", "gone")
    golden = Revision("HEAD", folder).files(main)[0]
    write(folder, GITHUB)
    case = gate.decide(Pair("c", (golden,), main))  # the golden's file is not there: as if none were read
    assert case.verdict == "pass"


@pytest.mark.parametrize(
    "uses",
    ["./../outside", "./.github/actions/../../../outside", "./link", "./up/outside", "./.git/hidden", "./a\\..\\b"],
)
def test_nothing_outside_of_the_checkout_is_read(checkout, uses, tmp_path):
    action = dedent(GITHUB[SHIP])
    write(tmp_path, {"outside/action.yml": action})
    main = ".github/workflows/ci.yml"
    text = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - {{name: Ship, uses: '{uses}'}}\n"
    folder = checkout({main: text})
    write(folder, {".git/hidden/action.yml": action})
    (folder / "link").symlink_to(tmp_path / "outside", target_is_directory=True)
    (folder / "up").symlink_to(tmp_path, target_is_directory=True)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "-m", "links")
    assert names(main) == ["Ship"]
    (warning,) = warnings(main)
    assert ":6:" in warning
    (blob,) = Revision("HEAD", folder).files(Path(main))
    assert blob.beside.at(f"{uses[2:]}/action.yml") is None


def test_gitlab_reads_nothing_outside_and_says_what_is_missing(checkout, tmp_path):
    write(tmp_path, {"outside.yml": "stolen: {script: [x]}\n"})
    checkout({".gitlab-ci.yml": "include: [/../outside.yml, ci/none.yml, https://x/y.yml]\na: {script: [x]}\n"})
    assert names(".gitlab-ci.yml") == ["a"]
    assert [one.partition(": warning: ")[2].split(" is ")[0] for one in warnings(".gitlab-ci.yml")] == [
        "the local file '/../outside.yml'",
        "the local file 'ci/none.yml'",
    ]


def test_circles_and_long_chains_are_errors_with_file_and_line(checkout):
    def action(name):
        step = f"{{uses: ./{name}}}"
        return f"runs:\n  using: composite\n  steps:\n    - {step}\n"

    head = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: ./{}\n"
    chain = {f"c{n}/action.yml": action(f"c{n + 1}") for n in range(12)}
    checkout(
        {"a/action.yml": action("b"), "b/action.yml": action("a")}
        | {".github/workflows/circle.yml": head.format("a"), ".github/workflows/chain.yml": head.format("c0")}
        | {".gitlab-ci.yml": "include: one.yml\nx: {script: [y]}\n", "one.yml": "include: one.yml\n"}
        | chain
    )
    with pytest.raises(FormatError, match="calls itself") as circle:
        read_file(".github/workflows/circle.yml")
    assert (circle.value.path, circle.value.line, circle.value.fix) == ("b/action.yml", 4, "delete one of the calls")
    with pytest.raises(FormatError, match="more than 10 levels"):
        read_file(".github/workflows/chain.yml")
    with pytest.raises(FormatError, match="calls itself") as circle:
        read_file(".gitlab-ci.yml")
    assert (circle.value.path, circle.value.line) == ("one.yml", 1)


def test_an_error_in_a_called_file_names_that_file(checkout):
    checkout(GITHUB | {SHIP: "runs:\n  using: composite\n  steps:\n    - {name: x}\n"})
    with pytest.raises(FormatError, match="neither `uses` nor `run`") as error:
        read_file(".github/workflows/ci.yml")
    assert (error.value.path, error.value.line) == (SHIP, 4)


def test_several_argo_templates_of_a_name_are_a_warning(checkout):
    other = ARGO["flows/lib/shared.yaml"].replace("image: trivy", "image: none")
    checkout(ARGO | {"flows/lib/again.yaml": other})
    assert names("flows/main.yaml") == ["build", "checks"]
    (warning,) = warnings("flows/main.yaml")
    assert "again.yaml, flows/lib/shared.yaml" in warning


def test_what_a_code_owner_approved_is_in_force(checkout, gate):
    folder = checkout(GITHUB | {".github/CODEOWNERS": "* @ada\n"})
    action = (folder / SHIP).read_text()
    (folder / SHIP).write_text(action.replace("    - {name: Back up", "    # - {name: Back up"))
    main = Path(".github/workflows/ci.yml")
    for people, verdict in (({"bob"}, "block"), ({"ada"}, "pass")):
        base = OwnedRevision("main", folder, people)
        (golden,) = base.files(main)
        assert gate.decide(Pair("case", (golden,), main)).verdict == verdict


def test_a_decoy_beside_a_candidate_is_a_warning(checkout, gate):
    copies = ["approved/ci.yml", "generated/ci.yml"]
    folder = checkout(GITHUB | dict.fromkeys(copies, GITHUB[".github/workflows/ci.yml"]))
    write(folder, {f"generated/{SHIP}": GITHUB[SHIP]})
    approved, generated = map(Path, copies)
    assert gate.decide(Pair("same", (approved,), generated)).verdict == "pass"
    (folder / SHIP).write_text("runs: {using: composite, steps: [{run: x, shell: sh}]}\n")
    git(folder, "rm", "-q", "--cached", SHIP)
    golden = Revision("main", folder).files(approved)[0]
    case = gate.decide(Pair("decoy", (golden,), generated))
    assert case.verdict == "review"
    assert "generated/.github/actions/ship/action.yml is read" in case.reasons[0].message
