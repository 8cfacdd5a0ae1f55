"""Texts that are too long to be analysed: what the golden has as well is only what is the same to its end."""

import pytest

from wfgate.base import READ
from wfgate.compare import compare
from wfgate.language import load_embedder
from wfgate.model import END, START, Link, Task, Workflow
from wfgate.rules import review


def long(end: str, part: str) -> Workflow:
    text = "Scan the image. " * (READ // 16 + 1) + end
    links = (Link(source=START, target="a"), Link(source="a", target=END))
    if part == "workflow":
        return Workflow(name="Scan", description=text, tasks=(Task(id="a", name="Scan"),), links=links)
    return Workflow(name="Scan", tasks=(Task(id="a", name="Scan", description=text),), links=links)


@pytest.mark.parametrize("part", ["step", "workflow"])
@pytest.mark.parametrize(("end", "known"), [("Keep it.", True), ("Delete it.", False)])
def test_the_unread_end_of_a_text_is_known_only_if_it_is_the_same(part: str, end: str, *, known: bool):
    findings = review(compare(long("Keep it.", part), long(end, part), load_embedder()))
    assert [finding.pre_existing for finding in findings if finding.id == "WF603"] == [known]
