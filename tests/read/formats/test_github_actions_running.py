"""GitHub Actions: when jobs and steps run, by their `needs` and `if`, as the behaviour of the reading says."""

import pytest

from wfgate.logic import Behaviour
from wfgate.read import read_text

STEPS = "    runs-on: ubuntu-latest\n    steps: [{run: make}]\n"


def workflow(jobs):
    """A workflow of jobs given as (id, needs, if, more)."""
    text = "on: push\njobs:\n"
    for job, needs, condition, *more in jobs:
        text += f"  {job}:\n    needs: [{needs}]\n{STEPS}"
        if condition:
            text += f"    if: {condition}\n"
        text += "".join(f"    {line}\n" for line in more)
    return read_text(text, "x.yml", "github-actions").workflow


def steps(*given):
    """The steps of one job, given as (id, if, more)."""
    text = "on: push\njobs:\n  job:\n    runs-on: x\n    steps:\n"
    for own, condition, *more in given:
        text += f"      - id: {own}\n        run: make\n        name: {own}\n"
        if condition:
            text += f"        if: {condition}\n"
        text += "".join(f"        {line}\n" for line in more)
    return read_text(text, "x.yml", "github-actions").workflow.subworkflows[0]


def runs(found, task, failed=(), **values):
    """Whether a task runs where these tasks fail and these terms have these values."""
    situation = {f"outcome of '{name}'": "failure" for name in failed}
    situation |= {key.replace("__", "."): value for key, value in values.items()}
    behaviour = Behaviour.of(found)
    assert not behaviour.broken_joins
    number = {one.id: place for place, one in enumerate(found.tasks)}
    answer = behaviour.runs_in(number[task], situation)
    assert answer.value is not None, answer.because
    return answer.value


# The job `last` needs `b`, which needs `a`; `handler` is there so that failures of both matter.
CHAIN = [("a", "", ""), ("b", "a", "x.go == 'yes'")]
JOB_CASES = [
    # if, runs when: all well, b failed, a failed, b skipped by its own if
    ("", True, False, False, False),
    ("success()", True, False, False, False),
    ("${{ success() }}", True, False, False, False),
    ("always()", True, True, True, True),
    ("ALWAYS()", True, True, True, True),
    ("failure()", False, True, True, False),
    ("success() || failure()", True, True, True, False),
    ("'!cancelled()'", True, True, True, True),
    ("'!failure()'", True, False, False, True),
    ("'!success()'", False, True, True, True),
    ("'!failure() && !cancelled()'", True, False, False, True),
    ("always() && y.ok == 'yes'", True, True, True, True),
    ("always() && y.ok == 'no'", False, False, False, False),
    ("y.ok == 'yes'", True, False, False, False),
    ("y.ok == 'no'", False, False, False, False),
    ("failure() && y.ok == 'yes'", False, True, True, False),
    ("failure() && y.ok == 'no'", False, False, False, False),
    ("failure() || y.ok == 'yes'", True, True, True, True),
    ("failure() || y.ok == 'no'", False, True, True, False),
    ("success() || y.ok == 'no'", True, False, False, False),
    ("success() || y.ok == 'yes'", True, True, True, True),
    ("(success() && y.ok == 'no') || (failure() && y.ok == 'yes')", False, True, True, False),
    ("success() && (y.ok == 'no' || y.ok == 'yes')", True, False, False, False),
    ("\"contains(y.ok, 'failure()') || y.ok == 'yes'\"", True, False, False, False),
    ("cancelled()", False, False, False, False),
]


@pytest.mark.parametrize(("condition", "well", "b_failed", "a_failed", "b_skipped"), JOB_CASES)
def test_jobs(condition, well, b_failed, a_failed, b_skipped):
    found = workflow([*CHAIN, ("last", "b", condition), ("handler", "a, b, last", "failure()")])
    values = {"y__ok": "yes", "status": "success"}
    assert runs(found, "last", x__go="yes", **values) == well
    assert runs(found, "last", ["b"], x__go="yes", **values) == b_failed
    assert runs(found, "last", ["a"], x__go="yes", **values) == a_failed
    assert runs(found, "last", x__go="no", **values) == b_skipped


def test_all_needed_jobs_must_succeed():
    found = workflow(
        [("a", "", ""), ("b", "", "x.go == 'yes'"), ("c", "a, b", ""), ("d", "c", ""), ("h", "d", "failure()")]
    )
    assert runs(found, "d", x__go="yes")
    assert not runs(found, "d", x__go="no")
    assert not runs(found, "d", ["a"], x__go="yes")
    assert runs(found, "h", ["a"], x__go="yes")
    assert not runs(found, "h", x__go="no")


def test_success_looks_at_all_jobs_before():
    """A job behind `always()` is still skipped when a job before that one was skipped or failed."""
    jobs = [("a", "", "x.go == 'yes'"), ("b", "a", "always()"), ("c", "b", ""), ("d", "c", "")]
    found = workflow(jobs)
    assert [(link.source, link.target) for link in found.links][3:4] == [("a", "c")]
    assert runs(found, "b", x__go="no")
    assert not runs(found, "c", x__go="no")
    assert not runs(found, "d", x__go="no")
    asking = workflow([*jobs[:2], ("c", "b", "always() && needs.b.result == 'success'")])
    assert runs(asking, "c", x__go="no", needs__b__result="success")
    assert not runs(asking, "c", x__go="no", needs__b__result="failure")


def test_failure_looks_at_all_jobs_before():
    found = workflow([("a", "", ""), ("b", "a", ""), ("c", "b", ""), ("h", "c", "failure()")])
    assert [(link.source, link.outcome) for link in found.links if link.target == "h"] == [
        ("a", "failure"),
        ("b", "failure"),
        ("c", "failure"),
    ]
    assert all(runs(found, "h", [name]) for name in "abc")
    assert not runs(found, "h")


def test_a_forgiven_failure_is_a_success():
    jobs = [("a", "", "", "continue-on-error: true"), ("b", "a", "")]
    found = workflow([*jobs, ("h", "a, b", "failure()")])
    assert "a" not in {link.source for link in found.links if link.outcome == "failure"}
    assert runs(found, "b", ["a"])
    assert not runs(found, "h", ["a"])
    assert runs(found, "h", ["b"])
    assert found.tasks[0].params["continue-on-error"] is True
    never = workflow([*jobs[:1], ("h", "a", "failure()")])
    assert not runs(never, "h")


def test_cancelled_is_one_condition_for_all():
    found = workflow([("a", "", ""), ("b", "a", "cancelled()"), ("c", "a", "'!cancelled()'")])
    assert runs(found, "b", status="cancelled")
    assert not runs(found, "c", status="cancelled")


CANCELLED_CASES = [
    # if, runs when: the run goes on, the run is cancelled
    ("always()", True, True),
    ("cancelled()", False, True),
    ("'!cancelled()'", True, False),
    ("always() && !cancelled()", True, False),
    ("always() && cancelled()", False, True),
    ("failure() || cancelled()", False, True),
    ("success() && !cancelled()", True, False),
    ("'!failure() && !cancelled()'", True, False),
    ("cancelled() || y.ok == 'no'", False, True),
    ("cancelled() && y.ok == 'no'", False, False),
]


@pytest.mark.parametrize(("condition", "goes_on", "cancelled"), CANCELLED_CASES)
def test_a_cancelled_run(condition, goes_on, cancelled):
    """Where an `if` names it; that everything else stops then is not said by the reading."""
    of_jobs = workflow([("a", "", ""), ("b", "a", condition), ("handler", "a, b", "failure()")])
    of_steps = steps(("a", ""), ("b", condition), ("handler", "failure()"))
    for found in (of_jobs, of_steps):
        assert runs(found, "b", y__ok="yes", status="success") == goes_on
        assert runs(found, "b", y__ok="yes", status="cancelled") == cancelled


def test_mixed_jobs_are_followed_whatever_happened():
    text = "on: push\njobs:\n  a: {runs-on: x, steps: [{run: m}]}\n  b:\n    needs: a\n"
    reading = read_text(f"{text}    if: '!failure() || y.ok'\n{STEPS}", "x.yml")
    assert [link.outcome for link in reading.workflow.links if link.target == "b"] == ["always"]
    assert [note.line for note in reading.diagnostics if "combines status functions" in note.message] == [6]


# Four steps: `two` may be skipped by its own `if`; `last` is the one that is asked about.
STEP_CASES = [
    # if, runs when: all well, two skipped, one failed, two failed
    ("", True, True, False, False),
    ("success()", True, True, False, False),
    ("always()", True, True, True, True),
    ("'!cancelled()'", True, True, True, True),
    ("failure()", False, False, True, True),
    ("'!failure()'", True, True, False, False),
    ("'!success()'", False, False, True, True),
    ("success() || failure()", True, True, True, True),
    ("y.ok == 'yes'", True, True, False, False),
    ("y.ok == 'no'", False, False, False, False),
    ("x.go == 'no'", False, True, False, False),
    ("x.go == 'yes'", True, False, False, False),
    ("always() && y.ok == 'yes'", True, True, True, True),
    ("failure() && y.ok == 'yes'", False, False, True, True),
    ("failure() && y.ok == 'no'", False, False, False, False),
    ("failure() || y.ok == 'yes'", True, True, True, True),
    ("failure() || y.ok == 'no'", False, False, True, True),
    ("success() && y.ok == 'yes'", True, True, False, False),
    ("${{ success() || failure() && (y.ok == 'no') }}", True, True, False, False),
]


@pytest.mark.parametrize(("condition", "well", "skipped", "one_failed", "two_failed"), STEP_CASES)
@pytest.mark.parametrize(
    "between", [(), (("three", "z.go == 'no'"),), (("three", "always()"),), (("three", "failure()"),)]
)
def test_steps(condition, well, skipped, one_failed, two_failed, between):
    found = steps(("one", ""), ("two", "x.go == 'yes'"), *between, ("last", condition), ("handler", "failure()"))
    values = {"y__ok": "yes", "z__go": "yes", "status": "success"}
    assert runs(found, "last", x__go="yes", **values) == well
    assert runs(found, "last", x__go="no", **values) == skipped
    assert runs(found, "last", ["one"], x__go="yes", **values) == one_failed
    assert runs(found, "last", ["two"], x__go="yes", **values) == two_failed


@pytest.mark.parametrize(
    "condition", [case[0] for case in STEP_CASES[:13] if "failure" not in case[0] and case[0] != "'!success()'"]
)
def test_steps_of_which_none_handles_a_failure(condition):
    case = next(case for case in STEP_CASES if case[0] == condition)
    found = steps(("one", ""), ("two", "x.go == 'yes'"), ("last", condition), ("behind", ""))
    values = {"y__ok": "yes", "status": "success"}
    assert runs(found, "last", x__go="yes", **values) == case[1]
    assert runs(found, "last", x__go="no", **values) == case[2]
    assert runs(found, "behind", x__go="no", **values)
    assert {link.outcome for link in found.links} <= {"success", "skipped", "always"}


def test_a_skipped_step_skips_no_other():
    found = steps(("one", "x.go == 'yes'"), ("two", "x.go == 'no'"), ("three", ""))
    assert not runs(found, "one", x__go="no")
    assert runs(found, "two", x__go="no")
    assert all(runs(found, "three", x__go=value) for value in ("yes", "no"))
    ends = [(link.source, link.target) for link in found.links]
    assert set(ends) == {("START", "one"), ("one", "two"), ("two", "three"), ("three", "END")}


def test_a_failure_counts_across_all_steps_between():
    found = steps(
        ("one", ""), ("two", "x.go"), ("three", "always()"), ("four", "y.ok"), ("five", ""), ("h", "failure()")
    )
    well = {"x__go": True, "y__ok": True}
    assert runs(found, "five", **well)
    assert runs(found, "five", x__go=False, y__ok=False)
    for failed in ("one", "two", "three", "four"):
        assert not runs(found, "five", [failed], **well), failed
        assert runs(found, "h", [failed], **well), failed
    assert not runs(found, "four", ["three"], **well)
    assert runs(found, "three", ["one"], **well)


def test_a_forgiven_step_fails_nothing():
    found = steps(("one", "", "continue-on-error: true"), ("two", ""), ("h", "failure()"))
    assert runs(found, "two", ["one"])
    assert not runs(found, "h", ["one"])
    assert runs(found, "h", ["two"])
    behind = steps(("one", ""), ("two", "x.go", "continue-on-error: true"), ("h", "failure()"), ("last", ""))
    assert runs(behind, "h", ["one"], x__go=True)
    assert not runs(behind, "h", ["two"], x__go=True)
    assert runs(behind, "last", ["two"], x__go=True)
    assert not runs(behind, "last", ["one"], x__go=True)


def test_a_failure_that_cannot_be():
    for found in (
        steps(("h", "failure()"), ("b", "")),
        steps(("a", "", "continue-on-error: true"), ("h", "failure()")),
    ):
        assert not runs(found, "h")
    assert runs(steps(("h", "failure()"), ("b", "")), "b")


def test_text_beside_an_expression_is_always_true():
    found = steps(("one", '"${{ x.go }} "'), ("two", ""), ("h", "failure()"))
    assert runs(found, "one", x__go=False)
    every = workflow([("a", "", ""), ("b", "a", '"${{ failure() }} && true"'), ("h", "a", "failure()")])
    assert runs(every, "b")
    assert runs(every, "b", ["a"])
