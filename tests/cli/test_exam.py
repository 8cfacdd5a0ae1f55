"""`wfgate exam`: the whole way, with a model that a service on this machine plays."""

import json

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from wfgate.catalogue import Certificate, Paper, draw
from wfgate.catalogue.exam.grade import sentence_of
from wfgate.read import read_file

from .conftest import APPROVED, ROOT, inline, is_error, wfgate


@pytest.fixture
def knowing(chat):
    """A model that answers the exam on the deployment workflow from the facts."""
    path = ROOT / APPROVED
    reading = read_file(path)
    paper = Paper(APPROVED, path.read_text(), reading.format, reading.workflow)
    exam = draw([paper], notation="native", number=1, rng=np.random.default_rng(0))
    known = {f"Workflow:\n```\n{each.shown.rstrip()}\n```\n\nQuestion: {each.words}": each for each in exam.instances}

    def reply(body):
        instance = known[body["messages"][1]["content"]]
        answer = instance.reference.value
        if instance.fact.answers == "yes-no":
            answer = "yes" if answer else "no"
        if instance.fact.answers == "text":
            answer = sentence_of(instance.reference)
        return json.dumps({"answer": answer, "explanation": ""})

    chat.reply = reply
    return chat


def examine(chat, *more):
    return wfgate("exam", APPROVED, "--model", "mini", *more, env={**chat.env, "WFGATE_CACHE": "off"})


def test_a_model_that_knows_passes_and_is_certified(knowing, tmp_path, snapshot):
    path = tmp_path / "mini.json"
    run = examine(knowing, "--repetitions", "2", "--min-score", "0.9", "--certificate", path)
    assert run.code == 0, run.err
    assert run.out == snapshot
    assert max(map(len, run.out.splitlines())) <= 80
    assert run.err == "130 requests, 13,000 + 2,600 tokens\n"
    certificate = Certificate.read(path)
    certificate.require(model="mini", least=1.0)
    assert certificate.settings.repetitions == 2
    schema = json.loads(inline("schema", "exam-certificate").out)
    Draft202012Validator(schema).validate(json.loads(path.read_text()))
    assert "secret" not in path.read_text()


def test_a_model_that_guesses_fails_and_is_not(chat, tmp_path, snapshot):
    def guess(body):
        kind = body["response_format"]["json_schema"]["schema"]["properties"]["answer"]
        answer = "yes" if "enum" in kind else ([] if kind.get("type") == "array" else "none")
        return json.dumps({"answer": answer, "explanation": ""})

    chat.reply = guess
    path = tmp_path / "mini.json"
    more = ("--repetitions", "1", "--min-score", "0.9", "--certificate", path)
    run = examine(chat, *more, "--format", "markdown")
    assert run.code == 1
    assert run.out == snapshot
    assert "no certificate written: mini failed" in run.err
    assert not path.exists()


def test_json_has_every_answer_and_follows_its_schema(knowing):
    run = examine(knowing, "--repetitions", "1", "--format", "json")
    assert run.code == 0
    Draft202012Validator(json.loads(inline("schema", "exam").out)).validate(run.data)
    assert (run.data["schema"], run.data["passed"], run.data["exam"]["score"]) == (
        "wfgate.exam/1",
        None,
        {"mean": 1.0, "sd": None},
    )
    assert len(run.data["exam"]["asked"]) == 65
    assert run.out.isascii()


def test_a_model_that_grades_texts_is_told_apart(knowing, tmp_path):
    prices = tmp_path / "wfgate.toml"
    prices.write_text("[prices.mini]\ninput = 1\noutput = 10\n[prices.maxi]\ninput = 100\noutput = 0\n")
    examinee = knowing.reply

    def reply(body):
        if body["model"] == "mini":
            said = json.loads(examinee(body))
            asked_for_text = body["response_format"]["json_schema"]["schema"]["properties"]["answer"] == {
                "title": "Answer",
                "type": "string",
            }
            return json.dumps({**said, "answer": f"{said['answer']} Indeed."} if asked_for_text else said)
        check = {"consistent": "Yes", "final_score": 4}
        return json.dumps({"ThoughtChain": "", "initial_score": 4, "self_check": check, "justification": ""})

    knowing.reply = reply
    run = examine(knowing, "--repetitions", "1", "--grader", "maxi", "--config", prices)
    assert run.code == 0, run.err
    asked = sum(body["model"] == "maxi" for body in knowing.asked)
    assert asked > 0
    assert run.err.splitlines() == [
        "65 requests, 6,500 + 1,300 tokens, cost 0.0195",
        f"grader: {asked} requests, {asked}00 + {asked * 20} tokens, cost 0.0{asked}00",
    ]
    graded = [line for line in run.out.splitlines() if "language model" in line and "(0.80)" in line]
    assert len(graded) == len({line.split()[0] for line in graded}) > 0
    assert "with a rubric of 0 to 5: maxi." in " ".join(run.out.split())
    assert run.out.startswith("mini: 1.00;")
    assert max(map(len, run.out.splitlines())) <= 80


def test_usage(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert is_error(inline("exam", APPROVED, "--model", "m", "--certificate", "c.json"), 2, "needs a minimum score")
    assert is_error(
        inline("exam", APPROVED, "--model", "m", "--notation", "asl"), 2, "cannot be written in the notation 'asl'"
    )
    assert is_error(inline("exam", APPROVED, "--model", "m"), 2, "OPENAI_API_KEY")
    assert is_error(inline("exam", APPROVED, APPROVED, "--model", "m"), 2, "given twice")
    (tmp_path / "prose.txt").write_text("Dear team.\n")
    assert is_error(inline("exam", tmp_path / "prose.txt", "--model", "m"), 3, "no format recognises")
