"""The adapters for other test tools, run in these tools: a tool that is not installed is skipped (see `.ci/run`)."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.test_pytest_plugin import run

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"
ADAPTERS = ROOT / "examples" / "adapters"
GOLDEN = "../../deploy/approved/deploy.yaml"


def fenced(name: str) -> str:
    text = (DEPLOY / "generated" / f"{name}.yaml").read_text()
    return f"Here is the workflow:\n\n```yaml\n{text}```\n"


UNSIGNED = (DEPLOY / "approved" / "deploy.yaml").read_text().replace(" and sign it", "")
ANSWERS = {
    fenced("reworded"): "PASS candidate: ",
    UNSIGNED: "REVIEW candidate: meaning changed",
    fenced("missing-hardening"): "BLOCK candidate: ",
    "I cannot help with that.": "INCONCLUSIVE candidate: nothing was compared: output",
    "": "INCONCLUSIVE candidate: nothing was compared: output",
}
"""Answers of a model, and how their reports start. Only a pass passes."""


def adapter(name: str) -> ModuleType:
    """Return an adapter, loaded from its file."""
    path = ADAPTERS / name
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def promptfoo(output: Any, **variables: str) -> dict[str, Any]:
    """Call the assertion like promptfoo's wrapper: with arguments and result as JSON."""
    arguments = json.loads(json.dumps([output, {"vars": variables}]))
    return json.loads(json.dumps(adapter("promptfoo/wfgate_assert.py").get_assert(*arguments)))


@pytest.mark.parametrize("output", ANSWERS)
def test_promptfoo(output: str):
    result = promptfoo(output, golden=GOLDEN)
    passed = ANSWERS[output].startswith("PASS")
    assert (result["pass"], result["score"]) == (passed, float(passed))
    assert result["reason"].startswith(ANSWERS[output])


def test_a_review_passes_only_where_the_recipe_lists_it():
    recipe = adapter("promptfoo/wfgate_assert.py")
    recipe.PASSES.add("review")
    for output, start in ANSWERS.items():
        passed = recipe.get_assert(output, {"vars": {"golden": GOLDEN}})["pass"]
        assert passed is start.startswith(("PASS", "REVIEW"))


def test_promptfoo_with_an_answer_that_it_has_parsed():
    steps = {"wfgate": "1", "steps": ["Order pizza for the team", "Eat it", "Go home"]}
    assert promptfoo(steps, golden=GOLDEN)["reason"].startswith("BLOCK candidate: ")
    for other in (["Order pizza"], 3, None):
        assert promptfoo(other, golden=GOLDEN)["pass"] is False


def test_promptfoo_without_a_golden_is_an_error():
    with pytest.raises(KeyError):
        promptfoo(fenced("reworded"))


@pytest.mark.adapters
def test_promptfoo_itself(tmp_path: Path):
    tool = shutil.which("promptfoo")
    if tool is None:
        pytest.skip("promptfoo is not installed")
    quiet = {
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_CONFIG_DIR": str(tmp_path),
    }
    env = {**os.environ, **quiet, "PROMPTFOO_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    command = [tool, "eval", "--no-cache", "--output", str(tmp_path / "result.json")]
    folder = ADAPTERS / "promptfoo"
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 100, done.stderr
    results = json.loads((tmp_path / "result.json").read_text())["results"]["results"]
    assert [one["success"] for one in sorted(results, key=lambda one: one["testIdx"])] == [True, False, False]


@pytest.mark.adapters
@pytest.mark.filterwarnings("ignore")
def test_inspect(tmp_path: Path):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import Sample  # noqa: PLC0415 - may not be installed
    from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: PLC0415 - same

    def answer(said: list[Any], *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", said[-1].text)
        output.usage = ModelUsage()  # otherwise it downloads a tokenizer to count
        return output

    recipe = adapter("inspect/wfgate_scorer.py")
    echo = get_model("mockllm/model", custom_outputs=answer)
    samples = [Sample(input=text, id=place, target=GOLDEN) for place, text in enumerate(ANSWERS)]
    task = inspect_ai.Task(dataset=samples, scorer=recipe.no_regression())
    epochs = inspect_ai.Epochs(2, "pass_k_2")
    (log,) = inspect_ai.eval(task, model=echo, epochs=epochs, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(1 / len(ANSWERS))
    scores = {sample.id: sample.scores["no_regression"] for sample in log.samples}
    assert len(log.samples) == 2 * len(scores) == 2 * len(ANSWERS)
    for score, start in zip((scores[place] for place in range(len(ANSWERS))), ANSWERS.values(), strict=True):
        assert score.value == ("C" if start.startswith("PASS") else "I")
        assert score.explanation.startswith(start)
    (log,) = inspect_ai.eval(recipe.deploy(), model=echo, log_dir=str(tmp_path), display="none")
    assert log.samples[0].scores["no_regression"].metadata == {"verdict": "inconclusive"}


@pytest.mark.adapters
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("run_async", [True, False])
def test_deepeval(run_async: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # noqa: FBT001 - under test
    monkeypatch.chdir(tmp_path)  # it writes a folder
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    deepeval = pytest.importorskip("deepeval")
    from deepeval.evaluate.configs import AsyncConfig, DisplayConfig  # noqa: PLC0415 - may not be installed
    from deepeval.test_case import LLMTestCase  # noqa: PLC0415 - same

    recipe = adapter("deepeval/wfgate_metric.py")
    cases = [LLMTestCase(input="Deploy", actual_output=answer, expected_output=GOLDEN) for answer in ANSWERS]
    quiet = DisplayConfig(print_results=False, show_indicator=False)
    done = deepeval.evaluate(
        cases, [recipe.NoRegression()], display_config=quiet, async_config=AsyncConfig(run_async=run_async)
    )
    results = {result.actual_output: result for result in done.test_results}
    for answer, start in ANSWERS.items():
        (data,) = results[answer].metrics_data
        assert results[answer].success is data.success is start.startswith("PASS")
        assert (data.error or data.reason).startswith(start)
        assert (data.error is not None) is start.startswith("INCONCLUSIVE")
    deepeval.assert_test(cases[0], [recipe.NoRegression()], run_async=run_async)
    for case in cases[1:]:
        with pytest.raises(AssertionError, match=ANSWERS[case.actual_output]):
            deepeval.assert_test(case, [recipe.NoRegression()], run_async=run_async)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The recipe for pytest, with an approved workflow and its variant, and a generated file that passes."""
    shutil.copy(ADAPTERS / "pytest" / "test_workflows.py", tmp_path)
    for folder in ("approved", "generated"):
        (tmp_path / folder).mkdir()
    shutil.copy(DEPLOY / "approved" / "deploy.yaml", tmp_path / "approved" / "deploy.yaml")
    shutil.copy(DEPLOY / "generated" / "reworded.yaml", tmp_path / "generated" / "deploy.yaml")
    return tmp_path


def test_pytest(project: Path):
    done = run(project)
    assert (done.code, done.counts) == (0, {"passed": 1}), done.out
    shutil.copy(DEPLOY / "generated" / "squeezed-observability.yaml", project / "generated" / "deploy@2.yaml")
    done = run(project)
    assert (done.code, done.counts) == (1, {"passed": 1, "failed": 1})
    assert "AssertionError: BLOCK candidate: " in done.out
    assert "test_workflow[deploy@2.yaml]" in done.out
    shutil.copy(DEPLOY / "generated" / "squeezed-observability.yaml", project / "approved" / "deploy@2.yaml")
    assert run(project).code == 0  # an approved variant


def test_pytest_fails_for_what_is_not_compared(project: Path):
    (project / "generated" / "deploy.yaml").rename(project / "generated" / "other.yaml")
    done = run(project)
    assert (done.code, done.counts) == (1, {"failed": 2})
    assert "INCONCLUSIVE candidate: " in done.out
    assert "there is no golden" in done.out
    shutil.rmtree(project / "approved")
    (project / "approved").mkdir()
    done = run(project)
    assert done.code == pytest.ExitCode.INTERRUPTED
    assert "there is no golden in approved/" in done.out
