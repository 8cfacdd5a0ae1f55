"""A step that decided and now informs; the same decision in other words is none."""

import pytest

from wfgate.texts.authority import is_otherwise_close, lost_authority

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
]
KEPT = [
    ("Ask the user to confirm the deletion", "Tell the user what is deleted and ask for a yes"),
    ("Verify the backup and report the result", "Report the result of the backup"),
    ("Stop the service", "Shut the service down and log it"),
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
