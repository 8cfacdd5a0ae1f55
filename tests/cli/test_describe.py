import contextlib
import json
import os
import subprocess

import pytest
from jsonschema import Draft202012Validator

from wfgate.calibration import PERTURBATIONS
from wfgate.compare import METRICS
from wfgate.decide import RUN_CHECKS
from wfgate.language.embedders import EMBEDDERS
from wfgate.read import FORMATS
from wfgate.rules.checks import ABSOLUTE, OWN, RELATIVE
from wfgate.show import REPORTERS

from .conftest import APPROVED, GENERATED, ROOT, command, environment, inline, is_error, once

KINDS = {
    "formats": [*FORMATS],
    "embedders": [*EMBEDDERS],
    "metrics": [*METRICS],
    "checks": [*ABSOLUTE, *RELATIVE, *OWN, *RUN_CHECKS],
    "perturbations": [*PERTURBATIONS],
    "reporters": [*REPORTERS],
}


@pytest.mark.parametrize("kind", KINDS)
def test_list_shows_every_id_with_one_sentence(kind: str):
    run = inline("list", kind)
    assert (run.code, run.err) == (0, "")
    lines = [line.split(maxsplit=1) for line in run.out.splitlines()]
    assert [name for name, _ in lines] == KINDS[kind]
    assert all(text.endswith(".") for _, text in lines)
    data = inline("list", kind, "--format", "json").data
    assert [[entry["id"], entry["summary"]] for entry in data] == lines


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
def test_a_list_is_folded_on_a_terminal():
    terminal, end = os.openpty()
    process = subprocess.Popen(command("list", "formats"), cwd=ROOT, stdout=end, env=environment())
    os.close(end)
    said = b""
    with contextlib.suppress(OSError):  # how the end of a terminal is told
        while part := os.read(terminal, 4096):
            said += part
    os.close(terminal)
    assert process.wait() == 0
    lines = said.decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == KINDS["formats"]
    assert " ".join(said.decode().split()) == " ".join(inline("list", "formats").out.split())


def test_the_help_of_convert_names_what_can_be_written():
    said = inline("convert", "--help").out.partition("--to ")[2].partition("--from ")[0]
    assert all(name in said for name, form in FORMATS.items() if form.writes)


def test_list_of_an_unknown_kind():
    assert is_error(inline("list", "colours"), 2, "unknown kind 'colours'", "formats, embedders")


@pytest.mark.parametrize("kind", KINDS)
def test_explain_has_something_to_say_about_every_id(kind: str):
    for name in KINDS[kind]:
        run = inline("explain", name.swapcase())
        assert (run.code, run.err) == (0, ""), name
        title, rule, *body = run.out.splitlines()
        assert title.split()[0] == name
        assert rule == "=" * len(title)
        assert any(line.strip().endswith((".", ":")) for line in body), name


def test_explain_as_a_process():
    run = once("explain", "WR203")
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("WR203 ")
    assert inline("explain", "wr203").out == run.out


def test_explain_suggests_what_was_meant():
    assert is_error(inline("explain", "WR2O3"), 2, "unknown id 'WR2O3'", "did you mean WR203")
    assert is_error(inline("explain", "WR999"), 2, "did you mean WR601 or WR504 or WR503?", "wfgate list formats|")
    assert is_error(inline("explain", "zzzzzz"), 2, "list all ids of a kind: wfgate list formats|")
    assert len(inline("explain", "zzzzzz").err) < 300


@pytest.mark.parametrize(
    "name",
    ["result", "case", "profile", "config", "native", "workflow", "facts", "acceptances", "exam", "exam-certificate"],
)
def test_schemas_are_schemas(name: str):
    run = inline("schema", name)
    assert (run.code, run.err) == (0, "")
    Draft202012Validator.check_schema(run.data)  # raises


def test_unknown_schema():
    assert is_error(inline("schema", "nothing"), 2, "unknown schema 'nothing'", "result, case, run, profile")


def test_the_shipped_profile_validates_against_its_schema():
    import json  # noqa: PLC0415 - used here only
    from importlib.resources import files  # noqa: PLC0415 - same

    shipped = json.loads((files("wfgate") / "data" / "profiles" / "default.json").read_text("utf-8"))
    assert list(Draft202012Validator(inline("schema", "profile").data).iter_errors(shipped)) == []


def test_the_configurations_in_the_docs_validate_against_their_schema():
    import tomllib  # noqa: PLC0415 - used here only

    pages = [page.read_text("utf-8") for page in (ROOT / "docs").rglob("*.md")]
    blocks = [block.partition("```")[0] for page in pages for block in page.split("```toml\n")[1:]]
    configurations = [block for block in blocks if not block.startswith("[[waiver]]")]
    assert len(configurations) >= 4
    schema = Draft202012Validator(inline("schema", "config").data)
    assert [text for text in configurations if not schema.is_valid(tomllib.loads(text))] == []


def test_score_shows_one_metric_a_line():
    run = once("score", APPROVED, APPROVED)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("chain-f1")
    assert {line.split()[1] for line in run.out.splitlines()} == {"1.00"}
    chosen = inline("score", ROOT / APPROVED, ROOT / APPROVED, "--metrics", "bleu,gleu", "--metric", "kendall-tau")
    assert [line.split()[0] for line in chosen.out.splitlines()] == ["bleu", "gleu", "kendall-tau"]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("result")
    candidates = ("missing-hardening", "squeezed-observability", "nowhere", "reworded")
    cases = [
        {"id": name, "golden": str(ROOT / APPROVED), "candidate": str(ROOT / GENERATED / f"{file}.yaml")}
        for name, file in zip(("missing", "squeezed", "gone", "same"), candidates, strict=True)
    ]
    (folder / "suite.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    inline("gate", "--pairs", folder / "suite.jsonl", "-f", "json", "-o", folder / "result.json")
    return folder / "result.json"


def test_a_case_of_a_result_is_explained(result):
    run = inline("explain", "missing", "--result", result)
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith("BLOCK missing: ")
    assert "\nWhat the rules mean:\n  WR101 step-missing: " in run.out
    assert inline("explain", "gone", "--result", result).out.startswith("INCONCLUSIVE gone: ")


def test_all_samples_of_a_case_are_explained(tmp_path):
    step = '"wfgate: \\"1\\"\\nsteps: [Build the image, Scan the image, Ship the image]"'
    lines = f'{{"id": "ship", "golden": {step}, "candidate": [{step}, {step}]}}\n'
    report = tmp_path / "result.json"
    (tmp_path / "suite.jsonl").write_text(lines)
    assert inline("gate", "--pairs", tmp_path / "suite.jsonl", "-f", "json", "-o", report).code == 0
    both = inline("explain", "ship", "--result", report).out
    assert [line.split(":")[0] for line in both.splitlines() if line[:1].strip()] == ["PASS ship@1", "PASS ship@2"]
    assert inline("explain", "ship@2", "--result", report).out in both


def test_an_unknown_case_lists_near_names(tmp_path, result):
    assert is_error(inline("explain", "squezed", "--result", result), 2, "no case 'squezed'", "did you mean squeezed?")
    assert is_error(inline("explain", "miss", "--result", result), 2, "did you mean missing?")
    assert is_error(inline("explain", "zzz", "--result", result), 2, "known cases: missing, squeezed, gone, same")
    assert is_error(inline("explain", "x", "--result", tmp_path / "none.json"), 2, "none.json")
    assert is_error(inline("explain", "x", "--result", ROOT / "README.md"), 2, "not a result of wfgate gate")
