import json

import jsonschema
import pytest
from jsonschema import Draft202012Validator

from wfgate.decide import CaseResult, GateResult
from wfgate.show import REPORTERS, case_schema, result_schema


def test_report(result, snapshot):
    assert REPORTERS["json"].render(result) == snapshot


def test_published_schema(snapshot):
    Draft202012Validator.check_schema(result_schema())
    assert json.dumps(result_schema(), indent=1) == snapshot


def test_valid_and_round_trips(result):
    text = REPORTERS["json"].render(result)
    Draft202012Validator(result_schema()).validate(json.loads(text))
    assert GateResult.model_validate_json(text) == result


def test_lines_are_the_cases(result):
    lines = REPORTERS["jsonl"].render(result).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(REPORTERS["json"].render(result))["cases"]
    schema = Draft202012Validator(case_schema())
    for line, case in zip(lines, result.cases, strict=True):
        schema.validate(json.loads(line))
        assert CaseResult.model_validate_json(line) == case


def test_schema_refuses_what_is_no_result(make_result, make_pass):
    document = json.loads(REPORTERS["json"].render(make_result(make_pass())))
    schema = Draft202012Validator(result_schema())
    for key in ("schema", "verdict", "cases"):
        with pytest.raises(jsonschema.ValidationError):
            schema.validate({name: value for name, value in document.items() if name != key})


@pytest.mark.parametrize("reporter", ["json", "jsonl"])
def test_hostile_text_is_ascii(hostile, make_hostile, reporter):
    report = REPORTERS[reporter].render(make_hostile(hostile))
    assert report.isascii()
    assert "\x1b" not in report
    assert "\x7f" not in report
    parsed = json.loads(report) if reporter == "json" else json.loads(report.splitlines()[0])
    assert (parsed["cases"][0] if reporter == "json" else parsed)["id"] == hostile
