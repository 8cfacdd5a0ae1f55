"""What several commands share: progress without a terminal, and colours."""

import re

import pytest

from wfgate.cli import output

from .conftest import wfgate


def test_a_line_every_ten_seconds_with_the_total_and_the_time_left(capsys: pytest.CaptureFixture[str]):
    seconds = iter([0.0, 1.0, 9.9, 10.0, 15.0, 20.0, 400.0])
    show = output._progress_lines("gating", lambda: next(seconds))
    for done, total in ((1, 100), (9, 100), (10, 1000), (15, 100), (20, None), (50, 100)):
        show(done, total)
    assert capsys.readouterr().err.splitlines() == [
        "gating: 10 of 1,000, about 16 min left",
        "gating: 20",
        "gating: 50 of 100, about 7 min left",
    ]


def test_gate_knows_how_many_cases_there_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(output, "SILENCE", 0.0)
    folder = ("examples/deploy/generated", "--reference", "examples/deploy/approved")
    for given in (folder, (*folder, "--format", "jsonl"), ("--pairs", "examples/deploy/suite.jsonl")):
        lines = re.findall(r"^gating: (\d+) of (\d+), ", wfgate("gate", *given).err, re.MULTILINE)
        assert lines
        assert [int(done) for done, _ in lines] == list(range(1, len(lines) + 1))  # not the last: the report follows
        assert {int(total) for _, total in lines} == {len(lines) + 1}


@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_are_forced_and_forbidden_by_the_environment(environment: dict[str, str], *, colored: bool):
    arguments = (
        "examples/deploy/generated/missing-hardening.yaml",
        "--reference",
        "examples/deploy/approved/deploy.yaml",
    )
    found = wfgate("gate", *arguments, env=environment)
    assert (found.code, "\x1b[" in found.out) == (1, colored)
