"""`--judge`: the real process asks a service on this machine."""

import json
import re
from pathlib import Path

import pytest

from .conftest import APPROVED, GENERATED, is_error, wfgate

CORPUS = Path(__file__).parents[2] / "calibration" / "corpora" / "ops" / "ops.jsonl"
BENIGN = f"{GENERATED}/reworded.yaml"
MISSING = f"{GENERATED}/missing-hardening.yaml"
KEY = "secret-of-the-test"


def graded(request):
    """A judge that counts steps."""
    shown = dict(re.findall(r"<(golden|candidate)>\n(.*)\n</\1>", request["messages"][1]["content"]))
    n, m = (len(json.loads(shown[name])["steps"]) for name in ("golden", "candidate"))
    score = max(0, 5 - 2 * abs(n - m))
    check = {"consistent": "Yes", "final_score": score}
    return json.dumps(
        {"ThoughtChain": "x", "initial_score": score, "self_check": check, "justification": f"{n} \x1b[31m {m}"}
    )


def test_score(chat):
    chat.reply = graded
    ended = wfgate("score", APPROVED, MISSING, "--judge", "mini", env=chat.env)
    assert ended.code == 0
    last = ended.out.splitlines()[-1]
    assert re.fullmatch(r"llm-judge +0\.60  between prompts \+-0\.00: 7 \\x1b\[31m 6|llm-judge .*", last)
    assert "\x1b" not in ended.out
    assert ended.err == "judge: 3 requests, 300 + 60 tokens\n"
    ended = wfgate("score", APPROVED, MISSING, "--judge", "mini", "--format", "json", env=chat.env)
    found = json.loads(ended.out)
    assert found["judge"].startswith("llm-judge/1:mini:")
    assert found["metrics"][-1]["id"] == "llm-judge"
    assert found["metrics"][-1]["variance"] == 0
    assert KEY not in ended.out + ended.err


def test_what_was_answered_is_known_the_second_time(chat, tmp_path):
    chat.reply = graded
    config = tmp_path / "wfgate.toml"
    config.write_text('[judge]\nmodel = "mini"\ninput_price = 1\noutput_price = 10\n')
    env = {**chat.env, "WFGATE_CACHE": str(tmp_path / "cache")}
    for said in (
        "judge: 3 requests, 300 + 60 tokens, cost 0.0009\n",
        "judge: 0 requests (3 answers known already), 0 + 0 tokens, cost 0.0000\n",
    ):
        assert wfgate("score", APPROVED, MISSING, "--config", config, env=env).err == said
    kept = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    assert KEY.encode() not in kept


def test_without_a_key_or_the_extra(tmp_path):
    nothing = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    (tmp_path / "openai.py").write_text("raise ImportError('no openai here')\n")
    missing = {"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"}
    for env, fix in ((nothing, "OPENAI_API_KEY"), (missing, "pip install 'wfgate[llm]'")):
        assert is_error(wfgate("score", APPROVED, MISSING, "--judge", "mini", env=env), 2, fix)
        assert wfgate("score", APPROVED, MISSING, env=env).code == 0
    assert is_error(wfgate("score", APPROVED, MISSING, "--metric", "llm-judge"), 2, "--judge MODEL")


def test_a_judge_that_nobody_calibrated(chat):
    ended = wfgate("gate", MISSING, "-r", APPROVED, "--judge", "mini", env=chat.env)
    assert is_error(ended, 4, "the profile knows no judge", "fix: calibrate with the same --judge")
    assert chat.asked == []


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The six smallest goldens of the operations corpus."""
    lines = sorted(CORPUS.read_text(encoding="utf-8").splitlines(), key=lambda line: len(json.loads(line)["steps"]))
    path = tmp_path_factory.mktemp("own") / "own.jsonl"
    path.write_text("\n".join(lines[:6]) + "\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_calibrate_and_gate(chat, corpus, tmp_path):
    chat.reply = graded
    profile, report = tmp_path / "p.json", tmp_path / "report"
    done = wfgate("calibrate", corpus, "-o", profile, "--report", report, "--judge", "mini", env=chat.env)
    assert done.code == 0, done.err
    assert "Judge: llm-judge/1:mini:" in done.out
    assert all(len(line) <= 100 or line.startswith("Report") for line in done.out.splitlines())
    assert "a golden against itself gets 5.00" in done.out
    assert re.search(r"judge: [\d,]+ requests, ", done.err)
    known = json.loads(profile.read_text())
    assert known["judge"]["null"]["goldens"] == 6
    assert known["judge"]["bias"]["swap"] == 0
    points = [p for p in known["trajectories"] if p["metric"] == "llm-judge" and not p["reworded"]]
    means = {(p["operator"], p["severity"]): p["mean"] for p in points}
    assert means["description", 1.0] == means["identity", 1.0] == 1
    assert means["missing", 0.1] > means["missing", 0.5]
    assert "## The judge" in (report / "calibration.md").read_text()
    few = wfgate("gate", BENIGN, "-r", APPROVED, "--profile", profile, "--judge", "mini", env=chat.env)
    assert is_error(few, 2, "never be heard")

    config = tmp_path / "wfgate.toml"
    config.write_text(f'profile = "p.json"\nreference = "{Path(APPROVED).resolve()}"\n[policy]\nalpha_review = 0.2\n')
    gate = ("gate", BENIGN, "--config", config, "--format", "json")
    without = wfgate(*gate)
    content = wfgate(*gate, "--judge", "mini", env=chat.env)
    assert (without.data["verdict"], content.data["verdict"]) == ("pass", "pass")
    assert without.data["tool"]["judge"] is None
    assert content.data["tool"]["judge"] == known["judge"]["signature"]
    chat.reply = lambda request: graded(request).replace('_score": 5', '_score": 2')
    unhappy = wfgate("gate", BENIGN, "--config", config, "--judge", "mini", env=chat.env)
    assert unhappy.code == 0
    assert unhappy.out.startswith("REVIEW")
    assert "the language model grades it 2.0 of 5" in unhappy.out.replace("\n", " ").replace("  ", " ")
    chat.reply = lambda _: "no"
    silent = wfgate("gate", BENIGN, "--config", config, "--judge", "mini", env=chat.env)
    assert silent.code == 4
    assert "the language model did not judge" in " ".join(silent.out.split())
