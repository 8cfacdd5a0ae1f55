"""Conditions that select other situations."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wfgate.calibration import PERTURBATIONS, Golden
from wfgate.calibration.perturb.base import affected_count
from wfgate.calibration.perturb.guard_changed import KINDS
from wfgate.errors import PerturbationRejected
from wfgate.logic import Behaviour, Space, parse, terms
from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow, fingerprint

from ...hypothesis_examples import examples

CHANGED = PERTURBATIONS["guard-changed"]
CASES = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
SEVERITY = st.sampled_from([0.1, 0.3, 0.5])
SEED = st.integers(0, 99)
EXPRESSIONS = {
    "plain": ("amount > 1000", "status = 'paid' and n >= 3", "unless approved", "region in ['eu', 'us']", "yes"),
    "github": ("${{ github.event_name != 'push' && !cancelled() }}", "github.ref == 'refs/heads/main'"),
    "bpmn": ("${amount gt 1000 && !approved}", "= amount >= 10.5", "the customer agrees"),
    "argo": ("{{steps.flip.outputs.result}} == heads", "{{= asInt(inputs.parameters['n']) < 3 }}"),
    "asl": ('{"Variable": "$.total", "NumericLessThan": 100, "Next": "A"}', "{% $states.input.total > 5 %}"),
    "n8n": (
        "={{ $json.total > 3 }}",
        '{"leftValue": "={{ $json.id }}", "rightValue": 5, "operator": {"type": "number", "operation": "gt"}}',
    ),
}
EVERY = [(language, text) for language, texts in EXPRESSIONS.items() for text in texts]


def split(*guards, **fields):
    """Return a golden of one step with a branch for each guard."""
    tasks = [Task(id="s", name="decide"), *(Task(id=f"t{i}", name=f"do {i}") for i in range(len(guards)))]
    links = [Link(source=START, target="s")]
    links += [Link(source="s", target=f"t{i}", guard=guard) for i, guard in enumerate(guards)]
    links += [Link(source=f"t{i}", target=END) for i in range(len(guards))]
    return Golden("split", Workflow(**{"tasks": tuple(tasks), "links": tuple(links), **fields}))


def plain(*texts):
    return [Guard(expr=text) for text in texts]


def outcomes(golden, tools, severity, seeds=60):
    """Return what the conditions become, one tuple for each way that was seen, with its kinds."""
    found = {}
    for seed in range(seeds):
        variant = tools.attempt(CHANGED, golden, severity, seed)
        if variant is not None:
            said = tuple(
                link.guard and link.guard.expr
                for link, old in zip(variant.workflow.links, golden.workflow.links, strict=True)
                if old.guard
            )
            found[said] = variant.details["kinds"]
    return found


def test_exactly_k_conditions_change_and_nothing_else(tools):
    @CASES
    @given(tools.dags(least=2).map(tools.furnished), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(CHANGED, golden, severity, seed)
        if variant is None:
            return
        old, new = golden.workflow, variant.workflow
        assert new.model_copy(update={"links": old.links}) == old
        unasked = [[link.model_copy(update={"guard": None}) for link in flow.links] for flow in (old, new)]
        assert unasked[0] == unasked[1]
        changed = [one for one, two in zip(old.links, new.links, strict=True) if one != two]
        assert all(link.guard for link in changed)
        conditions = {(link.target, link.guard) for link in changed}
        kinds = variant.details["kinds"].split()
        assert len(conditions) == len(kinds) == affected_count(severity, golden.n)
        assert set(kinds) <= set(KINDS)
        assert {old.tasks[step].id for step in variant.affected} == {link.target for link in changed}

    holds()


@pytest.mark.parametrize(("language", "text"), EVERY)
def test_every_language_is_changed_to_something_else_that_can_be_read(language, text, tools):
    golden = split(Guard(expr=text, language=language))
    found = outcomes(golden, tools, 0.1)
    assert found
    for (other,), kind in found.items():
        one, two = parse(text, language), parse(other, language)
        assert set(terms(one)) == set(terms(two))
        space = Space([one, two])
        assert space.node(one) != space.node(two)
        if kind == "negated" and "&&" not in text:
            assert space.node(two) == space.contrary(space.node(one))
    assert "negated" in found.values() or language == "n8n"


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("amount > 1000", {"amount < 1000", "amount > 2000", "amount > 10000"}),
        ("amount >= 10.5", {"amount < 10.5", "amount >= 21.0", "amount >= 105.0"}),
        ("n == 0", {"n != 0", "n == 2", "n == 10"}),
        ("ready == true", {"ready != true", "ready == false"}),
        ("not ready", {"ready"}),
    ],
)
def test_each_way_to_change_a_condition(text, ways, tools):
    negations = {f"!({text})", f"not ({text})"} if text != "not ready" else set()
    assert {said for (said,) in outcomes(split(*plain(text)), tools, 0.1)} == ways | negations


def test_another_literal_comes_from_the_other_conditions(tools):
    found = outcomes(split(*plain("env == 'prod'", "env == 'test'")), tools, 0.1)
    assert ("env == 'test'", "env == 'test'") in {said for said, kind in found.items() if kind == "literal"}


def test_branches_are_exchanged_only_as_two_links(tools):
    golden = split(*plain("yes", "no", "maybe"))
    exchanged = [said for said, kind in outcomes(golden, tools, 0.5).items() if "exchanged" in kind]
    assert sorted(exchanged) == [("maybe", "no", "yes"), ("no", "yes", "maybe"), ("yes", "maybe", "no")]
    assert not any("exchanged" in kind for kind in outcomes(golden, tools, 0.1).values())


def test_exchanged_branches_keep_the_guard_of_the_other_one_whole(tools):
    guards = (Guard(expr="x > 10", order=0), Guard(expr="x > 5", order=1))
    golden = split(*guards, semantics="state-machine")
    variants = [CHANGED.perturb(golden, 0.5, tools.rng(seed)) for seed in range(40)]
    found = {variant.details["kinds"]: variant.workflow.links for variant in variants}
    assert [link.guard for link in found["exchanged exchanged"][1:3]] == [*reversed(guards)]


def test_a_condition_is_dropped_only_beside_another_one(tools):
    found = outcomes(split(*plain("x > 1", "y > 1")), tools, 0.5)
    dropped = [said for said in found if None in said]
    assert dropped
    assert not any(said == (None, None) for said in dropped)
    default = split(Guard(expr="x > 1"), Guard(default=True))
    assert not any(None in said[:1] for said in outcomes(default, tools, 0.1))


def test_what_the_branches_before_exclude_is_no_change(tools):
    """Behind `x > 5`, tried first, `x <= 5` may as well be dropped: the same branch is taken."""
    golden = split(
        Guard(expr="x > 5", order=0), Guard(expr="x <= 5", order=1), semantics="state-machine", name="first match"
    )
    was = Behaviour.of(golden.workflow)
    for said in outcomes(golden, tools, 0.1):
        assert said != ("x > 5", None)
        links = [
            link.model_copy(update={"guard": link.guard.model_copy(update={"expr": expr}) if expr else None})
            for link, expr in zip(golden.workflow.links[1:3], said, strict=True)
        ]
        flow = (golden.workflow.links[0], *links, *golden.workflow.links[3:])
        now = Behaviour.of(golden.workflow.model_copy(update={"links": flow}))
        assert any(was.space.words(was.runs[task]) != now.space.words(now.runs[task]) for task in (1, 2))


def test_the_condition_of_a_step_changes_on_all_its_links(tools):
    guard = Guard(expr="github.ref == 'main'", language="github")
    tasks = tuple(Task(id=name, name=name) for name in "abc")
    links = [Link(source=START, target="a"), Link(source=START, target="b"), Link(source="c", target=END)]
    links += [Link(source="a", target="c", guard=guard), Link(source="b", target="c", guard=guard)]
    golden = Golden("job", Workflow(tasks=tasks, links=tuple(links)))
    for seed in range(10):
        variant = CHANGED.perturb(golden, 0.3, tools.rng(seed))
        asked = {link.guard for link in variant.workflow.links if link.guard}
        assert len(asked) == 1
        assert guard not in asked
        assert variant.affected == (2,)
    with pytest.raises(PerturbationRejected, match="too few conditions"):
        CHANGED.perturb(golden, 0.5, tools.rng(0))


def test_of_what_is_not_analysed_only_the_contrary_is_known(tools):
    golden = split(Guard(expr="{{= sprig.semver('>= 1.2', version, 3) }}", language="argo"))
    assert set(outcomes(golden, tools, 0.1).values()) == {"negated"}


def test_a_condition_that_cannot_be_read_is_left_alone(tools):
    with pytest.raises(PerturbationRejected, match="too few conditions that can change"):
        CHANGED.perturb(split(*plain("status == ")), 0.1, tools.rng(0))


def test_where_no_branch_is_chosen_conditions_say_nothing(tools):
    golden = split(*plain("x > 1", "x <= 1"), gateways=(Gateway(id="g", op="AND"),))
    links = [link.model_copy(update={"source": "g"}) if link.source == "s" else link for link in golden.workflow.links]
    links.append(Link(source="s", target="g"))
    golden = Golden("all", golden.workflow.model_copy(update={"links": tuple(links)}))
    with pytest.raises(PerturbationRejected, match="that can change"):
        CHANGED.perturb(golden, 0.1, tools.rng(0))


def test_too_few_conditions_are_refused(tools):
    with pytest.raises(PerturbationRejected, match="too few conditions"):
        CHANGED.perturb(split(None, Guard(default=True)), 0.1, tools.rng(0))


def test_broken_goldens_are_refused_or_changed(tools):
    @CASES
    @given(tools.broken().map(tools.furnished), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(CHANGED, golden, severity, seed)
        if variant is not None:
            assert fingerprint(variant.workflow) != fingerprint(golden.workflow)
            assert tools.shape(variant.workflow) == tools.shape(golden.workflow)

    holds()
