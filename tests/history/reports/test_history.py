"""The history as a table, as JSON and as a page: what people see, and that names stay names."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from wfgate.decide import RunRecord
from wfgate.decide.run_record import counted
from wfgate.history import history_page, history_record, history_text

from ...show.test_html import Page

START = datetime(2026, 11, 1, 6, tzinfo=UTC)


def run(number=0, cases=None, **changes):
    cases = cases or {"deploy": "pass"}
    worst = next(verdict for verdict in ("block", "inconclusive", "review", "pass") if verdict in cases.values())
    given = {
        "when": START + timedelta(days=number),
        "commit": f"{number:x}" * 40,
        "ref": "main",
        "url": f"https://ci.example/runs/{number}",
        "version": "0.2.0",
        "profile": "default",
        "corpus": "c0ffee",
    }
    return RunRecord(**(given | changes), verdict=worst, counts=counted(cases), cases=cases)


def releases():
    calm = {f"ops/{number}": "pass" for number in range(20)}
    return [
        run(1, calm, version="0.1.0"),
        run(2, calm | {"ops/3": "review", "ops/4": "review"}),
        run(3, calm | {"ops/3": "block", "ops/5": "inconclusive", "new": "pass"}, corpus="decaf", ref="v1.2"),
    ]


def test_the_table(snapshot):
    text = history_text(releases())
    assert text == snapshot
    assert max(map(len, text.splitlines())) <= 80


def test_what_a_run_took_and_which_cases_changed_is_shown():
    cases = {f"case-{number}": "pass" for number in range(7)}
    runs = [
        run(1, cases, seconds=7.25),
        run(2, dict.fromkeys(cases, "block"), seconds=754.0),
        run(3, cases, corpus="ab" * 32),
    ]
    text = history_text(runs)
    assert max(map(len, text.splitlines())) <= 80
    lines = text.splitlines()
    assert [line[64:72].strip() for line in lines[:4]] == ["took", "7.2 s", "13 min", ""]
    changed = " ".join(text.partition("Earlier changes:")[2].split())
    assert changed.startswith("2026-11-03 06:00 main 22222222: case-0 (PASS -> BLOCK), case-1 (PASS -> BLOCK)")
    assert changed.endswith("and 2 more")
    assert "default (abababab)" in text
    assert "ab" * 32 not in text
    page = history_page(runs)
    assert f'<code title="{"ab" * 32}">abababab</code>' in page
    assert "13 min" in page
    assert "case-4 (PASS -&gt; BLOCK), and 2 more" in page
    assert "took" not in history_text(releases())


def test_a_verdict_that_occurs_is_counted_and_coloured():
    cases = {f"c{number}": "pass" for number in range(2000)} | {"bad": "block", "odd": "inconclusive", "hm": "review"}
    _, line, *_ = history_text([run(1, cases)]).splitlines()
    assert line.split()[-4:] == ["2,000", "1", "1", "1"]
    assert len(line) <= 79
    assert history_text([run(1, cases)], width=140, color=True).count("\x1b[") > 4


def test_names_of_files_keep_their_end():
    bare = run(1, when=None, commit=None, ref=None, source="kept/results/of/the/nightly/gate/2026-11-01.json")
    assert "…" in history_text([bare])
    assert "gate/2026-11-01.json" in history_text([bare])


def test_json():
    found = json.loads(history_record(releases()))
    assert [each["counts"]["block"] for each in found["runs"]] == [0, 0, 1]
    assert found["changed"] == [
        {"case": "ops/3", "before": "review", "after": "block"},
        {"case": "ops/5", "before": "pass", "after": "inconclusive"},
        {"case": "ops/4", "before": "review", "after": "pass"},
        {"case": "new", "before": None, "after": "pass"},
    ]
    assert json.loads(history_record(releases()[:1]))["changed"] == []


def test_the_page():
    text = history_page(releases())
    page = Page(text)
    assert page.tags.count("tr") == 4
    assert "script" not in page.tags
    assert "script-src" not in text
    assert {value for tag, name, value in page.attributes if (tag, name) == ("a", "href")} == {
        f"https://ci.example/runs/{number}" for number in (1, 2, 3)
    }
    assert "1 case newly blocked, 1 case newly inconclusive, 1 case newly passing, 1 case new." in "".join(page.texts)
    heights = [
        (value, float(dict(attributes)["height"]))
        for attributes in rects(page)
        for value in [dict(attributes)["class"]]
        if "x" in dict(attributes)
    ]
    assert sum(height for name, height in heights if name == "pass") == pytest.approx(
        (20 + 18 + 19) * 220 / 21, abs=0.3
    )
    assert [name for name, _ in heights[-3:]] == ["pass", "inconclusive", "block"]


def rects(page):
    """The attributes of each rectangle, in the order of the page."""
    found, current = [], []
    for tag, name, value in page.attributes:
        if tag == "rect":
            if name == "class":
                current = []
                found.append(current)
            current.append((name, value))
    return found


def test_hostile_names_are_only_text(hostile):
    name = hostile.encode("utf-8", "replace").decode()
    runs = [
        run(1, {name: "pass"}, ref=name, commit=name, version=name, profile=name, corpus=name),
        run(2, {name: "block"}, when=None, ref=name, commit=None, source=name),
    ]
    page, calm = Page(history_page(runs)), Page(history_page(releases()[:2]))
    assert set(page.tags) <= set(calm.tags)
    for each in [*page.texts, *(value or "" for _, _, value in page.attributes)]:
        assert all(character == "\n" or character.isprintable() for character in each)
    text = history_text(runs)
    assert all(character == "\n" or character.isprintable() for character in text)
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
