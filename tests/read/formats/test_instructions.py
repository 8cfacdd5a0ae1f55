"""Instruction files of coding agents: what is a demand, and what the gate makes of lost and changed ones."""

from datetime import date

import pytest

from wfgate import gate
from wfgate.decide import Pair
from wfgate.errors import FormatError
from wfgate.read import read_text
from wfgate.run import Config, load_gate

RULES = """\
---
globs: "src/**/*.ts"
---
# Rules of the shop

This shop sells books. You must run `make check` before each commit. It takes a minute.

## Tests

- Cover every new endpoint with a test:
  - the happy path
  - each error code
- Keep fixtures small.

```bash
pytest -q tests
```

## Never

- Push to the main branch.
- Log the card numbers of customers.

## Release

1. Raise the version in `pyproject.toml`.
2. Tag the commit.

| Case | What to do |
| --- | --- |
| The build fails | Ask the team on call |
"""


def tasks(text: str, name: str = "AGENTS.md"):
    return read_text(text, name).workflow.tasks


def test_items_rows_and_demanding_sentences_are_demands():
    workflow = read_text(RULES, "docs/AGENTS.md").workflow
    assert [(task.name, task.critical, task.span.line) for task in workflow.tasks] == [
        ("You must run make check before each commit.", True, 4),
        ("Cover every new endpoint with a test", False, 10),
        ("the happy path", False, 11),
        ("each error code", False, 12),
        ("Keep fixtures small.", False, 13),
        ("Never push to the main branch.", True, 21),
        ("Never log the card numbers of customers.", True, 22),
        ("Raise the version in pyproject.toml.", False, 26),
        ("Tag the commit.", False, 27),
        ("The build fails: Ask the team on call", False, 31),
    ]
    assert [(link.source, link.target) for link in workflow.links if {link.source, link.target} == {"8", "9"}] == [
        ("8", "9")
    ]
    assert "`pytest -q tests`" in workflow.tasks[4].marked
    assert 'Front matter: globs: "src/**/*.ts"' in workflow.marked


NAMES = (
    "AGENTS.md a/CLAUDE.md GEMINI.md x/SKILL.md .cursorrules rules/ts.mdc copilot-instructions.md sql.instructions.md"
)


@pytest.mark.parametrize("name", NAMES.split())
def test_the_name_of_the_file_decides(name: str):
    for text in (RULES, "1. Build\n2. Test\n", "- Use tabs.\n\n```mermaid\nflowchart TD\n  a --> b\n```\n"):
        assert read_text(text, name).format == "instructions"
    assert read_text("1. Build\n2. Test\n", "plan.md").format == "markdown"
    assert read_text("- Use tabs.\n", "rules.md", "instructions").format == "instructions"


def test_a_text_that_demands_nothing_is_refused_with_a_fix():
    with pytest.raises(FormatError, match="demands nothing") as caught:
        read_text("# About\n\nThis shop sells books.\n", "AGENTS.md")
    assert (caught.value.path, caught.value.line) == ("AGENTS.md", 1)
    assert "- Never push to main" in (caught.value.fix or "")


def test_marks_and_quotes_do_not_hide_a_prohibition():
    marked, curly = tasks("- Do _not_ push.\n- Don\u2019t commit *any* secret.\n")
    assert (marked.name, marked.critical, curly.critical) == ("Do not push.", True, True)


@pytest.mark.parametrize(
    ("heading", "items", "names"),
    [
        ("## Don't", "- Push to main\n- Never sleep", ["Never push to main", "Never sleep"]),
        ("## Do", "- Push often", ["Push often"]),
        ("**Exemptions:**", "- Vendored code", ["Skip vendored code"]),
        ("These are not real tests and will be refused:", "- HTTP mocks", ["Never HTTP mocks"]),
        (
            "### Required labels",
            "- `team`\n- `cost` (must be a number)",
            ["Required: team", "cost (must be a number)"],
        ),
        ("### Recommended labels", "- `team`", ["Should: team"]),
        ("You may update the page when:", "- A flag is new", ["Optional: A flag is new"]),
        ("Where it fits:", "- \u2705 On a desktop\n- \u274c In a job", ["On a desktop", "Never in a job"]),
        (
            "## Don't",
            "- Push to main\n\nExemptions:\n\n- Tags\n\nAsk first.",
            ["Never push to main", "Skip tags", "Ask first."],
        ),
        ("## Style", "- **Good**: short names\n- **Bad**: long names", ["short names", "Never long names"]),
    ],
)
def test_what_stands_above_demands_is_part_of_each(heading: str, items: str, names: list[str]):
    assert [task.name for task in tasks(f"# Rules\n\n{heading}\n\n{items}\n")] == names


def test_below_a_prohibition_a_heading_that_permits_holds():
    text = "# Files\n\n## Never change\n\n- Vendored code\n\n### Allowed\n\n- The list of versions\n"
    assert [task.name for task in tasks(text)] == ["Never vendored code", "The list of versions"]


def test_a_candidate_with_another_file_name_is_read_like_its_golden(tmp_path):
    paths = tmp_path / "AGENTS.md", tmp_path / "answer.md"
    paths[0].write_text(RULES)
    paths[1].write_text(RULES.replace("Never", "Always"))
    case = gate(*paths)
    assert (case.verdict, case.steps[0].state) == ("block", "same")


@pytest.mark.parametrize(
    ("was", "now", "wanted"),
    [
        ("## Never\n", "## Never\n", {"pass"}),
        ("- Push to the main branch.\n", "", {"block"}),
        ("## Never\n", "## Always\n", {"block"}),
        ("You must run", "You may run", {"block", "review"}),
        ("## Tests\n", "## Optional tests\n", {"block", "review"}),
        ("pytest -q tests", "pytest -q docs", {"block", "review"}),
        ('globs: "src/**/*.ts"', 'globs: "src/**/*.js"', {"block", "review"}),
    ],
)
def test_a_lost_weakened_or_reversed_demand_never_passes(was: str, now: str, wanted: set[str]):
    above, *sections = RULES.replace(was, now).split("\n## ")
    moved = "\n## ".join([above, *(section.strip() + "\n" for section in reversed(sections))])
    golden, candidate = (read_text(text, "AGENTS.md").workflow for text in (RULES, moved))
    assert load_gate(Config(), date.min).decide(Pair("rules", (golden,), candidate)).verdict in wanted
