"""`wfgate calibrate` as people run it: few goldens of one's own, the report, a refresh."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import inline, is_error, wfgate

CORPUS = Path(__file__).parents[2] / "calibration" / "corpora" / "ops" / "ops.jsonl"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The six smallest goldens of the operations corpus."""
    lines = sorted(CORPUS.read_text(encoding="utf-8").splitlines(), key=lambda line: len(json.loads(line)["steps"]))
    path = tmp_path_factory.mktemp("own") / "own.jsonl"
    path.write_text("\n".join(lines[:6]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(corpus, tmp_path_factory):
    """What a calibration on few goldens leaves."""
    folder = tmp_path_factory.mktemp("calibrated")
    done = wfgate(
        "calibrate",
        corpus,
        "--output",
        folder / "p.json",
        "--report",
        folder / "report",
        "--expires",
        "2999-12-31",
        "-v",
    )
    assert done.code == 0, done.err
    (folder / "said.txt").write_text(done.out)
    (folder / "noted.txt").write_text(done.err)
    return folder


@pytest.mark.slow
def test_few_goldens_are_pooled_and_it_says_so(folder):
    profile = json.loads((folder / "p.json").read_text())
    assert profile["pooling"]["goldens"] == 6
    assert profile["expires"] == "2999-12-31"
    said = (folder / "said.txt").read_text()
    assert "\nThis profile decides like the base profile of " in said
    assert 0 < profile["pooling"]["base_agreement"] <= 1
    assert "6 goldens: graph-json 6" in said
    assert all(len(line) <= 80 or line.startswith(("Report", "Profile")) for line in said.splitlines())


@pytest.mark.slow
def test_the_time_of_each_stage_is_noted(folder):
    lines = (folder / "noted.txt").read_text().splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("processor time of all processes: "))
    spent = {" ".join(name): float(seconds) for *name, seconds, _, _ in map(str.split, lines[start + 1 :])}
    assert spent.keys() >= {"reading", "perturbation", "alignment", "meaning model", "metrics", "evidence", "fit"}
    assert sum(spent.values()) == pytest.approx(float(lines[start].split()[-2]), abs=1)
    assert spent["meaning model"] > 0


@pytest.mark.slow
def test_the_report_is_there_twice_with_its_figures(folder):
    markdown = (folder / "report" / "calibration.md").read_text()
    page = (folder / "report" / "calibration.html").read_text()
    drawings = sorted((folder / "report" / "figures").glob("*.svg"))
    assert len(drawings) >= 7
    assert all(f"figures/{drawing.name}" in markdown for drawing in drawings)
    assert page.count("<svg") == len(drawings)
    assert "**Pooled.**" in markdown
    assert "## Examples of missed damage" in markdown


@pytest.mark.slow
def test_the_gate_takes_the_profile_until_it_expires(folder, golden, tmp_path):
    candidate = tmp_path / "candidate.yaml"
    candidate.write_bytes(golden.read_bytes())
    assert wfgate("gate", candidate, "-r", golden, "--profile", folder / "p.json").code == 0
    data = json.loads((folder / "p.json").read_text()) | {"expires": "2001-01-01"}
    (tmp_path / "old.json").write_text(json.dumps(data))
    ended = inline("gate", candidate, "-r", golden, "--profile", tmp_path / "old.json")
    assert is_error(ended, 4, "the profile expired on 2001-01-01", "wfgate calibrate")


@pytest.mark.slow
def test_a_refresh_writes_beside_and_says_what_changes(corpus, folder, golden, tmp_path):
    before = (folder / "p.json").read_bytes()
    result = folder / "result.json"
    candidate = tmp_path / "candidate.yaml"
    candidate.write_bytes(golden.read_bytes())
    wfgate("gate", candidate, "-r", golden, "--profile", folder / "p.json", "--format", "json", "--output", result)
    done = wfgate("calibrate", corpus, "--output", folder / "p.json", "--refresh", "--replay", result)
    assert done.code == 0, done.err
    assert ", 0 scored in this run" in done.out
    assert "Not looser than the profile in use." in done.out
    assert "Replayed 1 recorded case; changed verdicts: 0." in done.out
    assert (folder / "p.json").read_bytes() == before
    summary = json.loads((folder / "p.refresh.json").read_text())
    assert (summary["format"], summary["looser"], summary["replay"]["changed"]) == ("wfgate.refresh/1", [], 0)
    renewed = json.loads((folder / "p.new.json").read_text())
    assert renewed["promise"] == json.loads(before)["promise"]


def test_options_that_make_no_sense(corpus, tmp_path):
    assert is_error(inline("calibrate", corpus, "--refresh"), 2, "--refresh needs the profile in use")
    assert is_error(inline("calibrate", corpus, "--replay", corpus), 2, "--replay needs --refresh")
    nothing = tmp_path / "nothing.json"
    assert is_error(inline("calibrate", corpus, "--refresh", "--output", nothing), 2, "cannot be read")
    assert is_error(inline("calibrate", corpus, "--base", nothing), 2, "cannot be read")
    assert is_error(inline("calibrate", corpus, "--alpha-block", "0"), 2, "--alpha-block")
    assert is_error(inline("calibrate", corpus, "--alpha-block", "0.2"), 2, "--alpha-review")


def test_too_few_goldens_are_refused(tmp_path):
    path = tmp_path / "four.jsonl"
    path.write_text("\n".join(CORPUS.read_text(encoding="utf-8").splitlines()[:1]))
    assert is_error(inline("calibrate", path, "--jobs", "1"), 2, "1 usable golden; at least 5 are needed")


def test_few_goldens_with_another_embedder_are_told_what_works(corpus, tmp_path):
    """The shipped base profile does not fit: the way out is another base or another rate, not the same command."""
    run = inline("calibrate", corpus, "--beta", "0.5", "-o", tmp_path / "p.json")
    assert is_error(run, 2, "6 of 6 goldens have recorded rewordings, too few for a rate of 1.00% (124 are needed)")
    assert "cannot be pooled with the shipped base profile" in run.err
    assert "calibration/corpora/ops calibration/corpora/worfbench --output base.json" in run.err
    assert run.err.rstrip().endswith("or promise less: --alpha-block 0.18 --alpha-review 0.18")


def test_goldens_with_too_few_steps_are_left_out(tmp_path):
    for number in range(8):
        steps = [f"Do thing {number} {step}" for step in range(4 + number % 2)]
        (tmp_path / f"w{number}.json").write_text(json.dumps({"wfgate": "1", "steps": steps}))
    run = inline("calibrate", tmp_path, "-o", tmp_path / "p.profile", "--min-steps", "5")
    noted, error, _ = run.err.splitlines()
    assert (run.code, noted) == (2, "4 goldens with fewer than 5 steps left out")
    assert error == "error: 4 usable goldens; at least 5 are needed"
    assert is_error(inline("calibrate", tmp_path, "--min-steps", "6"), 2, "no golden has 6 steps")


def test_what_is_skipped_is_listed_before_the_goldens_are_counted(tmp_path):
    (tmp_path / "deploy.md").write_text("1. Build the image\n2. Push the image\n")
    (tmp_path / "notes.md").write_text("Nothing to do.\n")
    for number in range(11):
        (tmp_path / f"{number:02}.png").write_bytes(b"\x89PNG")
    done = inline("calibrate", tmp_path, "--jobs", "1")
    *lines, error, fix = done.err.splitlines()
    assert (done.code, done.out, error) == (2, "", "error: 1 usable golden; at least 5 are needed")
    assert "the shipped profile needs no goldens" in fix
    assert lines[0].startswith(f"skipped {tmp_path}/notes.md:1:1: no format recognises the content")
    assert lines[1] == f"skipped {tmp_path}/00.png: the suffix '.png' belongs to no format"
    assert lines[-1] == "skipped 2 more; give --report FOLDER for the whole list"
