"""Reviews and comments of a pull request, asked from a server that speaks for GitHub."""

import pytest

from tests.ci.runner import GitHub
from wfgate.approvals import RefusedError, github_acceptances, github_api, pull_number
from wfgate.approvals.forge.api import PAGES, PATIENCE

A, B = "a" * 40, "b" * 40
LINE = f"/wfgate approve deploy at {A}"


@pytest.fixture
def github():
    server = GitHub()
    server.pull["head"]["sha"] = A
    yield server
    server.close()


@pytest.fixture
def read(github):
    environ = {"GITHUB_API_URL": github.url, "GITHUB_REPOSITORY": "team/flows", "GITHUB_TOKEN": "secret-token"}
    return lambda: github_acceptances(github_api(environ), 7)


def names(found):
    return [(one.by, one.how, one.commit, one.cases) for one in found.accepted]


def test_reviews_and_comments_of_those_who_may_write(github, read):
    github.reviews = [github.reviewed("ada", "COMMENTED", A), github.reviewed("ada", "APPROVED", B)]
    github.comments = [
        github.said("bob", f"/wfgate approve a 'b c' at {A}\n\nas agreed"),
        github.said("ada", "thanks"),
    ]
    found = read()
    assert names(found) == [("ada", "review", B, ()), ("bob", "comment", A, ("a", "b c"))]
    assert (found.head, found.authors, found.approvers, found.ignored) == (A, ("agent",), (), ())


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"updated_at": "2026-11-28T10:00:01Z"}, "it was edited"),
        ({"performed_via_github_app": {"slug": "assistant"}}, "an app wrote it"),
        ({"body": "/wfgate approve deploy"}, "at which commit"),
        ({"user": {"login": "eve", "type": "User"}}, "may not write"),
        ({"user": {"login": "helper", "type": "Bot"}}, ""),
        ({"user": None}, ""),
        ({"body": None}, ""),
    ],
)
def test_a_comment_that_does_not_count(github, read, changed, why):
    github.comments = [github.said("ada", LINE) | changed]
    found = read()
    assert found.accepted == ()
    assert [why in one for one in found.ignored] == [True] * bool(why)


@pytest.mark.parametrize("last", ["DISMISSED", "CHANGES_REQUESTED"])
def test_a_review_that_was_dismissed_or_replaced_does_not_count(github, read, last):
    github.reviews = [github.reviewed("ada", "APPROVED", A), github.reviewed("ada", last, A)]
    assert read().accepted == ()


def test_requested_changes_take_the_earlier_comments_of_the_person_back(github, read):
    github.comments = [github.said("ada", LINE), github.said("bob", LINE)]
    github.reviews = [github.reviewed("ada", "CHANGES_REQUESTED", A)]
    assert [one.by for one in read().accepted] == ["bob"]
    github.reviews[0]["submitted_at"] = "2026-11-28T09:00:00Z"
    assert [one.by for one in read().accepted] == ["ada", "bob"]


def test_a_review_by_a_program_or_by_a_stranger_does_not_count(github, read):
    bot = {"user": {"login": "ada", "type": "Bot"}}
    github.reviews = [github.reviewed("eve", "APPROVED", A), github.reviewed("ada", "APPROVED", A, **bot)]
    assert read().accepted == ()


def test_authors_of_commits_are_authors_but_not_of_a_merge_of_the_base(github, read):
    one, two = [{"sha": A}], [{"sha": A}, {"sha": B}]
    github.pushed = [
        {"author": {"login": "ada"}, "parents": one},
        {"author": {"login": "bob"}, "parents": two},
        {"author": None, "parents": one},
    ]
    assert read().authors == ("agent", "ada")


def test_an_incomplete_list_is_an_error(github, read):
    """A review that takes an approval back could be on the page that is missing."""
    more = {"Link": f'<{github.url}/repos/team/flows/x?page=2>; rel="next"'}
    github.before = lambda _, path: (200, more, []) if "reviews" in path or "/x?" in path else None
    with pytest.raises(RefusedError, match=f"more than {PAGES} pages"):
        read()


def test_more_than_a_page_of_reviews_and_comments_is_read(github, read):
    github.reviews = [github.reviewed("bob", "COMMENTED", A)] * 100 + [github.reviewed("ada", "APPROVED", A)]
    github.comments = [github.said("bob", "thanks")] * 250 + [github.said("bob", LINE)]
    assert [one.by for one in read().accepted] == ["ada", "bob"]


def test_authors_that_github_does_not_list_are_an_error(github, read):
    github.pushed = [{"author": {"login": "ada"}, "parents": [{"sha": A}]}] * 250
    github.pull["commits"] = 250
    assert read().authors == ("agent", "ada")
    github.pull["commits"] = 251
    with pytest.raises(RefusedError, match="250 of 251 commits"):
        read()


def test_an_account_that_is_gone_may_not_write(github, read):
    github.comments = [github.said("ghost", LINE), github.said("ada", LINE)]
    github.before = lambda _, path: (404, {}, {}) if "collaborators/ghost" in path else None
    found = read()
    assert ([one.by for one in found.accepted], len(found.ignored)) == (["ada"], 1)
    github.before = lambda _, path: (403, {}, {}) if "collaborators/ada" in path else None
    with pytest.raises(RefusedError, match="the token may not do this"):
        read()


def test_the_text_of_a_review_accepts_nothing_and_says_so(github, read):
    """Others can edit it, and GitHub does not say whether somebody did."""
    github.reviews = [github.reviewed("ada", "COMMENTED", A, body=LINE)]
    found = read()
    assert (found.accepted, ["text of a review is not read" in one for one in found.ignored]) == ((), [True])


@pytest.mark.parametrize(("status", "words"), [(403, "You have exceeded a secondary rate limit."), (429, "slow down")])
def test_a_limit_without_a_time_is_waited_for_a_minute(github, read, monkeypatch, status, words):
    waits = []
    monkeypatch.setattr("wfgate.approvals.forge.api.time.sleep", waits.append)
    github.comments = [github.said("ada", LINE)]
    github.before = lambda _, path: (status, {}, {"message": words}) if not waits and "comments" in path else None
    assert [one.by for one in read().accepted] == ["ada"]
    assert waits == [PATIENCE]


def test_a_renamed_repository_is_found_and_the_token_goes_to_no_other_server(github, read):
    moved = {"Location": f"{github.url}/repos/team/flows/pulls/7?moved"}
    github.before = lambda _, path: (301, moved, {}) if path.endswith("pulls/7") else None
    assert read().head == A
    moved["Location"] = github.url.replace("127.0.0.1", "localhost") + "/repos/team/flows/pulls/7?moved"
    with pytest.raises(RefusedError, match="another server"):
        read()


def test_the_pull_request_of_an_event():
    queued = {"merge_group": {"head_ref": f"refs/heads/gh-readonly-queue/main/pr-12-{A}"}}
    assert pull_number({"pull_request": {"number": 7}}) == 7
    assert pull_number(queued) == 12
    for ref in (f"refs/heads/pr-12-{A}", f"refs/heads/gh-readonly-queue/main/pr-12-{A}/x", ""):
        assert pull_number({"merge_group": {"head_ref": ref}}) is None
    assert pull_number({"ref": "refs/heads/main"}) is None
