"""Sentences around the steps that demand something: other words pass, another rule is a review."""

from collections.abc import Callable

import pytest

from wfgate.compare import Comparison, compare
from wfgate.language import load_embedder, load_meaning_model
from wfgate.read import read_text
from wfgate.rules import Finding, review

STEPS = "1. List the objects\n2. Ask the owner for approval\n3. Delete the approved objects\n"

RULES = [
    ("Never use --force.", "Do not use --force.", "Always use --force."),
    (
        "Never delete objects before the audit starts.",
        "Do not delete any objects until the audit starts.",
        "Always delete objects before the audit starts.",
    ),
    (
        "All changes must be logged in the change calendar.",
        "Every change has to be recorded in the change calendar.",
        "Changes may be logged in the change calendar.",
    ),
    (
        "Always notify the on-call engineer before a restart.",
        "Before a restart, always inform the engineer on call.",
        "Never notify the on-call engineer before a restart.",
    ),
    (
        "Only admins may approve the release.",
        "The release may be approved by admins only.",
        "Anyone may approve the release.",
    ),
    (
        "The migration must finish before 06:00.",
        "The migration has to be finished before 06:00.",
        "The migration must finish after 06:00.",
    ),
    ("Do not skip the dry run.", "The dry run must not be skipped.", "Skip the dry run."),
    (
        "If a step fails, roll back and open an incident.",
        "Should a step fail, roll back and open an incident.",
        "If a step fails, go on with the next step.",
    ),
    ("Only restart one node at a time.", "Restart nodes one at a time only.", "Restart all nodes at the same time."),
    (
        "Secrets must not be printed to the logs.",
        "Do not print secrets to the logs.",
        "Secrets must be printed to the logs.",
    ),
]
"""A rule, the same one in other words, and another one."""


@pytest.fixture(scope="module")
def compared() -> Callable[[list[str], list[str]], Comparison]:
    embedder, model = load_embedder(), load_meaning_model()

    def of(golden: list[str], candidate: list[str], steps: str = STEPS, approved: str = STEPS) -> Comparison:
        texts = (
            f"# Clean up\n\n{chr(10).join(rules)}\n\n{own}" for rules, own in ((golden, approved), (candidate, steps))
        )
        return compare(*(read_text(text, "plan.md").workflow for text in texts), embedder, model)

    return of


def told(comparison: Comparison) -> list[Finding]:
    return [finding for finding in review(comparison) if finding.id == "WR502" and finding.severity != "info"]


@pytest.mark.parametrize(("rule", "same", "other"), RULES, ids=[rule for rule, *_ in RULES])
def test_another_rule_is_found_and_other_words_are_not(compared, rule: str, same: str, other: str):
    assert told(compared([rule], [same])) == []
    (found,) = told(compared([rule], [other]))
    now = None if other == "Skip the dry run." else other  # its words are in the golden: the rule is gone
    assert (found.severity, found.golden_value, found.candidate_value) == ("warning", rule, now)


def test_all_rules_in_other_words_are_one_rewriting(compared):
    """Each more rule in other words is one more chance to look changed; the level holds for all together."""
    assert told(compared([rule for rule, *_ in RULES], [same for _, same, _ in RULES])) == []


def test_a_rule_that_a_step_says_is_kept(compared):
    steps = STEPS.replace("3. Delete", "3. Do not delete any objects until the audit starts. Delete")
    assert told(compared([RULES[1][0]], ["Good luck."], steps)) == []


def test_without_a_calibrated_model_only_contradictions_count():
    golden, candidate = (
        read_text(f"# Clean up\n\n{rule}\n\n{STEPS}", "plan.md").workflow for rule in (RULES[4][0], RULES[4][2])
    )
    assert told(compare(golden, candidate, load_embedder())) == []


SECTIONS = """
## Verification

- Log in as a test user
- Check that orders can be placed

## Rollback

### Database

- Restore the backup
- Inform the customers
"""
"""Bullets beside the steps that are demands by their heading."""


@pytest.mark.parametrize(
    ("was", "now", "reported"),
    [
        ("Restore the backup", "Delete the backup", {"Restore the backup"}),
        ("- Restore the backup\n", "", {"Restore the backup"}),
        (
            SECTIONS[: SECTIONS.index("## Rollback")],
            "\n",
            {"Log in as a test user", "Check that orders can be placed"},
        ),
        (SECTIONS[SECTIONS.index("## Rollback") :], "", {"Restore the backup", "Inform the customers"}),
        ("Check that orders can be placed", "Make sure that orders can be placed", set()),
        ("Restore the backup", "Restore from the backup", set()),
        ("Inform the customers", "Tell the customers", set()),
        ("## Verification", "## Verify the result", set()),
    ],
)
def test_a_section_beside_the_steps_is_demanded(compared, was: str, now: str, reported: set[str]):
    around = SECTIONS.replace(was, now)
    assert around != SECTIONS
    found = told(compared([], [], STEPS + around, STEPS + SECTIONS))
    assert {finding.golden_value for finding in found} == reported


def test_bullets_that_only_inform_may_be_left_out(compared):
    notes = "\n## Notes\n\n- The owner of the bucket is the data team\n- It was written in spring\n"
    assert told(compared([], [], STEPS, STEPS + notes)) == []
    ordered = notes + "- Delete the old dump by hand\n"
    assert len(told(compared([], [], STEPS + notes, STEPS + ordered))) == 1


@pytest.mark.parametrize(
    ("was", "now", "messages"),
    [
        ("last_reviewed: 2024-05-11", "last_reviewed: 2025-01-20", 0),
        ("owner: ops", "owner: sales", 1),
        ("review: required", "review: none", 1),
    ],
)
def test_a_key_of_the_front_matter_is_one_finding(compared, was: str, now: str, messages: int):
    front = "---\nlast_reviewed: 2024-05-11\nowner: ops\nreview: required\n---\n\n"
    golden, candidate = (read_text(text + STEPS, "plan.md").workflow for text in (front, front.replace(was, now)))
    found = [one for one in review(compare(golden, candidate, load_embedder())) if one.id == "WR502"]
    assert (len(found), sum(one.severity != "info" for one in found)) == (1, messages)
