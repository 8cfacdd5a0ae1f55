"""What wfgate is installed with and built into: locked, licensed, built the same way twice, and where it is kept."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires, version

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from .runner import ROOT
from .test_workflows import locked

sys.path.insert(0, str(ROOT / "calibration" / "prove"))
import licences
import sbom

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pinned() -> dict[str, str]:
    """The versions that are locked for this platform and this Python."""
    found = [each for group in locked().values() for each in group]
    here = [each for each in found if each.marker is None or each.marker.evaluate()]
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in here}


def closure(versions: dict[str, str]) -> set[str]:
    """All that the runtime dependencies need here, as far as the packages that say so have these versions."""
    left = [Requirement(text) for text in PROJECT["dependencies"]]
    seen: set[tuple[str, str]] = set()
    while left:
        asked = left.pop()
        name = canonicalize_name(asked.name)
        for extra in {"", *asked.extras} - {extra for known, extra in seen if known == name}:
            seen.add((name, extra))
            same = name in versions and version(name) == versions[name]
            needed = map(Requirement, requires(name) or ()) if same else ()
            left += [each for each in needed if each.marker is None or each.marker.evaluate({"extra": extra})]
        left = [each for each in left if canonicalize_name(each.name) not in licences.unused()]
    return {name for name, _ in seen}


def test_the_lock_is_complete_and_holds_nothing_else():
    versions = pinned()
    needed = closure(versions)
    assert versions.keys() == licences.locked()
    assert needed <= versions.keys()
    if all(version(name) == versions[name] for name in needed):  # a later one may need something else
        assert needed == versions.keys()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("gate generated/missing-hardening.yaml --reference approved/deploy.yaml -f json -f html -f sarif -f text", 1),
        ("gate generated --reference nowhere", 2),
        ("show approved/deploy.yaml", 0),
        ("gate --no-such-option", 2),
    ],
)
def test_nothing_imports_what_the_action_leaves_out(arguments: str, code: int, tmp_path):
    unused = licences.left_out()
    owners = packages_distributions().items()
    modules = sorted(name for name, of in owners if unused & {canonicalize_name(each) for each in of})
    assert {"pygments", "huggingface_hub", "flatbuffers", "google"} <= set(modules)
    blocked = f"import sys; sys.modules.update(dict.fromkeys({modules!r})); from wfgate.cli import run; run()"
    files = [word for number in range(arguments.count("-f ")) for word in ("-o", str(tmp_path / str(number)))]
    done = subprocess.run(
        [sys.executable, "-c", blocked, *arguments.split(), *files],
        cwd=ROOT / "examples" / "deploy",
        env={**os.environ, "WFGATE_CACHE": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "internal error" in done.stderr) == (code, False), done.stderr


def test_the_table_of_licences_is_that_of_the_lock():
    found = list(licences.written())
    assert [(name, needed) for name, _, needed in found] == [(name, needed) for name, _, needed in licences.rows()]
    assert {name for name, _, needed in found if not needed} == licences.locked()
    names = {canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]}
    assert names <= {name for name, _, _ in found}
    extras = PROJECT["optional-dependencies"].keys() - {"dev"}
    assert {needed for *_, needed in found} - {"", licences.ONLY_PIP} == extras


def test_every_licence_is_known_and_compatible():
    versions = pinned()
    for name, said, needed in licences.written():
        assert licences.unknown(said) == set(), f"{name}: {said}"
        if not needed and versions[name] == version(name):  # another version may say it otherwise
            assert licences.licence(name) == said, name


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        ("MIT", set()),
        ("GPL-3.0-only", {"GPL-3.0-only"}),
        ("MIT AND GPL-3.0-only", {"GPL-3.0-only"}),
        ("GPL-3.0-only OR MIT", set()),
        ("MIT AND (GPL-3.0-only OR Zlib)", set()),
        ("unknown", {"unknown"}),
        ("Copyright (c) somebody. All rights reserved.", {"Copyright (c) somebody. All rights reserved."}),
    ],
)
def test_what_goes_with_our_licence(expression, left):
    assert licences.unknown(expression) == left


def shipped() -> Iterator[str]:
    data = ROOT / "tests" / "read" / "formats" / "data"
    for folder in (*(ROOT / "calibration" / "corpora").iterdir(), *data.iterdir()):
        if folder.is_dir() and folder.name not in {"own", "__pycache__"}:
            yield folder.relative_to(ROOT).as_posix()
    yield from ("wfgate/data/static_minilm", "wfgate/data/step_equivalence")


def test_notice_names_all_data_that_are_shipped_and_nothing_that_is_not():
    text = (ROOT / "NOTICE").read_text()
    named = set(re.findall(r"^[\w./-]+/[\w./-]+$", text, re.MULTILINE))
    missing = [place for place in shipped() if not any(f"{name}/".startswith(f"{place}/") for name in named)]
    assert missing == []
    assert [name for name in sorted(named) if not name.startswith("wfgate/") and not (ROOT / name).exists()] == []


def test_a_bill_of_materials_is_compared_with_the_lock():
    listed = [{"name": name.replace("-", "_"), "version": number} for name, number in pinned().items()]
    assert sbom.differences({"components": [*listed, {"name": "wfgate", "version": "1"}]}) == []
    first, *rest = listed
    assert sbom.differences({"components": [*rest, {"name": "stowaway", "version": "1"}]}) == [
        "+ stowaway==1",
        f"- {first['name'].replace('_', '-')}=={first['version']}",
    ]


def test_image_and_make_write_the_bill_with_the_same_tool():
    tool = re.search(r"cyclonedx-bom==[\d.]+", (ROOT / "Makefile").read_text())
    lock = (ROOT / ".ci" / "sbom-requirements.txt").read_text()
    assert tool is not None
    assert f"\n{tool[0]} \\\n    --hash=sha256:" in lock


def test_ci_keeps_the_bill_and_the_pictures_and_audits_every_week():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    kept = {
        step["with"]["name"]: step["with"]
        for job in jobs.values()
        for step in job["steps"]
        if step.get("uses", "").startswith("actions/upload-artifact@")
    }
    assert kept["sbom"]["path"] == "dist/sbom.cdx.json"
    assert (kept["screenshots"]["path"], kept["screenshots"]["if-no-files-found"]) == (".screenshots/", "ignore")
    assert kept["screenshots"]["include-hidden-files"] is True
    assert "screenshots.py .screenshots" in (ROOT / ".ci" / "run").read_text()
    audit = (ROOT / ".github" / "workflows" / "audit.yml").read_text()
    assert "schedule:" in audit
    assert "run: make audit" in audit
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"pip-audit --strict .*--require-hashes", makefile)  # a package that is not found is no pass


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "wfgate").is_dir(), reason="the wheel is tested without the sources")
def test_the_wheel_has_every_file_and_the_same_bytes_twice(tmp_path):
    digests = set()
    for number, (mask, zone) in enumerate([(0o022, "UTC"), (0o077, "Asia/Tokyo")]):
        source = tmp_path / f"checkout{number}" / ("deeper" * number)
        source.mkdir(parents=True)
        before = os.umask(mask)
        try:
            for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
                shutil.copyfile(ROOT / name, source / name)
            shutil.copytree(
                ROOT / "wfgate",
                source / "wfgate",
                copy_function=shutil.copyfile,  # neither times nor modes
                ignore=shutil.ignore_patterns("__pycache__"),
            )
        finally:
            os.umask(before)
        environ = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", source / "dist", source],
            env={**environ, "TZ": zone, "PYTHONHASHSEED": str(number + 1)},
            check=True,
            capture_output=True,
            umask=mask,
        )
        (wheel,) = (source / "dist").glob("*.whl")
        packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("wfgate/")}
        files = {path.relative_to(source).as_posix() for path in (source / "wfgate").rglob("*") if path.is_file()}
        assert packed == files
        digests.add((wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest()))
    assert len(digests) == 1, digests
