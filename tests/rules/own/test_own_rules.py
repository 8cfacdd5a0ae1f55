"""Own rules on files of three formats: each kind kept and broken, what is proven, every mistake with its line."""

import random
from pathlib import Path

import pytest

from wfgate.errors import OwnRuleError
from wfgate.language import load_embedder, load_meaning_model
from wfgate.logic import Behaviour
from wfgate.model import expand
from wfgate.read import read_text
from wfgate.rules import StepFinder, Subjected, TextModels, findings_of, rules_in, suggested
from wfgate.run.config import toml_in

MODELS = TextModels(load_embedder, load_meaning_model)

NATIVE = """wfgate: "1"
steps:
  - {id: build, name: Build the image}
  - {id: backup, name: Back up the order database, needs: [build]}
  - {id: deploy, name: Deploy the image, needs: [backup], params: {cluster: shop-1}}
  - {id: smoke, name: Run the smoke tests, needs: [deploy]}
  - {id: undo, name: Roll the image back, needs: [smoke], when: tests == 'failed'}
"""
MARKDOWN = """# Deploy

1. Build the image
2. Back up the order database
3. Deploy the image
4. Run the smoke tests
5. If the smoke tests fail, roll the image back
"""
GITHUB = """on: push
jobs:
  build: {runs-on: ubuntu-latest, steps: [{name: Build the image, run: make image}]}
  backup: {runs-on: ubuntu-latest, needs: build, steps: [{name: Back up the order database, run: ./backup.sh}]}
  deploy:
    runs-on: ubuntu-latest
    needs: backup
    steps: [{name: Deploy the image, uses: acme/deploy@v2, with: {cluster: shop-1}}]
  smoke: {runs-on: ubuntu-latest, needs: deploy, steps: [{name: Run the smoke tests, run: ./smoke.sh}]}
  undo:
    runs-on: ubuntu-latest
    needs: smoke
    if: ${{ github.ref == 'refs/heads/main' }}
    steps: [{name: Roll the image back, run: ./undo.sh}]
"""
FILES = {"native": ("a.yaml", NATIVE), "markdown": ("a.md", MARKDOWN), "github-actions": ("a.yml", GITHUB)}

KEPT = [
    'contains = "Back up the order database"',
    'contains = {text = "save a backup of the database with the orders"}',
    'never = {pattern = "*force*"}',
    'before = ["Build the image", "Back up the order database", "Deploy the image"]',
    'after = ["Run the smoke tests", "Deploy the image"]',
    'step = {pattern = "*image*"}\nat_least = 2',
    'exactly_one_of = ["Deploy the image", {pattern = "*blue-green*"}]',
]
BROKEN = [
    ('contains = {pattern = "*approv*"}', "it lacks a step with pattern '*approv*'", True),
    ('contains = "Page the engineer on call"', "it lacks a step 'Page the engineer on call'", False),
    ('contains = {text = "Save the orders", same_words = true}', "it lacks a step 'Save the orders'", True),
    ('never = {pattern = "*smoke*"}', "it has the forbidden step 'Run the smoke tests'", True),
    ('never = "Execute the smoke tests"', "it may have the forbidden step 'Run the smoke tests'", False),
    ('before = ["Deploy the image", "Back up the order database"]',
     "'Back up the order database' runs without 'Deploy the image' before it", True),
    ('after = ["Build the image", "Deploy the image"]',
     "'Deploy the image' runs without 'Build the image' after it", True),
    ('step = "Deploy the image"\nonly_if = "env == \'production\'"',
     "'Deploy the image' must run only if `env == 'production'`, and it runs always", True),
    ('step = "Run the smoke tests"\nat_least = 2', "it has 1 of at least 2 steps", False),
    ('exactly_one_of = [{pattern = "*canary*"}, {pattern = "*blue-green*"}]', "it has none of the steps", True),
    ('exactly_one_of = ["Deploy the image", "Run the smoke tests"]', "can run together", True),
]  # fmt: skip


def rules(text: str):
    return rules_in(toml_in(Path("a.rules.toml"), text.encode()), text, "a.rules.toml")


def rule(body: str, name: str = "r1") -> str:
    return f'[[rules]]\nid = "{name}"\n{body}\n'


def subject(form: str) -> Subjected:
    name, text = FILES[form]
    workflow = expand(read_text(text, name, form).workflow)
    return Subjected(StepFinder(workflow, MODELS), Behaviour.of(workflow))


def checked(form: str, text: str):
    return findings_of(rules(text), subject(form))


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("body", KEPT)
def test_a_rule_is_kept(form: str, body: str):
    assert [finding.message for finding in checked(form, rule(body))] == []


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize(("body", "message", "proven"), BROKEN)
def test_a_rule_is_broken(form: str, body: str, message: str, *, proven: bool):
    first, *_ = checked(form, rule(body))
    assert message in first.message
    assert (first.id, first.defect, first.witness[0]) == ("WO001", "r1", "a.rules.toml:1:1")
    assert first.proven == proven


@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("native", 'step = "Roll the image back"\nonly_if = "tests == \'failed\'"'),
        ("native", 'step = "Roll the image back"\nonly_if = "tests != \'passed\'"'),
        ("markdown", 'step = {pattern = "*roll the image back*"}\nonly_if = "the smoke tests fail"'),
        ("github-actions", 'step = {pattern = "*roll*"}\nonly_if = "github.ref == \'refs/heads/main\'"'),
        ("github-actions", 'contains = {tool = "acme/deploy*"}'),
        ("github-actions", 'contains = {value = "cluster=shop-1"}'),
        ("native", 'contains = {value = "shop-?", id = "deploy"}'),
    ],
)
def test_conditions_tools_and_values_are_read(form: str, body: str):
    assert [finding.message for finding in checked(form, rule(body))] == []


def test_an_order_holds_on_every_path_and_only_with_all_conditions():
    text = """wfgate: "1"
steps:
  - {id: ask, name: Ask the owner}
  - {id: backup, name: Back up, needs: [ask], when: big == true}
  - {id: deploy, name: Deploy, needs: [ask, backup], join: any}
"""
    workflow = expand(read_text(text, "a.yaml", "native").workflow)
    (finding,) = findings_of(rules(rule('before = ["Back up", "Deploy"]')), Subjected(StepFinder(workflow, MODELS)))
    assert "'Deploy' can run without 'Back up' before it" in finding.message
    assert (finding.severity, finding.weight, finding.proven) == ("error", "proof", True)


@pytest.mark.parametrize(
    "name",
    [
        "F\u043erce the upgrade",
        "For\u200bce the upgrade",
        "\uff26orce the upgrade",
        "FORCE  the\u00a0upgrade",
        "\u041e force",
    ],
)
def test_another_spelling_gets_around_no_pattern(name: str):
    text = f'wfgate: "1"\nsteps: [{{id: a, name: "{name}", params: {{way: "{name}"}}}}]\n'
    given = Subjected(StepFinder(expand(read_text(text, "a.yaml", "native").workflow), MODELS))
    both = rule('never = {pattern = "*force*"}') + rule('never = {value = "*[fF][oO]*"}', "r2")
    assert [finding.defect for finding in findings_of(rules(both), given)] == ["r1", "r2"]


def test_an_order_is_doubtful_if_no_step_surely_is_the_demanded_one():
    text = NATIVE.replace("Back up the order database", "Copy the order database")
    given = Subjected(StepFinder(expand(read_text(text, "a.yaml", "native").workflow), MODELS))
    (finding,) = findings_of(rules(rule('before = ["Back up the order database", "Deploy the image"]')), given)
    assert "it may lack the step 'Back up the order database'" in finding.message
    assert (finding.severity, finding.proven) == ("warning", False)


def test_suggested_orders_are_those_that_all_references_share_without_those_that_follow():
    def given(*steps: str) -> Subjected:
        text = "".join(f"  - {{id: {one[0]}, name: {one[0]} step, needs: [{', '.join(one[2:])}]}}\n" for one in steps)
        workflow = read_text(f'wfgate: "1"\nsteps:\n{text}', "a.yaml", "native").workflow
        return Subjected(StepFinder(expand(workflow), MODELS))

    first = given("a:", "b:a", "c:b", "d:c", "e:d")
    second = given("a:", "c:a", "b:c", "x:b", "e:x", "d:e")
    rules_kept, left_out = suggested([first, second], {1})
    orders = {tuple(step.text for step in one.steps) for one in rules_kept if one.before}
    assert orders == {(f"{one} step", f"{other} step") for one, other in ("ab", "ac", "bd", "cd", "be", "ce")}
    assert [one.id for one in rules_kept if one.critical] == ["critical-b-step"]
    assert left_out == 0


def test_the_order_of_rules_changes_nothing_and_no_breach_hides_another():
    texts = [rule(body, f"r{number}") for number, (body, _, _) in enumerate(BROKEN)]
    texts.append(rule('contains = [{pattern = "x*"}, {pattern = "y*"}]', "two"))
    expected = checked("native", "".join(texts))
    marks = [finding.fingerprint for finding in expected]
    assert len({*marks}) == len(marks)
    assert sum(finding.defect == "two" for finding in expected) == 2
    assert {finding.location is None for finding in expected} == {True, False}
    for seed in range(3):
        random.Random(seed).shuffle(texts)
        shuffled = checked("native", "".join(texts))
        assert [one.model_copy(update={"witness": ()}) for one in shuffled] == [
            one.model_copy(update={"witness": ()}) for one in expected
        ]


def test_verdict_and_level_lower_a_breach():
    body = 'never = {pattern = "*smoke*"}'
    (finding,) = checked("native", rule(f'verdict = "review"\n{body}'))
    assert (finding.severity, finding.weight) == ("warning", "contradiction")
    own, given = rules(rule(body)), subject("native")
    (finding,) = findings_of(own, given, {"WO001": "info"})
    assert (finding.severity, finding.weight) == ("info", "note")
    assert findings_of(own, given, {"WO001": "off"}) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rule = 1\n", "a.rules.toml:1:1: rule: unknown key"),
        ('[[rules]]\ncontains = "x"\n', "a.rules.toml:1:1: id: Field required"),
        ('\n[[rules]]\nid = "a"\ncontain = "x"\n', "a.rules.toml:4:1: contain: unknown key"),
        ('[[rules]]\nid = "a"\n', "a.rules.toml:1:1: a rule needs exactly one of contains, never"),
        ('[[rules]]\nid = "a"\nnever = "x"\ncontains = "y"\n', "has several of them: contains, never"),
        ('[[rules]]\nid = "a"\nstep = "x"\nnever = "x"\n', "a.rules.toml:1:1: `step` belongs to `only_if`"),
        ('[[rules]]\nid = "a"\nbefore = ["x"]\n', "a.rules.toml:3:1: before: "),
        ('[[rules]]\nid = "a"\nnever = {colour = "x"}\n', "a.rules.toml:3:10: never.colour: unknown key"),
        ('[[rules]]\nid = "a"\nnever = ["y",\n  {same-words = "x"}]\n', "a.rules.toml:4:4: never.same-words: "),
        ('[[rules]]\nid = "a"\nnever = {pattern = 3}\n', "a.rules.toml:3:10: never.pattern: Input should be a valid"),
        ('[[rules]]\nid = "a"\nnever = 1\n', "a.rules.toml:3:1: never: not a step"),
        ('[[rules]]\nid = "a"\nnever = {same_words = true}\n', "a.rules.toml:3:1: never: a step needs `text`"),
        ('\nrules = [{id = "a", nevr = "x"}]\n', "a.rules.toml:2:21: nevr: unknown key"),
        ('rules = [\n  {id = "a"}]\n', "a.rules.toml:1:1: a rule needs exactly one"),
        ('[[rules]]\nid = "a"\nverdict = "pass"\nnever = "x"\n', "a.rules.toml:3:1: verdict: Input should be"),
        (rule('never = "x"') * 2, "a.rules.toml:4:1: the rule 'r1' is already in a.rules.toml:1:1"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_line_and_a_fix(text: str, message: str):
    with pytest.raises(OwnRuleError) as error:
        rules(text)
    assert message in error.value.message
    assert error.value.fix
