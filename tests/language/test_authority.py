"""A step that decided and now informs; the same decision in other words is none."""

import pytest

from wfgate.language import is_otherwise_close, lost_authority, lost_demand

LOST = [
    ("Ask the user to confirm the deletion of the account", "Tell the user that the account is deleted"),
    ("Get approval from the release manager", "Notify the release manager"),
    ("Do not continue before the release manager has approved", "Inform the release manager"),
    ("Stop the rollout if the error rate is above 1 %", "Log if the error rate is above 1 %"),
    ("Verify the signature of the image", "Report the signature of the image"),
    ("Require two reviewers to approve the change", "Record the change and inform two reviewers"),
    ("Wait for the customer's consent", "Send the customer a notification"),
    ("Have the security team sign off the release", "Let the security team know about the release"),
    ("The on-call engineer authorizes the failover", "The on-call engineer is informed about the failover"),
    ("Halt the deployment on a failing health check", "Report a failing health check"),
    ("Estimate the cost and stop if it exceeds 500 euros", "Cost check: report anything above 500 euros"),
    ("Have the controller approve the closing entries", "Send the closing entries to the controller"),
    ("Confirm with the office that the identity was verified", "Inform the office that the identity was verified"),
    ("Get two code reviews from the tax team", "Notify two people of the tax team about the code"),
]
KEPT = [
    ("Ask the user to confirm the deletion", "Tell the user what is deleted and ask for a yes"),
    ("Verify the backup and report the result", "Report the result of the backup"),
    ("Stop the service", "Shut the service down and log it"),
    ("Have the controller approve the entries", "Send the entries to the controller for approval"),
    ("Check that tokens signed with the old key work", "Show that tokens signed with the old key work"),
    ("Verify the services of all servers", "Look in the log whether the services run"),
    ("Confirm with a seed test that the mail arrives", "With seed mail, the postmaster establishes that it arrives"),
    ("Get approval from the release manager", "The release manager is told about it and must agree"),
    ("Validate the totals", "Compare the totals and record the difference"),
    ("Build the image", "Tell everybody that the image is built"),
]


@pytest.mark.parametrize(("golden", "candidate"), LOST)
def test_a_decision_that_became_a_notification(golden, candidate):
    assert lost_authority(golden, candidate) is not None
    assert is_otherwise_close(golden, candidate)
    assert lost_authority(candidate, golden) is None


@pytest.mark.parametrize(("golden", "candidate"), KEPT)
def test_the_same_decision_in_other_words(golden, candidate):
    assert lost_authority(golden, candidate) is None


def test_another_step_may_decide_instead():
    golden, candidate = LOST[1]
    assert lost_authority(golden, candidate, "Wait until the release manager agrees") is None
    assert lost_authority(golden, candidate, "Archive the release") is not None


def test_other_words_are_not_close():
    assert not is_otherwise_close("Get approval from the release manager", "Notify support that the canary is live")


STEP = "Back up the current database to the bucket"
ASIDE = [
    *(
        "Example: {}",
        "For example, {}",
        "Idea: {}",
        "Proposal - {}",
        "Plan to {}",
        "Try to {}",
        "We hope to {}",
        "{} (example)",
    ),
    *(
        "Remind the team to {}",
        "Somebody else will {}",
        "Another team should {}",
        "We used to {}",
        "Consider whether to {}",
    ),
]
DEMANDED = [
    *(
        "Make sure to {}",
        "Important: {}",
        "Remember to {}",
        "Then {}",
        "Do the following: {}",
        "The administrator will {}",
    ),
    *("{}, for example the one in Oslo", "If you want to continue, {}", "Ask the administrator to {}", "Decide: {}"),
]


@pytest.mark.parametrize("pattern", ASIDE)
def test_an_example_an_intention_and_a_task_of_others_are_no_demand(pattern: str):
    candidate = pattern.format(STEP if pattern.startswith("{") else STEP.lower())
    assert lost_demand(STEP, candidate) is not None
    assert lost_demand(candidate, STEP) is None
    assert lost_demand(candidate, candidate) is None


@pytest.mark.parametrize("pattern", DEMANDED)
def test_what_is_still_demanded(pattern: str):
    assert lost_demand(STEP, pattern.format(STEP)) is None
    assert lost_demand("Evaluate a new index for the table of orders", "Consider a new index for orders") is None
