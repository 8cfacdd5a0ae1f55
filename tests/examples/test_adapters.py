"""The adapters for test tools, called as these tools call them."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "examples" / "deploy" / "generated"
PROMPTFOO = ROOT / "examples" / "adapters" / "promptfoo" / "wfgate_assert.py"


def promptfoo(output: str, **variables: str) -> dict[str, Any]:
    """Call the assertion like promptfoo's wrapper: loaded from its file, with arguments and result as JSON."""
    spec = importlib.util.spec_from_file_location("wfgate_assert", PROMPTFOO)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arguments = json.loads(json.dumps([output, {"vars": variables}]))
    return json.loads(json.dumps(module.get_assert(*arguments)))


def fenced(name: str) -> str:
    text = (GENERATED / f"{name}.yaml").read_text()
    return f"Here is the workflow:\n\n```yaml\n{text}```\n"


@pytest.mark.parametrize(
    ("output", "passed", "reason"),
    [
        (fenced("reworded"), True, "pass"),
        (fenced("missing-hardening"), False, "block; WR101 "),
        ("I cannot help with that.", False, "inconclusive; "),
        ("", False, "inconclusive; "),
    ],
)
def test_promptfoo(output: str, passed: bool, reason: str):  # noqa: FBT001 - a value under test
    result = promptfoo(output, golden="../../deploy/approved/deploy.yaml")
    assert (result["pass"], result["score"]) == (passed, float(passed))
    assert result["reason"].startswith(reason)
    assert {part["pass"] for part in result["componentResults"]} <= {passed}
    if reason.startswith("block"):
        assert "(golden:" in result["componentResults"][0]["reason"]


def test_promptfoo_without_a_golden_is_an_error():
    with pytest.raises(KeyError):
        promptfoo(fenced("reworded"))
