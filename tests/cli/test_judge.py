"""`--judge`: the command asks a service on this machine."""

import itertools
import json
import re
import shutil
from datetime import date
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from wfgate.catalogue import Certificate, Protocol, Settings
from wfgate.catalogue.exam.grade import Mean
from wfgate.catalogue.exam.instances import catalogue_version
from wfgate.compare import LlmJudge
from wfgate.decide import JudgeBias, JudgeCalibration, NullTail, PassedExam, default_profile
from wfgate.llm import Client

from .conftest import APPROVED, GENERATED, ROOT, inline, is_error, process, wfgate
from .test_base import git

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
    assert found["judge"].startswith("llm-judge/3:mini:")
    assert found["metrics"][-1]["id"] == "llm-judge"
    assert found["metrics"][-1]["variance"] == 0
    assert KEY not in ended.out + ended.err


def test_the_judge_as_a_metric(chat, tmp_path):
    chat.reply = graded

    def metrics(*options):
        ended = wfgate("score", APPROVED, MISSING, *options, "--format", "json", env=chat.env)
        return [each["id"] for each in json.loads(ended.out)["metrics"]]

    assert metrics("--metric", "llm-judge", "--judge", "mini") == ["llm-judge"]
    assert metrics("--metric", "bleu,llm-judge", "--judge", "mini") == ["bleu", "llm-judge"]
    config = tmp_path / "wfgate.toml"
    config.write_text('metrics = ["gleu", "llm-judge"]\n[judge]\nmodel = "mini"\n')
    assert metrics("--config", config) == ["gleu", "llm-judge"]
    config.write_text('metrics = ["gleu", "llm-judge"]\n[judge]\nmodel = "mini"\ngrades = false\n')
    ended = wfgate("score", APPROVED, MISSING, "--config", config, env=chat.env)
    assert is_error(ended, 2, "the metric llm-judge needs a language model")


def test_what_was_answered_is_known_the_second_time(chat, tmp_path):
    chat.reply = graded
    config = tmp_path / "wfgate.toml"
    config.write_text('[judge]\nmodel = "mini"\n[prices.mini]\ninput = 1\noutput = 10\n')
    env = {**chat.env, "WFGATE_CACHE": str(tmp_path / "cache")}
    for said in (
        "judge: 3 requests, 300 + 60 tokens, cost 0.0009\n",
        "judge: 0 requests (3 answers from the cache), 0 + 0 tokens, cost 0.0000\n",
    ):
        assert wfgate("score", APPROVED, MISSING, "--config", config, env=env).err == said
    kept = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    assert KEY.encode() not in kept


def test_without_a_key_or_the_extra(tmp_path):
    nothing = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    (tmp_path / "openai.py").write_text("raise ImportError('no openai here')\n")
    missing = {"PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"}
    for start, env, fix in (
        (wfgate, nothing, "OPENAI_API_KEY"),
        (process, missing, "pip install '.[llm]'"),
    ):
        assert is_error(start("score", APPROVED, MISSING, "--judge", "mini", env=env), 2, fix)
    assert wfgate("score", APPROVED, MISSING, env=nothing).code == 0
    assert is_error(wfgate("score", APPROVED, MISSING, "--metric", "llm-judge"), 2, "--judge MODEL")


def test_a_judge_that_nobody_calibrated(chat):
    ended = wfgate("gate", MISSING, "-r", APPROVED, "--judge", "mini", env=chat.env)
    assert is_error(ended, 4, "the profile has no calibration for a judge", "fix: calibrate with the same --judge")
    assert chat.asked == []


def certificate(path, **changed):
    """Write the certificate of an exam that nobody held."""
    settings = Settings(
        notation="native", protocol=Protocol.ANSWER_FIRST, repetitions=2, questions=1, temperature=0, seed=0
    )
    shown = Certificate(
        tool="0.1",
        model="mini",
        service=Client("mini").fingerprint,
        score=Mean(mean=0.93, sd=0.01),
        least=0.9,
        groups=(),
        answers=130,
        date=date(2026, 11, 20),
        catalogue=catalogue_version(),
        without=(),
        settings=settings,
        workflows={"deploy.yaml": "abc"},
    )
    path.write_text(shown.model_copy(update=changed).to_json())
    return path


def test_a_certificate_that_is_none_of_this_judge(chat, tmp_path):
    config = tmp_path / "wfgate.toml"
    config.write_text('[judge]\nmodel = "mini"\nrequire_exam = 0.95\n')
    plain = tmp_path / "plain.toml"
    plain.write_text("")
    calibrate = ("calibrate", CORPUS, "-o", tmp_path / "p.json")
    asked = (*calibrate, "--config", plain, "--judge", "mini", "--certificate")
    file = tmp_path / "mini.json"
    for changed, said in (
        ({"model": "maxi"}, "is for 'maxi', not for 'mini'"),
        ({"service": "elsewhere"}, "at another service"),
        ({"catalogue": "000000000000"}, "is for another version of the exam"),
    ):
        assert is_error(inline(*asked, certificate(file, **changed)), 2, said, "--certificate FILE")
    assert is_error(inline(*asked, CORPUS), 2, "the file is not an exam certificate")
    low = inline(*calibrate, "--config", config, "--certificate", certificate(file))
    assert is_error(low, 2, "scored 0.93, but 0.95 is required", "--min-score 0.95")
    assert is_error(inline(*calibrate, "--config", config), 2, "there is no certificate for 'mini'")
    assert is_error(inline(*calibrate, "--config", plain, "--certificate", file), 2, "--certificate needs a judge")
    assert chat.asked == []


def test_a_gate_refuses_a_judge_without_the_exam(chat, tmp_path):
    chat.reply = graded
    exam = PassedExam(
        model="mini", score=0.93, sd=0.01, least=0.9, answers=9, date=date(2026, 11, 20), catalogue="c", settings={}
    )
    null = NullTail(scores=(0.2, 0.0), tail=(2.0, 40.0), goldens=40, mass=40.0)
    bias = JudgeBias(pairs=0, identity=None, position=None, swap=None, spread=None, unanswered=0)
    known = JudgeCalibration(signature=LlmJudge(Client("mini")).signature, null=null, ungraded=0, bias=bias, exam=exam)
    config = tmp_path / "wfgate.toml"

    def gate(judge, least):
        default_profile().model_copy(update={"judge": judge}).save(tmp_path / "p.json")
        asked = f"require_exam = {least}" if least is not None else ""
        config.write_text(f'profile = "p.json"\n[judge]\nmodel = "mini"\n{asked}\n')
        return inline("gate", BENIGN, "-r", APPROVED, "--config", config)

    silent = known.model_copy(update={"exam": None})
    assert is_error(gate(silent, 0.9), 4, "the profile records no exam of its judge", "wfgate calibrate")
    assert is_error(gate(known, 0.95), 4, "'mini' scored 0.93 in the exam of 2026-11-20; 0.95 is required")
    assert chat.asked == []
    assert gate(known, 0.93).code == 0
    assert gate(silent, None).code == 0
    assert len(chat.asked) == 6


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
    done = wfgate(
        "calibrate",
        corpus,
        "-o",
        profile,
        "--report",
        report,
        "--judge",
        "mini",
        "--certificate",
        certificate(tmp_path / "mini.json"),
        env=chat.env,
    )
    assert done.code == 0, done.err
    assert "Judge: llm-judge/3:mini:" in done.out
    assert all(len(line) <= 100 or line.startswith("Report") for line in done.out.splitlines())
    assert "grade of a golden against itself 5.00" in done.out
    assert re.search(r"judge: [\d,]+ requests, ", done.err)
    known = json.loads(profile.read_text())
    assert known["judge"]["null"]["goldens"] == 6
    exam = known["judge"]["exam"]
    assert (exam["model"], exam["score"], exam["date"]) == ("mini", 0.93, "2026-11-20")
    assert exam["settings"]["repetitions"] == 2
    passed = "mini passed the exam on 2026-11-20 with 0.93 (sd 0.01), 0.90 needed"
    assert passed in " ".join(done.out.split())
    assert passed in (report / "calibration.md").read_text()
    assert known["judge"]["bias"]["swap"] == 0
    points = [p for p in known["trajectories"] if p["metric"] == "llm-judge" and not p["reworded"]]
    means = {(p["operator"], p["severity"]): p["mean"] for p in points}
    assert means["description", 1.0] == means["identity", 1.0] == 1
    assert means["missing", 0.1] > means["missing", 0.5]
    assert "## The judge" in (report / "calibration.md").read_text()
    few = wfgate("gate", BENIGN, "-r", APPROVED, "--profile", profile, "--judge", "mini", env=chat.env)
    assert is_error(few, 2, "can never be reached")

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
    assert "the judge grades it 2.0 of 5" in unhappy.out.replace("\n", " ").replace("  ", " ")
    chat.reply = lambda _: "no"
    silent = wfgate("gate", BENIGN, "--config", config, "--judge", "mini", env=chat.env)
    assert silent.code == 4
    assert "the judge gave no grade" in " ".join(silent.out.split())


QUOTING = """\
reference = "approved"
[judge]
model = "mini"
grades = false
[policy]
alpha_block = 0.9
judge_may_clear = true
"""


def quoting(request):
    """A model that quotes for each golden step another candidate step, the one with most of its words."""
    shown = dict(re.findall(r"<(golden|candidate)>\n(.*)\n</\1>", request["messages"][1]["content"]))
    golden, candidate = ([step["text"] for step in json.loads(shown[name])["steps"]] for name in shown)
    alike = {}
    pairs = itertools.product(enumerate(golden, start=1), enumerate(candidate, start=1))
    for (n, _), (m, text) in sorted(pairs, key=lambda pair: -fuzz.token_set_ratio(pair[0][1], pair[1][1])):
        if n not in alike and all(m != one["n"] for one in alike.values()):
            alike[n] = {"n": m, "quote": text}
    claims = [{"n": n, "status": "kept", "quotes": [quote]} for n, quote in sorted(alike.items())]
    return json.dumps({"golden": claims, "added": []})


@pytest.fixture
def quoted(tmp_path):
    """A repository whose configuration lets quotes clear a block; the candidate is a rewording."""
    (tmp_path / "approved").mkdir()
    golden = (ROOT / "examples" / "deploy" / "approved" / "deploy.yaml").read_text()
    uncritical = golden.replace("    critical: true\n", "")  # a lost critical step is never cleared
    (tmp_path / "approved" / "deploy.yaml").write_text(uncritical)
    (tmp_path / "wfgate.toml").write_text(QUOTING)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "base")
    (tmp_path / "generated").mkdir()
    shutil.copy(ROOT / BENIGN, tmp_path / "generated" / "deploy.yaml")
    return tmp_path


def test_quotes_clear_a_block_only_by_a_policy_of_the_base_revision(chat, quoted):
    chat.reply = quoting
    run = wfgate("gate", "generated", "--base", "HEAD", "-f", "json", cwd=quoted, env=chat.env)
    (case,) = run.data["cases"]
    assert (run.code, case["verdict"], case["reasons"][0]["rule"]) == (0, "review", "quotes")
    assert run.data["tool"]["second_stage"].startswith("quotes:mini:")
    assert run.err == "judge: 1 request, 100 + 20 tokens\n"
    message = case["reasons"][0]["message"]
    for report in ("text", "markdown", "html"):
        assert message in wfgate("gate", "generated", "--base", "HEAD", "-f", report, cwd=quoted, env=chat.env).out
    chat.asked.clear()
    run = wfgate("gate", "generated", cwd=quoted, env=chat.env)
    assert (run.code, chat.asked) == (1, [])
    assert "judge_may_clear has no effect without --base" in run.err
    git(quoted, "checkout", "-q", "--orphan", "strict")
    (quoted / "wfgate.toml").write_text(QUOTING.replace("judge_may_clear = true", ""))
    git(quoted, "add", "wfgate.toml", "approved")
    git(quoted, "commit", "-q", "-m", "strict")
    (quoted / "wfgate.toml").write_text(QUOTING)  # the pull request allows itself to be cleared
    run = wfgate("gate", "generated", "--base", "HEAD", cwd=quoted, env=chat.env)
    assert (run.code, chat.asked) == (1, [])


def test_quotes_need_a_model(tmp_path):
    (tmp_path / "wfgate.toml").write_text("[policy]\njudge_may_clear = true\n")
    run = inline("gate", MISSING, "-r", APPROVED, "--config", tmp_path / "wfgate.toml")
    assert is_error(run, 2, "judge_may_clear needs a judge")
