"""`wfgate contract` says in words what the references agree on; `wfgate approve` says what an approval makes free."""

from pathlib import Path

import pytest

from .conftest import inline, is_error

GOLDEN = """\
wfgate: "1"
steps:
  - Build the image
  - Scan the image for vulnerabilities
  - {name: Require the approval of the release manager, critical: true}
  - Deploy to staging
  - Wait for 30 minutes
  - {name: Deploy to production, any_order: true}
  - {name: Notify the operations channel, optional: true}
"""
SECOND = GOLDEN.replace("30 minutes", "45 minutes").replace(
    "  - Build the image\n  - Scan the image for vulnerabilities\n",
    "  - Scan the image for vulnerabilities\n  - Build the image\n",
)
THIRD = "".join(line for line in GOLDEN.splitlines(keepends=True) if "approval" not in line and "staging" not in line)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name, text in (("deploy", GOLDEN), ("deploy@2", SECOND), ("deploy@3", THIRD), ("other", GOLDEN)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def test_the_variants_of_a_reference_in_words():
    run = inline("contract", "deploy.yaml")
    assert (run.code, run.err) == (0, "")
    assert run.out == (
        "Contract of deploy.yaml (the golden), and of deploy@2.yaml and deploy@3.yaml\n"
        "Now free, as the references differ (check this):\n"
        "3. 'Require the approval of the release manager': required, critical (missing in\n"
        "   deploy@3.yaml); in any order with 6\n"
        "4. 'Deploy to staging': optional (missing in deploy@3.yaml); in any order with 6\n"
        "5. 'Wait for 30 minutes': required; need not say '30 minutes' (a value of no\n"
        "   reference may still block); in any order with 6\n"
        "   deploy@2.yaml may demand less: Wait for [-30 minutes-] -> Wait for {+45\n"
        "     minutes+}\n"
        "Still required:\n"
        "1. 'Build the image': required; in any order with 2 and 6\n"
        "2. 'Scan the image for vulnerabilities': required; in any order with 1 and 6\n"
        "6. 'Deploy to production': required; in any order with all others\n"
        "7. 'Notify the operations channel': optional (marked); in any order with 6\n"
    )


def test_given_references_as_json():
    data = inline("contract", "other.yaml", "deploy@3.yaml", "--format", "json").data
    assert (data["schema"], data["references"]) == ("wfgate.contract/1", ["other.yaml", "deploy@3.yaml"])
    steps = {step["name"]: step for step in data["steps"]}
    assert [name for name, step in steps.items() if not step["required"]] == [
        "Deploy to staging",
        "Notify the operations channel",
    ]
    approval = steps["Require the approval of the release manager"]
    assert (approval["critical"], approval["required"], approval["missing_in"]) == (True, True, ["deploy@3.yaml"])
    assert is_error(inline("contract", "nowhere.yaml"), 3, "nowhere.yaml")
