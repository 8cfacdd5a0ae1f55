"""The history of runs: what a line holds, what is refused, and runs that end at the same time."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from wfgate.decide import GateResult, Origin, Pair, Policy, RunRecord, address, default_profile, flips, record_of
from wfgate.decide.run_record import counted
from wfgate.errors import CalibrationError, ConfigError
from wfgate.history import append, origin_of, read_runs
from wfgate.run import Gate

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def run(**cases) -> RunRecord:
    worst = next(
        verdict for verdict in ("block", "inconclusive", "review", "pass") if verdict in {*cases.values(), "pass"}
    )
    return RunRecord(version="0.2.0", profile="default", corpus="c", verdict=worst, counts=counted(cases), cases=cases)


@pytest.fixture
def result(assessor) -> GateResult:
    """A case that passes, and one with two samples, of which one is blocked."""
    steps = ["Build the image", "Scan the image", "Push the image", "Deploy the image"]
    golden, worse = ({"wfgate": "1", "steps": chosen} for chosen in (steps, steps[1:]))
    pairs = [Pair("calm", (golden,), golden)]
    pairs += [Pair(f"ship@{number}", (golden,), each, sample_of="ship") for number, each in enumerate((golden, worse))]
    return Gate(assessor, default_profile(), Policy()).run(pairs, tool="0.2.0")


def test_a_record_has_one_verdict_per_case_and_comes_back_unchanged(result: GateResult, tmp_path: Path):
    assert [case.id for case in result.cases] == ["calm", "ship@0", "ship@1"]
    record = record_of(result, Origin(when=NOON, commit="abc", ref="v1", url="runs/1.html"))
    assert record.cases == {"calm": "pass", "ship": result.samples[0].verdict}
    assert record.counts == {verdict: result.count(verdict) for verdict in record.counts}
    assert (record.when, record.commit, record.ref, record.url) == (NOON, "abc", "v1", "runs/1.html")
    history, alone = tmp_path / "runs.jsonl", tmp_path / "result.json"
    for _ in range(2):
        append(history, record)
    assert read_runs(history) == (record.model_copy(update={"source": f"{history}:1"}),
                                  record.model_copy(update={"source": f"{history}:2"}))  # fmt: skip
    alone.write_text(json.dumps(result.to_dict()))
    (found,) = read_runs(alone)
    assert (found.cases, found.when, found.source) == (record.cases, None, str(alone))
    with pytest.raises(CalibrationError, match="a result, not a history"):
        append(alone, record)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"schema": "wfgate.run/1"', "not JSON"),
        ("[]", "not a JSON object"),
        ('{"id": "a", "verdict": "pass"}', "not a run of `wfgate gate --history`: when|schema|version"),
        (run(a="pass").model_copy(update={"verdict": "pass", "cases": {"a": "block"}}), "counts do not follow"),
        (run(a="block").model_copy(update={"verdict": "pass"}), "verdict 'pass' does not follow"),
        (run(a="pass").model_copy(update={"url": "javascript:alert(1)"}), "url: .*http"),
        (run(a="pass").model_copy(update={"when": datetime(2026, 1, 1)}), "when: .*timezone"),  # noqa: DTZ001
    ],
)
def test_a_damaged_line_is_named_and_the_file_is_left_alone(line: str | RunRecord, words: str, tmp_path: Path):
    if isinstance(line, RunRecord):
        line = line.model_dump_json(by_alias=True)
    file = tmp_path / "runs.jsonl"
    good = run(a="pass").model_dump_json(by_alias=True)
    file.write_text(f"{good}\n\n{line}\n")
    before = file.read_bytes()
    for action in (lambda: read_runs(file), lambda: append(file, run(a="pass"))):
        with pytest.raises(CalibrationError, match=rf"runs\.jsonl:3: .*(?:{words})"):
            action()
    assert file.read_bytes() == before


def test_a_history_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(CalibrationError, match="cannot be read: no such file"):
        read_runs(tmp_path / "none.jsonl")
    (tmp_path / "empty").touch()
    assert read_runs(tmp_path / "empty") == ()


def test_runs_that_end_at_the_same_time_are_all_kept(tmp_path: Path):
    file = tmp_path / "kept" / "runs.jsonl"
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda number: append(file, run(**{f"case-{number}": "pass"})), range(48)))
    assert sorted(case for each in read_runs(file) for case in each.cases) == sorted(f"case-{n}" for n in range(48))
    assert [path.name for path in file.parent.iterdir()] == ["runs.jsonl"]


def test_a_file_without_a_line_end_and_a_link_are_extended(tmp_path: Path):
    file, link = tmp_path / "runs.jsonl", tmp_path / "link.jsonl"
    file.write_text(run(a="pass").model_dump_json(by_alias=True))
    link.symlink_to(file)
    append(link, run(b="pass"))
    assert [list(each.cases) for each in read_runs(file)] == [["a"], ["b"]]
    assert link.is_symlink()


@pytest.mark.parametrize(
    "good", ["https://ci.example/runs/7?x=1#a", "http://localhost:8080/", "runs/7.html", "7.html"]
)
def test_addresses_that_a_page_may_link(good: str):
    assert address(good) == good


@pytest.mark.parametrize(
    "bad",
    [
        *("javascript:alert(1)", " javascript:alert(1)", "java\nscript:x", "data:text/html,x", "file:///etc/passwd"),
        *(
            "//evil.example",
            "\\\\evil.example",
            "https:\\\\evil.example",
            "HTTPS://x",
            "https://",
            "",
            "a b",
            "\u202ex",
        ),
        "x" * 2001,
    ],
)
def test_addresses_that_no_page_links(bad: str):
    with pytest.raises(ValueError, match="address"):
        address(bad)
    with pytest.raises(ValidationError):
        RunRecord.model_validate(run(a="pass").model_dump(by_alias=True) | {"url": bad})


def test_where_and_when_a_run_takes_place(tmp_path: Path):
    github = {
        "GITHUB_SHA": "abc",
        "GITHUB_REF_NAME": "v1.2",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_RUN_ID": "7",
    }
    url = "https://github.com/o/r/actions/runs/7"
    assert origin_of(github, tmp_path, NOON) == Origin(when=NOON, commit="abc", ref="v1.2", url=url)
    assert origin_of(github, tmp_path, NOON, "7.html").url == "7.html"
    assert origin_of(github | {"GITHUB_HEAD_REF": "mend"}, tmp_path, NOON).ref == "mend"  # not "12/merge"
    gitlab = {"CI_COMMIT_SHA": "d", "CI_COMMIT_REF_NAME": "main", "CI_JOB_URL": "https://gitlab.example/1"}
    found = origin_of(gitlab | {"SOURCE_DATE_EPOCH": "1763900000"}, tmp_path, NOON)
    assert found.when == datetime(2025, 11, 23, 12, 13, 20, tzinfo=UTC)
    assert (found.commit, found.ref, found.url) == ("d", "main", "https://gitlab.example/1")
    assert origin_of({"CI_JOB_URL": "javascript:x"}, tmp_path, NOON) == Origin(when=NOON)
    with pytest.raises(ConfigError, match="--run-url: not an address"):
        origin_of({}, tmp_path, NOON, "javascript:x")
    with pytest.raises(ConfigError, match="SOURCE_DATE_EPOCH: 'noon' is not a time"):
        origin_of({"SOURCE_DATE_EPOCH": "noon"}, tmp_path, NOON)


def test_what_changed_between_two_runs():
    before, after = (
        run(a="pass", b="block", c="review", d="pass"),
        run(e="pass", d="review", b="pass", a="block", c="review"),
    )
    assert [(flip.case, flip.before, flip.after) for flip in flips(before.cases, after.cases)] == [
        ("a", "pass", "block"),
        ("d", "pass", "review"),
        ("e", None, "pass"),
        ("b", "block", "pass"),
    ]
    assert [(flip.case, flip.after) for flip in flips(after.cases, before.cases)][-1] == ("e", None)
