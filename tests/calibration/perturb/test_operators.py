"""What each operator does and leaves alone."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wfgate.calibration import PERTURBATIONS, Golden, StepTexts
from wfgate.calibration.perturb.base import affected_count
from wfgate.calibration.perturb.texts import DriftText, ExtraText, MergeText, VagueText
from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, DataLink, Guard, Link, Task, TaskGraph, Workflow, fingerprint

from ...hypothesis_examples import examples

CASES = settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
SEVERITY = st.sampled_from([0.1, 0.3, 0.5, 1.0])
SEED = st.integers(0, 99)


def line(*names, texts=None, extra_links=(), **fields):
    """Return a golden of steps in a row."""
    ids = [f"t{i}" for i in range(len(names))]
    way = [START, *ids, END]
    links = [Link(source=a, target=b) for a, b in pairwise(way)]
    tasks = tuple(Task(id=i, name=name) for i, name in zip(ids, names, strict=True))
    workflow = Workflow(tasks=tasks, links=(*links, *extra_links), **fields)
    return Golden("line", workflow, texts or StepTexts(), ("order pizza", "feed the cat"))


def only_texts_changed(golden, variant):
    """Assert that nothing but texts differs, and return the positions where they do."""
    old, new = golden.workflow, variant.workflow
    assert new.model_copy(update={"tasks": old.tasks}) == old
    says = {"name", "description", "params"}
    for one, two in zip(old.tasks, new.tasks, strict=True):
        assert one.model_dump(exclude=says) == two.model_dump(exclude=says)
    return [i for i, (one, two) in enumerate(zip(old.tasks, new.tasks, strict=True)) if one.text != two.text]


@pytest.mark.parametrize("name", ["description", "drift", "vague"])
def test_exactly_k_texts_are_replaced_and_nothing_else(name, tools):
    @CASES
    @given(tools.dags(), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS[name], golden, severity, seed)
        if variant is None:
            return
        touched = only_texts_changed(golden, variant)
        assert touched == list(variant.affected)
        assert len(touched) == affected_count(severity, golden.n)
        recorded = {
            "description": {(i, text) for texts in golden.texts.rewordings for i, text in enumerate(texts)},
            "drift": {(drift.step, drift.text) for drift in golden.texts.drifts},
            "vague": {(vague.step, vague.text) for vague in golden.texts.vague},
        }
        assert {(i, variant.workflow.tasks[i].text) for i in touched} <= recorded[name]

    holds()


@pytest.mark.parametrize("name", ["description", "drift", "vague"])
def test_real_recorded_texts(name, goldens, tools):
    operator = PERTURBATIONS[name]
    for seed, golden in enumerate(goldens):
        for severity in operator.severities:
            variant = tools.attempt(operator, golden, severity, seed)
            if variant is not None:
                touched = only_texts_changed(golden, variant)
                assert set(touched) <= set(variant.affected)
                assert len(variant.affected) == affected_count(severity, golden.n)
                # a recorded rewording may leave a short step as it is ("go to fridge")
                assert name == "description" or len(touched) == len(variant.affected)


def test_drift_names_the_kinds(tools):
    texts = StepTexts(
        drifts=(DriftText(step=1, kind="negation", text="do not b"),), vague=(VagueText(step=0, text="x"),)
    )
    golden = line("a", "b", texts=texts)
    assert PERTURBATIONS["drift"].perturb(golden, 0.5, tools.rng(0)).details == {"kinds": "negation"}
    assert PERTURBATIONS["vague"].perturb(golden, 0.5, tools.rng(0)).details == {"kinds": "vague"}
    with pytest.raises(PerturbationRejected, match="2 recorded texts needed, 1 there"):
        PERTURBATIONS["drift"].perturb(golden, 1.0, tools.rng(0))


def test_a_new_text_replaces_the_arguments_too(tools):
    golden = line("a", "b", texts=StepTexts(rewordings=(("other", "words"),)))
    tasks = tuple(
        task.model_copy(update={"description": "long", "params": {"n": 1}}) for task in golden.workflow.tasks
    )
    golden = Golden("args", golden.workflow.model_copy(update={"tasks": tasks}), golden.texts)
    variant = PERTURBATIONS["description"].perturb(golden, 1.0, tools.rng(0))
    assert [task.text for task in variant.workflow.tasks] == ["other", "words"]


def test_missing_leaves_exactly_the_induced_subgraph(tools):
    @CASES
    @given(st.one_of(tools.dags(), tools.broken()), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["missing"], golden, severity, seed)
        if variant is None or len({task.id for task in golden.workflow.tasks}) < golden.n:
            return
        left = tuple(task for i, task in enumerate(golden.workflow.tasks) if i not in variant.affected)
        assert variant.workflow.tasks == left
        ids = {task.id for task in left}
        edges, backs, starts, ends = tools.shape(golden.workflow)
        kept = [{edge for edge in found if ids.issuperset(edge)} for found in (edges, backs)]
        assert tools.shape(variant.workflow) == (*kept, starts & ids, ends & ids)

    holds()


def test_bridging_keeps_the_order_of_what_is_left(tools):
    @CASES
    @given(tools.dags(), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["missing-bridged"], golden, severity, seed)
        if variant is None:
            return
        left = [i for i in range(golden.n) if i not in variant.affected]
        graph = TaskGraph.of(variant.workflow)
        for new_a, a in enumerate(left):
            for new_b, b in enumerate(left):
                assert graph.precedes(new_a, new_b) == golden.graph.precedes(a, b)

    holds()


def test_bridging_a_line(tools):
    variant = PERTURBATIONS["missing-bridged"].perturb(line("a", "b", "c"), 0.3, tools.rng(0))
    edges, _, starts, ends = tools.shape(variant.workflow)
    assert len(edges) == len(starts) == len(ends) == 1


def test_what_stays_keeps_guards_outcomes_loops_and_data(tools):
    guarded = Link(source="t0", target="t1", guard=Guard(expr="x > 1"), outcome="failure")
    loop = Link(source="t3", target="t1", back=True)
    data = (DataLink(source="t0", target="t1", data="rows"), DataLink(source="t0", target="t4", data="rows"))
    golden = line("a", "b", "c", "d", "e", extra_links=(guarded, loop), data_links=data)
    for name in ("extra", "missing", "missing-bridged"):
        for seed in range(10):
            variant = PERTURBATIONS[name].perturb(golden, 0.2, tools.rng(seed))
            left = {task.id for task in variant.workflow.tasks}
            links = variant.workflow.links
            assert (guarded in links) == ({"t0", "t1"} <= left and (name != "extra" or variant.affected != (0,)))
            assert (loop in links) == ({"t3", "t1"} <= left)
            assert variant.workflow.data_links == tuple(d for d in data if {d.source, d.target} <= left)


def test_recorded_merges_are_used_when_they_fit(goldens, tools):
    used = 0
    for seed, golden in enumerate(goldens):
        for severity in (0.1, 0.3, 0.5):
            k = affected_count(severity, golden.n)
            variant = tools.attempt(PERTURBATIONS["compressed"], golden, severity, seed)
            if variant is None:
                continue
            fitting = {merge.text.rstrip(". ") for merge in golden.texts.merges if len(merge.steps) - 1 <= k}
            new = set(tools.texts(variant.workflow)) - set(tools.texts(golden.workflow))
            told = any(merge in text for merge in fitting for text in new)  # whole, or joined with more by rule
            assert told or not fitting or cycles_if_merged(golden)
            used += told
            sentences = {merge.text for merge in golden.texts.merges}
            assert all(text in sentences or "; " in text for text in new)
    assert used > 40


def cycles_if_merged(golden):
    """Return whether a recorded merge would close a cycle: it then may not be used."""
    for merge in golden.texts.merges:
        inside = set(merge.steps)
        for step in set(range(golden.n)) - inside:
            if any(golden.graph.precedes(a, step) for a in inside) and any(
                golden.graph.precedes(step, b) for b in inside
            ):
                return True
    return False


def test_compression_keeps_the_order_of_everything(tools):
    @CASES
    @given(tools.dags(least=2), st.sampled_from([0.1, 0.3, 0.5]), SEED)
    def holds(golden, severity, seed):
        bare = Golden("bare", golden.workflow)
        variant = tools.attempt(PERTURBATIONS["compressed"], bare, severity, seed)
        if variant is None:
            return
        graph, ids = TaskGraph.of(variant.workflow), [task.id for task in variant.workflow.tasks]
        kept = [i for i, task in enumerate(golden.workflow.tasks) if task.id in ids and i not in variant.affected]
        for a in kept:
            for b in kept:
                if golden.graph.precedes(a, b):
                    assert graph.precedes(ids.index(f"t{a}"), ids.index(f"t{b}"))

    holds()


@pytest.mark.parametrize("steps", [(0,), (1, 1)])
def test_a_merge_of_one_step_is_no_merge(steps, tools):
    golden = line("a", "b", "c", "d", texts=StepTexts(merges=(MergeText(steps=steps, text="only one"),)))
    for seed in range(5):
        variant = PERTURBATIONS["compressed"].perturb(golden, 0.25, tools.rng(seed))
        assert len(variant.workflow.tasks) == 3
        assert "only one" not in tools.texts(variant.workflow)


def test_compressing_what_is_not_connected_is_refused(tools):
    workflow = Workflow(
        tasks=(Task(id="a", name="a"), Task(id="b", name="b")),
        links=(Link(source=START, target="a"), Link(source="b", target=END)),
    )
    one = PERTURBATIONS["compressed"].perturb(Golden("beside", workflow), 0.5, tools.rng(0))
    assert [task.text for task in one.workflow.tasks] == ["a; b"]
    with pytest.raises(PerturbationRejected, match="too few neighbouring steps"):
        PERTURBATIONS["compressed"].perturb(line("a"), 0.5, tools.rng(0))


def test_reordered_exchanges_contents_and_keeps_the_drawing(tools):
    @CASES
    @given(tools.dags(least=2), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["reordered"], golden, severity, seed)
        if variant is None:
            return
        assert tools.shape(variant.workflow) == tools.shape(golden.workflow)
        assert tools.texts(variant.workflow) == tools.texts(golden.workflow)
        assert len(variant.affected) == 2 * math.ceil(affected_count(severity, golden.n) / 2)
        moved = {i for i, task in enumerate(golden.workflow.tasks) if task != variant.workflow.tasks[i]}
        assert moved == set(variant.affected)

    holds()


def test_parallel_steps_cannot_be_reordered(tools):
    workflow = Workflow(tasks=(Task(id="a", name="a"), Task(id="b", name="b")))
    with pytest.raises(PerturbationRejected, match="too few steps that are ordered"):
        PERTURBATIONS["reordered"].perturb(Golden("parallel", workflow), 1.0, tools.rng(0))


def test_rewired_touches_links_only_and_orders_otherwise(tools):
    @CASES
    @given(tools.dags(least=2), st.sampled_from([0.1, 0.3, 0.5]), SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["rewired"], golden, severity, seed)
        if variant is None:
            return
        k = affected_count(severity, golden.n)
        assert variant.workflow.tasks == golden.workflow.tasks
        assert len(variant.affected) == k
        assert len(variant.details["kinds"].split()) == k
        graph = TaskGraph.of(variant.workflow)
        assert not graph.cycles
        assert graph.descendants != golden.graph.descendants
        changed = golden.graph.edges ^ graph.edges
        assert {a for a, _ in changed} | {b for _, b in changed} >= set(variant.affected) - {-1} or k > 1
        assert len(changed) <= 2 * k

    holds()


def test_rewired_leaves_other_links_of_start_and_end_alone(tools):
    shortcut = (Link(source=START, target="t3"), Link(source="t0", target=END))
    golden = line("a", "b", "c", "d", "e", "f", extra_links=shortcut)
    for seed in range(20):
        variant = PERTURBATIONS["rewired"].perturb(golden, 0.1, tools.rng(seed))
        _, _, starts, ends = tools.shape(variant.workflow)
        edges = TaskGraph.of(variant.workflow).edges
        if any(b == 3 for _, b in edges):
            assert "t3" in starts
        if any(a == 0 for a, _ in edges):
            assert "t0" in ends


def test_rewired_never_cuts_a_cycle_off(tools):
    golden = line("a", "b", "c", "d", extra_links=(Link(source="t2", target="t1"),))
    for seed in range(40):
        variant = tools.attempt(PERTURBATIONS["rewired"], golden, 0.25, seed)
        if variant is not None:
            assert tools.reach(variant.workflow) == ({"t0", "t1", "t2", "t3"},) * 2


def test_extra_adds_recorded_steps_first_each_behind_its_anchor(tools):
    texts = StepTexts(extras=(ExtraText(after=1, text="check twice"), ExtraText(after=-1, text="log in")))
    golden = line("a", "b", "c", texts=texts)
    variant = PERTURBATIONS["extra"].perturb(golden, 0.5, tools.rng(0))
    names = {task.id: task.text for task in variant.workflow.tasks}
    way = {(names.get(link.source), names.get(link.target)) for link in variant.workflow.links}
    assert way == {
        (None, "log in"),
        ("log in", "a"),
        ("a", "b"),
        ("b", "check twice"),
        ("check twice", "c"),
        ("c", None),
    }
    more = PERTURBATIONS["extra"].perturb(golden, 1.0, tools.rng(0))
    added = tools.texts(more.workflow) - tools.texts(golden.workflow)
    assert {"log in", "check twice"} < set(added) <= {"log in", "check twice", "order pizza", "feed the cat"}


def test_extra_steps_keep_all_that_was_there(tools):
    @CASES
    @given(tools.dags(), SEVERITY, SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["extra"], golden, severity, seed)
        if variant is None:
            return
        assert variant.workflow.tasks[: golden.n] == golden.workflow.tasks
        graph = TaskGraph.of(variant.workflow)
        for a in range(golden.n):
            for b in range(golden.n):
                assert graph.precedes(a, b) == golden.graph.precedes(a, b)

    holds()


def test_extra_needs_texts(tools):
    with pytest.raises(PerturbationRejected, match="no recorded or foreign step"):
        PERTURBATIONS["extra"].perturb(Golden("bare", line("a", "b").workflow), 0.5, tools.rng(0))


def test_substituted_replaces_k_steps(tools):
    @CASES
    @given(tools.dags(least=2), st.sampled_from([0.1, 0.3, 0.5]), SEED)
    def holds(golden, severity, seed):
        variant = tools.attempt(PERTURBATIONS["substituted"], golden, severity, seed)
        if variant is None:
            return
        k = affected_count(severity, golden.n)
        assert len(variant.affected) == k
        gone = tools.texts(golden.workflow) - tools.texts(variant.workflow)
        new = tools.texts(variant.workflow) - tools.texts(golden.workflow)
        assert gone.total() == new.total() == k

    holds()
    with pytest.raises(PerturbationRejected, match="no step would be left"):
        PERTURBATIONS["substituted"].perturb(line("a", "b"), 1.0, tools.rng(0))


def test_relisted_lists_otherwise_under_other_ids(goldens, tools):
    different = 0
    for seed, golden in enumerate(goldens):
        variant = PERTURBATIONS["relisted"].perturb(golden, 1.0, tools.rng(seed))
        assert tools.texts(variant.workflow) == tools.texts(golden.workflow)
        listed = [[task.text for task in workflow.tasks] for workflow in (golden.workflow, variant.workflow)]
        different += listed[0] != listed[1]
        assert not {task.id for task in golden.workflow.tasks} & {task.id for task in variant.workflow.tasks}
    assert different > len(goldens) * 0.9


OTHER_IDS = pytest.mark.parametrize("name", ["relisted", "renamed-ids"])


@OTHER_IDS
def test_other_ids_make_no_dangling_link_real(name, tools):
    golden = line("a", "b", extra_links=(Link(source="t0", target="n0"), Link(source="t0", target="n1")))
    variant = PERTURBATIONS[name].perturb(golden, 1.0, tools.rng(0))
    assert len(TaskGraph.of(variant.workflow).edges) == 1


@OTHER_IDS
@pytest.mark.parametrize("ids", [("a", "a"), ("a", START)])
def test_nodes_that_share_an_id_keep_it(name, ids, tools):
    golden = Golden("twins", Workflow(tasks=tuple(Task(id=name, name=name) for name in ids)))
    with pytest.raises(PerturbationRejected, match="share an id"):
        PERTURBATIONS[name].perturb(golden, 1.0, tools.rng(0))


@OTHER_IDS
def test_a_join_that_names_steps_keeps_their_ids(name, tools):
    tasks = (Task(id="a", name="a"), Task(id="b", name="b"), Task(id="c", name="c", join="a or b"))
    with pytest.raises(PerturbationRejected, match="names steps by their ids"):
        PERTURBATIONS[name].perturb(Golden("joined", Workflow(tasks=tasks)), 1.0, tools.rng(0))
    tasks = (*tasks[:2], tasks[2].model_copy(update={"join": "any"}))
    assert PERTURBATIONS[name].perturb(Golden("joined", Workflow(tasks=tasks)), 1.0, tools.rng(0))


def test_renamed_ids_are_all_that_changes(tools):
    @CASES
    @given(st.one_of(tools.dags(), tools.broken()), SEED)
    def holds(golden, seed):
        variant = tools.attempt(PERTURBATIONS["renamed-ids"], golden, 1.0, seed)
        if variant is None:
            return
        old, new = golden.workflow, variant.workflow
        nodes = [(*flow.tasks, *flow.gateways) for flow in (old, new)]
        back = {two.id: one.id for one, two in zip(*nodes, strict=True)}
        restored = [node.model_copy(update={"id": back[node.id]}) for node in nodes[1]]
        ends = [
            tuple(
                link.model_copy(
                    update={"source": back.get(link.source, link.source), "target": back.get(link.target, link.target)}
                )
                for link in links
            )
            for links in (new.links, new.data_links)
        ]
        update = {"tasks": tuple(restored[: golden.n]), "gateways": tuple(restored[golden.n :])}
        assert new.model_copy(update={**update, "links": ends[0], "data_links": ends[1]}) == old

    holds()


def test_regenerated_is_reworded_and_listed_otherwise(goldens, tools):
    different = 0
    for seed, golden in enumerate(golden for golden in goldens if golden.texts.rewordings):
        variant = PERTURBATIONS["regenerated"].perturb(golden, 1.0, tools.rng(seed))
        recorded = {text for texts in golden.texts.rewordings for text in texts}
        assert set(tools.texts(variant.workflow)) <= recorded
        assert variant.affected == tuple(range(golden.n))
        listed = PERTURBATIONS["description"].perturb(golden, 1.0, tools.rng(seed)).workflow
        assert tools.texts(variant.workflow) == tools.texts(listed)
        assert fingerprint(variant.workflow) == fingerprint(listed)
        assert not {task.id for task in golden.workflow.tasks} & {task.id for task in variant.workflow.tasks}
        different += [task.text for task in variant.workflow.tasks] != [task.text for task in listed.tasks]
    assert different > len(goldens) / 3
    with pytest.raises(PerturbationRejected, match="no rewording is recorded"):
        PERTURBATIONS["regenerated"].perturb(line("a", "b"), 1.0, tools.rng(0))


def test_identity_is_the_golden(goldens, tools):
    for golden in goldens:
        assert PERTURBATIONS["identity"].perturb(golden, 1.0, tools.rng(0)).workflow is golden.workflow


@pytest.mark.parametrize(
    ("texts", "fits"),
    [
        (StepTexts(), True),
        (StepTexts(rewordings=(("a",),)), False),
        (StepTexts(merges=(MergeText(steps=(1, 2), text=""),)), False),
        (StepTexts(drifts=(DriftText(step=-1, kind="", text=""),)), False),
        (StepTexts(extras=(ExtraText(after=-1, text=""),)), True),
        (StepTexts(extras=(ExtraText(after=2, text=""),)), False),
        (StepTexts(vague=(VagueText(step=1, text=""),)), True),
    ],
)
def test_recorded_texts_that_fit_two_steps(texts, fits):
    assert texts.fits(2) is fits


def test_which_steps_are_hit_is_uniform(tools):
    golden = line(*"abcdefghij")
    hit = np.zeros(10)
    for seed in range(400):
        hit[list(PERTURBATIONS["missing"].perturb(golden, 0.3, tools.rng(seed)).affected)] += 1
    assert hit.sum() == 1200
    assert 85 < hit.min() <= hit.max() < 160  # 120 expected, standard deviation 9
