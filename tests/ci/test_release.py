"""What a release needs agrees: version, changelog, tags; and no job uploads before the tests."""

import importlib.machinery
import importlib.util
import re
from types import ModuleType

import pytest
import yaml

from wfgate import __version__

from .runner import ROOT

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.fixture(scope="module")
def release() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("release_script", str(ROOT / ".ci" / "release"))
    spec = importlib.util.spec_from_loader("release_script", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_changelog_has_a_short_section_of_this_version_with_the_verdicts_first(release: ModuleType):
    text = release.notes(CHANGELOG, __version__, dry=True)
    assert text.startswith("### Verdicts that change\n")
    assert len(text.splitlines()) <= 60
    assert CHANGELOG.index(f"## {__version__}") == CHANGELOG.index("\n## ") + 1  # the newest


def test_a_release_needs_its_own_tag_and_a_dated_section(release: ModuleType, capsys: pytest.CaptureFixture[str]):
    changelog = "# Changelog\n\n## 1.2.3 (unreleased)\n\n- a\n\n## 1.2.2 (2026-01-01)\n\n- b\n"
    assert release.notes(changelog, "1.2.3", dry=True) == "- a\n"
    assert release.notes(changelog, "1.2.2", dry=False) == "- b\n"
    for number, dry in (("1.2.3", False), ("1.2", True), ("1.2.4", True)):
        with pytest.raises(SystemExit):
            release.notes(changelog, number, dry=dry)
    with pytest.raises(SystemExit):
        release.main(["--dry-run", "--tag", "v0.0.1"])
    said = capsys.readouterr().err
    assert "calls 1.2.3 unreleased" in said
    assert "the tag v0.0.1 is not that of the version" in said


def test_the_action_has_a_tag_that_moves_and_one_that_does_not(release: ModuleType):
    assert (release.action_tags("0.2.0"), release.action_tags("12.3.4")) == (["v0.2.0", "v0"], ["v12.3.4", "v12"])


def test_nothing_is_uploaded_before_the_wheel_is_tested():
    jobs = WORKFLOW["jobs"]

    def before(name: str) -> set[str]:
        needs = jobs[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*(before(each) for each in direct))

    uploading = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert uploading == {"index", "image", "announce"}
    assert all({"build", "test"} <= before(name) and jobs[name]["environment"] for name in uploading)
    assert [name for name in jobs if jobs[name]["permissions"].get("contents") == "write"] == ["announce"]
    assert jobs["index"]["permissions"]["id-token"] == "write"
    assert re.fullmatch(r"\.ci/test-wheel", jobs["test"]["steps"][-1]["run"])


def test_a_release_can_be_installed_without_what_is_never_imported():
    released = WORKFLOW["jobs"]["announce"]["steps"][1]["run"]
    assert "dist/requirements.txt" in released
    assert f"releases/download/v{__version__}/requirements.txt\npip install --no-deps wfgate=={__version__}\n" in (
        ROOT / "docs" / "faq.md"
    ).read_text("utf-8")


def test_ci_makes_the_release_up_to_the_upload():
    run = (ROOT / ".ci" / "run").read_text()
    assert run.index("make wheel") < run.index(".ci/test-wheel") < run.index(".ci/release --dry-run")
