"""The short forms of a case: title, counts, one line per reason."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.decide import CaseResult, Reason
from wfgate.language import beginning, marked
from wfgate.model import listed, named, plain, read, rewording
from wfgate.rules import NAME, Finding
from wfgate.rules.base import Wording, instead, with_values
from wfgate.rules.relative.value_words import exchanged
from wfgate.show import CaseView, brief

from ..hypothesis_examples import examples

LONG = "Restore the payments database from the snapshot of the previous night in region {}"


def case_with(make_block, step, message, **finding):
    text, mentions = read(message)
    found = Finding(
        id="WR106",
        defect="meaning-changed",
        severity="error",
        message=text,
        mentions=mentions,
        fingerprint="f9",
        **finding,
    )
    case = make_block(findings=(found,), reasons=())
    alignment = case.alignment.model_copy(update={"missing": tuple(map(step, finding.get("tasks", ())))})
    reason = Reason.of(found, case.golden, case.candidate)
    return case.model_copy(update={"alignment": alignment, "reasons": (reason,)})


def line(case):
    marks = {"": "{}", "golden": "[-{}-]", "candidate": "{{+{}+}}"}
    return "".join(marks[side].format(text) for text, side in CaseView(case).reasons[0].pieces)


@pytest.fixture
def step(make_block):
    one = make_block().alignment.missing[0]
    return lambda name: one.model_copy(update={"name": name})


def test_a_title_names_and_counts_what_broke(make_block, make_inconclusive, make_unreadable):
    assert brief.title(make_block()) == "step missing, meaning changed, order inverted"
    twice = make_block()
    twice = twice.model_copy(update={"reasons": (*twice.reasons[:2], twice.reasons[1])})
    assert brief.title(twice) == "step missing, meaning changed (2)"
    assert brief.title(make_inconclusive()) == "undecided"
    assert brief.title(make_unreadable()).startswith("nothing was compared: out/bad.yaml:3:1: ")


def test_a_changed_text_is_old_then_new_with_the_changes_marked(make_block, step):
    was, now = f"{LONG.format('eu-west-1')} and check it", f"{LONG.format('us-east-1')} and check it"
    golden, candidate = marked(was, now)
    wording = Wording(golden=golden, candidate=candidate, p_value=0.004)
    case = case_with(make_block, step, "anything", tasks=(was,), wording=wording, exact=True)
    assert line(case) == (
        f"changed meaning: {LONG.format('[-eu-west-1-]')} and check it -> {LONG.format('{+us-east-1+}')} and check it"
    )


def test_a_changed_value_is_old_then_new(make_block, step):
    was, now = "trivy --exit-code 1", "trivy --exit-code 0"
    message, at = with_values(f"{named('Scan', 'Scan')} has params.run: ", instead(was, now))
    case = case_with(make_block, step, message, golden_value=was, candidate_value=now, values_at=at)
    assert line(case) == "'Scan' has params.run: trivy --exit-code [-1-] -> trivy --exit-code {+0+}"


def test_a_changed_sentence_of_a_long_value_is_whole_and_its_line_breaks_are_marks(make_block, step):
    prompt = f"You are an assistant. {'Answer politely. ' * 20}\n{{}}Instructions:\n- Be `brief`"
    was, now = prompt.format("Do not make things up.\n"), prompt.format("")
    message, at = with_values(f"{named('Ask', 'Ask')} has params.prompt: ", exchanged(was, now))
    case = case_with(make_block, step, message, golden_value=was, candidate_value=now, values_at=at)
    golden, candidate = line(case).split(" -> ")
    assert "[-Do not make things up.\n-]Instructions" in golden
    assert "Instructions" in candidate
    assert "{+" not in candidate


def name(text):
    return named(beginning(text, NAME), text)


def test_long_lists_are_short_and_names_are_whole(make_block, step):
    names = ["Check the backup", "Stop the nightly import of orders", "Tell the finance department" * 5, "Pay"]
    first, *others = map(name, names)
    message = f"{first} now runs after {listed(others)} instead of before"
    assert line(case_with(make_block, step, message, tasks=tuple(names))) == (
        "'Check the backup' now runs after 'Stop the nightly import of orders' and 2 more instead of before"
    )
    two = [f"Copy the encrypted archive of all customer invoices to {place}" for place in ("the vault", "tape")]
    both = f"{name(two[0])} no longer runs before {name(two[1])} and 3 more: no path connects these steps any more"
    short = line(case_with(make_block, step, both, tasks=tuple(two)))
    assert short == (f"'{two[0]}' no longer runs before '{two[1]}' and 3 more: no path connects these steps any more")


def test_the_other_wording_of_a_step_is_left_out(make_block, step):
    now = rewording(listed(list(map(name, ["Look at it", "Check it", "Read it", "File it", "Print it", "See it"]))))
    message = f"{name('Scan it')}{now} now runs after {name('Sign it')} instead of before"
    assert line(case_with(make_block, step, message)) == "'Scan it' now runs after 'Sign it' instead of before"
    others = listed([name("Sign it") + now, name("Book it"), name("Pay it") + rewording(name("Transfer the money"))])
    message = f"{name('Scan it')} now runs after {others}"
    assert line(case_with(make_block, step, message)) == "'Scan it' now runs after 'Sign it', 'Book it' and 'Pay it'"


def test_a_result_without_mentions_is_shown_as_it_is(make_block, step):
    message = "'Scan it' (now 'Look at it') now runs after 'Sign it', 'File it' and 2 more"
    case = case_with(make_block, step, message, tasks=("Scan it", "Look at it", "Sign it", "File it"))
    assert line(case) == message
    data = case.reasons[0].model_dump(mode="json")
    del data["mentions"]
    assert Reason.model_validate(data) == case.reasons[0]


WORDS = ["Pay", "pay", "'", "' and '", "', '", " and ", ", ", "more", " and 2 more", "(now 'Pay')", "'Pay'", "invoice"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(lambda words: " ".join(" ".join(words).split()))


def found_in(message):
    text, mentions = read(message)
    finding = Finding(id="WR203", defect="x", severity="error", message=text, mentions=mentions, fingerprint="f")
    return CaseResult(id="a", golden="a", candidate="b", verdict="review", findings=(finding,)), finding


def short_line(case):
    return brief.plain(CaseView(case).others[0].pieces)


@settings(max_examples=examples(200))
@given(names=st.tuples(TEXTS, TEXTS, TEXTS), words=st.tuples(TEXTS, TEXTS, TEXTS))
def test_exactly_the_names_of_a_message_are_shortened_and_made_whole(names, words):
    """The texts around the names have the same words, quotes and brackets."""
    first, now, second = names
    case, finding = found_in(f"{words[0]}{name(first)}{rewording(name(now))}{words[1]}{name(second)}{words[2]}")
    shown = [beginning(one, NAME) for one in names]
    assert finding.message == f"{words[0]}'{shown[0]}' (now '{shown[1]}'){words[1]}'{shown[2]}'{words[2]}"
    assert brief.with_whole_names(finding) == f"{words[0]}'{first}' (now '{now}'){words[1]}'{second}'{words[2]}"
    assert short_line(case) == f"{words[0]}'{shown[0]}'{words[1]}'{shown[2]}'{words[2]}"


@settings(max_examples=examples(200))
@given(names=st.lists(TEXTS, min_size=3, max_size=7), now=TEXTS, words=st.tuples(TEXTS, TEXTS))
def test_of_a_long_list_the_first_name_is_left_and_all_others_are_counted(names, now, words):
    items = [name(names[0]) + rewording(name(now)), *map(name, names[1:])]
    case, _ = found_in(f"{words[0]}{listed(items)}{words[1]}")
    first = beginning(names[0], NAME)
    if len(plain(listed([name(one) for one in names]))) > brief.LIST:
        assert short_line(case) == f"{words[0]}'{first}' and {len(names) - 1} more{words[1]}"
    else:
        assert short_line(case) == f"{words[0]}{plain(listed(list(map(name, names))))}{words[1]}"


@pytest.mark.parametrize(("now", "shown"), [("", "(no text)"), ("  ", "(no text)")])
def test_a_side_without_words_is_said(now, shown):
    assert brief.plain(tuple(brief._exchange("...", now))) == f"... -> {shown}"
    assert brief.plain(tuple(brief._exchange("", "Build"))) == "(no text) -> Build"
