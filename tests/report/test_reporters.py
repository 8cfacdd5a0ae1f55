import importlib
import pkgutil

import pytest

import wfgate.report
from wfgate.report import REPORTERS, Reporter


def test_every_reporter_is_registered():
    for module in pkgutil.iter_modules(wfgate.report.__path__):
        importlib.import_module(f"wfgate.report.{module.name}")
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
