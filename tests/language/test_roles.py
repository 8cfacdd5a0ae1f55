"""Words that stay and exchange their roles; clauses and items of lists may change places."""

import random

import pytest

from wfgate.language import exchanged_roles

EXCHANGED = [
    ("Copy the data from nas-01 to nas-02", "Copy the data from nas-02 to nas-01"),
    ("Copy the data from nas-01 to nas-02", "The data is copied from nas-02 to nas-01"),
    ("Restore the production dump into staging", "Restore the staging dump into production"),
    ("Merge the release branch into main", "Merge main into the release branch"),
    ("Run A before B", "Run B before A"),
    ("Take a backup before deleting the table", "Before taking a backup, delete the table"),
    ("Take a backup, then delete the table", "Delete the table, then take a backup"),
    ("Pay the supplier after the manager approves", "The manager approves after paying the supplier"),
    ("Alice reviews the change that Bob wrote", "Bob reviews the change that Alice wrote"),
    ("Keep server web-01 and delete server web-02", "Keep server web-02 and delete server web-01"),
    ("Delete staging, keep production", "Delete production, keep staging"),
    (
        "Grant read access to auditors and write access to admins",
        "Grant write access to auditors, read access to admins",
    ),
    ("Accept if the score is above 80, otherwise reject", "Reject if the score is above 80, otherwise accept"),
    (
        "If CPU is above 80 %, scale up; if below 20 %, scale down",
        "If CPU is above 80 %, scale down; if below 20 %, scale up",
    ),
    ("Wait 5 minutes and retry 10 times", "Wait 10 minutes and retry 5 times"),
    ("Only the manager may approve, not the requester", "Only the requester may approve, not the manager"),
    ("Do not stop the database but stop the web server", "Stop the database but do not stop the web server"),
    ("Inform the users. Move the mails from old to new. Close", "Inform users. Move mails from new to old. Close"),
    ("Deploy to eu-west-1 first, then to us-east-1", "Deploy to us-east-1 first, then to eu-west-1"),
]
KEPT = [
    ("Once the tests pass, deploy the image", "Deploy the image once the tests pass"),
    ("Before deleting the table, take a backup", "Take a backup before deleting the table"),
    ("Use the profile to scan the hosts", "Scan the hosts using the profile"),
    ("The manager approves the release", "The release is approved by the manager"),
    ("Restart db1 and db2", "Restart db2 and db1"),
    ("Deploy to eu and to us", "Deploy to us and to eu"),
    ("Check A, B and C in staging", "Check C, B and A in staging"),
    ("Notify the users and stop the service", "Stop the service and notify the users"),
    ("Compare the ledger with the statement", "Compare the statement with the ledger"),
    ("Merge the branch with main", "Merge main with the branch"),
    (
        "Scale up if CPU is above 80 %, scale down if it is below 20 %",
        "Scale down if it is below 20 %, scale up if CPU is above 80 %",
    ),
    ("Copy the report from sales to finance on Friday", "On Friday the report from sales to finance is copied"),
    ("Join flights and airports tables", "The tables flights and airports are joined"),
    ("Cut two equal lengths of wire", "Cut two wires of equal length"),
    ("Stop if scores differ by more than 0.1 for over 5 %", "Stop if scores differ by over 0.1 for more than 5 %"),
    ("Pour slab level 3", "Level 3 slab pour"),
    ("Do not wipe the laptop", "Wiping the laptop: do not"),
    ("Upgrade the standby first, then the primary", "First upgrade the standby, then the primary"),
]


@pytest.mark.parametrize(("golden", "candidate"), EXCHANGED)
def test_exchanged_roles(golden, candidate):
    found = exchanged_roles(golden, candidate)
    assert found is not None
    assert found.golden_words in golden
    assert found.candidate_words in candidate
    assert exchanged_roles(candidate, golden) is not None


@pytest.mark.parametrize(("golden", "candidate"), KEPT)
def test_kept_roles(golden, candidate):
    assert exchanged_roles(golden, candidate) is None
    assert exchanged_roles(candidate, golden) is None


def test_an_order_that_became_at_the_same_time():
    golden = "Upgrade the standby first, then fail over, then upgrade the old primary"
    assert exchanged_roles(golden, "Upgrade the primary and the standby at the same time") is not None
    assert exchanged_roles(golden, "First upgrade the standby, then fail over; never do both at the same time") is None


def test_a_list_in_another_order_is_no_exchange():
    for seed in range(50):
        chance = random.Random(seed)
        verb, place = (
            chance.choice(["Restart", "Keep", "Copy", "Notify"]),
            chance.choice(["", " in staging", " before noon"]),
        )
        items = chance.sample(["web-01", "the database", "port 443", "A", "auditors", "nas-02", "the old volume"], 4)
        one, other = (
            f"{verb} {', '.join(order[:-1])} and {order[-1]}{place}" for order in (items, chance.sample(items, 4))
        )
        assert exchanged_roles(one, one) is None
        assert exchanged_roles(one, other) is None
