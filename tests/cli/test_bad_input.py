"""Whatever stands in a file: one clear message, the right exit code, and never green for what was not compared."""

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from .conftest import GOLDEN, HOSTILE, Run, inline, is_error, wfgate

POSITIONED = {"binary", "latin1", "deep", "bomb", "twice", "unknown", "truncated", "tabs", "python", "empty", "blank"}


@pytest.fixture(scope="module")
def files(bad: Path) -> list[Path]:
    return [*sorted(bad.iterdir()), bad / "missing.yaml"]


@pytest.fixture(scope="module")
def linted(files: list[Path]) -> Run:
    return wfgate("lint", "--format", "json", *files)


@pytest.fixture(scope="module")
def gated(files: list[Path], golden: Path) -> Run:
    """Each file as golden and as candidate, in one suite."""
    return wfgate("gate", "--pairs", "-", "-f", "json", stdin=_suite(_both(files, golden)))


def _both(files: list[Path], golden: Path) -> Iterable[dict[str, str]]:
    for number, file in enumerate(files):
        if "\n" in file.name:
            continue  # in a suite, what has a line break is a workflow, no path
        yield {"id": f"golden {number}", "golden": str(file), "candidate": str(golden)}
        yield {"id": f"candidate {number}", "golden": str(golden), "candidate": str(file)}


def _suite(cases: Iterable[dict[str, str]]) -> bytes:
    return "\n".join(map(json.dumps, cases)).encode()


def test_lint_reads_none_of_them_and_says_why(linted: Run, files: list[Path]):
    assert (linted.code, linted.err) == (3, "")
    assert [file["path"] for file in linted.data["files"]] == list(map(str, files))
    for file in linted.data["files"]:
        said, _, fix = file["error"].rpartition("\n  fix: ")
        assert said.startswith(file["path"])
        assert said.removeprefix(file["path"])[0] == ":"
        assert fix
        if Path(file["path"]).stem in POSITIONED:
            line, column, rest = said.removeprefix(file["path"] + ":").split(":", 2)
            assert int(line) >= 1
            assert int(column) >= 1
            assert rest.startswith(" ")


def test_gate_compares_none_of_them(gated: Run, files: list[Path]):
    assert (gated.code, gated.err) == (3, "")
    assert len(gated.data["cases"]) == 2 * (len(files) - 1)
    for case in gated.data["cases"]:
        assert case["verdict"] == "inconclusive"
        assert "\n  fix: " in case["error"]
        assert (case["golden"] if case["id"].startswith("golden") else case["candidate"]) in case["error"]


@pytest.mark.parametrize("name", ["empty.yaml", "latin1.yaml", "pipe.yaml", "zero.yaml", "folder.yaml", HOSTILE])
def test_convert_and_score_end_with_3(bad: Path, golden: Path, name: str):
    if not (bad / name).exists():
        pytest.skip("not on this system")
    assert is_error(inline("convert", bad / name, "--to", "native"), 3, str(bad))


def test_score_and_perturb_end_with_3(bad: Path, golden: Path):
    assert is_error(inline("score", golden, bad / "bomb.yaml"), 3, "bomb.yaml:6:")
    assert is_error(inline("perturb", bad / "loop.yaml", "--operator", "missing"), 3, "loop.yaml: cannot be read")


def test_gate_with_paths_refuses_what_is_no_file(bad: Path, golden: Path):
    assert is_error(inline("gate", bad / "zero.yaml", "-r", golden), 2, "zero.yaml: neither a file nor a folder")
    assert is_error(inline("gate", golden, "-r", bad / "zero.yaml"), 2, "zero.yaml: neither a file nor a folder")
    assert is_error(inline("gate", bad / "loop.yaml", "-r", golden), 2, "loop.yaml: the file or folder does not exist")


def test_a_hostile_file_name_is_only_text(bad: Path, golden: Path):
    shown = r"a↵ b\x1b[31m[bold]<b>&.yaml"
    assert is_error(inline("convert", bad / HOSTILE, "--to", "native"), 3, shown)
    lint = inline("lint", bad / HOSTILE)
    assert lint.code == 3
    assert ": error WF001 " in lint.out.splitlines()[0]
    assert shown in lint.out
    gate = inline("gate", bad / HOSTILE, "-r", golden)
    assert gate.code == 3
    assert "\x1b" not in gate.out
    assert r"a↵ b\x1b[31m" in gate.out.replace("\n  ", "")


def test_a_file_name_that_is_no_unicode(tmp_path: Path):
    name = os.fsdecode(b"caf\xe9.yaml")
    file = tmp_path / name
    file.write_text(GOLDEN)
    assert inline("lint", file, "--format", "json").code == 0
    assert inline("score", file, file, "--format", "json").code == 0
    (tmp_path / "approved").mkdir()
    shutil.copy(file, tmp_path / "approved")
    assert inline("gate", file, "-r", tmp_path / "approved" / name, "-f", "json").code == 0
    assert wfgate("gate", name, "-r", f"approved/{name}", cwd=tmp_path).code == 0
    assert is_error(inline("convert", os.fsdecode(b"\xff.yaml"), "--to", "native"), 3, ".yaml: cannot be read")


READABLE = {
    "dangling": ('wfgate: "1"\nsteps:\n  - {id: a, name: Build}\n  - {id: b, name: Test, needs: [zzz]}\n', "WF003"),
    "cycle": (
        'wfgate: "1"\nsteps:\n  - {id: a, name: Build, needs: [b]}\n  - {id: b, name: Test, needs: [a]}\n',
        "WF312",
    ),
    "self": ('wfgate: "1"\nsteps:\n  - {id: a, name: Build}\n  - {id: b, name: Test, needs: [a, b]}\n', "WF312"),
    "none": ('wfgate: "1"\nsteps: []\n', None),
    "one": ('wfgate: "1"\nsteps: [Build the image]\n', None),
}
"""Workflows whose graph is broken or tiny: they are read, and the checks speak."""


@pytest.fixture(scope="module")
def readable(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("readable")
    for name, (text, _) in READABLE.items():
        (folder / f"{name}.yaml").write_text(text)
    return {name: folder / f"{name}.yaml" for name in READABLE}


def test_lint_finds_what_is_broken(readable: dict[str, Path]):
    run = inline("lint", "--format", "json", *readable.values())
    assert run.code == 1
    for (name, (_, rule)), file in zip(READABLE.items(), run.data["files"], strict=True):
        grave = {finding["id"] for finding in file["findings"] if finding["severity"] == "error"}
        assert file["error"] is None, name
        assert (rule in grave) if rule else not (grave - {"WF101", "WF103"}), name


def test_gate_judges_broken_graphs_and_never_passes_nothing(readable: dict[str, Path], golden: Path):
    run = wfgate("gate", "--pairs", "-", "-f", "json", stdin=_suite(_both(list(readable.values()), golden)))
    assert run.code == 1
    verdicts = {case["id"]: case for case in run.data["cases"]}
    for number, name in enumerate(readable):
        assert verdicts[f"candidate {number}"]["verdict"] == "block", name
        assert verdicts[f"golden {number}"]["verdict"] != "pass", name
    assert "the golden has no steps" in verdicts["golden 3"]["error"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ("no golden workflow found",)),
        (b"\x00\xff", (":1: not JSON",)),
        (b'{"id": "a"}\n{oops\n', (":2: not JSON",)),
        (b"[1]\n", (":1: not a JSON object",)),
        (b"[" * 100_000, (":1: not JSON",)),
        (b'{"id": "a", "wfgate": "1", "steps": ["x"', (":1: not JSON",)),
        (b'{"id": "a", "wfgate": "1", "steps": ["Build", "Test", "Ship"]}\n', ("fix",)),
        (b'{"id": "a", "wfgate": "1", "steps": []}\n', ("no golden workflow found",)),
    ],
)
def test_a_corpus_that_cannot_be_used(tmp_path: Path, content: bytes, said: tuple[str, ...]):
    (tmp_path / "corpus.jsonl").write_bytes(content)
    run = inline("calibrate", tmp_path / "corpus.jsonl", "--output", tmp_path / "profile.json", "--jobs", "1")
    assert is_error(run, 2, *said)
    assert not (tmp_path / "profile.json").exists()


@pytest.mark.parametrize("name", ["pipe.yaml", "zero.yaml", "loop.yaml", "missing.yaml", "empty.yaml"])
def test_a_corpus_that_is_no_corpus(bad: Path, name: str):
    assert is_error(inline("calibrate", bad / name), 2)


def test_a_corpus_folder_with_a_pipe_in_it(bad: Path, tmp_path: Path):
    if not (bad / "pipe.yaml").exists():
        pytest.skip("no pipes here")
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert is_error(inline("calibrate", tmp_path), 2, "pipe.jsonl: not a regular file", "fix: ")


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"\x00\xff", b"{}", b'{"format": "wfgate.profile/9"}', b"[" * 9999]
)
def test_a_profile_that_is_none(tmp_path: Path, golden: Path, content: bytes):
    (tmp_path / "profile.json").write_bytes(content)
    run = inline("gate", golden, "-r", golden, "--profile", tmp_path / "profile.json")
    assert is_error(run, 2, str(tmp_path / "profile.json"), "fix: ")


def test_a_profile_that_is_truncated_strange_or_fitted_with_other_numbers(tmp_path: Path, golden: Path):
    from importlib.resources import files  # noqa: PLC0415 - used here only

    shipped = (files("wfgate") / "data" / "profiles" / "default.json").read_text("utf-8")
    profile = tmp_path / "p.json"
    profile.write_text(shipped[: len(shipped) // 2])
    assert is_error(inline("gate", golden, "-r", golden, "--profile", profile), 2, str(profile))
    data = json.loads(shipped)
    profile.write_text(json.dumps({**data, "future": 1}))
    assert is_error(inline("gate", golden, "-r", golden, "--profile", profile), 2, str(profile), "future")
    profile.write_text(json.dumps({**data, "signature": {**data["signature"], "embedder": "other/1"}}))
    assert is_error(inline("gate", golden, "-r", golden, "--profile", profile), 4, "other/1", "calibrate")
    assert is_error(inline("gate", golden, "-r", golden, "--profile", "/dev/zero"), 2, "not a regular file")


def test_a_score_table_that_is_none(tmp_path: Path):
    records = [
        {"id": f"g{number}", "wfgate": "1", "steps": ["Build", "Test", f"Ship {number}"]} for number in range(5)
    ]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, records)))
    (tmp_path / "scores.sqlite").write_bytes(b"garbage" * 1000)
    run = inline("calibrate", tmp_path / "c.jsonl", "--scores", tmp_path / "scores.sqlite", "--jobs", "1")
    assert is_error(run, 2, "scores.sqlite: not a usable score table", "delete the file")
    run = inline("calibrate", tmp_path / "c.jsonl", "--output", tmp_path)
    assert is_error(run, 2, "cannot be written")
    run = inline("calibrate", tmp_path / "c.jsonl", "--output", tmp_path / "c.jsonl" / "p.json")
    assert is_error(run, 2, "cannot be written")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b'{"merges": 1}', b'{"rewordings": [["one"]]}', b'{"drifts": [{"step": 99}]}']
)
def test_recorded_texts_that_do_not_fit(tmp_path: Path, golden: Path, content: bytes):
    (tmp_path / "texts.json").write_bytes(content)
    run = inline("perturb", golden, "--operator", "description", "--texts", tmp_path / "texts.json")
    assert is_error(run, 2, "texts.json: ")


@pytest.mark.slow
def test_two_thousand_steps_on_both_sides(tmp_path: Path):
    verbs, things = ["Check", "Build", "Ship", "Test", "Copy"], ["image", "table", "report", "cluster"]
    steps = [
        {"id": f"s{n}", "name": f"{verbs[n % 5]} the {things[n % 4]} {n} of batch {n // 50}", "needs": [f"s{n - 1}"]}
        for n in range(2000)
    ]
    steps[0]["needs"] = []
    for name, verb in (("golden", "Check"), ("candidate", "Verify")):
        said = [{**step, "name": str(step["name"]).replace("Check", verb)} for step in steps]
        (tmp_path / f"{name}.json").write_text(json.dumps({"wfgate": "1", "steps": said}))
    arguments = ("gate", tmp_path / "candidate.json", "-r", tmp_path / "golden.json", "-f", "json")
    run = wfgate(*arguments)
    assert run.code == 0
    assert len(run.data["cases"][0]["alignment"]["matched"]) == 2000
