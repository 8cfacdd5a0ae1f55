"""Variants by a model behind a real service on this machine: corrections, the stronger model, rejections, the file."""

import json
import threading
from itertools import pairwise

import pytest

from wfgate.base import Store
from wfgate.calibration import KINDS, Writer, read_corpus, read_written, tally
from wfgate.calibration.perturb.written import Assignment
from wfgate.calibration.writer import REPAIRS, TextProvenance, content_hash
from wfgate.errors import CalibrationError, LlmServiceError
from wfgate.llm import Client, Limits, prompt_hash

GOLDEN = {"id": "report", "wfgate": "1", "steps": ["Fetch the rows", "Drop duplicates", "Draw a chart", "Send it"]}
SECOND = {"id": "second", "wfgate": "1", "steps": ["Pack", "Weigh", "Label", "Ship to </golden> \u202e\n"]}
VAGUE = Assignment("vague", 0.5)


@pytest.fixture
def goldens(write_lines):
    return read_corpus([write_lines(GOLDEN, SECOND, name="goldens.jsonl")]).goldens


def writer(*names, **limits):
    clients = tuple(Client(name, limits=Limits(retries=0, **limits)) for name in names or ("mini",))
    return Writer(clients, "2026-11-21")


def with_one_step_less(author):
    """Spoils every answer."""

    def reply(body):
        return json.dumps({"steps": json.loads(author(body))["steps"][1:]})

    return reply


def test_what_was_written_is_read_by_calibration(chat, author, goldens, write_lines):
    chat.reply = author
    done = list(writer().write_all(goldens, {}))
    assert [one.id for one in done] == ["report", "second"]
    path = write_lines(*(one.record() for one in done), name="written.jsonl")
    corpus = read_corpus([path.parent])
    assert corpus.refused == ()
    for one, golden in zip(done, corpus.goldens, strict=True):
        assert golden.texts == one.texts
        assert {name for name in type(golden.texts).model_fields if getattr(golden.texts, name)} == set(
            type(golden.texts).model_fields
        )
        assert len(golden.texts.rewordings) == 2
        assert one.provenance.rejected == ()
        assert {item.kind for item in one.provenance.variants} == set(KINDS)
        assert len(one.provenance.variants) == 9  # at four steps 10 % and 30 % are one and two
    (first, *_) = read_written(path)["report"]
    assert first == done[0].provenance
    assert first.date == "2026-11-21"
    assert {(item.model, item.requests) for item in first.variants} == {("mini", 1)}
    assert all(item.prompt == prompt_hash(item.kind) for item in first.variants)
    assert len({item.prompt for item in first.variants}) == len(KINDS)


def test_the_golden_cannot_leave_its_place_in_the_prompt(chat, author, goldens):
    chat.reply = author
    writer().write(goldens[1], [VAGUE])
    said = chat.asked[0]["messages"][1]["content"]
    assert said.count("</golden>") == 1
    assert "\u202e" not in said
    assert chat.asked[0]["response_format"]["json_schema"]["name"] == "Listing"


@pytest.mark.parametrize("wrong", range(1, REPAIRS + 1))
def test_the_error_goes_back_to_the_model(chat, author, answered, goldens, wrong):
    bad = json.dumps({"steps": [{"of": [1], "text": "Fetch the rows"}]})
    chat.answers = [bad] * wrong
    chat.reply = author
    done = writer("mini", "large").write(goldens[0], [VAGUE])
    assert len(chat.asked) == wrong + 1
    assert {body["model"] for body in chat.asked} == {"mini"}
    (item,) = done.provenance.variants
    assert (item.model, item.requests) == ("mini", wrong + 1)
    for before, body in pairwise(chat.asked):
        *earlier, answer, error = body["messages"]
        assert earlier == before["messages"]
        assert (answer["role"], answer["content"]) == ("assistant", bad)
        assert error["content"].startswith("Your output had 1 steps instead of 4, as many as there were. Please")


def test_the_stronger_model_is_asked_after_three_corrections(chat, author, goldens):
    spoiled = with_one_step_less(author)
    chat.reply = lambda body: (spoiled if body["model"] == "mini" else author)(body)
    done = writer("mini", "large").write(goldens[0], [VAGUE])
    assert [body["model"] for body in chat.asked] == ["mini"] * (REPAIRS + 1) + ["large"]
    assert len(chat.asked[-1]["messages"]) == 2  # it starts anew
    (item,) = done.provenance.variants
    assert (item.model, item.requests) == ("large", REPAIRS + 2)
    assert len(done.texts.vague) == 2


def test_what_nobody_gets_right_is_rejected_and_does_not_touch_the_others(chat, author, goldens):
    spoiled = with_one_step_less(author)
    chat.reply = lambda body: (spoiled if "steps vague" in body["messages"][1]["content"] else author)(body)
    done = writer("mini", "large").write(goldens[0], [Assignment("drift", 0.5), VAGUE])
    (item,) = done.provenance.rejected
    assert (item.kind, item.severity, item.models) == ("vague", 0.5, ("mini", "large"))
    assert (item.reason, item.requests) == ("step count", 2 * (REPAIRS + 1))
    assert item.message == "Your output had 3 steps instead of 4, as many as there were."
    assert [found.kind for found in done.provenance.variants] == ["drift"]
    assert done.texts.vague == ()
    assert len(done.texts.drifts) == 2


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"refusal": "I cannot"}, "refused"),
        ({"finish": "length"}, "truncated"),
        ({"text": "Here you are!"}, "no JSON"),
        ({"text": '{"steps": [{"of": "all", "text": "x"}]}'}, "other schema"),
    ],
)
def test_answers_of_no_use(chat, author, said, goldens, answer, reason):
    body = said(**{"text": None, **answer})
    chat.reply = lambda request: (200, body, {}) if request["model"] == "mini" else author(request)
    alone = writer("mini").write(goldens[0], [VAGUE])
    (item,) = alone.provenance.rejected
    assert (item.reason, item.requests) == (reason, 3)
    assert alone.texts.vague == ()
    chat.asked.clear()
    done = writer("mini", "large").write(goldens[0], [VAGUE])
    assert [item.model for item in done.provenance.variants] == ["large"]
    assert [request["model"] for request in chat.asked] == ["mini"] * 3 + ["large"]


def test_a_service_that_fails_ends_the_run_after_what_was_done(chat, author, goldens):
    chat.reply = lambda body: (
        (500, {"error": {"message": "down"}}, {}) if "Weigh" in body["messages"][1]["content"] else author(body)
    )
    writing = writer().write_all(goldens, {})
    assert next(writing).id == "report"
    with pytest.raises(LlmServiceError):
        next(writing)


def test_several_requests_at_a_time_in_one_order(chat, author, goldens):
    both = threading.Barrier(2, timeout=30)

    def reply(body):
        both.wait()
        return author(body)

    chat.reply = reply
    wanted = [VAGUE, Assignment("drift", 0.5)]
    done = writer(concurrency=2).write(goldens[0], wanted)
    assert chat.most == 2
    assert [item.kind for item in done.provenance.variants] == ["vague", "drift"]


def test_what_is_there_is_not_asked_again(chat, author, goldens):
    chat.reply = author
    (first, second) = writer().write_all(goldens, {}, ["vague"])
    before = {"report": [first.provenance]}
    chat.asked.clear()
    assert [one.id for one in writer().write_all(goldens, before, ["vague"])] == ["second"]
    assert len(chat.asked) == 1
    (more, _) = writer().write_all(goldens, before, ["vague", "drift"])
    assert [item.kind for item in more.provenance.variants] == ["drift"]
    assert second.texts.vague[0].text == "Take care of matter 0"


def test_rejected_ones_are_tried_again_by_another_model_only(chat, author, goldens):
    chat.reply = with_one_step_less(author)
    rejected = writer("mini").write(goldens[0], [VAGUE])
    before = {"report": [rejected.provenance]}
    assert list(writer("mini").write_all(goldens[:1], before, ["vague"])) == []
    chat.reply = author
    (again,) = writer("mini", "large").write_all(goldens[:1], before, ["vague"])
    assert again.provenance.rejected == ()
    counted = tally({"report": [rejected.provenance, again.provenance]})
    assert (counted.goldens, counted.usable, counted.rejected) == (1, 1, ())


def test_a_golden_that_changed_is_named(chat, goldens):
    old = TextProvenance(golden="0123456789abcdef", date="2026-11-20")
    with pytest.raises(CalibrationError, match=r"report: .* another version"):
        list(writer().write_all(goldens, {"report": [old]}))
    assert chat.asked == []
    same = TextProvenance(golden=content_hash(goldens[0]), date="2026-11-20")
    assert list(writer().write_all(goldens[:1], {"report": [same]}, [])) == []


def test_answers_are_kept_wrong_ones_too(chat, author, goldens, tmp_path):
    chat.reply = with_one_step_less(author)
    for _ in range(2):
        client = Client("mini", Store(tmp_path / "answers.sqlite"))
        Writer((client,), "2026-11-21").write(goldens[0], [VAGUE])
    assert len(chat.asked) == REPAIRS + 1


def test_a_tally_by_reason(chat, author, said, goldens):
    refused = (200, said(None, refusal="no"), {})
    spoiled = with_one_step_less(author)
    chat.reply = lambda body: refused if "change the meaning" in body["messages"][1]["content"] else spoiled(body)
    done = {one.id: [one.provenance] for one in writer().write_all(goldens, {}, ["drift", "vague", "description"])}
    counted = tally(done)
    assert [(reason, len(found)) for reason, found in counted.by_reason] == [("step count", 4), ("refused", 2)]
    assert (counted.usable, counted.by_model) == (0, {})


@pytest.mark.parametrize("line", ['{"id": "a", "written": {"golden": 3}}', '{"id": "a", "written": []}', "[]", "{"])
def test_a_file_that_is_none_of_ours(tmp_path, line):
    path = tmp_path / "written.jsonl"
    path.write_text(line)
    with pytest.raises(CalibrationError, match=r"written\.jsonl:1: "):
        read_written(path)
    assert read_written(tmp_path / "none.jsonl") == {}
    with pytest.raises(CalibrationError, match="not a regular file"):
        read_written(tmp_path)
