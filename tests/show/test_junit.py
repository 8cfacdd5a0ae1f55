from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from wfgate.show.junit import JunitReporter

SCHEMA = Path(__file__).parent / "schemas" / "junit-10.xsd"


@pytest.fixture(scope="module")
def schema():
    return xmlschema.XMLSchema(SCHEMA)


def test_report(result, snapshot):
    assert JunitReporter().render(result) == snapshot


def test_every_report_is_valid(result, schema):
    schema.validate(JunitReporter().render(result))


def test_hostile_text_is_valid_and_only_text(hostile, make_hostile, schema):
    text = JunitReporter().render(make_hostile(hostile))
    schema.validate(text)
    tags = [element.tag for element in ET.fromstring(text.encode()).iter()]  # noqa: S314 - our own
    calm = [element.tag for element in ET.fromstring(JunitReporter().render(make_hostile("calm"))).iter()]  # noqa: S314
    assert tags == calm


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({}, {"deploy": "failure", "review-me": "system-out", "tiny": "error", "bad": "error", "fine": None}),
        (
            {"fail_on": "review", "inconclusive_blocks": False},
            {"deploy": "failure", "review-me": "failure", "tiny": "skipped", "bad": "error", "fine": None},
        ),
    ],
)
def test_what_fails_the_build_is_a_failure(
    make_result, make_block, make_review, make_inconclusive, make_pass, policy, expected
):
    from .conftest import unreadable_case  # noqa: PLC0415 - a builder, not a fixture

    cases = (make_block(), make_review(), make_inconclusive(), unreadable_case(), make_pass())
    root = ET.fromstring(JunitReporter().render(make_result(*cases, **policy)))  # noqa: S314 - our own
    found = {test.get("name"): next((part.tag for part in test), None) for test in root.iter("testcase")}
    assert found == expected
    suite = root.find("testsuite")
    kinds = list(expected.values())
    assert suite.get("failures") == str(kinds.count("failure"))
    assert suite.get("errors") == str(kinds.count("error"))
    assert suite.get("skipped") == str(kinds.count("skipped"))
    assert suite.get("tests") == "5"


def test_nothing_compared_is_an_error(make_result):
    root = ET.fromstring(JunitReporter().render(make_result()))  # noqa: S314 - our own
    assert root.get("errors") == "1"
