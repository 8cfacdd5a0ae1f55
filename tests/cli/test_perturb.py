"""Round trips: perturb, then gate; convert there and back."""

import json
from pathlib import Path

import pytest

from wfgate.calibration import PERTURBATIONS
from wfgate.calibration.perturb.recorded import Recorded
from wfgate.model import TaskGraph, Workflow, fingerprint
from wfgate.read import FORMATS, read_file

from .conftest import ROOT, inline, is_error, once, wfgate

CORPUS = ROOT / "calibration" / "corpora" / "worfbench"
GOLDEN_ID = "alfworld_1051"
"""Seven steps in a row, with all kinds of recorded texts."""

SEVERE = ["missing", "missing-bridged", "compressed", "reordered", "rewired", "extra", "substituted"]
"""Operators whose damage must block; `drift` and `vague` are what wfgate says it cannot see.

Nothing is asked of operators that no profile is fitted on yet: those of order, conditions and data alone.
"""


FURNISHED = """\
wfgate: "1"
name: Ship an order
steps:
  - {id: read, name: Read the order, outputs: [order]}
  - {id: stock, name: Check the stock, needs: [read], inputs: [order]}
  - {id: fraud, name: Check for fraud, needs: [read], when: order.total > 1000}
  - {id: pack, name: Pack the goods and then print the label, needs: [read]}
  - {id: ship, name: Ship the goods, needs: [stock, pack]}
"""
"""What the line of steps has not: steps side by side, a condition, data."""
FURNISHED_FOR = {"serialised", "guard-changed", "data-unlinked", "split"}


MADE = [name for name, operator in PERTURBATIONS.items() if not isinstance(operator, Recorded)]
"""Operators that need no recorded workflow."""


def _golden(recorded: Path, operator: str) -> Path:
    return recorded / ("furnished.yaml" if operator in FURNISHED_FOR else "golden.json")


def _record(file: str) -> str:
    return next(line for line in (CORPUS / file).read_text("utf-8").splitlines() if f'"{GOLDEN_ID}"' in line)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "golden.json").write_text(_record("goldens.jsonl"))
    (folder / "furnished.yaml").write_text(FURNISHED)
    (folder / "texts.json").write_text(_record("variants.jsonl"))
    for operator in MADE:
        few = operator in FURNISHED_FOR | {"extra", "substituted", "vague"}  # one such text, condition, datum is there
        texts = () if operator in FURNISHED_FOR else ("--texts", folder / "texts.json")
        run = inline(
            *("perturb", _golden(folder, operator), "--operator", operator, "--severity", "0.1" if few else "0.5"),
            *(*texts, "--output", folder / "variants" / f"{operator}.yaml"),
        )
        assert (run.code, run.out, run.err) == (0, "", ""), operator
    return folder


@pytest.fixture(scope="session")
def verdicts(recorded: Path) -> dict[str, str]:
    """Every variant against the golden, in one run."""
    lines = [
        json.dumps({"id": path.stem, "golden": str(_golden(recorded, path.stem)), "candidate": str(path)})
        for path in sorted((recorded / "variants").iterdir())
    ]
    run = wfgate("gate", "--pairs", "-", "-f", "json", stdin="\n".join(lines).encode())
    assert run.code == 1
    return {case["id"]: case["verdict"] for case in run.data["cases"]}


def test_every_operator_writes_a_workflow(verdicts: dict[str, str]):
    assert set(verdicts) == set(MADE)
    assert "inconclusive" not in verdicts.values()


@pytest.mark.parametrize("operator", ["identity", "relisted", "renamed-ids", "description", "regenerated"])
def test_harmless_variants_pass(verdicts: dict[str, str], operator: str):
    assert verdicts[operator] == "pass"


@pytest.mark.parametrize("operator", SEVERE)
def test_degraded_variants_block(verdicts: dict[str, str], operator: str):
    assert verdicts[operator] == "block"


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_steps(recorded: Path):
    arguments = ("perturb", str(recorded / "golden.json"), "--operator", "missing", "--severity", "0.3")
    assert once(*arguments).out == inline(*arguments).out
    assert len({inline(*arguments, "--seed", str(seed)).out for seed in range(3)}) > 1


def test_on_top_of_a_rewording(recorded: Path):
    run = inline(
        *("perturb", recorded / "golden.json", "--operator", "missing", "--reworded"),
        *("--texts", recorded / "texts.json", "--to", "worfbench"),
    )
    assert run.code == 0
    names = {task.name for task in read_file(recorded / "golden.json").workflow.tasks}
    lines = run.out.splitlines()
    assert lines[0] == "Node:"
    assert not names & {line.partition(": ")[2] for line in lines}


def test_what_cannot_be_done_is_said(recorded: Path, golden: Path):
    assert is_error(inline("perturb", golden, "--operator", "mising"), 2, "unknown perturbation 'mising'")
    run = inline("perturb", golden, "--operator", "description")
    assert is_error(run, 2, f"{golden}: description is not possible: ", "--texts")
    run = inline("perturb", golden, "--operator", "missing", "--severity", "1.5")
    assert (run.code, run.out) == (2, "")
    assert "--severity" in run.err


def test_the_benchmark_is_written_and_the_gate_reads_it(recorded: Path, tmp_path: Path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "goldens.jsonl").write_text(_record("goldens.jsonl"))
    (corpus / "variants.jsonl").write_text(_record("variants.jsonl"))
    (corpus / "short.yaml").write_text('wfgate: "1"\nsteps: [Build it, Test it]\n')
    folder = tmp_path / "benchmark"
    run = inline("perturb", corpus, "--all", "--export", folder, "--min-steps", "5", "--inspect", "3")
    assert run.code == 0, run.err
    assert "1 golden left out, with fewer than 5 steps" in run.err
    labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    suite = [json.loads(line) for line in (folder / "suite.jsonl").read_text().splitlines()]
    assert [each["id"] for each in labels] == [each["id"] for each in suite]
    assert f"1 golden, {len(labels)} variants: " in run.out
    for label, pair in zip(labels, suite, strict=True):
        golden, variant = (read_file(folder / pair[side]).workflow for side in ("golden", "candidate"))
        assert label["steps"] == [len(golden.tasks), len(variant.tasks)]
    assert {each["golden"] for each in labels} == {GOLDEN_ID}
    assert (folder / "inspect.md").read_text().count("## [ ] ") == 3
    some = [pair for pair in suite if "--missing-50" in pair["id"] or "--relisted-" in pair["id"]]
    (folder / "some.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in some))
    gated = wfgate("gate", "--pairs", folder / "some.jsonl", "-f", "json")
    assert [case["verdict"] for case in gated.data["cases"]] == ["pass", "block"]
    assert is_error(inline("perturb", corpus, "--all", "--export", folder), 2, "the folder is not empty")


def test_usage_of_all(golden: Path, tmp_path: Path):
    assert is_error(inline("perturb", golden), 2, "no operator was given")
    assert is_error(inline("perturb", golden, "--all"), 2, "--all needs --export")
    run = inline("perturb", golden, "--all", "--export", tmp_path / "x", "--operator", "missing")
    assert is_error(run, 2, "no --operator")
    run = inline("perturb", golden, "--all", "--export", tmp_path / "x", "--min-steps", "99")
    assert is_error(run, 2, "no golden has 99 steps or more")


def test_removed_steps_at_random(recorded: Path, tmp_path: Path):
    texts = json.loads((recorded / "texts.json").read_text())
    (tmp_path / "texts.json").write_text(json.dumps({**texts, "omissions": [[1]]}))
    arguments = ("perturb", recorded / "golden.json", "--operator", "missing", "--texts", tmp_path / "texts.json")
    assert len({inline(*arguments, "--seed", str(seed)).out for seed in range(4)}) == 1
    assert len({inline(*arguments, "--random-steps", "--seed", str(seed)).out for seed in range(4)}) > 1


PICTURES = {"mermaid", "dot"}
TEXTS = [name for name, form in FORMATS.items() if form.writes and name not in PICTURES]


@pytest.mark.parametrize("first", TEXTS)
@pytest.mark.parametrize("second", TEXTS)
def test_converting_between_all_formats_keeps_the_workflow(tmp_path: Path, first: str, second: str):
    source = ROOT / "examples" / "deploy" / "generated" / "reworded.yaml"
    one, two = tmp_path / "one", tmp_path / "two"
    assert inline("convert", source, "--to", first, "--output", one).code == 0
    assert inline("convert", one, "--to", second, "--output", two).code == 0
    assert read_file(two).format == second
    assert _content(two) == _content(source)
    assert inline("convert", one, "--from", first, "--to", second).out == two.read_text("utf-8")


@pytest.mark.parametrize("picture", sorted(PICTURES))
def test_a_picture_keeps_steps_and_links(tmp_path: Path, picture: str):
    source = ROOT / "examples" / "deploy" / "generated" / "reworded.yaml"
    drawn = tmp_path / "drawn"
    assert inline("convert", source, "--to", picture, "--output", drawn).code == 0
    read = read_file(drawn)
    assert read.format == picture
    was, now = TaskGraph.of(read_file(source).workflow), TaskGraph.of(read.workflow)
    assert _links(now, read.workflow) == _links(was, read_file(source).workflow)


def _links(graph: TaskGraph, workflow: Workflow) -> set[tuple[str, str]]:
    names = [task.name for task in workflow.tasks]
    return {(names[source], names[target]) for source in range(graph.n) for target in graph.successors[source]}


def _content(path: Path) -> str:
    """Return a hash of the steps and links; a WorFBench text cannot hold the workflow's name."""
    return fingerprint(read_file(path).workflow.model_copy(update={"name": "", "description": ""}))


def test_convert_as_a_process(tmp_path: Path):
    source = "examples/deploy/approved/deploy.yaml"
    run = once("convert", source, "--to", "worfbench")
    assert run.code == 0
    assert run.out.startswith("Node:\n1: Build the container image")
    (tmp_path / "w.txt").write_text(run.out)
    assert inline("convert", tmp_path / "w.txt", "--from", "worfbench", "--to", "native").code == 0
    assert is_error(inline("convert", ROOT / source, "--to", "word"), 2, "unknown format 'word'", "native, worfbench")
    assert is_error(inline("convert", ROOT / source, "--to", "native", "--from", "word"), 2, "unknown format 'word'")
