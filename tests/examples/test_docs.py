"""README and docs/: what they tell people to type runs, and their links lead somewhere."""

import re
import shlex
import sys
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from wfgate.cli.app import app
from wfgate.run import Config

sys.path.insert(0, str(Path(__file__).parents[2] / "calibration"))
import docs_commands
import docs_numbers

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text("utf-8")
MODELS = {"policy": "Policy", "judge": "JudgeSettings", "prices": "Prices"}
"""Tables of wfgate.toml, and their models."""
RUN = [path for path in docs_commands.written_pages(ROOT) if docs_commands.BLOCK.search(path.read_text("utf-8"))]
LINKING = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "calibration").glob("*.md")])


SLOW = [page for page in RUN if docs_commands.SLOW in page.read_text("utf-8")]
"""The pages whose commands `make docs-check` does not run."""


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=[page.stem for page in SLOW])
def test_the_commands_of_a_slow_page_end_as_it_states(page: Path):
    text = page.read_text("utf-8")
    made = docs_commands.with_output(text, ROOT, slow=True)
    assert [block["commands"] for block in docs_commands.BLOCK.finditer(made)] == [
        block["commands"] for block in docs_commands.BLOCK.finditer(text)
    ]


def test_a_command_that_ends_otherwise_is_an_error():
    page = "```sh\nwfgate lint examples/deploy/approved/deploy.yaml  # exit code 1\n```\n"
    with pytest.raises(docs_commands.CommandError, match="ends with exit code 0"):
        docs_commands.with_output(page, ROOT, slow=False)


def test_quick_start_and_tutorials_are_run():
    assert {page.stem for page in RUN} >= {
        "README",
        "quick-start",
        "approvals",
        "model-upgrade",
        "calibrate",
        "history",
    }


def _anchors(page: Path) -> set[str]:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_lead_to_files_and_headings():
    broken = []
    for page in LINKING:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
        for target, anchor in re.findall(r"\]\((?!https?://)([^)#]*)#?([^)]*)\)", text):
            file = (page.parent / target).resolve() if target else page
            if not file.exists() or (anchor and anchor not in _anchors(file)):
                broken.append(f"{page.relative_to(ROOT)}: {target}#{anchor}")
    assert not broken


def test_the_readme_stays_short():
    assert README.count("\n") <= 160


def _commands() -> list[str]:
    block = COMMANDS.partition("```\n")[2].partition("```")[0]
    lines = [line.partition("#")[0] for line in block.splitlines()]
    parts = [part.strip() for line in lines for part in line.split(";")]
    return [part.replace("...", "") for part in parts if part.startswith("wfgate ")]


def test_the_commands_parse():
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for line in _commands():
        _, name, *arguments = shlex.split(line)
        context = group.commands[name].make_context(name, arguments)  # parses every flag, runs nothing
        assert context.params, line


def test_every_command_is_shown():
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    assert {line.split()[1] for line in _commands()} == {
        name for name, one in group.commands.items() if not one.hidden
    }


def test_the_reference_has_every_option_and_every_setting():
    """The page is generated; this holds the generator against the application and the JSON Schema."""
    reference = (ROOT / "docs" / "reference-commands.md").read_text("utf-8")
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    for name, command in group.commands.items():
        section = reference.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        names = {option for param in command.params for option in param.opts if option.startswith("--")}
        assert [option for option in names - {"--help"} if option not in section] == [], name
    settings = (ROOT / "docs" / "reference-settings.md").read_text("utf-8")
    schema = Config.model_json_schema()
    tables = {"": schema, **{name: schema["$defs"][model] for name, model in MODELS.items()}}
    for table, properties in tables.items():
        section = settings.partition(f"\n## [{table}" if table else "\n## Top level\n")[2].partition("\n## ")[0]
        keys = set(properties["properties"]) - {"policy", "judge", "prices", "checks", "formats"}
        assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == keys, table
        assert table or {f"[{name}" in settings for name in ("checks", "formats", *MODELS)} == {True}


def test_the_numbers_are_read_from_the_results():
    share = docs_numbers.shares("7.6 % (4-14 %) / 59 % (50-68 %)")
    assert share == [(7.6, 4, 14), (59, 50, 68)]
    assert docs_numbers.rest(share[1]) == "41 % (32-50 %)"
    assert docs_numbers.shares("62.0% (58%-66%)") == [(62, 58, 66)]
    with pytest.raises(SystemExit, match="no row 'nothing' in decision"):
        docs_numbers.row("decision", "nothing")


def test_the_exit_codes_are_those_of_the_program():
    from wfgate.cli import app as program  # noqa: PLC0415 - the module, not the application

    table = {int(code) for code in re.findall(r"^\| (\d+) \|", COMMANDS, re.MULTILINE)}
    names = ("EXIT_USAGE", "EXIT_NOTHING_COMPARED", "EXIT_INCONCLUSIVE", "EXIT_INTERNAL", "EXIT_INTERRUPTED")
    from wfgate.decide import Policy, exit_code  # noqa: PLC0415 - loaded when used

    strict = Policy(fail_on="review")
    judged = {exit_code([verdict], strict, failed=False) for verdict in ("pass", "block", "review", "inconclusive")}
    assert table == {*judged, *(getattr(program, name) for name in names)}


def test_the_python_snippet_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(ROOT / "examples" / "deploy")
    block = README.partition("```python\n")[2].partition("```")[0]
    code = block.replace("generated/deploy.yaml", "generated/missing-hardening.yaml")
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own README
    assert capsys.readouterr().out.startswith("block the critical step")
