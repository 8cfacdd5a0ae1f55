import re
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from wfgate.show import markdown_text, table, visible
from wfgate.show.markdown import MarkdownReporter

from ..hypothesis_examples import examples

TAGS = {
    "h2",
    "h3",
    "p",
    "strong",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "br",
    "del",
    "ins",
    "pre",
    "code",
}


class Page(HTMLParser):
    def __init__(self, report):
        super().__init__()
        self.tags, self.texts, self.in_code = [], [], False
        self.feed(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(report))

    def handle_starttag(self, tag, _):
        self.tags.append(tag)
        self.in_code |= tag == "code"

    def handle_endtag(self, tag):
        self.in_code &= tag != "code"

    def handle_data(self, data):
        if not self.in_code:  # a diagram; nobody looks for mentions there
            self.texts.append(data)


def rendered(text):
    return "".join(Page(text).texts).strip()


def test_report(result, snapshot):
    assert MarkdownReporter().render(result) == snapshot


def test_hostile_text_is_only_text(hostile, make_hostile):
    report = MarkdownReporter().render(make_hostile(hostile))
    calm = Page(MarkdownReporter().render(make_hostile("calm")))
    page = Page(report)
    assert page.tags == calm.tags
    assert set(page.tags) <= TAGS
    assert all(character == "\n" or character.isprintable() for character in report)
    for text in page.texts:  # each text node on its own: that is where GitHub looks for mentions and references
        assert not re.search(r"@\w|#\d|GH-\d|https?://|www\.\w", text)


@given(st.text(max_size=60))
@settings(max_examples=examples(300))
def test_what_is_escaped_is_read_back(text):
    shown = visible(text).strip()
    assert rendered(f"- {markdown_text(text)}\n") == shown
    page = Page(table(("a", "b"), [(text, text)]))
    assert page.tags.count("td") == 2


@given(text=st.text(max_size=200))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_name_changes_the_structure(make_hostile, text):
    calm = Page(MarkdownReporter().render(make_hostile("calm")))
    tags = Page(MarkdownReporter().render(make_hostile(f"x{text}"))).tags
    assert tags == calm.tags


@pytest.mark.parametrize("length", [2000, 8000, 60_000])
def test_length_is_kept_and_what_is_left_out_is_said(make_result, make_block, make_pass, length):
    cases = [make_block(id=f"case-{n}", reasons=("@" * 5000,) * 20) for n in range(200)]
    report = MarkdownReporter(length=length).render(make_result(*cases, *map(make_pass, "abc")))
    assert len(report) <= length
    assert "omitted, to limit the length of the report" in report
    assert "**203 cases: 200 blocked, 3 passed**" in report
    assert "<details><summary>Promise</summary>\n\non average over goldens like the" in report
