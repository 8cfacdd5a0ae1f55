"""When steps run: worked cases, and random workflows against a plain simulation of every situation."""

import random
from itertools import product

import pytest

from wfgate.logic import Behaviour
from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow
from wfgate.read import read_data


def workflow(*links, gateways=(), semantics="dag", **tasks):
    """Build a workflow from links `(source, target, guard or outcome...)`; names of unknown nodes become tasks."""
    made = []
    names = dict.fromkeys(node for link in links for node in link[:2] if node not in {START, END})
    for source, target, *rest in links:
        extra = rest[0] if rest else {}
        guard = Guard(expr=extra) if isinstance(extra, str) else extra.pop("guard", None) if extra else None
        more = {} if isinstance(extra, str) else extra
        made.append(Link(source=source, target=target, guard=guard, **more))
    known = {gateway.id for gateway in gateways}
    return Workflow(
        semantics=semantics,
        tasks=tuple(
            Task(id=name, name=name.capitalize(), **tasks.get(name, {})) for name in names if name not in known
        ),
        gateways=gateways,
        links=tuple(made),
    )


def behaviour(*links, **more):
    made = workflow(*links, **more)
    return Behaviour.of(made), {task.id: place for place, task in enumerate(made.tasks)}


def test_a_step_behind_a_guard_runs_under_it():
    found, at = behaviour((START, "build"), ("build", "scan", "environment == 'production'"), ("scan", END))
    assert found.must_run(at["build"]).value is True
    answer = found.must_run(at["scan"])
    assert answer.value is False
    assert str(answer.situation) == "environment != 'production'"
    assert found.words(at["scan"]) == "environment == 'production'"
    assert found.runs_in(at["scan"], {"environment": "production"}).value is True
    assert found.runs_in(at["scan"], {"environment": "staging"}).value is False
    assert found.runs_in(at["scan"], {}).value is None


def test_in_a_dag_a_skip_propagates_and_a_join_of_alternatives_never_runs():
    links = [
        (START, "check"),
        ("check", "low", "p < 0"),
        ("check", "high", "p >= 0"),
        ("low", "merge"),
        ("high", "merge"),
        ("merge", END),
    ]
    found, at = behaviour(*links)
    assert found.can_run(at["merge"]).value is False
    assert found.exclusive(at["low"], at["high"]).value is True
    found, at = behaviour(*links, merge={"join": "any"})
    assert found.must_run(at["merge"]).value is True
    found, at = behaviour(*links, semantics="token")
    assert found.must_run(at["merge"]).value is True
    assert found.always_with(at["low"], at["merge"]).value is True
    assert found.always_with(at["merge"], at["low"]).value is False


def test_an_exclusive_gateway_without_guards_is_a_free_choice():
    gate = Gateway(id="g", op="XOR")
    found, at = behaviour((START, "ask"), ("ask", "g"), ("g", "yes"), ("g", "no"), gateways=(gate,), semantics="token")
    assert found.exclusive(at["yes"], at["no"]).value is True
    answer = found.must_run(at["yes"])
    assert (answer.value, str(answer.situation)) == (False, "the branch taken after 'Ask' is 'No'")


def test_bare_words_at_an_exclusive_gateway_name_its_branches():
    gate = Gateway(id="g", op="XOR")
    found, at = behaviour(
        (START, "ask"),
        ("ask", "g"),
        ("g", "ship", "approved"),
        ("g", "stop", "rejected by the board"),
        ("ship", "log"),
        ("stop", "log"),
        gateways=(gate,),
        semantics="token",
    )
    assert found.exclusive(at["ship"], at["stop"]).value is True
    assert found.must_run(at["log"]).value is True
    assert str(found.must_run(at["ship"]).situation) == "the branch taken after 'Ask' is 'rejected by the board'"


def test_overlapping_guards_of_an_exclusive_gateway_let_one_branch_through():
    gate = Gateway(id="g", op="XOR")
    links = [(START, "g"), ("g", "small", "p < 10"), ("g", "large", "p > 0")]
    found, at = behaviour(*links, gateways=(gate,), semantics="token")
    assert found.exclusive(at["small"], at["large"]).value is True
    assert found.words(at["small"]).startswith("p <= 0 or 0 < p < 10 and the branch taken")
    each = Gateway(id="g", op="OR")
    found, at = behaviour(*links, gateways=(each,), semantics="token")
    answer = found.exclusive(at["small"], at["large"])
    assert (answer.value, str(answer.situation)) == (False, "0 < p < 10")


def test_first_match_and_default():
    gate = Gateway(id="g", op="XOR")
    found, at = behaviour(
        (START, "g"),
        ("g", "a", {"guard": Guard(expr="p < 10", order=1)}),
        ("g", "b", {"guard": Guard(expr="p < 20", order=2)}),
        ("g", "c", {"guard": Guard(default=True)}),
        gateways=(gate,),
        semantics="token",
    )
    assert [found.words(at[name]) for name in "abc"] == ["p < 10", "10 <= p < 20", "p >= 20"]


def test_handlers_run_on_failure_and_do_not_count_as_a_skip():
    found, at = behaviour(
        (START, "deploy"),
        ("deploy", "verify"),
        ("deploy", "rollback", {"outcome": "failure"}),
        ("deploy", "report", {"outcome": "always"}),
    )
    assert found.must_run(at["verify"]).value is True
    assert found.must_run(at["rollback"]).value is False
    assert found.can_run(at["rollback"]).value is True
    assert found.exclusive(at["verify"], at["rollback"]).value is True
    assert found.must_run(at["report"]).value is True
    assert found.runs_in(at["rollback"], {"outcome of 'Deploy'": "failure"}).value is True
    assert found.words(at["rollback"]) == "never"


def test_a_handler_of_several_steps_runs_when_one_of_them_fails():
    found, at = behaviour(
        (START, "deploy"),
        ("deploy", "verify"),
        ("deploy", "rollback", {"outcome": "failure"}),
        ("verify", "rollback", {"outcome": "timeout"}),
    )
    for name in ("deploy", "verify"):
        outcome = {f"outcome of '{name.capitalize()}'": "failure" if name == "deploy" else "timeout"}
        assert found.runs_in(at["rollback"], outcome).value is True
    strict, at = behaviour(
        (START, "deploy"),
        ("deploy", "rollback", {"outcome": "failure"}),
        ("deploy", "verify"),
        ("verify", "rollback", {"outcome": "timeout"}),
        rollback={"join": "all"},
    )
    assert strict.can_run(at["rollback"]).value is False


def test_an_event_runs_beside_and_a_skip_is_an_outcome():
    found, at = behaviour(
        (START, "wait", "wanted"),
        ("wait", "remind", {"outcome": "event"}),
        ("wait", "go"),
        ("wait", "note", {"outcome": "skipped"}),
    )
    assert found.exclusive(at["remind"], at["go"]).value is False
    assert found.words(at["note"]) == "not wanted"


def test_a_join_expression_asks_for_steps():
    links = [
        (START, "a", "p < 0"),
        (START, "b", "p >= 5"),
        (START, "c"),
        ("a", "d"),
        ("b", "d"),
        ("c", "d", {"outcome": "failure"}),
    ]
    found, at = behaviour(*links, d={"join": "a or b"})
    assert found.words(at["d"]) == "(p < 0 or p >= 5)"
    found, at = behaviour(*links, d={"join": "not a and c.failure"})
    answer = found.can_run(at["d"])
    assert (answer.value, set(answer.situation.conditions)) == (True, {"p >= 0", "outcome of 'C' is 'failure'"})
    dashed = [(START, "build-it"), (START, "scan", "p < 0"), ("build-it", "end"), ("scan", "end")]
    found, at = behaviour(*dashed, end={"join": "build-it && !(scan)"})
    assert found.words(at["end"]) == "p >= 0"
    found, at = behaviour(*links, d={"join": "a and"})
    assert list(found.broken_joins) == [at["d"]]
    found, at = behaviour(*links, d={"join": "a < 3"})
    assert list(found.broken_joins) == [at["d"]]


def test_a_loop_runs_and_is_left():
    found, at = behaviour(
        (START, "draft"),
        ("draft", "review"),
        ("review", "draft", "score < 5"),
        ("review", "publish", "score >= 5"),
        ("publish", END),
        semantics="token",
    )
    assert [found.must_run(at[name]).value for name in ("draft", "review", "publish")] == [True] * 3


def test_a_step_inside_a_loop_that_can_be_passed_by_is_not_certain():
    found, at = behaviour(
        (START, "draft"),
        ("draft", "polish", "length > 10"),
        ("draft", "review", "length <= 10"),
        ("polish", "review"),
        ("review", "draft", "score < 5"),
        ("review", "publish", "score >= 5"),
        semantics="token",
    )
    assert found.must_run(at["review"]).value is True
    assert found.must_run(at["publish"]).value is True
    assert found.must_run(at["polish"]).value is not True
    assert found.can_run(at["polish"]).value is True


def test_a_cycle_in_a_dag_never_runs_and_a_returning_link_only_repeats():
    found, at = behaviour((START, "a"), ("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"))
    assert [found.can_run(at[name]).value for name in "abcd"] == [True, False, False, False]
    found, at = behaviour((START, "a"), ("a", "b"), ("b", "a", {"back": True}), ("b", "c"))
    assert [found.must_run(at[name]).value for name in "abc"] == [True] * 3


def test_two_ways_out_of_a_loop_exclude_each_other():
    found, at = behaviour(
        (START, "try"),
        ("try", "try", "p == 0"),
        ("try", "win", "p == 1"),
        ("try", "lose", "p == 2"),
        ("win", "end"),
        ("lose", "end"),
        semantics="state-machine",
    )
    assert found.exclusive(at["win"], at["lose"]).value is True
    assert found.can_run(at["lose"]).value is True


def test_a_spent_budget_is_unknown_never_a_guess():
    made = workflow(*[(START, f"t{place}", f"v{place} == w{place} and u{place} < 3") for place in range(40)])
    found = Behaviour.of(made, budget=20)
    assert found.spent
    assert found.must_run(39).value is None
    assert "work limit" in found.must_run(39).because


def test_a_broken_guard_is_a_condition_of_which_nothing_is_known():
    found, at = behaviour((START, "a", "p == "), ("a", END))
    assert found.must_run(at["a"]).value is None
    assert len(found.selections.broken) == 1


def test_nothing_depends_on_ids_or_listing():
    links = [
        (START, "ask"),
        ("ask", "left", "p < 10"),
        ("ask", "right", "p > 0"),
        ("left", "end"),
        ("right", "end"),
    ]
    links += [("ask", "far", "zone == 'x' and colour == 'red'"), ("far", "end")]
    there, at = behaviour(*links, semantics="state-machine")
    back, other = behaviour(*reversed(links), semantics="state-machine")
    for name, place in at.items():
        assert there.must_run(place) == back.must_run(other[name])
    assert {name: there.words(place) for name, place in at.items()} == {
        name: back.words(place) for name, place in other.items()
    }


# --- random workflows against a simulation ---------------------------------------------------------------------------

P, ENV = (-1, 0, 5, 10, 11), ("prod", "test", "other")
GUARDS = (
    "p < 0", "p >= 0", "p <= 10", "p > 10", "p == 0", "env == 'prod'", "env != 'prod'", "env == 'test'",
    "p < 0 or env == 'prod'", "not (p > 10) and env != 'test'", "true", "false",
)  # fmt: skip


def random_workflow(rng):
    """Nodes in topological order, so that every link leads forward."""
    n = rng.randint(2, 6)
    semantics = rng.choice(["dag", "token", "state-machine"])
    tasks = tuple(Task(id=f"t{i}", name=f"T{i}", join=rng.choice([None, None, "any", "all"])) for i in range(n))
    gateways = tuple(
        Gateway(id=f"g{i}", op=rng.choice(["AND", "OR", "XOR"]), role=rng.choice(["split", "join"]))
        for i in range(rng.randint(0, 2))
    )
    nodes = [task.id for task in tasks] + [gateway.id for gateway in gateways]
    rng.shuffle(nodes)
    links = [Link(source=START, target=nodes[0])]
    for place, target in enumerate(nodes[1:], 1):
        for source in rng.sample([START, *nodes[:place]], min(place + 1, rng.choice([1, 1, 2]))):
            guard = None
            if rng.random() < 0.5:
                guard = Guard(expr=rng.choice(GUARDS), order=rng.choice([None, None, 1, 2]))
            elif rng.random() < 0.2:
                guard = Guard(default=True)
            outcome = "success"
            if source.startswith("t") and rng.random() < 0.2:
                outcome = rng.choice(["failure", "always", "skipped", "timeout"])
            links.append(Link(source=source, target=target, guard=guard, outcome=outcome))
    return Workflow(semantics=semantics, tasks=tasks, gateways=gateways, links=tuple(links)), nodes


def holds(expr, p, env):
    return bool(eval(expr.replace("true", "True").replace("false", "False"), {"p": p, "env": env}))  # noqa: S307 - ours


def competing(flow, source, outcome):
    return [link for link in flow.links if link.source == source and link.outcome == outcome]


def possible_selections(flow, source, outcome, p, env):
    """Yield every set of links (by identity) that may be selected at a node in a situation."""
    links = competing(flow, source, outcome)
    gateway = next((g for g in flow.gateways if g.id == source and g.role == "split"), None)
    if gateway and gateway.op == "AND":
        return [frozenset(map(id, links))]
    one = gateway.op == "XOR" if gateway else flow.semantics == "state-machine"
    guarded = [link for link in links if link.guard and link.guard.expr]
    default = [link for link in links if link.guard and link.guard.default]
    plain = [link for link in links if link.guard is None]
    true = [link for link in guarded if holds(link.guard.expr, p, env)]
    ordered = any(link.guard.order is not None for link in guarded)
    if not one and not ordered:
        return [frozenset(map(id, [*true, *plain, *([] if true else default)]))]
    always = [] if one else plain
    if true and ordered:
        ranks = [(link.guard.order is None, link.guard.order or 0) for link in true]
        best = [link for link, rank in zip(true, ranks, strict=True) if rank == min(ranks)]
        return [frozenset(map(id, [*best, *always]))]
    if true:
        return [frozenset(map(id, [link, *always])) for link in true]
    left = [link for link in links if link not in guarded and link not in always]
    return [frozenset(map(id, [link, *always])) for link in left] or [frozenset(map(id, always))]


def simulate(flow, nodes, p, env, ends, picked):
    """Return which nodes run; `picked` says which links are selected at each node."""
    ran = {START: True}
    taken = {}

    def leave(node):
        failing = {link.outcome for link in flow.links if link.source == node} & {"failure", "timeout"}
        for outcome in {link.outcome for link in flow.links if link.source == node}:
            chosen = picked[node, outcome]
            if outcome in {"success", "failure", "timeout"}:
                happened = ran[node] and (not failing or ends[node] == outcome)
            elif outcome == "always":
                happened = True if flow.semantics == "dag" else ran[node]
            else:
                happened = not ran[node]
            for link in competing(flow, node, outcome):
                taken[id(link)] = happened and id(link) in chosen

    leave(START)
    for node in nodes:
        into = [link for link in flow.links if link.target == node]
        task = next((task for task in flow.tasks if task.id == node), None)
        gateway = next((gateway for gateway in flow.gateways if gateway.id == node), None)
        if task:
            every = task.join == "all" or (task.join is None and flow.semantics == "dag")
        else:
            every = gateway.op == "AND" and gateway.role == "join"
        apart = every and task is not None and task.join is None
        special = [link for link in into if apart and link.outcome in {"failure", "timeout", "skipped", "event"}]
        normal = [link for link in into if link not in special]
        by_source = [
            any(taken[id(link)] for link in normal if link.source == source)
            for source in {link.source for link in normal}
        ]
        ran[node] = bool(by_source) and (all(by_source) if every else any(by_source))
        ran[node] = ran[node] or any(taken[id(link)] for link in special)
        leave(node)
    return ran


def all_runs(flow, nodes):
    """Yield (no step failed, which nodes ran) for every situation, outcome and choice."""
    failing = [
        node
        for node in nodes
        if any(link.source == node and link.outcome in {"failure", "timeout"} for link in flow.links)
    ]
    keys = [
        (node, outcome)
        for node in [START, *nodes]
        for outcome in {link.outcome for link in flow.links if link.source == node}
    ]
    for p, env in product(P, ENV):
        options = [possible_selections(flow, node, outcome, p, env) for node, outcome in keys]
        for ends in product(("success", "failure", "timeout"), repeat=len(failing)):
            for chosen in product(*options):
                picked = dict(zip(keys, chosen, strict=True))
                ran = simulate(
                    flow,
                    nodes,
                    p,
                    env,
                    dict(zip(failing, ends, strict=True)),
                    picked,
                )
                yield set(ends) <= {"success"}, ran


def check_against_simulation(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        flow, nodes = random_workflow(rng)
        found = Behaviour.of(flow)
        runs = list(all_runs(flow, nodes))
        ids = [task.id for task in flow.tasks]
        for place, own in enumerate(ids):
            assert found.must_run(place).value is all(ran[own] for fine, ran in runs if fine), (flow, own)
            assert found.can_run(place).value is any(ran[own] for _, ran in runs), (flow, own)
            for other, name in enumerate(ids):
                together = any(ran[own] and ran[name] for _, ran in runs)
                assert found.exclusive(place, other).value is not together, (flow, own, name)
                implied = all(ran[name] for fine, ran in runs if fine and ran[own])
                assert found.always_with(place, other).value is implied, (flow, own, name)


def test_random_workflows_run_as_simulated():
    check_against_simulation(seed=1, count=150)


@pytest.mark.slow
def test_many_random_workflows_run_as_simulated():
    check_against_simulation(seed=2, count=2_000)


def test_the_native_reader_gives_joins_and_languages():
    data = {
        "wfgate": "1",
        "workflows": {
            "w": {
                "tasks": [{"id": "a"}, {"id": "b", "join": "any"}],
                "flow": [{"from": "a", "to": "b", "guard": {"expr": "${{ success() }}", "language": "github"}}],
            }
        },
    }
    read = read_data(data, "example").workflow
    assert read.tasks[0].join is None
    assert read.links[1].guard.language == "github"
