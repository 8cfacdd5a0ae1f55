"""What is shipped is verified when it is loaded: one bit that differs, and nothing is judged."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import wfgate
from wfgate.base import provenance, recorded

PACKAGE = Path(wfgate.__file__).parent
FOLDERS = sorted(path.parent for path in PACKAGE.glob("data/*/provenance.json"))
STEPS = ["Fetch the records", "Clean the records", "Publish the report"]


def test_everything_that_numbers_are_made_of_is_recorded():
    found = {str(path.relative_to(PACKAGE / "data")) for path in PACKAGE.glob("data/**/*") if path.is_file()}
    known = {f"{folder.name}/{name}" for folder in FOLDERS for name in provenance(folder)["sha256"]}
    records = {f"{folder.name}/provenance.json" for folder in FOLDERS}
    assert {
        name for name in found - known - records if not name.startswith(("templates/", "consequences/", "other_tools"))
    } == set()
    for folder in FOLDERS:
        for name in provenance(folder)["sha256"]:
            assert recorded(folder, name, provenance(folder)) == (folder / name).read_bytes()


@pytest.mark.parametrize(
    "said", [{}, {"sha256": 3}, {"sha256": {}}, {"sha256": {"a": "0" * 64}}, {"sha256": {"b": ""}}]
)
def test_a_file_that_nobody_recorded_is_refused(said, tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    with pytest.raises(ValueError, match="the hash differs from the recorded one"):
        recorded(tmp_path, "a", said)


@pytest.mark.parametrize("content", ["", "[]", "3", "{"])
def test_records_that_are_none(content, tmp_path):
    (tmp_path / "provenance.json").write_text(content)
    with pytest.raises(ValueError):  # noqa: PT011 - whoever asked says where
        provenance(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [f"{folder.name}/{name}" for folder in FOLDERS for name in provenance(folder)["sha256"]]
)
def test_a_gate_with_a_tampered_copy_stops(name, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "wfgate", copy_function=os.link, ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "wfgate" / "data" / name
    content = bytearray(place.read_bytes())
    content[len(content) // 2] ^= 1
    place.unlink()  # the copy shares its bytes with the package
    place.write_bytes(content)
    (tmp_path / "golden.json").write_text(json.dumps({"wfgate": "1", "steps": STEPS}))
    (tmp_path / "candidate.json").write_text(
        json.dumps({"wfgate": "1", "steps": [*STEPS[:2], "Put the report online"]})
    )
    profile = Path(name).stem if name.startswith("profiles/") else "default"
    done = subprocess.run(
        [sys.executable, "-m", "wfgate", "gate", "candidate.json", "-r", "golden.json", "--profile", profile],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, ""), done
    assert "the hash differs from the recorded one\n  fix: reinstall wfgate" in done.stderr
