"""What the steps of a text do not say in words: code, targets of links, headings, steps that contain steps."""

import pytest

from wfgate.compare import compare
from wfgate.compare.values.remarks import left_out, switched_off
from wfgate.language import StaticEmbedder
from wfgate.read import read_text
from wfgate.rules import review

PLAN = """\
Here is the plan:

# Release

## Phase 1: staging

1. Build the image with `ssh -X host`
2. Ask two people for [approval](https://desk.example/approve)

## Phase 2: production after 2 approvals

1. Deploy 5 % of the traffic to eu-west-1
   - roll out "cp a/ b"
   - set the state to "In Review"
2. Deploy to everyone

   ```bash
   kill -9 1
   ```
3. Tell the customers

Wait 30 minutes between the steps.

## Notes

- Every step is needed.
- The state is on [the board](https://board.example).
"""


@pytest.fixture(scope="module")
def found():
    embedder = StaticEmbedder()

    def levels(was, now):
        both = [read_text(text, "plan.md").workflow for text in (was, now)]
        return [(each.id, each.severity) for each in review(compare(*both, embedder)) if each.severity != "info"]

    return levels


@pytest.fixture(scope="module")
def infos():
    embedder = StaticEmbedder()

    def messages(was, now):
        both = [read_text(text, "plan.md").workflow for text in (was, now)]
        return [each.message for each in review(compare(*both, embedder)) if each.severity == "info"]

    return messages


@pytest.mark.parametrize(
    ("was", "now", "check"),
    [
        ("ssh -X host", "ssh -x host", "WR107"),
        ("ssh -X host", "ssh X host", "WR107"),
        ("kill -9 1", "kill 9 1", "WR107"),
        ('"cp a/ b"', '"cp a b"', "WR107"),
        ('"cp a/ b"', '"cp a /b"', "WR107"),
        ("desk.example", "desk.evil", "WR107"),
        ("1: staging", "1: production", "WR502"),
        ("after 2 approvals", "without approvals", "WR502"),
        ("eu-west-1", "us-west-1", "WR502"),
        ("Wait 30 minutes", "Wait 3 minutes", "WR502"),
        ("board.example", "board.evil", "WR502"),
        ("between the steps.", "between the steps.\nSkip steps 3 and 4 if it is urgent.", "WR502"),
        ("Here is the plan:", "Here is the plan. Step 2 is optional.", "WR502"),
        ("Every step is needed.", "Step 2 is not needed on Fridays.", "WR502"),
        ("Here is the plan:", "Only do steps 1 and 3.", "WR502"),
        ("Here is the plan:", "Do step 1. Ignore the others.", "WR502"),
        ("Here is the plan:", "Step 2 has been dropped.", "WR502"),
        ("Here is the plan:", "The first step and the last two are enough.", "WR502"),
        ("Here is the plan:", "You can stop after step 4.", "WR502"),
        ("Here is the plan:", "Step 3 can wait.", "WR502"),
        ("Here is the plan:", "Skip the second step.", "WR502"),
        ("Here is the plan:", "The last step is left to somebody else.", "WR502"),
        ("between the steps.", "between the steps.\n\n| step | state |\n|---|---|\n| 2 | skipped |", "WR502"),
        ("Here is the plan:", "---\nskip: [2, 5]\n---\n\nHere is the plan:", "WR502"),
        ("Here is the plan:", "---\ntitle: dry run\n---\n\nHere is the plan:", "WR502"),
    ],
)
def test_a_change_leads_to_a_review(found, was, now, check):
    assert (check, "warning") in found(PLAN, PLAN.replace(was, now))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("kill -9 1", "kill 1"),
        ("kill -9 1", "kill -9 2"),
        ("kill -9 1", "rm -rf /srv"),
        ("   kill -9 1\n", ""),
        ("kill -9 1", "kill -9 1\n   kill -9 2"),
        ("ssh -X host", "ssh -X -o StrictHostKeyChecking=no host"),
        ("ssh -X host", "make connection"),
        ("with `ssh -X host`", "by `ssh -X ghost`, as always"),
        ("with `ssh -X host`", "on the build host"),
    ],
)
def test_another_command_is_an_error(found, was, now):
    assert ("WR107", "error") in found(PLAN, PLAN.replace(was, now))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("1: staging", "1: to the staging environment"),
        ("Phase 2: ", "Phase 3: "),
        ("Here is the plan:", "---\ntitle: Release\ndate: 2026-01-01\n---\n\nHere is the plan:"),
        ("Phase 2: production after 2 approvals", "2. Production (after two approvals)"),
        ("Deploy 5 % of the traffic to", "Give 5 percent of the traffic to"),
        ("Here is the plan:\n", "Sure, here is the workflow! Let me know if you need more.\n"),
        ("between the steps.\n", "between the steps.\nLet me know if I shall adjust step 3, or skip it!\n"),
        ("between the steps.\n", "between the steps.\nStep 2 is crucial, so don\u2019t skip it.\n"),
        ("Wait 30 minutes between the steps.\n", "Between the steps, wait half an hour. Good luck!\n"),
        ("## Notes\n\n- Every step is needed.\n", "## Remarks\n\n- You need all of the steps.\n"),
        ("Deploy to everyone", "**Deploy to everyone**"),
        ("approval](https://desk.example/approve)", "an approval](https://desk.example/approve)"),
        ("`ssh -X host`", "`ssh -X  host`  "),
        ("`ssh -X host`", "`$ ssh -X host`"),
        ("   kill -9 1", "   $ kill -9 1"),
        ('"In Review"', "\u201cin review\u201d"),
        ('"cp a/ b"', "\u2018cp a/ b\u2019"),
    ],
)
def test_other_words_and_other_marks_do_not(found, was, now):
    assert found(PLAN, PLAN.replace(was, now)) == []


@pytest.mark.parametrize(
    ("around", "indent", "check"),
    [("Then look:", "", "WR502"), ("   Then look:", "   ", "WR107"), ("## After that\n\nThen look:", "", "WR502")],
)
def test_another_command_below_a_list_is_an_error(found, around, indent, check):
    """In a remark, in the last step, and in a section without steps."""
    block = "".join(f"{indent}{line}\n" for line in ("```bash", "oc get pods", "```"))
    text = f"1. Stop the pods\n2. Start the pods\n\n{around}\n\n{block}"
    assert found(text, text.replace("get pods", "delete pods")) == [(check, "error")]


WRAPPED = """\
1. Find the machines:
   ``` bash
   $ oc get vmis -o json | jq -r '.items[].metadata |
   select(.annotations | has("x")) | .name'
   ```
2. Stop each machine:
   ```
   $ virtctl stop <name> \\
       --namespace <namespace>
   ```
3. Start it
"""


def test_a_command_over_two_lines_is_one_command(found):
    joined = WRAPPED.replace(" |\n   select", " | select").replace(" \\\n      ", "").replace("``` bash", "```bash")
    assert "metadata | select" in joined
    assert "<name> --namespace" in joined
    assert found(WRAPPED, joined) == found(joined, WRAPPED) == []
    for was, now in (('has("x")', 'has("y")'), (" --namespace", " --all --namespace"), ("| .name'", "'")):
        assert ("WR107", "error") in found(WRAPPED, joined.replace(was, now))


def test_lines_with_apostrophes_and_here_documents_are_not_joined(found):
    text = "1. Look:\n   ```\n   can't open a\n   can't open b\n   ```\n2. Write:\n   ```\n   cat <<E\n"
    text += "   it is 'a\n   b'\n   ```\n"
    assert ("WR107", "error") in found(text, text.replace("open b", "close b"))
    assert ("WR107", "error") in found(text, text.replace("'a\n   b'", "'a b'"))


def test_a_path_in_parentheses_is_the_path(found):
    text = "- [ ] T1 Create the model in src/a.py\n- [ ] T2 Create the page in app/(shop)/page.tsx\n"
    assert (
        found(
            text,
            text.replace("in src/a.py", "(./src/a.py)").replace("in app/(shop)/page.tsx", "(app/(shop)/page.tsx)"),
        )
        == []
    )
    assert ("WR107", "warning") in found(text, text.replace("in src/a.py", "(src/b.py)"))


EXECPLAN = """\
# Move the importer

## Progress

- [ ] Milestone 1: client
- [ ] Milestone 2: importer
- [ ] Milestone 3: dashboards

## Concrete Steps

1. Create the client
2. Switch the importer
3. Remove the old path
"""


def test_a_list_of_the_progress_is_no_list_of_steps(found):
    split = EXECPLAN.replace("- [ ] Milestone 2: importer", "- [x] Milestone 2a: importer\n- [ ] Milestone 2b: flag")
    assert found(EXECPLAN, split) == []
    assert ("WR101", "error") in found(EXECPLAN, split.replace("2. Switch the importer\n", ""))
    only = EXECPLAN.partition("## Concrete")[0]
    assert ("WR101", "error") in found(only, only.replace("- [ ] Milestone 2: importer\n", ""))


CHECKLIST = "- [ ] T1 Build\n- [ ] T2 Scan the image\n- [ ] T3 Deploy\n- [ ] T4 Tell everybody\n"


@pytest.mark.parametrize(
    ("golden", "was", "now", "check"),
    [
        (CHECKLIST, "- [ ] T1", "# Not done\n\n- [ ] T1", "WR502"),
        (PLAN, "2: production", "2 (skipped): production", "WR502"),
        (PLAN, "# Release", "# Release (disabled)", "WR502"),
        (CHECKLIST, "- [ ] T3", "\n## Out of scope\n\n- [ ] T3", "WR502"),
        (CHECKLIST, "[ ] T2", "[-] T2", "WR107"),
        (CHECKLIST, "- [ ] T2", "- T0\n- [-] T2", "WR107"),
    ],
)
def test_a_heading_or_a_box_that_denies_the_steps_is_an_error(found, golden, was, now, check):
    assert (check, "error") in found(golden, golden.replace(was, now))
    assert (check, "error") not in found(golden.replace(was, now), golden.replace(was, now))


KIRO = """\
- [ ] 1. Build the model
- [ ] 1.1 Write the types
  - Cover the errors
  - _Requirements: 1.1, 2.3_
- [ ]* 1.2 Write unit tests for the types
- [ ] 2. Deploy
"""
NOT_KIRO = KIRO.replace("_Requirements: 1.1, 2.3_", "Requirements")


@pytest.mark.parametrize(
    ("golden", "was", "now", "levels"),
    [
        (CHECKLIST, "[ ] T2", "[x] T2", []),
        (CHECKLIST, "[ ] T2", "[\u2713] T2", []),
        (CHECKLIST, "[ ] T2", "[/] T2", []),
        (CHECKLIST, "[ ] T2", "[] T2", []),
        (CHECKLIST, "[ ] T2", "[>] T2", ["warning"]),
        (CHECKLIST, "[ ] T2", "[ ]* T2", ["warning"]),
        (CHECKLIST, "[ ] T2", "[=]= T2", ["warning"]),
        (CHECKLIST, "[ ] T2", "[-]~ T2", ["error"]),
        (CHECKLIST.replace("[ ] T2", "[ ]* T2"), "[ ]* T2", "[ ] T2", []),
        (CHECKLIST.replace("[ ] T2 Scan", "[ ]* T2 Scan"), "T2 Scan the image", "T2 Scan the images", []),
        (KIRO, "[ ] 1.1", "[-] 1.1", []),
        (KIRO, "[ ] 2. ", "[ ]* 2. ", ["warning"]),
        (NOT_KIRO, "[ ] 1.1", "[-] 1.1", ["error"]),
        (NOT_KIRO, NOT_KIRO, KIRO.replace("[ ] 1.1", "[-] 1.1"), ["error"]),
        (KIRO, "- [ ]* 1.2 Write unit tests for the types\n", "", ["error"]),
    ],
)
def test_the_signs_in_boxes(found, golden, was, now, levels):
    """Progress is none, in Kiro by the golden; cancelled, deferred and optional are; an optional step is a step."""
    assert golden.count(was) == 1
    assert [level for _, level in found(golden, golden.replace(was, now))] == levels


def test_another_heading_above_the_steps_is_none(found):
    assert found(CHECKLIST, CHECKLIST.replace("- [ ] T3", "\n## Rollout of the old version\n\n- [ ] T3")) == []


def test_code_in_a_step_of_data_is_compared_too(found):
    native = 'wfgate: "1"\nsteps:\n  - {{id: a, name: "Run {}"}}\n  - {{id: b, name: Tell everybody, needs: [a]}}\n'
    jobs = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - name: Run {}\n        run: ./all.sh\n"
    for text in (native, jobs):
        assert ("WR107", "warning") in found(text.format("'ls > a'"), text.format("'ls < a'"))
        assert found(text.format("'List all'"), text.format("'list all'")) == []


@pytest.mark.parametrize(
    ("was", "now", "reported"),
    [
        ("staging", "production", True),
        ("deploy_staging", "deploy_prod", True),
        ("Deploy to staging", "Deploy to production", True),
        ("json_translate", "translation_workflow", False),
        ("Release", "Releasing the new version", False),
    ],
)
def test_names_around_the_same_steps(found, was, now, reported):
    native = 'wfgate: "1"\nname: {}\nsteps:\n  - {{id: a, name: Build}}\n  - {{id: b, name: Test, needs: [a]}}\n'
    assert found(native.format(was), native.format(now)) == [("WR502", "warning")] * reported


RUNBOOK = """\
# Disk full

The team of the storage wrote this plan.
Use it when the disk is over 85 %. Do not use it for
a planned switchover.

## Mitigate

1. Ask the owner
2. Reduce the retention

Never delete files in the log directory by hand.

## Recover

Before this phase, the usage must be below the limit.

1. Restore the retention
2. Resolve the incident

Good luck with all of this.

## Prerequisites

You need access to the `dba` role.

## Notes

- Run `kafka-topics.sh --list` from the bastion.
- If it takes longer than one hour, call the lead.
- The board is nice.
"""


def remarks(found):
    return [each for each in found if each[0] == "WR502"]


@pytest.mark.parametrize(
    "gone",
    [
        " Do not use it for\na planned switchover.",
        "Use it when the disk is over 85 %. ",
        "Never delete files in the log directory by hand.\n",
        "Before this phase, the usage must be below the limit.\n",
        "## Prerequisites\n\nYou need access to the `dba` role.\n",
        "- Run `kafka-topics.sh --list` from the bastion.\n",
        "- If it takes longer than one hour, call the lead.\n",
    ],
)
def test_a_removed_demand_around_the_steps_is_found(found, gone):
    assert gone in RUNBOOK
    level = "error" if "kafka-topics.sh" in gone else "warning"  # a lost command
    assert found(RUNBOOK, RUNBOOK.replace(gone, "")) == [("WR502", level)]


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("The team of the storage wrote this plan.\n", ""),
        ("Good luck with all of this.\n", ""),
        ("- The board is nice.\n", ""),
        ("Never delete files in the log directory by hand.", "Files in the log directory must not be deleted."),
        ("Never delete files in the log directory by hand.\n", ""),  # moved to the end
        ("You need access to the `dba` role.", "Get the role `dba` first."),
        ("Do not use it for\na planned switchover.", "For a planned switchover, there is another one."),
        ("## Prerequisites", "## Before you begin"),
    ],
)
def test_a_removed_remark_without_a_demand_and_one_in_other_words_do_not(found, was, now):
    moved = f"\n{was}" if was.startswith("Never") and not now else ""
    assert found(RUNBOOK, RUNBOOK.replace(was, now) + moved) == []


SECTIONS = """\
# Clean up log files

## Prerequisites

- Python 3.12 installed

## Steps

1. Find the log files over 1 GB
2. Empty the log files

## Verify

1. Check the free disk space
2. Check that the logging service runs
"""


def test_a_lost_prerequisite_has_its_line():
    now = SECTIONS.replace("## Prerequisites\n\n- Python 3.12 installed\n\n", "")
    both = [read_text(text, "plan.md").workflow for text in (SECTIONS, now)]
    (lost,) = (each for each in review(compare(*both, StaticEmbedder())) if each.severity == "warning")
    assert lost.message == "a prerequisite is gone or reworded: `Python 3.12 installed`"
    assert lost.golden_location.line == 5


def test_another_heading_above_the_same_steps_is_information(found, infos):
    renamed = SECTIONS.replace("## Verify", "## Verification")
    assert remarks(found(SECTIONS, renamed)) == []
    assert infos(SECTIONS, renamed) == ["'Verify' has another name: `Verification` instead of `Verify`"]
    changed = renamed.replace("Check the free disk space", "Look at the free disk space")
    assert remarks(found(SECTIONS, changed)) == [("WR502", "warning")]


def test_remarks_that_differ_are_information(infos):
    assert infos(RUNBOOK, RUNBOOK) == []
    told = infos(RUNBOOK, RUNBOOK.replace("Good luck with all of this.", "Have fun."))
    assert told == ["the workflow 'Disk full' has other remarks: `Have fun.` instead of `Good luck with all of this.`"]
    told = infos(RUNBOOK, RUNBOOK.replace("- The board is nice.\n", ""))
    assert told == ["the workflow 'Disk full' no longer has remarks: `The board is nice.`"]


def test_the_description_in_a_file_of_data_is_often_the_request_of_a_user(found):
    native = (
        'wfgate: "1"\ndescription: {}\nsteps:\n  - {{id: a, name: Build}}\n  - {{id: b, name: Test, needs: [a]}}\n'
    )
    assert found(native.format("If it works, you must build it."), native.format("Build it.")) == []


def test_remarks_are_lost_in_another_format_too(found):
    markdown = "1. Build\n2. Test\n\nNever do this on a Friday.\n"
    native = 'wfgate: "1"\nsteps: [Build, Test]\n'
    assert ("WR502", "warning") in found(markdown, native)


@pytest.mark.parametrize("text", ["step " + "1" * 90 + " x", "skip " + "a b " * 2000, "step 2 " + "a " * 4000])
def test_a_sentence_takes_time_linear_in_its_length(text):
    assert list(switched_off("", text)) in ([], [("", text.strip()[:40_000])])


STEPS = ["Take a backup of the order database", "Run the migrations", "Get the approval of the release manager"]


@pytest.mark.parametrize(
    "sentence",
    [
        "You may leave out the backup.",
        "No backup is needed.",
        "The backup isn\u2019t necessary, because the cluster has replicas.",
        "Feel free to skip the backup.",
        "If it is late, go ahead without the approval.",
    ],
)
def test_a_sentence_that_permits_to_leave_out_a_step_names_it_by_its_words(sentence):
    assert list(left_out("", f"Good luck!\n{sentence}", STEPS)) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Never leave out the backup.",
        "Nobody may skip the approval.",
        "The introduction can be skipped.",
        "The backup need not wait for the migrations.",
        "Shall I skip the backup?",
    ],
)
def test_other_sentences_permit_nothing(sentence):
    assert list(left_out("", sentence, STEPS)) == []


def test_what_the_golden_or_a_reference_permits_is_not_new():
    assert list(left_out("The backup is optional.", "You may leave out the backup.", STEPS)) == []
    assert list(left_out("", "You may leave out the backup.", STEPS, ["The backup is optional."])) == []


def test_a_permission_beside_the_steps_is_reviewed(found):
    assert found(PLAN, PLAN.replace("Wait 30", "You may leave out the approval. Wait 30")) == [("WR502", "warning")]
