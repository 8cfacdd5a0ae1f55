"""Contradictions of two texts: what must be found, what must stay silent, and what was measured on recorded texts."""

import hashlib
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.calibration import read_corpus
from wfgate.language import contradictions, disagreements, other_topics, plain_text, quantities, tokens

CORPORA = Path(__file__).parents[2] / "calibration" / "corpora"


@pytest.mark.parametrize(
    ("golden", "candidate", "kind"),
    [
        ("Enable the flag in production", "Disable the flag in production", "opposite"),
        ("Switch on the alert for bank changes", "The alert for bank changes is switched off", "opposite"),
        ("Encrypt the backup with AES", "Decrypt the backup with AES", "opposite"),
        ("Close the ticket after recovery", "Close the ticket before recovery", "opposite"),
        ("Retrieve the network policy of the library", "Update the network policy of the library", "opposite"),
        ("Deploy the build to staging", "Deploy the build to production", "category"),
        ("Mail the weekly report", "Mail the daily report", "category"),
        ("Block if more than 10 % of rows fail", "Block if more than 100 % of rows fail", "number"),
        ("Keep the zones for 7 days", "Keep the zones for 7 hours", "number"),
        ("Use two release managers", "Use three release managers", "number"),
        ("Wait at least 15 minutes", "Wait at most 15 minutes", "bound"),
        ("Publish the report", "Do not publish the report", "negation"),
        (
            "Power it off, so that two can never accept writes. Do not start it before it is rebuilt.",
            "Power it off, so that two can never accept writes. Start it before it is rebuilt.",
            "negation",
        ),
        ("If not found, check cabinets", "If found, check cabinets", "negation"),
        ("Create the user account", "Delete the user account", "opposite"),
        ("Stretch before training", "Avoid stretching before training", "negation"),
        ("Scan the image for CVEs", "If possible, scan the image for CVEs", "weakened"),
        ("Merge after approval of the owner", "Merge regardless of approval of the owner", "lifted"),
        ("Send the chats to Zendesk", "Send the chats to Salesforce", "name"),
        ("Install it on qa-3", "Install it on qa-42", "name"),
        ("Install Ceph 18.2.4 from the mirror", "Install Ceph 19.2.1 from the mirror", "name"),
        ("Convert all amounts to EUR", "Convert all amounts to USD", "name"),
        ("Approve up to 100 euros", "Approve up to 100 dollars", "number"),
        ("Start at 08:00", "Start at 20:00", "number"),
        ("Lock the period. Tell the auditors.", "Tell the auditors. Do not lock the period.", "negation"),
        ("Lock the period", "Lock the period? Do not lock the period", "negation"),
        ("Do not enable the flag", "Do not disable the flag", "opposite"),
        ("Create the account with role 'admin'", "Create the account with role 'guest'", "category"),
        ("Warm up with 2,000 users.", "Warm up with 20k users.", "number"),
        ("Keep the snapshots for 1 year.", "Keep the snapshots for 6 months.", "number"),
        (
            "Reject it if there are more than five findings.",
            "Reject it if there are seven or more findings.",
            "number",
        ),
        ("Create the index with 2 replicas.", "Create the index with no replicas.", "negation"),
    ],
)
def test_contradictions_are_found_in_both_directions(golden, candidate, kind):
    assert kind in {found.kind for found in contradictions(golden, candidate)}
    if kind not in {"weakened", "lifted"}:  # to demand more is no contradiction
        assert contradictions(candidate, golden)


@pytest.mark.parametrize(
    ("golden", "candidate", "kind", "words"),
    [
        (
            "Write the table to S3; don't overwrite the previous one.",
            "Write the table to S3, overwriting the previous version.",
            "negation",
            ("not overwrite", "overwriting"),
        ),
        (
            "Disinfect the cabinet before opening cultures.",
            "Open cultures in the cabinet without disinfecting it.",
            "negation",
            ("Disinfect", "without disinfecting"),
        ),
        (
            "Revoke the key in Vault and delete its copy.",
            "Put the key into Vault again, its copy never deleted.",
            "negation",
            ("delete", "never deleted"),
        ),
        (
            "All appeal campaigns shall be paused.",
            "Move appeals to next week, pause nothing.",
            "negation",
            ("paused", "pause nothing"),
        ),
        (
            "Copy the tag from the ledger, not from the registry.",
            "Copy the tag from the registry, not from the ledger.",
            "negation",
            ("ledger", "not from the ledger"),
        ),
        (
            "Collect the drift report of every host and file it.",
            "Skip the drift report of the hosts for now.",
            "negation",
            ("drift", "Skip the drift"),
        ),
        (
            "Sign the WAR file with the company key.",
            "The WAR file stays unsigned with the key at hand.",
            "negation",
            ("Sign", "unsigned"),
        ),
        ("Call the top bidders.", "Call all but the top bidders.", "negation", ("top", "all but top")),
        (
            "Disable the old key in Vault.",
            "Leave the old key enabled in Vault as a spare.",
            "opposite",
            ("Disable", "Leave the old key enabled"),
        ),
        ("Fail back in steps of 25%.", "Fail back, moving all viewers at once.", "opposite", ("in steps", "at once")),
        ("If the check fails, abort.", "If the check fails, carry on.", "opposite", ("abort", "carry on")),
        (
            "Warn the staff once both blocks are confirmed.",
            "Warn the staff without waiting for the blocks.",
            "lifted",
            ("once", "without waiting"),
        ),
        (
            "Ask security to confirm the findings are closed; no release without this.",
            "Ask security about the findings; the release need not wait.",
            "weakened",
            ("", "need not"),
        ),
        (
            "Turn away any delivery without a PO number.",
            "Preferably see a PO number on the delivery.",
            "weakened",
            ("", "Preferably"),
        ),
    ],
)
def test_a_change_of_polarity_is_found_in_much_reworded_texts(golden, candidate, kind, words):
    found = {(one.kind, one.golden_words, one.candidate_words) for one in contradictions(golden, candidate)}
    assert (kind, *words) in found


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Each signing needs the approval of a manager.", "No signing without the approval of a manager."),
        ("Clear the flag only after the test has passed.", "Do not clear the flag until the test has passed."),
        ("Pin actions to full hashes, not tags.", "Actions: full hash for pinning. Tags won't do."),
        ("Trust the passport scan over the form.", "The passport scan is trusted rather than the form."),
        ("Send the plan without forecasts.", "Send the plan, not without asking; no forecasts in it."),
        ("Destroy the key in front of a witness.", "Destroy the key, not without a witness present."),
        ("Convert the report to PDF without overwriting files.", "The report becomes a PDF; no file is overwritten."),
        ("Freeze payouts for 72 hours.", "No payout leaves for 72 hours."),
        ("Encourage your child to read.", "Use stories to encourage your child to read."),
        ("Search for information on the keywords.", "With the keywords, look for information."),
        ("Return the form before the next date.", "Hand in the form until the next date."),
        ("Check the label before the bag leaves.", "Label: checked. Until then the bag stays, does not leave."),
        ("Back up the host before the upgrade of the host.", "Upgrade the host after the backup of the host."),
        ("Take a backup before changing anything.", "Make a backup, and only after that make changes."),
        ("Watch the queue and turn off the alarm.", "Turn the alarm off and keep an eye on the queue."),
        ("Set it on all arrays, not only on the used one.", "Set it on all arrays, even if only one was used."),
        ("Drain the nodes one at a time.", "Drain node by node, never two at once."),
        ("Stop the rollout if the client is older than 9.8.", "Stop the rollout if the client is below 9.8."),
        ("Compute the rolling 12m average.", "Compute the average over a rolling 12 months."),
        (
            "Order toner once the box is open.",
            "Order toner from the opening of the box; do not wait for it to run out.",
        ),
        (
            "One group per evening; staff the line until 22:00.",
            "One group per evening after 19:00, line staffed to 22:00.",
        ),
    ],
)
def test_rewordings_with_a_negation_or_an_order_are_no_contradiction(golden, candidate):
    assert contradictions(golden, candidate) == ()


@pytest.mark.parametrize(
    "golden",
    [
        "not overwriting the goods ",
        "unused used ",
        "before the goods ",
        "x, not y ",
        "close lock goods review ",
        "in steps goods review ",
        " ".join(f"not w{chr(97 + n % 26) * (1 + n // 26)}ing" for n in range(200)) + " ",
    ],
)
def test_long_texts_take_linear_time(golden):
    candidate = "leave the goods review enabled leave open at once after the goods "

    def seconds(length):
        texts = (golden * length)[:length], (candidate * length)[:length]
        start = time.perf_counter()
        contradictions(*texts)
        contradictions(*texts[::-1])
        return time.perf_counter() - start

    seconds(100)
    assert seconds(40_000) < 60 * max(seconds(4_000), 0.01)


OFF = """\
N/A: {}|TODO: {}|FIXME: {}|Placeholder: {}|Stub: {}|No-op: {}|Was: {}|Formerly: {}|Not: {}|Backlog: {}|Dry run: {}|\
Simulate: {}|WIP: {}|Draft: {}|[disabled] {}|{} (n/a)|{} (off)|{} (TBD)|{} (skipped)|{} (removed)|{} (deprecated)|\
{} [cancelled]|N/A - {}|{} \u2014 skipped|{}. Not needed.|\u274c {}|\U0001f6ab {}|{} \u274c|// {}|REM {}|echo "{}"|\
<!-- {} -->|~~{}~~|Proceed. No longer: {}|Skipped for now: {}"""
HARMLESS = """\
Step 3: {}|Important: {}|Note: {}|Security: {}|If approved: {}|Old database: {}|{} (2 people)|\u2705 {}|\U0001f680 {}|\
Replace the old version: {}|{}. Example: trivy x|{}. Optional: tell the team"""
GOLDENS = (
    "Scan the image with trivy and fail on any critical finding",
    "Never skip the audit and record the release in the change log",
    "Take a full backup. Keep it for 30 days",
)


@pytest.mark.parametrize("golden", GOLDENS)
def test_a_label_that_turns_a_step_off_is_a_contradiction(golden):
    labels = [label.format(golden) for label in OFF.split("|")]
    assert [label for label in labels if not contradictions(golden, label)] == []
    assert [label for label in labels if contradictions(label, label)] == []


@pytest.mark.parametrize("golden", GOLDENS)
def test_other_labels_are_none(golden):
    labels = [label.format(golden) for label in HARMLESS.split("|")]
    assert [label for label in labels if contradictions(golden, label)] == []


@pytest.mark.parametrize(
    ("golden", "candidate"),
    [
        ("Wait 30 minutes", "Wait half an hour"),
        ("Freeze payouts for 72 hours", "Freeze payouts for three days"),
        ("Look within 1000 meters of the station", "Look within one kilometre of the station"),
        ("Run eight parallel shards", "Run 8 shards in parallel"),
        ("Meet at 8:00 PM", "Meet at 20:00"),
        ("Update the page every 30 minutes", "Update the page each half hour"),
        ("Take the date September 30th, 2021", "Take the date 2021-09-30"),
        ("Expect zero rows", "Expect 0 rows"),
        ("At least 300 GB are free", "No less than 300 GB are free"),
        ("Revoke the key no later than 60 minutes after", "Revoke the key at most 60 minutes after"),
        ("Back up before the upgrade", "Upgrade after the backup"),
        ("Do not stop the service", "Don't stop the service"),
        ("Keep only entries with 4 cylinders", "Drop entries without 4 cylinders"),
        ("Ask two customers", "Ask both customers"),
        ("Retrieve media laws in the United States", "Retrieve media laws in the US"),
        ("RunUnitTests", "run unit tests"),
        ("deploy_to_staging", "Deploy to Staging!"),
        ("Enable the flag", "Switch the flag on"),
        ("Run Unit Tests", "Execute Unit Checks"),
        (
            "Register the model if its score is high",
            "If the score is high register the model, else do not register it",
        ),
        ("Reject the invalid and accept the valid", "Accept the valid and reject the invalid"),
        ("", "Enable the flag"),
        ("Enable the flag", ""),
        ("Build", "Paint the fence"),
        ("Warm up with 2,000 users for 10 minutes.", "Warm-up: 2k users, ten min."),
        ("Freeze 36 months of till data.", "Freeze 3 years of till data."),
        ("Keep the snapshots for 1 year.", "Keep the snapshots for twelve months."),
        ("Pause the waves if more than two gateways fail.", "If three or more gateways fail, pause the waves."),
        ("Confirm the cut before opening a P1.", "Do not open a P1 until the cut is confirmed."),
        ("Require a FIDO2 key before the first login.", "No FIDO2 key, no first login."),
        ("Create the index with no replicas.", "Create the index with 0 replicas."),
        (
            "Drain the nodes, respecting PodDisruptionBudgets in Berlin.",
            "Drain the nodes, respect the PDBs in Berlin.",
        ),
        ("Email the contacts on Tuesday.", "Email the contacts, Tue, OK."),
        ("Forward all calls before any line is moved.", "Forward all calls; no line is moved before that."),
        ("Swap both stations' identifiers.", "Swap both stations' identifiers, touching no other station."),
        ("Confirm the number from an independent source.", "Confirm by an independent source, not by the letter."),
        ("Have a different person review the plan.", "The plan's reviewer may not be the same person."),
        (
            "Suppress cells so that no patient can be recognised.",
            "Suppress cells; patients stay unrecognisable.",
        ),
        ("Cancel the build if latency doubles.", "Stop the build when latency doubles."),
        ("Send the owners the plans.", "The owners receive the plans."),
        ("Park late parts and leave them out of the count.", "Park late parts, uncounted."),
        ("Scan every barcode into the LIMS.", "Register every barcode in the LIMS by scanning."),
        ("Debit no earlier than 5 days after notice.", "Debit 5 days after notice or later."),
        ("Ramp up to 40,000 users over 30 minutes.", "Ramp to 40,000 users over 30 minutes."),
        (
            "A clerk approves up to 25,000 euros.",
            "A clerk approves 25,000 euros or less, the director all above.",
        ),
        ("Delete it after 14 days, provided the lead agrees.", "Delete it after 14 days, only if the lead agrees."),
        ("Throttle it to 50 MB/s.", "Throttle it to 50 MB/s | Move 40 at a time; the next only when all are in sync"),
        ("Send a test page to the incoming engineer.", "Send a test page | Have the outgoing engineer write the note"),
        ("Stop the old job.", "Have the report signed; stop the old job."),
    ],
)
def test_rewording_is_no_contradiction(golden, candidate):
    assert contradictions(golden, candidate) == ()
    assert contradictions(candidate, golden) == ()


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("BinaryClassificationModelTraining", "Training of a regression ML model"),
        ("BinaryClassification", "Training and evaluation of a regression ML model"),
        ("enable_feature_flag", "Disables the feature flag for all users"),
        ("Download report", "Uploads the report to the portal"),
        ("Retry 3 times", "Tries again, five times at most"),
    ],
)
def test_a_description_that_denies_its_name(name, description):
    assert disagreements(name, description)


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("Deploy to production", "Rolls out the image that passed in staging"),
        ("Enable flag", "Turns on the flag; the old flag is disabled"),
        ("Classification", "Trains a binary classifier"),
        ("Compare models", "Compares the classification model with the regression model"),
        ("Open ticket", "Opens a ticket that is closed after a week"),
        ("Build", ""),
    ],
)
def test_a_description_that_says_more_than_its_name(name, description):
    assert disagreements(name, description) == ()


def test_a_step_about_another_topic_than_its_workflow():
    assert other_topics("The goal is binary classification", "Trains a regression model")
    assert not other_topics("The goal is binary classification", "Trains the binary classifier")
    assert not other_topics("Deploy to production", "Deploy to staging first")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("12,400 tests", [12400.0]),
        ("two hundred and five", [205.0]),
        ("seven and a half", [7.5]),
        ("three quarters of a cup", [0.75]),
        ("3/4 cup", [0.75]),
        ("2 million", [2e6]),
        ("id T96qFR", []),
        ("18:00", [64800.0]),
        ("25nl", [25e-9]),
        ("twenty one", [21.0]),
        ("release 1.30.2", [1.0, 30.0, 2.0]),
    ],
)
def test_numbers_are_read(text, values):
    assert [quantity.value for quantity in quantities(tokens(plain_text(text)))] == pytest.approx(values)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_taken(golden, candidate):
    assert contradictions(golden, golden) == ()
    contradictions(golden, candidate)
    disagreements(golden, candidate)


@given(st.text(alphabet="0123456789.,:/- ", max_size=400))
def test_any_digits_are_taken(text):
    assert contradictions(text, text) == ()
    contradictions(text, f"{text} 7 hours")


@pytest.mark.slow
def test_what_was_measured_on_texts_that_chose_no_list():
    """The half of the recorded goldens on which nothing was tuned: quiet on rewordings, 3 in 10 of all drifts."""
    corpus = read_corpus([CORPORA / name for name in ("worfbench", "ops", "steps")])
    benign, drift = [], []
    for golden in corpus.goldens:
        if int(hashlib.sha256(f"half{golden.id}".encode()).hexdigest(), 16) % 2 == 0:
            continue
        steps = [task.text for task in golden.workflow.tasks]
        for reworded in golden.texts.rewordings:
            benign += [bool(contradictions(*pair)) for pair in zip(steps, reworded, strict=True)]
        drift += [bool(contradictions(steps[text.step], text.text)) for text in golden.texts.drifts]
    assert sum(benign) / len(benign) <= 0.007
    assert sum(drift) / len(drift) >= 0.28
