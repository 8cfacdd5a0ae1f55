"""Which cases of a pull request count as accepted: by whom, and for which bytes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from wfgate.approvals.forge.acceptances import Acceptances, comment_of
from wfgate.approvals.owners import code_owners, login, owners_of
from wfgate.approvals.references import digest
from wfgate.decide import ALL, Acceptance, Blob, CaseResult, GateResult, Pair
from wfgate.errors import ConfigError, printable
from wfgate.run import Revision


def with_acceptances(
    result: GateResult, given: Acceptances, base: Revision, pairs: Sequence[Pair], home: Path | None = None
) -> GateResult:
    """Return the result with the accepted cases marked, and with the reasons why other acceptances do not count.

    An acceptance covers a case if the candidate has the bytes that its file had at the accepted commit, and the person
    is a code owner of its references (by the base revision). Where they have no code owner, a comment of anybody who
    may write to the repository counts. The author of the pull request accepts nothing, unless the policy allows it.

    Args:
        result: The result of the run; verdicts are not changed.
        given: The acceptances of persons who may write to the repository.
        base: The base revision.
        pairs: The compared pairs.
        home: The folder of references, for a candidate without a reference.

    Raises:
        ConfigError: If the base revision's file of code owners cannot be read.
    """
    accepting = _Accepting(result, given, base, home)
    times = Counter(pair.id for pair in pairs)
    by_name = {pair.id: pair for pair in pairs if times[pair.id] == 1}
    cases = [accepting.case(case, by_name.get(case.id)) for case in result.cases]
    info = result.base
    if info is not None:
        refused = dict.fromkeys((*info.refused, *map(printable, (*accepting.refused, *accepting.unknown()))))
        info = info.model_copy(update={"head": given.head, "refused": tuple(refused)})
    return result.model_copy(update={"cases": tuple(cases), "base": info})


class _Accepting:
    def __init__(self, result: GateResult, given: Acceptances, base: Revision, home: Path | None) -> None:
        self._result, self._given, self._base, self._home = result, given, base, home
        self._rules = code_owners(base)
        self._names = {case.id for case in result.cases} | {group.id for group in result.samples}
        self._authors = {login(each) for each in given.authors}
        self.refused = list(given.ignored)

    def case(self, case: CaseResult, pair: Pair | None) -> CaseResult:
        """Return a case with its acceptance, if it did not pass and somebody accepted it."""
        if case.verdict == "pass" or case.content is None or pair is None or not isinstance(pair.candidate, Path):
            return case
        for one in self._given.accepted:
            if not self._is_about(one, case):
                continue
            why = next(self._objections(one, case, pair, pair.candidate), None)
            if why is None:
                return case.model_copy(update={"accepted": one})
            if one.how == "comment":
                self.refused.append(f"{case.id}: {comment_of(one)}: {why}")
        return case

    def unknown(self) -> Iterator[str]:
        """Yield the names in comments that no case has, each with the name that it may be meant for."""
        for one in self._given.accepted:
            for name in sorted(set(one.cases) - self._names - {ALL} if one.how == "comment" else ()):
                near = get_close_matches(name, sorted(self._names), n=1)
                meant = f": did you mean {near[0]}?" if near else ""
                yield f"{name}: {comment_of(one)}: no case has this name{meant}"

    def _is_about(self, one: Acceptance, case: CaseResult) -> bool:
        group = self._result.group_of(case.id)
        every = ALL in one.cases and ALL not in self._names  # a workflow may be called so, to be accepted with others
        return one.how == "review" or every or case.id in one.cases or (group is not None and group.id in one.cases)

    def _objections(self, one: Acceptance, case: CaseResult, pair: Pair, candidate: Path) -> Iterator[str]:
        if case.error is not None and pair.goldens:
            yield "nothing was compared, so there is nothing to accept: correct the candidate first"
        person = login(one.by)
        if person in self._authors and not self._result.policy.authors_accept:
            yield "the author of a change does not accept it (policy: authors_accept = false)"
        owners = [owners_of(name, self._rules) if name else {""} for name in self._references(pair, candidate)]
        if any(owners):
            if "/" in person or not all(person in each for each in owners):  # with a slash it is a team
                yield "not a code owner of its references in the base revision"
        elif one.how == "review":
            yield "its references have no code owner"
        there = self._content_at(one.commit, candidate)
        if there is None:
            yield f"git has no such file at {one.commit}: after a force push, accept it again"
        elif case.content != there:
            yield f"the candidate is not as in {one.commit}"

    def _references(self, pair: Pair, candidate: Path) -> list[str | None]:
        """Return the names in the repository of the references, or of what would be the first one."""
        paths = [golden.path for golden in pair.goldens if isinstance(golden, Blob)]
        paths = paths or [candidate if self._home is None else self._home / candidate.name]
        return [self._base.name_of(path) for path in paths]

    def _content_at(self, commit: str, candidate: Path) -> str | None:
        """Return the hash of the candidate at a commit; None if git does not have the commit, or the commit the file.

        A file outside of the repository belongs to no commit.
        """
        try:
            return next((digest(blob.content) for blob in self._base.at(commit).below(candidate)), None)
        except ConfigError:
            return None
