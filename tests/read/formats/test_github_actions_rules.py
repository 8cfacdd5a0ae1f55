"""GitHub Actions: the runs of random workflows against GitHub's documented rules, written down a second time here.

The rules are those of the pages "Evaluate expressions in workflows and actions" (status check functions) and "Workflow
syntax for GitHub Actions" (`jobs.<job_id>.needs`, `jobs.<job_id>.if`, `continue-on-error`).
"""

from typing import NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wfgate.logic import Behaviour
from wfgate.read import read_text

from ...hypothesis_examples import examples


class Seen(NamedTuple):
    """What a condition can ask for: success(), failure(), and the condition V."""

    success: bool
    failure: bool
    value: bool


CONDITIONS = {
    # `if` -> what it comes to in a run that nobody cancels
    "": lambda seen: seen.success,
    "V": lambda seen: seen.success and seen.value,
    "success()": lambda seen: seen.success,
    "failure()": lambda seen: seen.failure,
    "always()": lambda _: True,
    "cancelled()": lambda _: False,
    "!cancelled()": lambda _: True,
    "!failure()": lambda seen: not seen.failure,
    "!success()": lambda seen: not seen.success,
    "!failure() && !cancelled()": lambda seen: not seen.failure,
    "success() || failure()": lambda seen: seen.success or seen.failure,
    "success() && V": lambda seen: seen.success and seen.value,
    "failure() && V": lambda seen: seen.failure and seen.value,
    "always() && V": lambda seen: seen.value,
    "!failure() && V": lambda seen: not seen.failure and seen.value,
    "!success() && V": lambda seen: not seen.success and seen.value,
    "failure() || V": lambda seen: seen.failure or seen.value,
    "success() || V": lambda seen: seen.success or seen.value,
    "V || cancelled()": lambda seen: seen.value,
    "(success() && V) || (failure() && !V)": lambda seen: (
        (seen.success and seen.value) or (seen.failure and not seen.value)
    ),
}
GIVEN = {"x": "vars.x == 'yes'", "y": "vars.y == 'yes'"}
CONDITION = st.tuples(st.sampled_from(sorted(CONDITIONS)), st.sampled_from(sorted(GIVEN)))


@st.composite
def jobs(draw):
    """Jobs as (id, what it needs, its `if`, whether its failure is forgiven), and one that handles every failure."""
    found = []
    for number in range(draw(st.integers(2, 5))):
        needs = draw(st.sets(st.sampled_from(range(number)), max_size=3)) if number else ()
        found.append((f"j{number}", [f"j{need}" for need in sorted(needs)], draw(CONDITION), draw(st.booleans())))
    return [*found, ("handler", [job[0] for job in found], ("failure()", "x"), False)]


@st.composite
def situations(draw, names):
    """Which jobs or steps fail, and which conditions hold."""
    return draw(st.sets(st.sampled_from(names))), {name: draw(st.booleans()) for name in GIVEN}


def said(condition):
    text, name = condition
    return text.replace("!V", f"!({GIVEN[name]})").replace("V", GIVEN[name])


def runs_of_jobs(found, failing, values):
    """The jobs that run: a job looks at all jobs before it, not only at those that it needs."""
    before, result = {}, {}
    for job, needs, (text, name), forgiven in found:
        before[job] = set(needs).union(*(before[need] for need in needs))
        ended = [result[other] for other in before[job]]
        success, failure = all(one == "success" for one in ended), "failure" in ended
        if not CONDITIONS[text](Seen(success, failure, values[name])):
            result[job] = "skipped"
        else:
            result[job] = "failure" if job in failing and not forgiven else "success"
    return {job for job, ended in result.items() if ended != "skipped"}


def runs_of_steps(found, failing, values):
    """The steps that run: that one was skipped is nothing to those behind it."""
    failed, runs = False, set()
    for step, (text, name), forgiven in found:
        if CONDITIONS[text](Seen(not failed, failed, values[name])):
            runs.add(step)
            failed = failed or (step in failing and not forgiven)
    return runs


def runs_as_read(workflow, failing, values):
    names = [task.id for task in workflow.tasks]
    situation = {f"outcome of '{name}'": "failure" if name in failing else "success" for name in names}
    situation |= {f"vars.{name}": "yes" if value else "no" for name, value in values.items()} | {"status": "success"}
    behaviour = Behaviour.of(workflow)
    assert not behaviour.broken_joins
    answers = {name: behaviour.runs_in(place, situation).value for place, name in enumerate(names)}
    assert None not in answers.values(), answers
    return {name for name, value in answers.items() if value}


def text_of_jobs(found):
    text = "on: push\njobs:\n"
    for job, needs, condition, forgiven in found:
        text += f"  {job}:\n    runs-on: x\n    steps: [{{run: make, name: {job}}}]\n    needs: [{', '.join(needs)}]\n"
        text += f"    if: ${{{{ {said(condition)} }}}}\n" if condition[0] else ""
        text += f"    continue-on-error: {str(forgiven).lower()}\n"
    return text


@settings(max_examples=examples(120))
@given(st.data())
def test_jobs(data):
    found = data.draw(jobs())
    reading = read_text(text_of_jobs(found), "x.yml", "github-actions")
    # A negation beside a condition is read as all outcomes, and said so.
    assume(not any("combines status functions" in note.message for note in reading.diagnostics))
    failing, values = data.draw(situations([job[0] for job in found]))
    assert runs_as_read(reading.workflow, failing, values) == runs_of_jobs(found, failing, values)


@settings(max_examples=examples(120))
@given(st.data())
def test_steps(data):
    count = data.draw(st.integers(1, 6))
    found = [(f"s{number}", data.draw(CONDITION), data.draw(st.booleans())) for number in range(count)]
    found.append(("handler", ("failure()", "x"), False))
    text = "on: push\njobs:\n  job:\n    runs-on: x\n    steps:\n"
    for step, condition, forgiven in found:
        text += f"      - id: {step}\n        name: {step}\n        run: make\n"
        text += f"        continue-on-error: {str(forgiven).lower()}\n"
        text += f"        if: ${{{{ {said(condition)} }}}}\n" if condition[0] else ""
    workflow = read_text(text, "x.yml", "github-actions").workflow.subworkflows[0]
    failing, values = data.draw(situations([step[0] for step in found]))
    assert runs_as_read(workflow, failing, values) == runs_of_steps(found, failing, values)
