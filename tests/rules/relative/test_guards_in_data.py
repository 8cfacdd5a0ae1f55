"""A condition of a condition language that holds in more situations than before, in GitHub Actions and Argo files."""

from datetime import date
from pathlib import Path

import pytest

from wfgate.compare import compare, compare_conditions
from wfgate.decide import Blob, Pair
from wfgate.language import StaticEmbedder
from wfgate.logic import Atom, Term, every, some
from wfgate.model import Task, Workflow
from wfgate.run import Config, load_gate

MAIN = "github.ref == 'refs/heads/main'"
GITHUB = """
on: push
jobs:
  release:
    runs-on: ubuntu-latest
    steps:
      - {{name: Build the app, run: make}}
      - {{name: Deploy the app, if: {0}, run: ./deploy.sh}}
      - {{name: Tell the team, run: ./tell.sh}}
"""
DAG = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {{generateName: coin-}}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
"""
ARGO = (
    DAG
    + """\
      - {{name: {1}, template: toss}}
      - {{name: pay, template: pay, depends: {1}, when: "{0}"}}
      - {{name: done, template: done, depends: pay}}
  - {{name: toss, container: {{image: toss, command: [toss]}}}}
  - {{name: pay, container: {{image: pay, command: [pay]}}}}
  - {{name: done, container: {{image: done, command: [done]}}}}
"""
)


@pytest.fixture(scope="module")
def gate():
    return load_gate(Config(), date.min)


def decided(gate, folder, golden, candidate):
    for name, text in (("golden.yml", golden), ("candidate.yml", candidate)):
        (folder / name).write_text(text)
    case = gate.decide(Pair("x", (folder / "golden.yml",), folder / "candidate.yml"))
    return case.verdict, {finding.id for finding in case.findings if finding.severity == "error"}


@pytest.mark.parametrize(
    ("condition", "verdict", "check"),
    [
        (f'"{MAIN}"', "pass", None),
        (f'"${{{{ ({MAIN}) }}}}"', "pass", None),
        ("true", "block", "WR202"),
        (f'"${{{{ {MAIN} }}}} "', "block", "WR202"),  # a string, which is true
        ("\"${{ github.ref }} == 'refs/heads/main'\"", "block", "WR202"),
        (f"\"{MAIN} || github.ref == 'refs/heads/dev'\"", "block", "WR301"),
        ("\"startsWith(github.ref, 'refs/heads/')\"", "block", "WR301"),
        ("\"github.ref == 'refs/heads/dev'\"", "block", "WR301"),
        (f"\"{MAIN} && github.event_name == 'push'\"", "review", None),  # runs in fewer situations
        ("\"github.event_name == 'push'\"", "review", None),  # another value, which may be the same under another name
    ],
)
def test_a_step_that_runs_in_more_situations_is_an_error(gate, tmp_path, condition, verdict, check):
    found = decided(gate, tmp_path, GITHUB.format(f'"{MAIN}"'), GITHUB.format(condition))
    assert found == (verdict, {check} - {None})


@pytest.mark.parametrize("condition", [MAIN, "hashFiles('lock') != ''"])
def test_a_removed_condition_is_an_error(gate, tmp_path, condition):
    golden = GITHUB.format(f'"{condition}"')
    assert decided(gate, tmp_path, golden, golden.replace(f'if: "{condition}", ', "")) == ("block", {"WR202"})


def test_prose_and_renamed_steps_are_no_errors(gate, tmp_path):
    golden = GITHUB.format(f'"{MAIN}"')
    verdict, errors = decided(gate, tmp_path, golden, golden.replace("Deploy the app", "Deploy the application"))
    assert verdict == "pass" or not errors & {"WR202", "WR301"}
    removed = golden.replace(f'if: "{MAIN}", ', "").replace("Deploy the app", "Deploy the application")
    assert not decided(gate, tmp_path, golden, removed)[1] & {"WR202", "WR301"}
    golden, renamed = (ARGO.format(f"{{{{tasks.{name}.outputs.result}}}} == heads", name) for name in ("flip", "toss"))
    assert not decided(gate, tmp_path, golden, renamed)[1] & {"WR202", "WR301"}
    weaker = ARGO.format("{{tasks.flip.outputs.result}} =~ heads", "flip")
    assert decided(gate, tmp_path, golden, weaker) == ("block", {"WR301"})
    plain = 'wfgate: "1"\nsteps: [Build, {name: Deploy, when: the branch is main}, Report]\n'
    assert not decided(gate, tmp_path, plain, plain.replace("is main", "is dev"))[1] & {"WR202", "WR301"}
    assert not decided(gate, tmp_path, plain, plain.replace(", when: the branch is main", ""))[1] & {"WR202", "WR301"}


@pytest.mark.parametrize(
    ("was", "now", "check"),
    [
        (', when: "stage == 3"', "", "WR202"),
        ("stage == 3", "stage == 3 or stage == 4", "WR301"),
        ("stage == 3", "stage != 3", "WR301"),
    ],
)
def test_a_comparison_in_the_own_format_is_no_prose(gate, tmp_path, was, now, check):
    golden = 'wfgate: "1"\nsteps: [Build, {name: Deploy, when: "stage == 3"}, Report]\n'
    assert decided(gate, tmp_path, golden, golden.replace(was, now)) == ("block", {check})


JOIN = (
    DAG
    + """\
      - {{name: scan, template: job}}
      - {{name: test, template: job}}
      - {{name: approve, template: job, depends: {0}}}
  - {{name: job, container: {{image: job, command: [job]}}}}
"""
)


@pytest.mark.parametrize(
    ("depends", "found"),
    [
        ("test && scan", ("pass", set())),
        ("scan.Succeeded && test.Succeeded", ("pass", set())),
        ("scan || test", ("block", {"WR301"})),
        ("(scan && test) || test", ("block", {"WR301"})),
    ],
)
def test_a_step_that_waits_for_less_is_an_error(gate, tmp_path, depends, found):
    assert decided(gate, tmp_path, JOIN.format("scan && test"), JOIN.format(depends)) == found


BPMN = """<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p" isExecutable="true">
<startEvent id="s"/><userTask id="assess" name="Assess the damage"/><task id="pay" name="Pay the claim"/>
<exclusiveGateway id="x" name="Approved?" default="f4"/><task id="reject" name="Write a rejection"/><endEvent id="e"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="assess"/><sequenceFlow id="f2" sourceRef="assess" targetRef="x"/>
<sequenceFlow id="f3" name="yes" sourceRef="x" targetRef="pay">
<conditionExpression>${approved}</conditionExpression></sequenceFlow>
<sequenceFlow id="f4" name="no" sourceRef="x" targetRef="reject"/>
<sequenceFlow id="f5" sourceRef="pay" targetRef="e"/><sequenceFlow id="f6" sourceRef="reject" targetRef="e"/>
</process></definitions>"""


@pytest.mark.parametrize(
    ("was", "now", "verdict"),
    [
        ("<conditionExpression>${approved}</conditionExpression>", "", "block"),
        ("<conditionExpression>${approved}</conditionExpression>", "<conditionExpression/>", "block"),
        ("${approved}", "${service.approves(claim)}", "review"),
        ("${approved}", "${ approved }", "pass"),
        ('name="yes"', 'name="approved"', "pass"),
    ],
)
def test_the_name_of_a_branch_is_no_condition_of_an_engine(gate, was, now, verdict):
    assert BPMN.count(was) == 1
    files = [Blob(Path("x.bpmn"), text.encode()) for text in (BPMN, BPMN.replace(was, now))]
    assert gate.decide(Pair("x", (files[0],), files[1])).verdict == verdict


def many(join):
    """A step that waits for all or any of 300 steps."""
    steps = [f"{{id: s{k}, name: Sign page {k}, needs: []}}" for k in range(300)]
    last = f"{{name: Send the contract, join: {join}, needs: [{', '.join(f's{k}' for k in range(300))}]}}"
    return 'wfgate: "1"\nsteps: [' + ", ".join([*steps, last]) + "]\n"


def test_a_step_that_waits_for_one_of_hundreds_instead_of_all(gate, tmp_path):
    assert decided(gate, tmp_path, many("all"), many("any")) == ("block", {"WR301"})


def any_of(count, bound):
    return some(every([Atom(Term(f"v{k}"), "<", bound), Atom(Term(f"w{k}"), "<", bound)]) for k in range(count))


def test_too_complex_conditions_are_called_so(monkeypatch):
    """They count as changed, and the limit is one for all conditions of a pair."""
    workflow = Workflow(tasks=(Task(id="a", name="Send it"),))
    pair = compare(workflow, workflow, StaticEmbedder())
    kind, _ = compare_conditions(pair, any_of(300, 1), any_of(300, 2))
    assert kind == "too complex"  # more terms than a diagram may have
    assert compare_conditions(pair, any_of(2, 1), any_of(2, 2))[0] == "weaker"
    assert compare_conditions(pair, some(reversed(any_of(300, 1).of)), any_of(300, 1))[0] == "same"
    monkeypatch.setattr("wfgate.compare.flows.MAX_STEPS", 200)
    limited = compare(workflow, workflow, StaticEmbedder())
    kinds = [compare_conditions(limited, any_of(2, 1), any_of(2, 2))[0] for _ in range(50)]
    assert (kinds[0], kinds[-1]) == ("weaker", "too complex")
