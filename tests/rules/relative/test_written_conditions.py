"""Conditions are compared as written where links state only a part of them."""

import json

import pytest

from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.read import read_text
from wfgate.rules import review

CI = """\
on: push
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: make lint
  test:
    needs: lint{job}
    runs-on: ubuntu-latest
    steps:
      - name: Build
        run: make
      - name: Run the tests
        if: matrix.tests
        run: make test
      - name: Upload the results{step}
        run: make upload
"""


def levels(golden, candidate):
    """The levels of the findings about conditions and about what always runs."""
    read = [read_text(text, "w.yml").workflow for text in (golden, candidate)]
    found = review(compare(*read, StaticEmbedder()))
    return [finding.severity for finding in found if finding.id.startswith(("WR2", "WR3"))]


def ci(step=None, job=None):
    steps = "" if step is None else f"\n        if: {step}"
    return CI.format(step=steps, job="" if job is None else f"\n    if: {job}")


@pytest.mark.parametrize(
    ("golden", "candidate", "expected"),
    [
        (ci("matrix.tests"), ci("always() && matrix.tests"), ["warning"]),
        (ci("matrix.tests"), ci("${{ !cancelled() && matrix.tests }}"), ["warning"]),
        (ci("always() && matrix.tests"), ci("matrix.tests"), ["warning"]),
        (ci("matrix.tests"), ci("success() && matrix.tests"), []),
        (ci("matrix.tests"), ci("${{ matrix.tests }}"), []),
        (ci(), ci("success()"), []),
        (ci("always()"), ci("success() || failure() || cancelled()"), []),
        (ci(job="github.ref == 'main'"), ci(job="success() && github.ref == 'main'"), []),
    ],
)
def test_the_status_functions_of_github_actions(golden, candidate, expected):
    assert sorted(set(levels(golden, candidate))) == expected


@pytest.mark.parametrize("step", ["always()", "'!cancelled()'", "failure()"])
@pytest.mark.parametrize("place", ["step", "job"])
def test_another_outcome_is_never_silent(step, place):
    assert set(levels(ci(), ci(**{place: step}))) & {"warning", "error"}


PLAN = {
    "nodes": [{"id": 1, "name": "Draft the refund"}, {"id": 2, "name": "Approve the refund", "if": "amount > 100"}],
    "edges": [{"from": 1, "to": 2, "condition": "the draft is complete"}],
}


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ('"if": "amount > 100"', '"if": "amount > 1000"', ["warning"]),
        ('"if": "amount > 100"', '"when": "100 < amount"', []),
        (', "if": "amount > 100"', "", ["warning"]),
        ('"if": "amount > 100"', '"if": false', ["warning"]),
    ],
)
def test_a_step_whose_link_has_another_condition(was, now, expected):
    text = json.dumps(PLAN)
    assert was in text
    assert levels(text, text.replace(was, now)) == expected
