import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from .conftest import APPROVED, GENERATED, ROOT, SUITE, command, environment, inline, is_error, once, wfgate


def pair(name: str) -> tuple[str, str, str]:
    return f"{GENERATED}/{name}.yaml", "--reference", APPROVED


def suite(*cases: dict[str, str]) -> bytes:
    return "".join(json.dumps(case) + "\n" for case in cases).encode()


def absolute(name: str, candidate: str) -> dict[str, str]:
    return {"id": name, "golden": str(ROOT / APPROVED), "candidate": str(ROOT / GENERATED / candidate)}


REWORDED = absolute("fine", "reworded.yaml")
MISSING = absolute("broken", "missing-hardening.yaml")
NOWHERE = {"id": "lost", "golden": str(ROOT / APPROVED), "candidate": "nowhere.yaml"}


def test_references_gated_against_themselves_are_an_error(tmp_path: Path, golden: Path):
    approved = tmp_path / "approved"
    approved.mkdir(exist_ok=True)
    (approved / "deploy.yaml").write_bytes(golden.read_bytes())
    for given in (approved, approved / "deploy.yaml"):
        run = inline("gate", given, "-r", approved)
        assert is_error(run, 2, "the candidate is the reference file itself", "fix: ")


def test_a_reworded_workflow_passes():
    run = once("gate", *pair("reworded"))
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("PASS reworded")
    assert "Promise: on average over goldens like the" in once("gate", "--verbose", *pair("reworded")).out


def test_a_regression_blocks_and_the_first_line_says_what_broke():
    run = once("gate", *pair("missing-hardening"))
    assert (run.code, run.err) == (1, "")
    assert run.out.startswith("BLOCK missing-hardening: step missing\n  WR101 the critical step 'Require multi-factor")
    assert len(run.out.splitlines()) <= 8
    last = " ".join(run.out.split()).partition(" To accept this change: ")[2]
    assert last.endswith(f"--replace {APPROVED} --reason '<why>'")
    assert last.startswith("wfgate approve ")


def test_what_fails_is_one_line_each_for_other_programs():
    run = once("gate", *pair("missing-hardening"), "--format", "oneline")
    what = "the critical step 'Require multi-factor authentication for every operator account' is missing"
    assert run.out == f"{APPROVED}:14:5: block WR101 error: {what}\nwfgate: block: 1 case: 1 blocked\n"
    assert run.code == 1


def test_text_fits_the_terminal_and_has_no_escape_codes():
    run = once("gate", *pair("missing-hardening"))
    narrow = wfgate("gate", *pair("missing-hardening"), "--verbose", env={"COLUMNS": "50"})
    assert "\x1b" not in run.out
    for out, width in ((run.out, 80), (narrow.out, 50)):  # a command to copy stands on one line
        assert max(len(line) for line in out.splitlines() if not line.lstrip().startswith("wfgate approve ")) <= width


@pytest.mark.parametrize(
    ("environ", "colour"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
@pytest.mark.slow
def test_colour_is_for_terminals_that_want_it(environ: dict[str, str], colour: bool):  # noqa: FBT001 - a parameter
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command("gate", *pair("missing-hardening")),
        cwd=ROOT,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env=environment({"TERM": "xterm", **environ}),
    )
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:  # Linux: the other end was closed
        pass
    os.close(ours)
    assert process.wait() == 1
    assert b"BLOCK" in said
    assert (b"\x1b[" in said) is colour


def test_json_validates_against_the_published_schema():
    run = once("gate", "--pairs", SUITE, "--format", "json")
    assert (run.code, run.err) == (1, "")
    schema = once("schema", "result").data
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(run.data)
    assert run.data["schema"] == "wfgate.result/2"
    assert run.data["verdict"] == "block"
    assert run.out.isascii()


def test_json_lines_validate_against_the_schema_of_a_case():
    run = once("gate", "--pairs", SUITE, "--format", "jsonl")
    cases = [json.loads(line) for line in run.out.splitlines()]
    validator = Draft202012Validator(once("schema", "case").data)
    for case in cases:
        validator.validate(case)
    assert len(cases) == 6


def test_json_lines_go_to_a_file_that_appears_when_the_run_has_ended(tmp_path: Path):
    there = tmp_path / "new" / "cases.jsonl"
    run = inline("gate", "--pairs", SUITE, "--format", "jsonl", "--output", there)
    verdict = f"wfgate: block: 6 cases: 5 blocked, 1 passed; report: {there}\n"
    assert (run.code, run.out, run.err) == (1, verdict, "")
    assert there.read_text() == once("gate", "--pairs", SUITE, "--format", "jsonl").out
    (tmp_path / "none.jsonl").touch()
    run = inline("gate", "--pairs", tmp_path / "none.jsonl", "--format", "jsonl", "--output", tmp_path / "out.jsonl")
    assert is_error(run, 2, "there are no cases to compare")
    assert inline("gate", "--pairs", SUITE, "--format", "jsonl", "--output", "-").out == there.read_text()
    run = inline("gate", "--pairs", SUITE, "--format", "jsonl", "--output", tmp_path)
    assert is_error(run, 2, "the file cannot be written")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "none.jsonl"]


def test_the_format_never_changes_the_exit_code_and_several_reports_are_one_run(tmp_path: Path):
    files = [tmp_path / "new" / "folder" / name for name in ("r.json", "r.jsonl", "r.md")]
    run = wfgate(
        *("gate", "--pairs", SUITE, "-f", "json", "-o", files[0], "-f", "jsonl", "-o", files[1]),
        *("-f", "markdown", "-o", files[2], "-f", "text"),
    )
    assert run.code == 1
    assert "6 cases: 5 blocked, 1 passed" in run.out
    assert json.loads(files[0].read_text())["cases"] == [
        json.loads(line) for line in files[1].read_text().splitlines()
    ]
    assert json.loads(files[0].read_text()) == once("gate", "--pairs", SUITE, "--format", "json").data
    assert files[2].read_text().startswith("## wfgate: BLOCK")
    assert sorted(path.name for path in files[0].parent.iterdir()) == ["r.json", "r.jsonl", "r.md"]


def test_quiet_hides_what_passed_and_verbose_shows_its_details():
    usual = once("gate", "--pairs", SUITE)
    quiet = once("gate", "--pairs", SUITE, "--quiet")
    verbose = once("gate", "--pairs", SUITE, "--verbose")
    assert usual.code == quiet.code == verbose.code == 1
    assert "PASS reworded" in usual.out
    assert "PASS reworded" not in quiet.out
    assert "BLOCK missing-hardening" in quiet.out
    assert len(quiet.out) < len(usual.out) < len(verbose.out)


def test_output_replaces_a_file_behind_a_symbolic_link_and_writes_to_devices(tmp_path: Path):
    target = tmp_path / "real.json"
    target.write_text("old")
    (tmp_path / "link.json").symlink_to(target)
    run = wfgate("gate", *pair("reworded"), "-f", "json", "-o", tmp_path / "link.json", "-f", "text", "-o", os.devnull)
    files = f"{tmp_path / 'link.json'}, {os.devnull}"
    assert (run.code, run.out) == (0, f"wfgate: pass: 1 case: 1 passed; report: {files}\n")
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads(target.read_text())["verdict"] == "pass"
    assert Path(os.devnull).is_char_device()


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path, golden: Path):
    run = inline("lint", golden, "--output", tmp_path)
    assert is_error(run, 2, str(tmp_path), "cannot be written")
    (tmp_path / "file").touch()
    assert is_error(inline("lint", golden, "--output", tmp_path / "file" / "x"), 2, "cannot be written")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no candidate was given"),
        ((APPROVED,), "no reference was given"),
        ((APPROVED, "--pairs", SUITE), "cannot be used together"),
        (("--pairs", "nowhere.jsonl"), "nowhere.jsonl: the file does not exist"),
        ((APPROVED, "-r", "nowhere"), "nowhere: the file or folder does not exist"),
        ((APPROVED, APPROVED, "-r", APPROVED), "only one reference file"),
        ((APPROVED, "-r", APPROVED, "-f", "pdf"), "unknown reporter 'pdf'"),
        ((APPROVED, "-r", APPROVED, "-f", "json", "-f", "text"), "several reports cannot be written to one terminal"),
        ((APPROVED, "-r", APPROVED, "-o", "a", "-o", "b"), "more --output files"),
        ((APPROVED, "-r", APPROVED, "--alpha-block", "0"), "--alpha-block"),
        ((APPROVED, "-r", APPROVED, "--alpha-block", "0.000001"), "would never block"),
        ((APPROVED, "-r", APPROVED, "--block-severity", "2"), "--block-severity"),
        ((APPROVED, "-r", APPROVED, "--metric", "bluu"), "unknown metric 'bluu'"),
        ((APPROVED, "-r", APPROVED, "--embedder", "nothing"), "nothing"),
        ((APPROVED, "-r", APPROVED, "--profile", "nowhere.json"), "nowhere.json"),
        ((APPROVED, "-r", APPROVED, "--config", "nowhere.toml"), "nowhere.toml: cannot be read"),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    assert is_error(inline("gate", *arguments), 2, said)


def test_an_unknown_flag_is_a_usage_error():
    run = once("gate", "--referense", "x")
    assert (run.code, run.out) == (2, "")
    assert "--reference" in run.err


def test_no_candidate():
    assert is_error(inline("gate"), 2, "no candidate was given")


def test_other_metrics_than_the_profile_s_are_inconclusive():
    assert is_error(once("gate", *pair("reworded"), "--metric", "bleu"), 4, "has another signature", "calibrate")


def test_another_beta_than_the_profile_s_is_inconclusive(tmp_path: Path):
    said = "running static-minilm"
    assert is_error(once("gate", *pair("reworded"), "--beta", "0.7"), 4, "beta=0.05", said, "beta=0.7", "calibrate")
    config = tmp_path / "wfgate.toml"
    config.write_text("beta = 0.95\n")
    scored = ("score", APPROVED, f"{GENERATED}/reworded.yaml", "--metric", "worfeval-graph-f1")
    given = ((), ("--beta", "0.6"), ("--beta", "0.95"), ("--config", config), ("--config", config, "--beta", "0.6"))
    default, same, strict, configured, overridden = (inline(*scored, *options).out for options in given)
    assert default == same == overridden
    assert default != strict == configured
    config.write_text("beta = 7\n")
    assert is_error(inline(*scored, "--config", config), 2, "beta")


def test_policy_flags(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    lenient = inline("gate", *pair("squeezed-observability"), "--block-severity", "0.9", "-f", "json")
    assert (lenient.code, lenient.data["verdict"]) == (0, "review")
    assert lenient.data["policy"]["block_severity"] == 0.9
    severe = inline("gate", *pair("squeezed-observability"), "--critical", "*paging*", "-f", "json")
    assert severe.code == 1
    assert "critical step 'Enable paging alerts" in severe.data["cases"][0]["reasons"][0]["message"]


def test_folders_are_paired_by_name(tmp_path: Path, golden: Path):
    for folder, names in {"approved": ("one", "two", "two@b", "gone"), "new": ("one", "two", "strange")}.items():
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / f"{name}.yaml").write_bytes(golden.read_bytes())
    run = wfgate("gate", "new", "-r", "approved", "-f", "json", cwd=tmp_path)
    assert run.code == 3
    verdicts = {case["id"]: (case["verdict"], case["error"]) for case in run.data["cases"]}
    assert verdicts["one"] == verdicts["two"] == ("pass", None)
    assert verdicts["strange"] == ("inconclusive", "no reference named 'strange' in approved")
    assert verdicts["gone"] == ("inconclusive", "no candidate named 'gone'")


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (suite(REWORDED), 0),
        (suite(REWORDED, MISSING), 1),
        (suite(NOWHERE, REWORDED), 3),
        (suite(NOWHERE, MISSING), 1),
        (b"\xef\xbb\xbf" + suite(REWORDED), 0),
        (b"{oops\n" + suite(REWORDED), 3),
        (b"\xff\xfe\n" + suite(MISSING), 1),
        (b'"a text"\n[]\n{"golden": 1}\n', 3),
        (suite(REWORDED, REWORDED), 3),
    ],
    ids=["pass", "block", "unread", "unread+block", "mark", "no json", "no utf-8", "no case", "twice"],
)
def test_suites_from_standard_input(lines: bytes, code: int):
    run = wfgate("gate", "--pairs", "-", "--format", "json", stdin=lines)
    assert (run.code, run.err) == (code, "")
    assert len(run.data["cases"]) == len(lines.splitlines())
    for case in run.data["cases"]:
        assert (case["error"] is None) is (case["id"] in {"fine", "broken"} and case["verdict"] != "inconclusive")


@pytest.mark.parametrize("lines", [b"", b"\n \n"], ids=["nothing", "blank"])
def test_an_empty_suite_is_never_green(lines: bytes):
    assert is_error(wfgate("gate", "--pairs", "-", stdin=lines), 2, "there are no cases to compare")


def test_an_empty_folder_is_never_green(tmp_path: Path):
    assert is_error(inline("gate", tmp_path, "-r", tmp_path), 2, "there are no cases to compare")


def test_a_golden_too_small_for_statistics_is_decided_by_its_findings(tmp_path: Path):
    (tmp_path / "g.yaml").write_text('wfgate: "1"\nsteps: [Build the image, Deploy the image]\n')
    for steps, code, said in (
        ("Build an image, Roll the image out", 0, "PASS c"),
        ("Build the image", 1, "BLOCK c: step missing\n  WR101 'Deploy the image' is missing"),
        (
            "Build the image, Deploy the image, Tell the team",
            0,
            "REVIEW c: step added\n  WR102 'Tell the team' is new",
        ),
    ):
        (tmp_path / "c.yaml").write_text(f'wfgate: "1"\nsteps: [{steps}]\n')
        run = inline("gate", tmp_path / "c.yaml", "-r", tmp_path / "g.yaml")
        assert (run.code, said) == (code, run.out[: len(said)])


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("", "PASS c: the same bytes: 3 steps\n"),
        ("Written in spring.\n", "PASS c: 3 steps the same, 1 other difference\n  info: the workflow"),
        ("Never skip a step.\n", "REVIEW c: text around the steps changed\n"),
        ("## Notes\n\n- Wait 30 minutes after the backup.\n", "REVIEW c: text around the steps changed\n"),
    ],
)
def test_a_pass_names_what_is_lost_around_the_steps(tmp_path: Path, lost: str, said: str):
    steps = "# Release\n\n1. Build the image\n2. Back up the data\n3. Deploy the image\n"
    text = f"{steps}\nWritten in spring.\n\nNever skip a step.\n\n## Notes\n\n- Wait 30 minutes after the backup.\n"
    assert lost in text
    (tmp_path / "g.md").write_text(text)
    (tmp_path / "c.md").write_text(text.replace(lost, ""))
    assert inline("gate", tmp_path / "c.md", "-r", tmp_path / "g.md").out.startswith(said)


@pytest.mark.slow
def test_many_cases_on_several_processes_give_what_one_gives(tmp_path: Path):
    lines = suite(*({**case, "id": f"{case['id']}{n}"} for n in range(70) for case in (REWORDED, MISSING)))
    (tmp_path / "suite.jsonl").write_bytes(lines)
    one, two = (wfgate("gate", "--pairs", tmp_path / "suite.jsonl", "-f", "json", "-j", n) for n in ("1", "2"))
    assert one.code == two.code == 1
    assert one.out == two.out
