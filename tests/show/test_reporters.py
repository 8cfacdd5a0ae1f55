import importlib
import pkgutil
import re

import pytest

import wfgate.show
from wfgate.show import REPORTERS, TextReporter, markdown_text
from wfgate.show.base import Reporter
from wfgate.show.markdown import MarkdownReporter
from wfgate.show.oneline import OnelineReporter


def test_every_reporter_is_registered():
    for module in pkgutil.iter_modules(wfgate.show.reporters.__path__):
        importlib.import_module(f"wfgate.show.{module.name}")
    assert {type(reporter) for reporter in REPORTERS.values()} == set(Reporter.__subclasses__())


@pytest.mark.parametrize("reporter", REPORTERS.values(), ids=list(REPORTERS))
def test_pure(reporter, result):
    before, code = result.model_dump_json(), result.exit_code
    assert reporter.render(result) == reporter.render(result)
    assert result.model_dump_json() == before
    assert result.exit_code == code


@pytest.mark.parametrize("reporter", REPORTERS.values(), ids=list(REPORTERS))
def test_environment_changes_nothing(reporter, result, monkeypatch):
    before = reporter.render(result)
    for name, value in {"NO_COLOR": "1", "FORCE_COLOR": "1", "COLUMNS": "17", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    assert reporter.render(result) == before


@pytest.mark.parametrize(
    ("reporter", "shown"),
    [
        (TextReporter(width=2000), str),
        (TextReporter(width=2000, verbose=True), str),
        (MarkdownReporter(), markdown_text),
        (OnelineReporter(), str),
    ],
    ids=["text", "verbose", "markdown", "oneline"],
)
def test_no_reason_stands_twice(reporter, shown, result):
    report = reporter.render(result)
    for case in result.cases:
        for reason in case.reasons:
            assert len(re.findall(rf"{re.escape(shown(reason.message))}(?!\d)", report)) <= 1, reason.message
