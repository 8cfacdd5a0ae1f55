"""What other packages add to the registries: what a good one can do, and what a bad one cannot."""

import json
import pickle
import sys

import numpy as np
import pytest

from wfgate.base.extensions import Extensions
from wfgate.calibration import PERTURBATIONS, Golden
from wfgate.compare import METRICS, compare, find, score
from wfgate.decide import Assessor
from wfgate.errors import ConfigError
from wfgate.language import load_embedder, load_meaning_model
from wfgate.language.embedders import EMBEDDERS
from wfgate.language.meaning import MEANING_MODELS
from wfgate.model import Task, Workflow
from wfgate.read import write
from wfgate.rules import CHECKS, levels_of, lint, review
from wfgate.show import REPORTERS

from ..cli.conftest import APPROVED, GENERATED, inline, is_error

CODE = """\
import hashlib
import numpy as np
from wfgate.language.embedders import Embedder, MatchingParameters
from wfgate.language.meaning import MeaningModel, MeaningScore
from wfgate.compare import Metric
from wfgate.calibration import Perturbation, Variant
from wfgate.rules import Observation, RelativeCheck
from wfgate.show import Reporter

class StepCount(Metric):
    '''The smaller number of steps divided by the larger one.'''

    id = "step-count"

    def compute(self, comparison):
        n, m = len(comparison.golden.tasks), len(comparison.candidate.tasks)
        return self.defined(min(n, m) / max(n, m)) if n and m else self.undefined("there are no steps")

class Words(Embedder):
    '''Each word has a dimension that its hash decides.'''

    id = "word-hash"
    contextual = False
    argument = "SIZE"
    fingerprint = "words"
    parameters = MatchingParameters(beta=0.2, lexical_weight=0.3)

    def __init__(self, size):
        self.size = size

    @classmethod
    def load(cls, argument):
        return cls(int(argument or 64))

    def embed(self, texts):
        rows = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(rows, texts):
            for word in text.lower().split():
                row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % self.size] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths, lengths, 1)

    def embed_tokens(self, texts):
        return [self.embed(text.split()) if text.split() else np.zeros((0, self.size), np.float32) for text in texts]

class Doubting(MeaningModel):
    '''Other words never mean the same.'''

    id = "doubting"
    fingerprint = "none"

    def _compare(self, pairs):
        return [MeaningScore(-5.0) for _ in pairs]

class ShortName(RelativeCheck):
    '''A step has a shorter name than its golden step.'''

    id = "short-name"
    defect = "step-name-shortened"
    severity = "error"
    about = "text"
    proven = True

    def check(self, comparison):
        for candidate, golden in comparison.golden_of.items():
            was, now = comparison.golden.tasks[golden].name, comparison.candidate.tasks[candidate].name
            if len(now) < len(was):
                yield Observation("the name is shorter", (candidate,), (golden,), proven=True)

class VerdictsOnly(Reporter):
    '''The verdict of each case.'''

    id = "verdicts-only"
    streams = True

    def render(self, result):
        return "".join(map(self.piece, result.cases))

    def piece(self, case):
        return case.verdict + "\\n"

class Shouted(Perturbation):
    '''k steps are in capitals.'''

    id = "shouted"
    label = "benign"

    def _apply(self, golden, k, rng):
        steps = sorted(map(int, rng.choice(golden.n, k, replace=False)))
        tasks = [task.model_copy(update={"name": task.name.upper()}) if at in steps else task
                 for at, task in enumerate(golden.workflow.tasks)]
        return Variant(golden.workflow.model_copy(update={"tasks": tuple(tasks)}), tuple(steps))
"""
GROUPS = {
    "wfgate.metrics": "step-count = {module}:StepCount",
    "wfgate.embedders": "word-hash = {module}:Words",
    "wfgate.meaning_models": "doubting = {module}:Doubting",
    "wfgate.checks": "short-name = {module}:ShortName",
    "wfgate.reporters": "verdicts-only = {module}:VerdictsOnly",
    "wfgate.perturbations": "shouted = {module}:Shouted",
}
REGISTRIES = {
    "wfgate.metrics": METRICS,
    "wfgate.embedders": EMBEDDERS,
    "wfgate.meaning_models": MEANING_MODELS,
    "wfgate.checks": CHECKS,
    "wfgate.reporters": REPORTERS,
    "wfgate.perturbations": PERTURBATIONS,
}


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Puts packages on the path as pip would, and forgets them afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def add(code=CODE, name="own-parts", groups=GROUPS):
        module = name.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        entries = [f"[{group}]\n{entry.format(module=module)}\n" for group, entry in groups.items()]
        (info / "entry_points.txt").write_text("".join(entries))
        for group, registry in REGISTRIES.items():
            known = registry.extensions
            fresh = Extensions(known.kind, group, registry.summaries, known._made)
            monkeypatch.setattr(registry, "extensions", fresh)

    yield add
    for module in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[module], "__file__", None)):
            del sys.modules[module]


def flow(*names):
    return Workflow(tasks=tuple(Task(id=f"t{at}", name=name) for at, name in enumerate(names)))


REPORTS = ("verdicts-only", "text", "sarif", "json", "markdown", "html", "junit")
LISTED = {
    "metrics": "step-count",
    "embedders": "word-hash",
    "meaning-models": "doubting",
    "checks": "short-name",
    "reporters": "verdicts-only",
    "perturbations": "shouted",
}
PAIR = flow("Build the image", "Scan the image", "Push it"), flow("Build the image", "Push it")
SHORTENED = flow("Build the image", "Push the image"), flow("Build the image", "Push image")
GOLDEN = Golden("it", PAIR[0])


def test_parts_of_another_package_are_used_like_our_own(install):
    install()
    assert "own_parts" not in sys.modules  # nothing is imported before it is asked for
    embedder, meaning_model = load_embedder("word-hash:32"), load_meaning_model("doubting")
    assert embedder.signature == "word-hash/1:words;beta=0.2;lexical=0.3"
    assert load_embedder("word-hash", beta=0.5).parameters.beta == 0.5
    assert meaning_model.signature == "doubting/1:none"
    comparison = compare(*PAIR, embedder, meaning_model)
    assert len(comparison.alignment.matches) == 2
    assert score(comparison, ["step-count"])[0].value == pytest.approx(2 / 3)
    signature = Assessor(embedder, meaning_model, ("step-count",)).signature
    assert "step-count/1" in signature.metrics
    again = pickle.loads(pickle.dumps(embedder))  # noqa: S301 - our own bytes; worker processes get it like this
    assert (again.embed(["Push it"]) == embedder.embed(["Push it"])).all()


def test_the_command_line_uses_and_lists_them(install):
    install()
    pair = (APPROVED, f"{GENERATED}/missing-hardening.yaml")
    parts = ("--metric", "step-count", "--embedder", "word-hash:64", "--meaning-model", "doubting")
    found = json.loads(inline("score", *pair, *parts, "--format", "json").out)
    assert [(each["id"], each["value"]) for each in found["metrics"]] == [("step-count", pytest.approx(11 / 12))]
    assert found["signature"]["embedder"].startswith("word-hash/1:")
    for kind, listed in LISTED.items():
        (line,) = (line for line in inline("list", kind).out.splitlines() if line.startswith(f"{listed} "))
        assert line.endswith("(own-parts 1.0)")
    assert "From the package own-parts 1.0." in inline("explain", "step-count").out
    gated = inline("gate", pair[1], "--reference", pair[0], *parts)
    assert is_error(gated, 4, "another signature", "word-hash")  # no shipped profile is calibrated with them


def test_a_check_of_a_package_runs_if_a_policy_gives_it_a_level(install, tmp_path):
    install()
    comparison = compare(*SHORTENED, load_embedder())
    assert "short-name" not in {one.id for one in review(comparison)}  # an installed package alone changes nothing
    assert "short-name" not in {one.id for one in review(comparison, levels_of({"short-name": "off"}))}
    assert "own_parts" not in sys.modules or CHECKS["short-name"].proven
    (finding,) = (one for one in review(comparison, levels_of({"SHORT-NAME": "error"})) if one.id == "short-name")
    assert (finding.severity, finding.weight, finding.tasks) == ("error", "proof", ("Push the image", "Push image"))
    assert not [one for one in lint(SHORTENED[1], levels_of({"short-name": "error"})) if one.id == "short-name"]
    with pytest.raises(ConfigError, match="unknown check 'short-nam'") as caught:
        levels_of({"short-nam": "error"})
    assert caught.value.fix == "did you mean short-name?"
    for name, workflow in zip(("golden", "candidate"), SHORTENED, strict=True):
        (tmp_path / f"{name}.yaml").write_text(write(workflow, "native"))
    files = (str(tmp_path / "candidate.yaml"), "--reference", str(tmp_path / "golden.yaml"))
    (tmp_path / "wfgate.toml").write_text('[checks]\nshort-name = "error"\n')
    gated = [inline("gate", *files, "--config", str(tmp_path / "wfgate.toml"), "--format", name) for name in REPORTS]
    assert {one.code for one in gated} == {1}
    assert gated[0].out == "block\n"
    assert all("short-name" in one.out or "step name shortened" in one.out for one in gated[1:])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: find("step-cuont"), "unknown metric 'step-cuont'"),
        (lambda: load_embedder("word-hsah"), "unknown embedder 'word-hsah'"),
        (lambda: load_meaning_model("duobting"), "unknown meaning model 'duobting'"),
        (lambda: REPORTERS.find("verdict-only"), "unknown reporter 'verdict-only'"),
        (lambda: PERTURBATIONS.find("shoutde"), "unknown perturbation 'shoutde'"),
    ],
)
def test_an_unknown_id_lists_those_of_packages(install, ask, said):
    install()
    with pytest.raises(ConfigError, match=said) as caught:
        ask()
    assert caught.value.fix.endswith(("step-count", "word-hash", "doubting", "verdicts-only", "shouted"))


ASK = {
    "wfgate.metrics": lambda: score(compare(*PAIR, load_embedder()), ["step-count"]),
    "wfgate.embedders": lambda: compare(*PAIR, load_embedder("word-hash")),
    "wfgate.meaning_models": lambda: load_meaning_model("doubting").compare([("Build it", "Push it")]),
    "wfgate.checks": lambda: review(compare(*SHORTENED, load_embedder()), levels_of({"short-name": "error"})),
    "wfgate.reporters": lambda: REPORTERS.find("verdicts-only").piece(None),
    "wfgate.perturbations": lambda: PERTURBATIONS.find("shouted").perturb(GOLDEN, 0.3, np.random.default_rng(1)),
}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(
    ("code", "entry", "said"),
    [
        ("import nothing_of_this_name", None, "No module named 'nothing_of_this_name'"),
        ("raise SystemExit(0)", None, "SystemExit: 0"),
        ("class Other: id = 'x'", "{module}:Other", "the entry point is not a subclass of wfgate."),
        (CODE.replace('    id = "', '    id = "my-'), None, "but its class has the id 'my-"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named(install, group, code, entry, said):
    key, _, own = GROUPS[group].partition(" = ")
    install(code, groups={group: f"{key} = {entry or own}"})
    with pytest.raises(ConfigError, match=r"of own-parts 1\.0 cannot be loaded: ") as caught:
        ASK[group]()
    assert said in caught.value.message
    assert caught.value.fix == "repair or uninstall the package"


METHODS = {
    "wfgate.metrics": "def compute(self, comparison):",
    "wfgate.embedders": "def embed(self, texts):",
    "wfgate.meaning_models": "def _compare(self, pairs):",
    "wfgate.checks": "def check(self, comparison):",
    "wfgate.reporters": "def piece(self, case):",
    "wfgate.perturbations": "def _apply(self, golden, k, rng):",
}


@pytest.mark.parametrize(
    ("group", "method", "fault"),
    [
        (group, method, fault)
        for group, method in METHODS.items()
        for fault in ("1 / 0", "exit(0)", "raise MemoryError", "return None", "return []")
        if group != "wfgate.checks" or "return" not in fault  # a check that yields nothing has found nothing
    ],
)
def test_whatever_a_part_does_is_an_error_that_names_its_package(install, group, method, fault):
    install(CODE.replace(method, f"{method}\n        {fault}"))
    with pytest.raises(ConfigError, match="failed: ") as caught:
        ASK[group]()
    assert "the authors of own-parts 1.0" in caught.value.fix


@pytest.mark.parametrize(
    ("group", "before", "after", "said"),
    [
        ("wfgate.metrics", "min(n, m) / max(n, m)", "max(n, m) / min(n, m)", "outside of the range 0 to 1"),
        ("wfgate.metrics", "self.defined(", "Other().defined(", "a score of the metric 'other'"),
        ("wfgate.embedders", "return rows / np", "return 2 * rows / np", "rows whose length is not 1"),
        ("wfgate.embedders", "return rows / np", "return np.nan * rows / np", "rows whose length is not 1"),
        ("wfgate.embedders", "(len(texts), self.size)", "(1 + len(texts), self.size)", "of the shape"),
        ("wfgate.meaning_models", "for _ in pairs", "for _ in (*pairs, 1)", "is longer than argument 1"),
        ("wfgate.meaning_models", "MeaningScore(-5.0)", "MeaningScore(float('nan'))", "a score without a logit"),
        ("wfgate.checks", "(candidate,), (golden,)", "(99,), ()", "a step that does not exist"),
        ("wfgate.checks", '"the name is shorter"', "None", "a word that is NoneType, not a str"),
        ("wfgate.reporters", 'case.verdict + "\\n"', '"pass"', "does not end with a newline"),
        ("wfgate.perturbations", "tuple(steps))", "(99,))", "a step that the golden does not have"),
    ],
)
def test_what_a_part_returns_is_checked(install, group, before, after, said):
    other = "\nclass Other(Metric):\n    id = 'other'\n    compute = None\n"
    assert before in CODE
    install(CODE.replace(before, after, 1) + other)
    with pytest.raises(ConfigError) as caught:
        ASK[group]()
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("group", "own", "ask"),
    [
        ("wfgate.metrics", "bleu", lambda: find("bleu").signature),
        ("wfgate.embedders", "static-minilm", lambda: load_embedder().signature),
        ("wfgate.meaning_models", "step-equivalence", lambda: load_meaning_model().signature),
        ("wfgate.checks", "WR101", lambda: [one.id for one in review(compare(*PAIR, load_embedder()))]),
        ("wfgate.reporters", "oneline", lambda: type(REPORTERS["oneline"])),
        ("wfgate.perturbations", "missing", lambda: type(PERTURBATIONS["missing"])),
    ],
)
def test_our_own_ids_are_not_taken_over(install, group, own, ask):
    known = ask()
    theirs = GROUPS[group].partition(" = ")
    install(CODE.replace(f'"{theirs[0]}"', f'"{own}"'), groups={group: f"{own} = {theirs[2]}"})
    assert ask() == known
    assert "own_parts" not in sys.modules
    (problem,) = REGISTRIES[group].extensions.broken()
    assert "of own-parts 1.0 is not used: wfgate has a" in problem.message
