"""The frame: registration, documentation, invariance, order, what was there before, and cost in counted terms."""

import hashlib
import importlib
import inspect
import pkgutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wfgate.rules
from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.model import END, START, Gateway, Link, Task, Workflow, listed
from wfgate.read import read_text
from wfgate.rules import SECTIONS, SEVERITIES, Check, lint, review
from wfgate.rules.base import AbsoluteCheck, RelativeCheck, Subject
from wfgate.rules.checks import ABSOLUTE, RELATIVE

from ..hypothesis_examples import examples

NAMES = ("Build", "Test", "Deploy", "Notify")


def classes():
    for module in pkgutil.walk_packages(wfgate.rules.__path__, "wfgate.rules."):
        for _, found in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(found, Check) and hasattr(found, "id") and not inspect.isabstract(found):
                yield found


def test_every_check_is_registered_in_its_registry():
    found = set(classes())
    assert {type(check) for check in ABSOLUTE.values()} == {kind for kind in found if issubclass(kind, AbsoluteCheck)}
    assert {type(check) for check in RELATIVE.values()} == {kind for kind in found if issubclass(kind, RelativeCheck)}
    assert all(name.startswith("WF") for name in ABSOLUTE)
    assert all(name.startswith("WR") for name in RELATIVE)
    assert list(ABSOLUTE) == sorted(ABSOLUTE)
    assert list(RELATIVE) == sorted(RELATIVE)
    defects = [check.defect for check in (*ABSOLUTE.values(), *RELATIVE.values())]
    assert len(set(defects)) == len(defects)


def test_every_check_is_documented():
    for check in (*ABSOLUTE.values(), *RELATIVE.values()):
        lines = check.documentation.splitlines()
        assert lines[0].endswith("."), check.id
        sections = [line[:-1] for line in lines if line.endswith(":") and not line.startswith(" ")]
        assert sections == list(SECTIONS), check.id
        assert check.severity in SEVERITIES, check.id


def workflow(names, edges, semantics="dag", **more):
    """Tasks whose ids are their positions; edges by position, -1 for START and END."""

    def node(position, virtual):
        return virtual if position == -1 else f"t{position}"

    return Workflow(
        semantics=semantics,
        tasks=tuple(Task(id=f"t{position}", name=name) for position, name in enumerate(names)),
        links=tuple(Link(source=node(a, START), target=node(b, END)) for a, b in edges),
        **more,
    )


def chain(names, semantics="dag"):
    n = len(names)
    return workflow(names, [(-1, 0), *((a, a + 1) for a in range(n - 1)), (n - 1, -1)], semantics)


@st.composite
def workflows(draw, most=7):
    """Broken graphs of every kind, often with repeated names."""
    n = draw(st.integers(0, most))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=n, max_size=n))
    node = st.integers(-1, n)  # n: an id that nothing has
    edges = draw(st.lists(st.tuples(node, node), max_size=2 * n + 2))
    back = draw(st.lists(st.booleans(), min_size=len(edges), max_size=len(edges)))
    built = workflow(names, edges, draw(st.sampled_from(["dag", "token", "state-machine"])))
    gateways = (Gateway(id="t0", op="XOR"),) if draw(st.booleans()) and not n else ()
    links = tuple(link.model_copy(update={"back": b}) for link, b in zip(built.links, back, strict=True))
    return built.model_copy(update={"links": links, "gateways": gateways})


def relisted(original, order, link_order):
    """The same workflow under other ids and in another listing order."""
    ids = {task.id: f"x{place}" for place, task in zip(order, original.tasks, strict=True)}
    links = [
        link.model_copy(
            update={"source": ids.get(link.source, link.source), "target": ids.get(link.target, link.target)}
        )
        for link in original.links
    ]
    tasks = [task.model_copy(update={"id": ids[task.id]}) for task in original.tasks]
    return original.model_copy(
        update={"tasks": tuple(tasks[p] for p in order), "links": tuple(links[p] for p in link_order)}
    )


def facts(findings):
    return [(f.id, f.severity, f.tasks, f.fingerprint, f.pre_existing) for f in findings]


@settings(max_examples=examples(150))
@given(workflows(), st.data())
def test_lint_depends_neither_on_ids_nor_on_listing(original, data):
    order = data.draw(st.permutations(range(len(original.tasks))))
    link_order = data.draw(st.permutations(range(len(original.links))))
    other = relisted(original, order, link_order)
    assert facts(lint(original)) == facts(lint(other))


@settings(max_examples=examples(100))
@given(workflows(5), workflows(5), st.data())
def test_review_depends_neither_on_ids_nor_on_listing(compare_by_name, golden, candidate, data):
    rename = {name: f"{name} {place}" for place, name in enumerate(NAMES)}

    def distinct(side):
        tasks = (t.model_copy(update={"name": f"{rename[t.name]} {p}"}) for p, t in enumerate(side.tasks))
        return side.model_copy(update={"tasks": tuple(tasks)})

    golden, candidate = distinct(golden), distinct(candidate)
    order = data.draw(st.permutations(range(len(candidate.tasks))))
    link_order = data.draw(st.permutations(range(len(candidate.links))))
    other = relisted(candidate, order, link_order)
    first = review(compare_by_name(golden, candidate))
    assert facts(first) == facts(review(compare_by_name(golden, other)))
    assert len({finding.fingerprint for finding in first}) == len(first)


@settings(max_examples=examples(150))
@given(workflows())
def test_findings_are_sorted_distinct_and_no_step_is_both_unreachable_and_a_dead_end(original):
    findings = lint(original)
    assert len({finding.fingerprint for finding in findings}) == len(findings)
    ranks = [(SEVERITIES.index(finding.severity), finding.id) for finding in findings]
    assert ranks == sorted(ranks)
    ids = {finding.id for finding in findings}
    assert not {"WF101", "WF105"} <= ids
    assert not {"WF103", "WF106"} <= ids
    if not findings:
        subject = Subject.of(original)
        everything = set(range(len(original.tasks)))
        assert subject.reachable == subject.finishing == everything != set()


@settings(max_examples=examples(100))
@given(workflows(), st.data())
def test_rewording_changes_no_fingerprint_and_hides_no_old_defect(compare_by_name, original, data):
    distinct = [task.model_copy(update={"name": f"{task.name} {p}"}) for p, task in enumerate(original.tasks)]
    golden = original.model_copy(update={"tasks": tuple(distinct)})
    reworded = tuple(task.model_copy(update={"name": f"The {task.name}"}) for task in distinct)
    candidate = golden.model_copy(update={"tasks": reworded})
    same = {task.name: f"The {task.name}" for task in distinct}
    findings = review(compare_by_name(golden, candidate, same))
    assert all(finding.pre_existing for finding in findings)
    assert sorted(f.fingerprint for f in findings) == sorted(
        f.fingerprint for f in review(compare_by_name(golden, golden))
    )


def test_an_old_region_may_shrink_but_not_grow(compare_by_name):
    names = ("Build", "Test", "Deploy")
    small = workflow(names, [(-1, 0), (0, -1), (1, -1), (0, 2), (2, -1)])
    large = workflow(names, [(-1, 0), (0, -1), (1, 2), (2, -1)])

    def unreachable(golden, candidate):
        findings = review(compare_by_name(golden, candidate))
        return [finding.pre_existing for finding in findings if finding.id == "WF105"]

    assert unreachable(large, small) == [True]
    assert unreachable(small, large) == [False]


def test_steps_of_one_name_are_told_apart_in_the_golden_and_in_waivers(compare_by_name):
    twice = workflow(("Build", "Test", "Test"), [(-1, 0), (0, -1)])
    findings = [finding for finding in lint(twice) if finding.id == "WF105"]
    assert [finding.tasks for finding in findings] == [("Test",), ("Test",)]
    assert len({finding.fingerprint for finding in findings}) == 2
    golden = workflow(("Build", "Test", "Test"), [(-1, 0), (0, 1), (1, -1)])
    candidate = workflow(("Build", "Test", "Test"), [(-1, 0), (0, 2), (2, -1)])
    found = [f for f in review(compare_by_name(golden, candidate)) if f.id == "WF105"]
    assert [finding.pre_existing for finding in found] == [False]


@settings(max_examples=examples(40), deadline=None)
@given(workflows(5), workflows(5), st.data())
def test_relisting_changes_no_fingerprint_of_namesakes(golden, candidate, data):
    def keys(golden, candidate):
        return sorted(finding.fingerprint for finding in review(compare(golden, candidate, StaticEmbedder())))

    def shuffled(side):
        tasks, links = (data.draw(st.permutations(range(len(part)))) for part in (side.tasks, side.links))
        return relisted(side, tasks, links)

    assert keys(golden, candidate) == keys(shuffled(golden), shuffled(candidate))


JOBS = """\
on: push
jobs:
  dev:
    runs-on: ubuntu-latest
    steps:
      - name: Check
        run: check --strict
      - run: ./deploy.sh dev
  prod:
    needs: dev
    runs-on: ubuntu-latest
    steps:
      - name: Check
        run: check --strict
      - run: ./deploy.sh prod
"""


@pytest.mark.parametrize(
    "changed",
    [
        "        run: check --strict || true\n",
        "        run: check --strict\n        continue-on-error: true\n",
        "        run: check --strict\n        if: github.ref == 'x'\n",
    ],
)
def test_the_same_change_of_a_namesake_has_another_fingerprint(changed):
    before, between, after = JOBS.split("        run: check --strict\n")
    same = "        run: check --strict\n"
    dev, prod = before + changed + between + same + after, before + same + between + changed + after
    golden, *candidates = (read_text(text, "deploy.yaml").workflow for text in (JOBS, dev, prod))
    of_dev, of_prod = (
        {finding.fingerprint for finding in review(compare(golden, candidate, StaticEmbedder()))}
        for candidate in candidates
    )
    assert of_dev
    assert of_prod
    assert of_dev.isdisjoint(of_prod)


def test_a_step_with_a_text_of_its_own_keeps_the_fingerprint_of_earlier_releases():
    (found,) = (f for f in lint(workflow(("Build", "Ship  IT"), [(-1, 0), (0, -1)])) if f.id == "WF105")
    assert found.fingerprint == hashlib.sha256(b"WF105\0in \0ship it").hexdigest()[:16]


def test_the_defect_of_a_namesake_in_a_recursive_sub_workflow_was_not_there_before():
    def recursive(broken):
        part = chain(("Scan", "Sign", "Push", "Sign", "Again")).model_copy(update={"name": "checks"})
        tasks = list(part.tasks)
        tasks[broken] = tasks[broken].model_copy(update={"join": "t0 and ("})
        tasks[4] = tasks[4].model_copy(update={"kind": "composite", "workflow": "checks"})
        call = Task(id="c", name="Checks", kind="composite", workflow="checks")
        links = (Link(source=START, target="c"), Link(source="c", target=END))
        part = part.model_copy(update={"tasks": tuple(tasks)})
        return Workflow(name="main", tasks=(call,), links=links, subworkflows=(part,))

    def broken_joins(golden, candidate):
        findings = review(compare(golden, candidate, StaticEmbedder()))
        return [(f.pre_existing, f.tasks) for f in findings if f.id == "WF301" and f.message.startswith("in the sub-")]

    first, second = recursive(1), recursive(3)
    assert broken_joins(first, first) == [(True, ("Sign",))]
    assert broken_joins(first, second) == [(False, ("Sign",))]


def test_lint_looks_into_sub_workflows_and_names_them():
    part = workflow(("Scan", "Sign"), [(-1, 0), (0, -1)], name="checks")
    main = chain(("Build", "Deploy")).model_copy(update={"subworkflows": (part,)})
    (finding,) = lint(main)
    assert (finding.id, finding.tasks) == ("WF105", ("Sign",))
    assert "'checks'" in finding.message


def test_a_recursive_sub_workflow_is_looked_into_by_a_review(compare_by_name):
    part = workflow(("Scan", "Again"), [(-1, 0), (0, -1)], name="checks")
    again = part.tasks[1].model_copy(update={"kind": "composite", "workflow": "checks"})
    part = part.model_copy(update={"tasks": (part.tasks[0], again)})
    call = Task(id="c", name="Checks", kind="composite", workflow="checks")
    links = (Link(source=START, target="c"), Link(source="c", target=END))
    main = Workflow(name="main", tasks=(call,), links=links, subworkflows=(part,))
    findings = review(compare(main, main, StaticEmbedder()))
    assert {finding.id for finding in findings} == {"WF105"}
    assert all(finding.pre_existing for finding in findings)


def test_a_reserved_id_and_a_shared_gateway_id_are_duplicates():
    odd = workflow(("Build", "Test"), [(-1, 0), (0, 1), (1, -1)])
    reserved = odd.model_copy(update={"tasks": (*odd.tasks, Task(id=START, name="Go"))})
    assert "WF002" in {finding.id for finding in lint(reserved)}
    shared = odd.model_copy(update={"gateways": (Gateway(id="t0", op="AND"),)})
    assert [finding.id for finding in lint(shared)] == ["WF002"]


def test_a_link_into_start_is_undefined():
    odd = chain(("Build", "Test"))
    odd = odd.model_copy(update={"links": (*odd.links, Link(source="t1", target=START))})
    assert [finding.id for finding in lint(odd)] == ["WF003"]


def test_the_witness_of_a_cycle_is_shortest_and_closed():
    names = tuple("ABCDEF")
    edges = [(-1, 0), *((a, a + 1) for a in range(5)), (5, -1), (5, 0), (3, 2)]
    (finding,) = [finding for finding in lint(workflow(names, edges)) if finding.id == "WF312"]
    assert finding.witness == ("C", "D", "C")
    assert sorted(finding.tasks) == sorted(names)


def test_a_reversal_takes_one_finding_per_moved_step(compare_by_name):
    names = [f"step {place}" for place in range(8)]
    findings = review(compare_by_name(chain(names), chain(names[::-1])))
    assert sum(finding.id == "WR203" for finding in findings) == 7
    moved = [*names[:2], *names[4:], *names[2:4]]
    findings = review(compare_by_name(chain(names), chain(moved)))
    assert [finding.tasks[0] for finding in findings if finding.id == "WR203"] == ["step 2", "step 3"]
    assert {finding.id for finding in findings if finding.severity != "info"} == {"WR203"}


def test_two_halves_that_come_apart_are_one_lost_link(compare_by_name):
    names = [f"step {place}" for place in range(10)]
    parted = workflow(names, [(-1, 0), *((a, a + 1) for a in range(9) if a != 4), (4, -1), (-1, 5), (9, -1)])
    findings = review(compare_by_name(chain(names), parted))
    assert [finding.id for finding in findings] == ["WR204", "WF102"]


def test_large_workflows_are_judged_completely(compare_by_name):
    names = [f"step {place}" for place in range(2000)]
    assert lint(chain(names)) == ()
    ring = workflow(names, [(-1, 0), *((a, a + 1) for a in range(1999)), (1999, 0)])
    assert [len(finding.tasks) for finding in lint(ring)] == [2000]
    small = names[:400]
    findings = review(compare_by_name(chain(small), chain([*small[200:], *small[:200]])))
    assert sum(finding.id == "WR203" for finding in findings) == 200


def test_listed_counts_what_it_leaves_out():
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c", "d"]) == "a, b, c and d"
