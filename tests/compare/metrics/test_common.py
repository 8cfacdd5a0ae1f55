"""What every metric promises on its class, asked of every metric."""

import importlib
import inspect
import math
import pkgutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wfgate.compare.metrics
from wfgate.compare import DEFAULT_METRICS, METRICS, Metric, score
from wfgate.compare.metrics.plugins import PluginMetric
from wfgate.errors import ConfigError
from wfgate.language import StaticEmbedder

from ...hypothesis_examples import examples


class ContextualEmbedder(StaticEmbedder):
    id = "contextual"
    contextual = True


METRIC = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
CASES = settings(max_examples=examples(40))


def embedder_for(metric):
    return ContextualEmbedder() if getattr(metric, "contextual", False) else None


def found_classes():
    modules = [
        importlib.import_module(f"wfgate.compare.metrics.{m.name}")
        for m in pkgutil.iter_modules(wfgate.compare.metrics.__path__)
    ]
    classes = {c for module in modules for c in vars(module).values() if inspect.isclass(c) and issubclass(c, Metric)}
    return {c for c in classes if not inspect.isabstract(c)}


def test_every_metric_found_is_registered():
    assert found_classes() - {PluginMetric} == {type(metric) for metric in METRICS.values()}


def test_defaults_in_order():
    assert DEFAULT_METRICS == ("chain-f1", "graph-f1", "bleu", "gleu", "kendall-tau", "bertscore-static")


def test_score_returns_what_was_asked_for(make):
    pair = make.graphs(2, [(0, 1)], 2, [(0, 1)])
    assert tuple(each.metric for each in score(pair)) == DEFAULT_METRICS
    assert [each.metric for each in score(pair, ["gleu", "bleu"])] == ["gleu", "bleu"]
    with pytest.raises(ConfigError, match="unknown metric"):
        score(pair, ["rouge"])


@METRIC
def test_documented(metric):
    text = inspect.getdoc(type(metric))
    for section in ("Definition:", "Range and direction:", "Undefined when:", "Cost:", "Example:"):
        assert section in text, section
    assert metric.references
    assert metric.signature == f"{metric.id}/{metric.version}"


@METRIC
def test_identity(metric, make):
    embedder = embedder_for(metric)

    @CASES
    @given(make.workflows())
    def check(workflow):
        result = metric.compute(make.comparison(workflow, workflow, embedder=embedder))
        if metric.perfect_on_identity:
            assert result.value == metric.range[1] or result.undefined_because

    check()


@METRIC
def test_range_and_never_nan(metric, make):
    embedder = embedder_for(metric)

    @CASES
    @given(make.comparisons())
    def check(pair):
        result = metric.compute(make.comparison(pair.golden, pair.candidate, pair.pairs, embedder))
        assert result.metric == metric.id
        assert (result.value is None) == bool(result.undefined_because)
        assert result.proven
        low, high = metric.range
        assert result.value is None or low <= result.value <= high
        assert not any(isinstance(v, float) and math.isnan(v) for v in result.model_dump().values())
        assert result == metric.compute(make.comparison(pair.golden, pair.candidate, pair.pairs, embedder))

    check()


@pytest.mark.parametrize("metric", [m for m in METRICS.values() if m.symmetric], ids=lambda m: m.id)
def test_symmetry(metric, make):
    @CASES
    @given(make.comparisons())
    def check(pair):
        exchanged = make.comparison(pair.candidate, pair.golden, [(c, g) for g, c in pair.pairs])
        assert metric.compute(pair).value == metric.compute(exchanged).value

    check()


@METRIC
def test_renaming_ids_changes_nothing(metric, make):
    embedder = embedder_for(metric)

    @CASES
    @given(make.comparisons())
    def check(pair):
        one = make.comparison(pair.golden, pair.candidate, pair.pairs, embedder)
        two = make.comparison(pair.golden, renamed(pair.candidate), pair.pairs, embedder)
        assert metric.compute(one) == metric.compute(two)

    check()


@pytest.mark.parametrize("metric", [m for m in METRICS.values() if m.order_free], ids=lambda m: m.id)
def test_listing_order_changes_nothing(metric, make):
    embedder = embedder_for(metric)

    reads = metric.id in {"bleu", "gleu"}  # in topological order, of which a cycle has none

    @CASES
    @given(make.comparisons(cyclic=not reads), st.data())
    def check(pair, data):
        golden, new_golden = relisted(pair.golden, data)
        candidate, new_candidate = relisted(pair.candidate, data)
        pairs = [(new_golden[g], new_candidate[c]) for g, c in pair.pairs]
        one = make.comparison(pair.golden, pair.candidate, pair.pairs, embedder)
        two = make.comparison(golden, candidate, pairs, embedder)
        if reads and texts(one) != texts(two):
            return  # reading order among unaligned twins is the comparison's business
        first, second = metric.compute(one), metric.compute(two)
        assert first.value == (None if second.value is None else pytest.approx(second.value, abs=1e-12))

    check()


def relisted(workflow, data):
    """Return the workflow listed in another order, and the new position of each task."""
    order = data.draw(st.permutations(range(len(workflow.tasks))))
    update = {
        "tasks": tuple(workflow.tasks[old] for old in order),
        "links": tuple(data.draw(st.permutations(workflow.links))),
    }
    return workflow.model_copy(update=update), {old: new for new, old in enumerate(order)}


def texts(pair):
    return [pair.candidate.tasks[task].text for task in pair.candidate_order]


def renamed(workflow):
    new = {task.id: f"x{-position}" for position, task in enumerate(workflow.tasks)}
    return workflow.model_copy(
        update={
            "tasks": tuple(task.model_copy(update={"id": new[task.id]}) for task in workflow.tasks),
            "links": tuple(
                link.model_copy(
                    update={
                        "source": new.get(link.source, link.source),
                        "target": new.get(link.target, link.target),
                    }
                )
                for link in workflow.links
            ),
        }
    )


@METRIC
def test_nothing_to_score_is_undefined(metric, make):
    some, none = make.workflow(2, [(0, 1)]), make.workflow(0, [])
    for golden, candidate in ((some, none), (none, some), (none, none)):
        result = metric.compute(make.comparison(golden, candidate, embedder=embedder_for(metric)))
        assert result.value is None
        assert result.undefined_because
