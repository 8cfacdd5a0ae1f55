"""Workflows from a model that a service on this machine plays."""

import pytest

from wfgate.errors import ConfigError
from wfgate.generation import RULES, file_name, generate, prompt_for, prompt_hash
from wfgate.llm import Client, Limits
from wfgate.read import FORMATS, read_text

GOOD = """Here is the workflow:

```yaml
wfgate: "1"
name: Ship
steps:
  - {id: build, name: Build the image}
  - {id: test, name: Test the image, needs: [build]}
```
"""
MERMAID = "```mermaid\nflowchart TD\n  a[Build the image] --> b[Test the image]\n```"
PROSE = "I would first build the image, and then test it."
EMPTY = '```yaml\nwfgate: "1"\nsteps: []\n```'


def drawn(chat, answers, **settings):
    chat.answers = [*answers]
    client = Client("mini", limits=Limits(reasks=0, concurrency=1))
    kept = {"name": "ship", "samples": len(answers), "temperature": 1.0} | settings
    return generate(client, prompt_for("Ship the image"), **kept)


def test_the_prompt_has_two_examples_and_the_task(chat):
    drawn(chat, [GOOD])
    (request,) = chat.asked
    assert [message["role"] for message in request["messages"]] == ["system", *["user", "assistant"] * 2, "user"]
    assert request["messages"][0]["content"] == RULES.strip()
    assert request["messages"][-1]["content"] == "Task: Ship the image"
    assert request["temperature"] == 1


@pytest.mark.parametrize("notation", [name for name, form in FORMATS.items() if form.writes])
def test_an_example_is_read_as_what_it_is(notation):
    shown = [message.content for message in prompt_for("x", notation) if message.role == "assistant"]
    readings = [read_text(text, "example") for text in shown]
    assert [reading.format for reading in readings] == [notation] * 2
    assert [len(reading.workflow.tasks) for reading in readings] == [6, 7]


def test_answers_are_read_by_their_content_and_kept_as_they_came(chat, said):
    refused = (200, said(None, refusal="I cannot help with that"), {})
    found = drawn(chat, [GOOD, MERMAID, PROSE, EMPTY, refused])
    assert [each.text for each in found] == [GOOD, MERMAID, PROSE, EMPTY, ""]
    assert [each.sample.file for each in found] == [f"ship@{place}.md" for place in range(1, 6)]
    assert [(each.sample.format, each.sample.tasks) for each in found] == [
        ("native", 2),
        ("mermaid", 2),
        (None, 0),
        ("native", 0),
        (None, 0),
    ]
    problems = [each.sample.problem for each in found]
    assert problems[:2] == [None, None]
    assert problems[2].startswith("no format recognises the content")
    assert problems[3] == "the workflow has no steps"
    assert "refused" in problems[4]


def test_samples_are_asked_apart_and_kept_apart(chat, tmp_path):
    from wfgate.base import Store  # noqa: PLC0415 - only here

    chat.answers = [GOOD, MERMAID]
    client = Client("mini", memory=Store(tmp_path / "kept.sqlite"), limits=Limits(concurrency=1))
    for _ in range(2):
        found = generate(client, prompt_for("Ship"), name="ship", samples=2, temperature=1.0)
        assert [each.text for each in found] == [GOOD, MERMAID]
    assert len(chat.asked) == 2


def test_another_prompt_has_another_hash():
    one = prompt_hash(prompt_for("Ship"))
    assert one == prompt_hash(prompt_for("Ship"))
    others = (prompt_for("Ship it"), prompt_for("Ship", "worfbench"), prompt_for("Ship", rules="Be brief."))
    assert len({one, *map(prompt_hash, others)}) == 4


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a\\b", "a@b", "a\0", "a\nb"])
def test_names_that_cannot_be_those_of_files(name):
    with pytest.raises(ConfigError, match="cannot be the name"):
        file_name(name, 1)


def test_nothing_to_do_and_nothing_to_write():
    with pytest.raises(ConfigError, match="the task is empty"):
        prompt_for(" \n")
    with pytest.raises(ConfigError, match="cannot be written in the notation 'asl'"):
        prompt_for("Ship", "asl")
