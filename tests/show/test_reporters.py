import importlib
import pkgutil
import re

import wfgate.show
from wfgate.show import REPORTERS, TextReporter, markdown_text
from wfgate.show.base import Reporter
from wfgate.show.markdown import MarkdownReporter
from wfgate.show.oneline import OnelineReporter
from wfgate.show.plugins import PluginReporter


def test_every_reporter_is_registered():
    for module in pkgutil.iter_modules(wfgate.show.__path__):
        importlib.import_module(f"wfgate.show.{module.name}")
    assert {type(one) for one in REPORTERS.values()} == {*Reporter.__subclasses__()} - {PluginReporter}


def test_pure_whatever_the_environment(result, monkeypatch):
    before, code = result.model_dump_json(), result.exit_code
    first = {name: reporter.render(result) for name, reporter in REPORTERS.items()}
    for name, value in {"NO_COLOR": "1", "FORCE_COLOR": "1", "COLUMNS": "17", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    again = {name: reporter.render(result) for name, reporter in REPORTERS.items()}
    assert [name for name in REPORTERS if first[name] != again[name]] == []
    assert (result.model_dump_json(), result.exit_code) == (before, code)


def test_no_reason_stands_twice(result):
    for reporter, shown in (
        (TextReporter(width=2000), str),
        (TextReporter(width=2000, verbose=True), str),
        (MarkdownReporter(), markdown_text),
        (OnelineReporter(), str),
    ):
        report = reporter.render(result)
        for case in result.cases:
            for reason in case.reasons:
                found = re.findall(rf"{re.escape(shown(reason.message))}(?!\d)", report)
                assert len(found) <= 1, (type(reporter), reason.message)
