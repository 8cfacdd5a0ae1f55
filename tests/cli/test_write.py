"""`wfgate write`: the real process asks a service on this machine."""

import json

import pytest

from .conftest import is_error, wfgate

GOLDENS = [
    {
        "id": f"g{number}",
        "wfgate": "1",
        "steps": [f"{verb} the {thing}" for verb in ("Fetch", "Check", "Sort", "Send")],
    }
    for number, thing in enumerate(("rows", "parcels", "invoices"))
]
WRITE = ("write", "goldens.jsonl", "--output", "written.jsonl", "--model", "mini")
KEY = "secret-of-the-test"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in GOLDENS))
    return tmp_path


def lines(folder):
    return [json.loads(line) for line in (folder / "written.jsonl").read_text().splitlines()]


def test_variants_are_written_and_shown(chat, author, answered, folder):
    def reply(body):
        kind, steps = answered(body)
        said = body["messages"][1]["content"]
        if kind == "compressed" and "rows" in said and body["model"] == "mini":
            steps = steps[1:]
        if kind == "drift" and "parcels" in said:
            steps[0]["text"] = "\x1b[31m"
            steps[1]["of"] = [9]
        return json.dumps({"steps": steps})

    chat.reply = reply
    (folder / "wfgate.toml").write_text("[prices.mini]\ninput = 10\noutput = 100\n")
    ended = wfgate(*WRITE, "--stronger", "large", cwd=folder, env=chat.env)
    assert ended.code == 0
    assert ended.out.splitlines() == [
        "26 of 27 variants of 3 goldens usable, 2 after corrections",
        "  mini: 24",
        "  large: 2",
        "Rejected: 1",
        "  step numbers: 1",
        "    g1, drift 50%: The workflow has no step 9: it has 4 steps.",
        "Calibrate with: wfgate calibrate goldens.jsonl written.jsonl --output profile.json",
    ]
    assert ended.err == "mini: 36 requests, 3,600 + 720 tokens, cost 0.1080\nlarge: 6 requests, 600 + 120 tokens\n"
    assert all(len(line) <= 100 for line in ended.out.splitlines())
    written = lines(folder)
    assert [record["id"] for record in written] == ["g0", "g1", "g2"]
    assert written[0]["written"]["date"].count("-") == 2
    assert written[1]["written"]["rejected"][0]["reason"] == "step numbers"
    assert KEY not in (folder / "written.jsonl").read_text() + ended.out + ended.err

    again = wfgate(*WRITE, "--stronger", "large", cwd=folder, env=chat.env)
    assert (again.code, again.out, again.err) == (0, ended.out, "")
    assert lines(folder) == written


def test_a_run_goes_on_where_it_ended(chat, author, folder):
    chat.reply = lambda body: (
        (400, {"error": {"message": "down"}}, {}) if "parcels" in body["messages"][1]["content"] else author(body)
    )
    ended = wfgate(*WRITE, "--kind", "vague,drift", cwd=folder, env=chat.env)
    assert (ended.code, ended.out) == (2, "")
    assert "error: " in ended.err
    assert "run the command again: it resumes from written.jsonl" in ended.err
    assert [record["id"] for record in lines(folder)] == ["g0"]
    chat.reply = author
    chat.asked.clear()
    done = wfgate(*WRITE, "--kind", "vague", "--kind", "drift", cwd=folder, env=chat.env)
    assert done.code == 0
    assert done.out.startswith("6 of 6 variants of 3 goldens usable, 0 after corrections\n")
    assert len(chat.asked) == 4
    assert [record["id"] for record in lines(folder)] == ["g0", "g1", "g2"]


def test_what_was_written_can_be_perturbed_with(chat, author, folder):
    chat.reply = author
    wfgate(*WRITE, cwd=folder, env=chat.env)
    (folder / "golden.json").write_text(json.dumps({key: value for key, value in GOLDENS[0].items() if key != "id"}))
    (folder / "texts.json").write_text((folder / "written.jsonl").read_text().splitlines()[0])
    made = wfgate(
        *("perturb", "golden.json", "--operator", "missing", "--severity", "0.5", "--texts", "texts.json"), cwd=folder
    )
    assert made.code == 0
    assert "Fetch the rows" in made.out
    assert "Sort the rows" not in made.out


@pytest.mark.slow
def test_calibrate_reads_it(chat, author, folder):
    more = [
        {**GOLDENS[0], "id": f"h{number}", "steps": [f"{step} {number}" for step in GOLDENS[0]["steps"]]}
        for number in range(4)
    ]
    with (folder / "goldens.jsonl").open("a") as file:
        file.writelines(json.dumps(golden) + "\n" for golden in more)
    chat.reply = author
    assert wfgate(*WRITE, cwd=folder, env=chat.env).code == 0
    done = wfgate("calibrate", "goldens.jsonl", "written.jsonl", "--output", "profile.json", cwd=folder)
    assert (done.code, "not used" in done.err) == (0, False), done.err
    assert json.loads((folder / "profile.json").read_text())["corpus"]["with_rewordings"] == 7


def test_what_cannot_be_done_is_said(chat, folder):
    assert is_error(wfgate(*WRITE, "--kind", "vage", cwd=folder, env=chat.env), 2, "unknown kind 'vage'", "missing")
    assert is_error(wfgate(*WRITE, "--stronger", "mini", cwd=folder, env=chat.env), 2, "the same model")
    nothing = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert is_error(wfgate(*WRITE, cwd=folder, env=nothing), 2, "OPENAI_API_KEY")
    (folder / "written.jsonl").write_text("no JSON\n")
    assert is_error(wfgate(*WRITE, cwd=folder, env=chat.env), 2, "written.jsonl:1: not JSON")
    assert chat.asked == []
    assert (folder / "written.jsonl").read_text() == "no JSON\n"
    (folder / "written.jsonl").unlink()
    ended = wfgate(*WRITE, "--kind", "vague", cwd=folder, env=chat.env)
    assert ended.code == 2
    assert "error: no usable variant was written (" in ended.err
