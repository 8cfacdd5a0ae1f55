"""The local files that a workflow calls, as its format names them."""

from collections.abc import Iterable

import pytest

from wfgate.read import FORMATS, Call, called_by_commands, document_of, may_call

GITHUB = """\
on: push
defaults: {run: {working-directory: app}}
jobs:
  build:
    runs-on: x
    steps:
      - uses: actions/checkout@v4
      - uses: ./.github/actions/ship
      - run: bash ci/build.sh ${{ inputs.x }} && echo done
      - {run: "${{ github.workspace }}/tools/scan.py", working-directory: tools}
  other:
    uses: ./.github/workflows/other.yml
"""
ACTION = """\
runs:
  using: composite
  steps: [{run: "${{ github.action_path }}/go.sh", shell: bash}, {uses: ./}]
"""
GITLAB = """\
include: [{local: /ci/*.yml}, {remote: "https://example.org/x.yml"}, ci/one.yml]
test: {before_script: [cd app], script: [./test.sh, make]}
child: {trigger: {include: [{local: ci/child.yml}]}}
"""
MARKDOWN = """\
# Release
1. Run `./release --all` on the host.
2. Edit `src/app.py`, then run tools/check.py.
3. Tell the owner.
```sh
bash scripts/last.sh
```
"""
XXP = """\
workflow W {
  define task A { implementation "file://tasks/a.bin"; }
  START -> A -> END;
}
"""


def firsts(calls: Iterable[Call]) -> list[tuple[str, int]]:
    """Return the first place of each call, with its line."""
    return [(found.places[0], found.span.line if found.span else 0) for found in calls]


@pytest.mark.parametrize(
    ("format_id", "text", "expected"),
    [
        (
            "github-actions",
            GITHUB,
            [
                *[(".github/actions/ship", 8), ("app/ci/build.sh", 9), ("tools/tools/scan.py", 10)],
                (".github/workflows/other.yml", 12),
            ],
        ),
        ("github-actions", ACTION, [("go.sh", 3), ("action.yml", 3), ("action.yaml", 3), ("Dockerfile", 3)]),
        (
            "gitlab-ci",
            GITLAB,
            [
                *[("ci", 1), ("ci/one.yml", 1), ("ci/child.yml", 3), ("test.sh", 2)],
                *[("Makefile", 2), ("makefile", 2), ("GNUmakefile", 2)],
            ],
        ),
        ("markdown", MARKDOWN, [("release", 2), ("tools/check.py", 3), ("scripts/last.sh", 5)]),
        ("xxp", XXP, [("tasks/a.bin", 2)]),
        (
            "native",
            "wfgate: '1'\nsteps:\n  - {name: Test, run: [python, -m, ci.test]}\n",
            [("ci/test.py", 3), ("ci/test/__main__.py", 3)],
        ),
    ],
)
def test_calls_of_formats(format_id: str, text: str, expected: list[tuple[str, int]]):
    name = f"w.{'md' if format_id == 'markdown' else 'yaml'}" if format_id != "xxp" else "w.xxp"
    found = firsts(FORMATS[format_id].calls(document_of(text, name), ""))
    assert set(found) == set(expected)
    assert may_call(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('source "$(dirname "$0")/lib.sh"', "ci/lib.sh"),
        ("$CI_PROJECT_DIR/tools/x.py --fast", "tools/x.py"),
        ("pushd sub; ./y.sh", "sub/y.sh"),
        (".\\build\\z.ps1", "build/z.ps1"),
        ("sudo python3 -u deploy", "deploy"),
        ('subprocess.run(["bash", "tools/x.sh"])', "tools/x.sh"),
        ("x=$(ci/version)", "ci/version"),
        ("make -C sub all", "sub/Makefile"),
    ],
)
def test_commands_name_programs(text: str, name: str):
    assert name in {place for found in called_by_commands(text, "ci", "") for place in found.places}


@pytest.mark.parametrize("text", ["cat README.md", "cp config.yaml build", "echo make", "../../x.sh", "cd app"])
def test_other_words_name_none(text: str):
    assert [found for found in called_by_commands(text, "") if found.folder is None] == []


@pytest.mark.parametrize(
    "data", ["on: push\njobs: [1]\n", "on: 1\njobs: {a: 1, b: {steps: {run: 1}}}\n", "runs: {using: 1, main: []}\n"]
)
def test_what_has_another_form_calls_nothing(data: str):
    assert [*FORMATS["github-actions"].calls(document_of(data, "w.yaml"), "")] == []
