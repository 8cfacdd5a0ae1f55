"""Reviews and comments of a pull request, asked from a server that speaks for GitHub."""

import pytest

from tests.ci.runner import GitHub
from wfgate.forge.api import PAGES, RefusedError, github_api
from wfgate.forge.github import github_acceptances, pull_number

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


def test_the_pull_request_of_an_event():
    queued = {"merge_group": {"head_ref": f"refs/heads/gh-readonly-queue/main/pr-12-{A}"}}
    assert pull_number({"pull_request": {"number": 7}}) == 7
    assert pull_number(queued) == 12
    for ref in (f"refs/heads/pr-12-{A}", f"refs/heads/gh-readonly-queue/main/pr-12-{A}/x", ""):
        assert pull_number({"merge_group": {"head_ref": ref}}) is None
    assert pull_number({"ref": "refs/heads/main"}) is None
